"""A position as a list of simple shapes, and shapes as SVG, in a light or dark theme.

Animations and GIF files draw the same shapes. Nothing in a picture has an id, so that a page can hold any number of
them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, NamedTuple

from inarow.drawing import board as geo
from inarow.drawing.board import (
    DARK,
    LIGHT,
    THEMES,
    WHITE,
    Colour,
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
"""The side of a cell in the units of an SVG picture."""
MARGIN = 0.1
"""Margin around the picture, in cells."""
AUTO = "auto"
"""The theme that follows the reader's system: light or dark."""

Paint = Colour | str
"""A colour, or its name in a theme (see `shades`)."""
Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A rectangle with round corners."""

    x: float
    y: float
    width: float
    height: float
    corner: float
    fill: Paint
    edge: Paint | None = None
    thickness: float = 0.0
    dashed: bool = False


@dataclass(frozen=True)
class Disc:
    """A circle: filled, or with an edge only."""

    x: float
    y: float
    radius: float
    fill: Paint | None
    edge: Paint | None = None
    thickness: float = 0.0


@dataclass(frozen=True)
class Stroke:
    """A line through points."""

    points: Sequence[Point]
    colour: Paint
    thickness: float
    dashed: bool = False


@dataclass(frozen=True)
class Text:
    """A line of text on a baseline."""

    x: float
    y: float
    text: str
    size: float
    colour: Paint
    anchor: str = "middle"
    """``start`` or ``middle``."""
    bold: bool = False


Shape = Box | Disc | Stroke | Text
_LENGTHS = {"width", "height", "corner", "radius", "size", "thickness"}
_PAINTS = {"fill", "edge", "colour"}


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
    game = board.game
    frame = geo.FRAME if game.gravity else 0.0
    above = geo.LABEL_ABOVE + geo.LABEL_TEXT / 2 if game.gravity and labels else 0.0
    below = geo.NUMBER_BELOW + geo.NUMBER_TEXT / 2 if game.gravity else 0.0
    left, top = MARGIN + frame, MARGIN + frame + above
    width, height = game.columns + 2 * left, game.rows + top + MARGIN + frame + below
    shapes = [
        Box(-left, -top, width, height, 0.12, "back"),
        *board_shapes(board, last=last, labels=labels or {}, marked=marked),
    ]
    light, own = shades(LIGHT), shades(THEMES.get(theme, LIGHT))

    def paint(name: Paint) -> str:
        assert isinstance(name, str)
        return f"var(--inarow-{name},{hexadecimal(light[name])})" if theme == AUTO else hexadecimal(own[name])

    drawn = "".join(svg_shape(shape, paint) for shape in placed(shapes, left * UNITS, top * UNITS, UNITS))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="inarow-{theme}" role="img" width="{round(width * cell)}" '
        f'height="{round(height * cell)}" viewBox="0 0 {_at(width * UNITS)} {_at(height * UNITS)}" '
        f'font-family="sans-serif"><title>{escape(board.describe())}</title>{_style() if theme == AUTO else ""}'
        f"{drawn}</svg>"
    )


def board_shapes(
    board: Drawable,
    *,
    last: int | None = None,
    labels: Mapping[int, Label] | None = None,
    marked: Collection[int] = (),
    detail: bool = True,
) -> list[Shape]:
    """Return the shapes of a position from back to front, in cells from the corner of the upper left cell.

    The other arguments are those of `draw_svg`. Without ``detail`` there are no numbers and no shading, for animations.
    """
    places = {place for move in marked if (place := landing_cell(board, move)) is not None}
    draw = _columns if board.game.gravity else _boxes
    return list(draw(board, last_cell(board, last), labels or {}, places, detail))


def _columns(
    board: Drawable, last: int | None, labels: Mapping[int, Label], marked: Collection[int], detail: bool
) -> Iterator[Shape]:
    """Yield a frame with holes, the stones behind it, numbers below and labels above."""
    game, line = board.game, set(board.winning_cells())
    centres = [_centre(board, cell) for cell in range(game.columns * game.rows)]
    wide, high = game.columns + 2 * geo.FRAME, game.rows + 2 * geo.FRAME
    yield Box(-geo.FRAME, -geo.FRAME, wide, high, geo.FRAME_CORNER, "board")
    yield from (Disc(*centre, geo.HOLE, "hole") for centre in centres)
    for cell, player in stones(board):
        name, dim = ("first", "second")[player], "-dim" if line and cell not in line else ""
        for band, radius in geo.STONE_BANDS if detail else geo.STONE_BANDS[:2]:
            yield Disc(*centres[cell], geo.STONE * radius, f"{name}-{band}{dim}")
        yield _mark(centres[cell], player, geo.STONE * geo.MARK_REACH, geo.STONE * geo.MARK_WIDTH, f"{name}-dark{dim}")
    rim = geo.HOLE_EDGE - geo.HOLE
    yield from (_ring(centre, geo.HOLE_EDGE, 2 * rim, "board-edge") for centre in centres if detail)
    for cells, size, width, colour in (
        (line, geo.LINE_RING, geo.LINE_RING_WIDTH, "white"),
        (marked, geo.HINT_RING, geo.HINT_RING_WIDTH, "good"),
    ):
        yield from (_ring(centres[cell], size / 2 - width / 2, width, colour) for cell in sorted(cells))
    if last is not None and not line:
        yield Disc(*centres[last], geo.LAST_DOT / 2, "white")
    for column in range(game.columns) if detail else ():
        x, below = column + 0.5, game.rows + geo.FRAME + geo.NUMBER_BELOW
        yield _word(str(column + 1), x, below, geo.NUMBER_TEXT, "faint")
        if (label := labels.get(column)) is not None:
            yield _label(label, x, -geo.FRAME - geo.LABEL_ABOVE, geo.LABEL_TEXT)


def _boxes(
    board: Drawable, last: int | None, labels: Mapping[int, Label], marked: Collection[int], detail: bool
) -> Iterator[Shape]:
    """Yield boxes with crosses and rings, and in free boxes a label or the number."""
    game, line, held = board.game, set(board.winning_cells()), dict(stones(board))
    for cell in range(game.columns * game.rows):
        x, y = _centre(board, cell)
        edge = "accent" if cell in line else "good" if cell in marked else "line"
        thick = geo.BOX_EDGE * (1 if edge == "line" else 2)
        inset, side = (1 - geo.BOX_GAP - thick) / 2, 1 - geo.BOX_GAP - thick
        fill = "panel-line" if cell in line else "panel"
        yield Box(x - inset, y - inset, side, side, geo.BOX_CORNER, fill, edge, thick)
        if cell in held:
            colour = ("first", "second")[held[cell]] + "-plain" + ("-dim" if line and cell not in line else "")
            yield _mark((x, y), held[cell], geo.STONE * geo.LETTER_REACH, geo.STONE * geo.LETTER_WIDTH, colour)
            if cell == last and not line:
                yield Disc(x + geo.BOX_LAST_OFF, y - geo.BOX_LAST_OFF, geo.BOX_LAST_DOT / 2, "text")
        elif (label := labels.get(cell)) is not None:
            yield _label(label, x, y, geo.BOX_LABEL)
        elif detail:
            off = geo.BOX_NUMBER / 2
            number_at = x - geo.BOX_NUMBER_LEFT + off, y - geo.BOX_NUMBER_UP + off
            yield _word(str(cell + 1), *number_at, geo.BOX_NUMBER, "faint")


def _centre(board: Drawable, cell: int) -> Point:
    row, column = divmod(cell, board.game.columns)
    return column + 0.5, row + 0.5


def _ring(centre: Point, radius: float, width: float, colour: str) -> Shape:
    return Disc(*centre, radius, None, colour, width)


def _mark(centre: Point, player: int, reach: float, width: float, colour: str) -> Shape:
    """Return a cross for the first player, a ring for the second."""
    if player:
        return _ring(centre, reach, width, colour)
    (x, y), r = centre, reach
    return Stroke(((x - r, y - r), (x + r, y + r), centre, (x - r, y + r), (x + r, y - r)), colour, width)


def _word(text: str, x: float, y: float, size: float, colour: str, bold: bool = False) -> Shape:
    """Return text centred at a point."""
    return Text(x, y + 0.35 * size, text, size, colour, bold=bold)


def _label(label: Label, x: float, y: float, size: float) -> Shape:
    """Return a label, in smaller letters if it would be wider than a cell."""
    return _word(label.text, x, y, min(size, 0.9 / (0.7 * max(1, len(label.text)))), label.tone, bold=True)


def placed(shapes: Iterable[Shape], x: float, y: float, scale: float, theme: Theme | None = None) -> Iterator[Shape]:
    """Yield shapes scaled and moved to a place, in the colours of a theme if one is given."""
    known = shades(theme) if theme else {}

    def paint(colour: Paint | None) -> Paint | None:
        return known.get(colour, colour) if isinstance(colour, str) else colour

    for shape in shapes:
        changed: dict[str, Any] = {name: scale * one for name, one in vars(shape).items() if name in _LENGTHS}
        changed |= {name: paint(one) for name, one in vars(shape).items() if name in _PAINTS}
        if isinstance(shape, Stroke):
            changed["points"] = [(x + scale * a, y + scale * b) for a, b in shape.points]
        else:
            changed |= {"x": x + scale * shape.x, "y": y + scale * shape.y}
        yield replace(shape, **changed)


def svg_shape(shape: Shape, paint: Callable[[Paint], str] | None = None) -> str:
    """Return a shape as an SVG element; ``paint`` formats its colours."""
    shown = paint or _hexadecimal

    def drawn(tag: str, colour: Paint | None, edge: Paint | None, thickness: float, **numbers: float) -> str:
        places = "".join(f' {name}="{_at(value)}"' for name, value in numbers.items())
        stroke = "" if edge is None else f' stroke="{shown(edge)}" stroke-width="{_at(thickness)}"'
        dashes = ' stroke-dasharray="4 4"' if getattr(shape, "dashed", False) else ""
        return f'<{tag}{places} fill="{"none" if colour is None else shown(colour)}"{stroke}{dashes}/>'

    match shape:
        case Box():
            size = {"width": shape.width, "height": shape.height, "rx": shape.corner}
            return drawn("rect", shape.fill, shape.edge, shape.thickness, x=shape.x, y=shape.y, **size)
        case Disc():
            return drawn("circle", shape.fill, shape.edge, shape.thickness, cx=shape.x, cy=shape.y, r=shape.radius)
        case Stroke():
            points = " ".join(f"{_at(x)},{_at(y)}" for x, y in shape.points)
            tag = f'polyline points="{points}" stroke-linecap="round"'
            return drawn(tag, None, shape.colour, shape.thickness)
        case Text():
            more = ' text-anchor="middle"' if shape.anchor == "middle" else ""
            more += ' font-weight="bold"' if shape.bold else ""
            return (
                f'<text x="{_at(shape.x)}" y="{_at(shape.y)}" font-size="{_at(shape.size)}"{more} '
                f'fill="{shown(shape.colour)}">{escape(shape.text)}</text>'
            )


def _hexadecimal(colour: Paint) -> str:
    assert not isinstance(colour, str)
    return hexadecimal(colour)


def _at(length: float) -> str:
    return f"{length:.4g}"


def shades(theme: Theme) -> dict[str, Colour]:
    """Return every colour of a picture, by name."""
    names = ("back", "board", "board_edge", "hole", "panel", "line", "accent", "text", "faint", "good", "bad", "even")
    colours: dict[str, Colour] = {name.replace("_", "-"): getattr(theme, name) for name in names}
    colours |= {"panel-line": mixed(theme.panel, theme.accent, 0.22), "white": WHITE}
    for player, name in enumerate(("first", "second")):
        for band in ("plain", "dark", "light"):
            colour = shade(theme.stone(player), band)
            colours[f"{name}-{band}"] = colour
            colours[f"{name}-{band}-dim"] = dimmed(colour, theme.hole)
    return colours


def _style() -> str:
    """Return the dark colours, for systems in dark mode; the light ones are in the elements themselves."""
    dark = ";".join(f"--inarow-{name}:{hexadecimal(colour)}" for name, colour in shades(DARK).items())
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
