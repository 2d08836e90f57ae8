"""Animations of shapes: one SVG that moves, a GIF, or single frames."""

from __future__ import annotations

import functools
import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inarow.drawing.board import THEMES, Colour, Theme, hexadecimal
from inarow.drawing.svg import Box, Disc, Point, Shape, Stroke, Text, figure, svg_shape
from inarow.errors import (
    InarowError,
    Unsupported,
    as_path,
    check_instance,
    check_integer,
    check_number,
    unknown,
)
from inarow.paths import write_bytes, write_text

if TYPE_CHECKING:
    from PIL import Image


def checked_theme(theme: str, seconds: float) -> Theme:
    """Return the colours of a theme. Raises InarowError if the theme is unknown or the seconds are out of range."""
    check_instance("theme", theme, str, " or ".join(THEMES))
    if theme not in THEMES:
        raise InarowError(unknown("theme", theme, THEMES))
    check_number("seconds", seconds, 0.02, 60)
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
        one = self.frames[check_integer("index", index, -len(self), len(self) - 1)]
        return self._document(one.words, "".join(map(svg_shape, one.shapes)))

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
        return self._document(self.title, "".join(parts))

    def _document(self, title: str, content: str) -> str:
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
        place = as_path("path", path)
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
"""Supersampling factor: pictures are painted larger and scaled down, so that edges are smooth."""


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
            x, y, r = shape.x, shape.y, shape.radius
            box = [FINER * v for v in (x - r, y - r, x + r, y + r)]
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
    """Return the font that comes with Matplotlib, which has all the characters needed."""
    import matplotlib
    import PIL.ImageFont

    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return PIL.ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name), size)
