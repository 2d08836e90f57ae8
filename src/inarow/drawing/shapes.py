"""Simple shapes, for pictures that are written as SVG and painted as pixels alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from inarow.drawing.palette import Colour, hexadecimal

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
    """A shape as an element of SVG."""
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
