"""Pictures made of simple shapes, and animations of them: one SVG that moves, a GIF, or single frames."""

from __future__ import annotations

import functools
import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inarow.drawing.board import BLACK, THEMES, Colour, Drawable, Theme, hexadecimal, last_cell, mixed, stones
from inarow.drawing.svg import figure
from inarow.errors import InarowError, Unsupported, unknown
from inarow.paths import write_bytes, write_text

if TYPE_CHECKING:
    from PIL import Image

Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A rectangle with round corners."""

    x: float
    y: float
    width: float
    height: float
    corner: float
    fill: Colour
    edge: Colour
    thickness: float = 1.5
    dashed: bool = False


@dataclass(frozen=True)
class Disc:
    """A circle: filled, or with an edge only."""

    x: float
    y: float
    radius: float
    fill: Colour | None
    edge: Colour | None = None
    thickness: float = 0.0


@dataclass(frozen=True)
class Stroke:
    """A line through points."""

    points: Sequence[Point]
    colour: Colour
    thickness: float
    dashed: bool = False


@dataclass(frozen=True)
class Text:
    """A line of text on a baseline."""

    x: float
    y: float
    text: str
    size: float
    colour: Colour
    anchor: str = "middle"
    """``start`` or ``middle``."""
    bold: bool = False


Shape = Box | Disc | Stroke | Text


def svg_shape(shape: Shape) -> str:
    """Return a shape as an SVG element."""
    match shape:
        case Box():
            return (
                f'<rect x="{shape.x:.1f}" y="{shape.y:.1f}" width="{shape.width:.1f}" height="{shape.height:.1f}" '
                f'rx="{shape.corner:g}" fill="{hexadecimal(shape.fill)}" {_line(shape.edge, shape.thickness)}'
                f"{_dashes(shape.dashed)}/>"
            )
        case Disc():
            fill = "none" if shape.fill is None else hexadecimal(shape.fill)
            edge = "" if shape.edge is None else f" {_line(shape.edge, shape.thickness)}"
            return f'<circle cx="{shape.x:.1f}" cy="{shape.y:.1f}" r="{shape.radius:.1f}" fill="{fill}"{edge}/>'
        case Stroke():
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.points)
            line = _line(shape.colour, shape.thickness)
            return f'<polyline points="{points}" fill="none" {line}{_dashes(shape.dashed)}/>'
        case Text():
            bold = ' font-weight="700"' if shape.bold else ""
            anchor = ' text-anchor="middle"' if shape.anchor == "middle" else ""
            return (
                f'<text x="{shape.x:.1f}" y="{shape.y:.1f}" font-size="{shape.size:g}"{anchor}{bold} '
                f'fill="{hexadecimal(shape.colour)}">{escape(shape.text)}</text>'
            )


def _line(colour: Colour, thickness: float) -> str:
    return f'stroke="{hexadecimal(colour)}" stroke-width="{thickness:g}"'


def _dashes(dashed: bool) -> str:
    return ' stroke-dasharray="4 4"' if dashed else ""


def board_shapes(
    board: Drawable, x: float, y: float, cell: float, theme: Theme, last: int | None = None
) -> list[Shape]:
    """Return the shapes of a board whose upper left corner is at a place; ``cell`` is the side of a cell in pixels."""
    game = board.game
    ground = theme.board if game.gravity else theme.line
    hole = theme.hole if game.gravity else theme.panel
    shapes: list[Shape] = [
        Box(x, y, game.columns * cell, game.rows * cell, cell / 6, ground, theme.board_edge if game.gravity else ground)
    ]

    def middle(place: int) -> tuple[float, float]:
        row, column = divmod(place, game.columns)
        return x + (column + 0.5) * cell, y + (row + 0.5) * cell

    for place in range(game.columns * game.rows):
        at = middle(place)
        if game.gravity:
            shapes.append(Disc(*at, 0.4 * cell, hole))
        else:
            side = 0.92 * cell
            shapes.append(Box(at[0] - side / 2, at[1] - side / 2, side, side, cell / 10, hole, hole, 0))
    line, newest = set(board.winning_cells()), last_cell(board, last)
    for place, player in stones(board):
        at, colour = middle(place), theme.stone(player)
        shapes.append(Disc(*at, 0.38 * cell, colour, mixed(colour, BLACK, 0.4), 0.04 * cell))
        reach, dark = 0.14 * cell, mixed(colour, BLACK, 0.5)
        if player:
            shapes.append(Disc(*at, reach, None, dark, 0.06 * cell))
        else:
            for up in (reach, -reach):
                ends = ((at[0] - reach, at[1] - up), (at[0] + reach, at[1] + up))
                shapes.append(Stroke(ends, dark, 0.06 * cell))
        if place in line or (place == newest and not line):
            shapes.append(Disc(*at, 0.42 * cell, None, theme.text, 0.06 * cell))
    return shapes


def checked_theme(theme: str, seconds: float) -> Theme:
    """Return the colours of a theme. Raises InarowError if the theme is unknown or the seconds are out of range."""
    if theme not in THEMES:
        raise InarowError(unknown("theme", theme, THEMES))
    if not 0.02 <= seconds <= 60:
        raise InarowError(f"seconds per frame must be from 0.02 to 60, got {seconds:g}")
    return THEMES[theme]


@dataclass(frozen=True)
class Frame:
    """One picture, and its description."""

    shapes: Sequence[Shape]
    words: str


@dataclass(frozen=True)
class Animation:
    """Frames of one size. A notebook shows the animation; `save` writes it to a file."""

    title: str
    frames: Sequence[Frame]
    width: int
    height: int
    back: Colour
    seconds: float
    """Seconds per frame."""

    def __len__(self) -> int:
        return len(self.frames)

    def __repr__(self) -> str:
        return f"<Animation: {self.title}, {len(self)} frames of {self.seconds:g} s>"

    def frame(self, index: int) -> str:
        """Return one frame as SVG."""
        one = self.frames[index]
        return self._whole(one.words, "".join(map(svg_shape, one.shapes)))

    def svg(self) -> str:
        """Return all frames as one animated SVG, which repeats."""
        count = len(self)
        if count == 1:
            return self.frame(0)
        parts = []
        for index, one in enumerate(self.frames):
            begin, end = index / count, (index + 1) / count
            states, times = ["visible", "hidden"], [begin, end]
            if index > 0:
                states, times = ["hidden", *states], [0.0, *times]
            if index == count - 1:
                states, times = states[:-1], times[:-1]
            motion = (
                f'<animate attributeName="visibility" calcMode="discrete" repeatCount="indefinite" '
                f'dur="{count * self.seconds:g}s" values="{";".join(states)}" '
                f'keyTimes="{";".join(f"{time:.5f}".rstrip("0").rstrip(".") for time in times)}"/>'
            )
            shown = "visible" if index == 0 else "hidden"
            parts.append(f'<g visibility="{shown}">{motion}{"".join(map(svg_shape, one.shapes))}</g>')
        return self._whole(self.title, "".join(parts))

    def _whole(self, title: str, content: str) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}" font-family="sans-serif"><title>{escape(title)}</title>'
            f'<rect width="100%" height="100%" fill="{hexadecimal(self.back)}"/>{content}</svg>'
        )

    def gif(self) -> bytes:
        """Return all frames as a GIF; needs Pillow (``pip install 'inarow[gif]'``)."""
        shapes = [frame.shapes for frame in self.frames]
        return gif_bytes(shapes, (self.width, self.height), self.back, self.seconds)

    def save(self, path: str | Path) -> Path:
        """Write an ``.svg`` or ``.gif`` file; SVG needs no other package, GIF needs Pillow."""
        place = Path(path)
        if place.suffix.lower() == ".svg":
            write_text(place, self.svg())
        elif place.suffix.lower() == ".gif":
            write_bytes(place, self.gif())
        else:
            raise InarowError(f"{place} is neither an .svg nor a .gif file; choose one of these endings")
        return place

    def _repr_html_(self) -> str:
        """Return the HTML that a notebook shows."""
        return figure(self.svg(), self.title)


# Shapes painted as pixels with Pillow, for GIF files.

FINER = 2
"""Pictures are painted larger by this factor, and then reduced, so that edges are smooth."""


def gif_bytes(frames: Sequence[Sequence[Shape]], size: tuple[int, int], back: Colour, seconds: float) -> bytes:
    """Return the frames as an animated GIF, which repeats."""
    try:
        import PIL.Image
    except ImportError:
        raise Unsupported("a GIF needs Pillow: pip install 'inarow[gif]'; an SVG file needs nothing") from None
    method = PIL.Image.Quantize.FASTOCTREE
    flat = [_paint(shapes, size, back).quantize(128, method) for shapes in frames]
    out = io.BytesIO()
    flat[0].save(out, "GIF", save_all=True, append_images=flat[1:], duration=max(20, round(1000 * seconds)), loop=0)
    return out.getvalue()


def _paint(shapes: Sequence[Shape], size: tuple[int, int], back: Colour) -> Image.Image:
    import PIL.Image
    import PIL.ImageDraw

    image = PIL.Image.new("RGB", (FINER * size[0], FINER * size[1]), back)
    brush = PIL.ImageDraw.Draw(image)
    for shape in shapes:
        _put(brush, shape)
    return image.reduce(FINER)


def _put(brush: Any, shape: Shape) -> None:
    match shape:
        case Box():
            box = [FINER * v for v in (shape.x, shape.y, shape.x + shape.width, shape.y + shape.height)]
            brush.rounded_rectangle(box, FINER * shape.corner, shape.fill, shape.edge, _width(shape.thickness))
        case Disc():
            box = [
                FINER * v
                for v in (
                    shape.x - shape.radius,
                    shape.y - shape.radius,
                    shape.x + shape.radius,
                    shape.y + shape.radius,
                )
            ]
            brush.ellipse(box, shape.fill, shape.edge, _width(shape.thickness))
        case Stroke():
            for a, b in _pieces(shape):
                ends = [FINER * v for v in (*a, *b)]
                brush.line(ends, shape.colour, max(1, _width(shape.thickness)))
        case Text():
            font = _font(round(FINER * shape.size), shape.bold)
            place = (FINER * shape.x, FINER * shape.y)
            brush.text(place, shape.text, shape.colour, font, anchor="ms" if shape.anchor == "middle" else "ls")


def _width(thickness: float) -> int:
    return round(FINER * thickness)


def _pieces(stroke: Stroke) -> list[tuple[Point, Point]]:
    """Return the segments of a line: every second one if it is dashed."""
    pieces = list(zip(stroke.points[:-1], stroke.points[1:], strict=True))
    return pieces[::2] if stroke.dashed else pieces


@functools.lru_cache(maxsize=32)
def _font(size: int, bold: bool) -> Any:
    """Return the font that comes with Matplotlib, which has all the characters that are used."""
    import matplotlib
    import PIL.ImageFont

    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return PIL.ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name), size)
