"""Shapes painted as pixels with Pillow, for GIF files."""

from __future__ import annotations

import functools
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inarow.drawing.palette import Colour
from inarow.drawing.shapes import Box, Disc, Point, Shape, Stroke, Text
from inarow.errors import Unsupported

if TYPE_CHECKING:
    from PIL import Image

FINER = 2
"""Pictures are painted larger by this factor, and then reduced, so that edges are smooth."""


def gif_bytes(frames: Sequence[Sequence[Shape]], size: tuple[int, int], back: Colour, seconds: float) -> bytes:
    """The frames as an animated GIF that repeats."""
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
    """A line as its pieces: every second one where it is dashed."""
    pieces = list(zip(stroke.points[:-1], stroke.points[1:], strict=True))
    return pieces[::2] if stroke.dashed else pieces


@functools.lru_cache(maxsize=32)
def _font(size: int, bold: bool) -> Any:
    """The font that comes with Matplotlib: it has the signs that a smaller one may lack."""
    import matplotlib
    import PIL.ImageFont

    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return PIL.ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name), size)
