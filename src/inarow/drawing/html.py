"""Small pieces of HTML for notebooks: a picture with a caption, a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def figure(svg: str, *lines: str) -> str:
    """Return a picture above lines of text."""
    caption = "".join(f"<div>{escape(line)}</div>" for line in lines)
    return f'<div class="inarow">{svg}{caption}</div>'


def table(head: Sequence[str], rows: Iterable[Sequence[object]], *lines: str) -> str:
    """Return a table above lines of text; all columns but the first are aligned right."""

    def row(kind: str, cells: Sequence[object]) -> str:
        aligned = (
            f'<{kind} style="padding:2px 8px;text-align:{"right" if index else "left"}">{escape(str(cell))}</{kind}>'
            for index, cell in enumerate(cells)
        )
        return f"<tr>{''.join(aligned)}</tr>"

    body = "".join(row("td", cells) for cells in rows)
    notes = "".join(f"<div>{escape(line)}</div>" for line in lines)
    return f'<div class="inarow"><table><thead>{row("th", head)}</thead><tbody>{body}</tbody></table>{notes}</div>'
