"""A position as SVG, with the last move, the winning line and labels for moves, in a light or dark theme.

Nothing in a picture has an id, so that a page can hold any number of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple

from inarow.drawing import board as geo
from inarow.drawing.board import (
    DARK,
    LIGHT,
    THEMES,
    WHITE,
    Drawable,
    Theme,
    dimmed,
    hexadecimal,
    landing_cell,
    last_cell,
    mixed,
    shade,
    stones,
)
from inarow.errors import InarowError, unknown

UNITS = 100
"""The side of a cell in the picture's own units."""
MARGIN = 0.1
"""Around everything, in cells."""
AUTO = "auto"
"""The theme that follows the reader's system: light or dark."""


class Label(NamedTuple):
    """The label of a move, such as its score."""

    text: str
    tone: str = "even"
    """``good``, ``bad`` or ``even``."""


def tone_of(value: float) -> str:
    """Return the tone of a score or value for the side to move: good if it wins, bad if it loses."""
    return "good" if value > 0 else "bad" if value < 0 else "even"


def draw_svg(
    board: Drawable,
    *,
    last: int | None = None,
    labels: Mapping[int, Label] | None = None,
    marked: Collection[int] = (),
    theme: str = AUTO,
    cell: int = 44,
) -> str:
    """Return the picture of a position. Moves count from 0.

    ``last`` is the last move; ``labels`` are written above columns, or into free cells; a move in ``marked`` has a ring
    where its stone would be. ``theme`` is ``light``, ``dark`` or ``auto``; ``cell`` is the side of a cell in pixels.
    """
    if theme != AUTO and theme not in THEMES:
        raise InarowError(unknown("theme", theme, (AUTO, *THEMES)))
    picture = _SvgPicture(board, theme, last_cell(board, last), dict(labels or {}))
    places = [place for move in marked if (place := landing_cell(board, move)) is not None]
    if board.game.gravity:
        picture.draw_columns(places)
    else:
        picture.draw_boxes(places)
    return picture.text(cell)


class _SvgPicture:
    """Collects the elements of a picture, in order."""

    def __init__(self, board: Drawable, theme: str, last: int | None, labels: dict[int, Label]) -> None:
        self.board, self.theme, self.last, self.labels = board, theme, last, labels
        self.line = set(board.winning_cells())
        self.parts: list[str] = []
        game = board.game
        frame = geo.FRAME if game.gravity else 0.0
        above = geo.LABEL_ABOVE + geo.LABEL_TEXT / 2 if game.gravity and labels else 0.0
        below = geo.NUMBER_BELOW + geo.NUMBER_TEXT / 2 if game.gravity else 0.0
        self.left = MARGIN + frame
        self.top = MARGIN + frame + above
        self.width = game.columns + 2 * self.left
        self.height = game.rows + self.top + MARGIN + frame + below
        self._box(0, 0, self.width, self.height, 0.12, fill="back")

    def text(self, cell: int) -> str:
        """Return the whole picture."""
        wide, high = round(self.width * cell), round(self.height * cell)
        name = f"inarow-{self.theme}"
        style = _style() if self.theme == AUTO else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{name}" role="img" width="{wide}" height="{high}" '
            f'viewBox="0 0 {_at(self.width)} {_at(self.height)}" font-family="sans-serif" text-anchor="middle">'
            f"<title>{escape(self.board.describe())}</title>{style}{''.join(self.parts)}</svg>"
        )

    # A board with gravity.

    def draw_columns(self, marked: Collection[int]) -> None:
        """Draw the frame with its holes, the stones behind it, numbers below and labels above."""
        game = self.board.game
        wide, high = game.columns + 2 * geo.FRAME, game.rows + 2 * geo.FRAME
        self._box(self.left - geo.FRAME, self.top - geo.FRAME, wide, high, geo.FRAME_CORNER, fill="board")
        for cell in range(game.columns * game.rows):
            self._circle(cell, geo.HOLE, fill="hole")
        for cell, player in stones(self.board):
            self._stone(cell, player)
        middle, width = (geo.HOLE + geo.HOLE_EDGE) / 2, geo.HOLE_EDGE - geo.HOLE
        for cell in range(game.columns * game.rows):
            self._ring(cell, middle + width / 2, 2 * width, "board-edge")
        for cell in self.line:
            self._ring(cell, geo.LINE_RING / 2 - geo.LINE_RING_WIDTH / 2, geo.LINE_RING_WIDTH, "white")
        for cell in marked:
            self._ring(cell, geo.HINT_RING / 2 - geo.HINT_RING_WIDTH / 2, geo.HINT_RING_WIDTH, "good")
        if self.last is not None and not self.line:
            self._circle(self.last, geo.LAST_DOT / 2, fill="white")
        for column in range(game.columns):
            x, below = self.left + column + 0.5, self.top + game.rows + geo.FRAME
            self._write(str(column + 1), x, below + geo.NUMBER_BELOW, geo.NUMBER_TEXT, "faint")
            if (label := self.labels.get(column)) is not None:
                above = self.top - geo.FRAME - geo.LABEL_ABOVE
                self._write(label.text, x, above, _fitting(label.text, geo.LABEL_TEXT), label.tone, bold=True)

    def _stone(self, cell: int, player: int) -> None:
        name = ("first", "second")[player]
        dim = "-dim" if self.line and cell not in self.line else ""
        for band, radius in geo.STONE_BANDS:
            self._circle(cell, geo.STONE * radius, fill=f"{name}-{band}{dim}")
        self._mark(cell, player, geo.STONE * geo.MARK_REACH, geo.STONE * geo.MARK_WIDTH, f"{name}-dark{dim}")

    # A board without gravity.

    def draw_boxes(self, marked: Collection[int]) -> None:
        """Draw boxes with crosses and rings, and in free boxes a label or the number."""
        game = self.board.game
        held = dict(stones(self.board))
        for cell in range(game.columns * game.rows):
            x, y = self._centre(cell)
            edge = "accent" if cell in self.line else "good" if cell in marked else "line"
            side, thick = 1 - geo.BOX_GAP, geo.BOX_EDGE * (1 if edge == "line" else 2)
            fill = "panel-line" if cell in self.line else "panel"
            self._box(x - side / 2, y - side / 2, side, side, geo.BOX_CORNER, fill=fill, edge=edge, thick=thick)
            if cell in held:
                self._letter(cell, held[cell])
            elif (label := self.labels.get(cell)) is not None:
                self._write(label.text, x, y, _fitting(label.text, geo.BOX_LABEL), label.tone, bold=True)
            else:
                place = x - geo.BOX_NUMBER_LEFT + geo.BOX_NUMBER / 2, y - geo.BOX_NUMBER_UP + geo.BOX_NUMBER / 2
                self._write(str(cell + 1), *place, geo.BOX_NUMBER, "faint")

    def _letter(self, cell: int, player: int) -> None:
        name = ("first", "second")[player]
        dim = "-dim" if self.line and cell not in self.line else ""
        reach, width = geo.STONE * geo.LETTER_REACH, geo.STONE * geo.LETTER_WIDTH
        self._mark(cell, player, reach, width, f"{name}-plain{dim}")
        if cell == self.last and not self.line:
            x, y = self._centre(cell)
            radius, off = geo.BOX_LAST_DOT / 2, geo.BOX_LAST_OFF
            place = f'cx="{_at(x + off)}" cy="{_at(y - off)}" r="{_at(radius)}"'
            self.parts.append(f'<circle {place} fill="{self._colour("text")}"/>')

    # Elements; lengths in cells.

    def _centre(self, cell: int) -> tuple[float, float]:
        row, column = divmod(cell, self.board.game.columns)
        return self.left + column + 0.5, self.top + row + 0.5

    def _colour(self, name: str) -> str:
        light = _shades(LIGHT)[name]
        if self.theme == AUTO:
            return f"var(--inarow-{name},{light})"
        return _shades(THEMES[self.theme])[name]

    def _box(
        self,
        x: float,
        y: float,
        wide: float,
        high: float,
        corner: float,
        *,
        fill: str,
        edge: str = "",
        thick: float = 0,
    ) -> None:
        stroke = f' stroke="{self._colour(edge)}" stroke-width="{_at(thick)}"' if edge else ""
        x, y, wide, high = x + thick / 2, y + thick / 2, wide - thick, high - thick
        self.parts.append(
            f'<rect x="{_at(x)}" y="{_at(y)}" width="{_at(wide)}" height="{_at(high)}" rx="{_at(corner)}" '
            f'fill="{self._colour(fill)}"{stroke}/>'
        )

    def _circle(self, cell: int, radius: float, fill: str) -> None:
        x, y = self._centre(cell)
        self.parts.append(f'<circle cx="{_at(x)}" cy="{_at(y)}" r="{_at(radius)}" fill="{self._colour(fill)}"/>')

    def _ring(self, cell: int, radius: float, width: float, colour: str) -> None:
        x, y = self._centre(cell)
        self.parts.append(
            f'<circle cx="{_at(x)}" cy="{_at(y)}" r="{_at(radius)}" fill="none" '
            f'stroke="{self._colour(colour)}" stroke-width="{_at(width)}"/>'
        )

    def _mark(self, cell: int, player: int, reach: float, width: float, colour: str) -> None:
        """Draw a cross for the first player, a ring for the second."""
        if player:
            self._ring(cell, reach, width, colour)
            return
        (x, y), r = self._centre(cell), reach
        path = (
            f"M{_at(x - r)} {_at(y - r)}L{_at(x + r)} {_at(y + r)}M{_at(x - r)} {_at(y + r)}L{_at(x + r)} {_at(y - r)}"
        )
        stroke = f'stroke="{self._colour(colour)}" stroke-width="{_at(width)}" stroke-linecap="round"'
        self.parts.append(f'<path d="{path}" {stroke}/>')

    def _write(self, text: str, x: float, y: float, height: float, colour: str, bold: bool = False) -> None:
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(
            f'<text x="{_at(x)}" y="{_at(y)}" dy="0.35em" font-size="{_at(height)}"{weight} '
            f'fill="{self._colour(colour)}">{escape(text)}</text>'
        )


def _at(cells: float) -> str:
    """Format a length in the picture's units."""
    return f"{cells * UNITS:.4g}"


def _fitting(text: str, height: float) -> float:
    """Return the height with which a bold label is narrower than a cell."""
    return min(height, 0.9 / (0.7 * max(1, len(text))))


def _shades(theme: Theme) -> dict[str, str]:
    """Return every colour of a picture, by name."""
    colours = {
        "back": theme.back,
        "board": theme.board,
        "board-edge": theme.board_edge,
        "hole": theme.hole,
        "panel": theme.panel,
        "panel-line": mixed(theme.panel, theme.accent, 0.22),
        "line": theme.line,
        "accent": theme.accent,
        "text": theme.text,
        "faint": theme.faint,
        "good": theme.good,
        "bad": theme.bad,
        "even": theme.even,
        "white": WHITE,
    }
    for player, name in enumerate(("first", "second")):
        for band in ("plain", "dark", "light"):
            colour = shade(theme.stone(player), band)
            colours[f"{name}-{band}"] = colour
            colours[f"{name}-{band}-dim"] = dimmed(colour, theme.hole)
    return {name: hexadecimal(colour) for name, colour in colours.items()}


def _style() -> str:
    """Return the dark colours, for systems in dark mode; the light ones are in the elements themselves."""
    dark = ";".join(f"--inarow-{name}:{colour}" for name, colour in _shades(DARK).items())
    return f"<style>@media (prefers-color-scheme:dark){{.inarow-{AUTO}{{{dark}}}}}</style>"


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
