"""Frames that follow each other: one animated SVG, a GIF, or the frames themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from inarow.atomic import write_bytes, write_text
from inarow.drawing.palette import THEMES, Colour, Theme, hexadecimal
from inarow.drawing.raster import gif_bytes
from inarow.drawing.shapes import Shape, svg_shape
from inarow.errors import InarowError, unknown


def checked_theme(theme: str, seconds: float) -> Theme:
    """The colours of a theme; raises if there is none of this name, or if frames can't stay for this long."""
    if theme not in THEMES:
        raise InarowError(unknown("theme", theme, THEMES))
    if not 0.02 <= seconds <= 60:
        raise InarowError(f"a frame can't stay for {seconds:g} s; give 0.02 to 60")
    return THEMES[theme]


@dataclass(frozen=True)
class Frame:
    """One picture, and what it shows in words."""

    shapes: Sequence[Shape]
    words: str


@dataclass(frozen=True)
class Animation:
    """Frames of one size. A notebook shows it moving; `save` writes it to a file."""

    title: str
    frames: Sequence[Frame]
    width: int
    height: int
    back: Colour
    seconds: float
    """How long a frame stays."""

    def __len__(self) -> int:
        return len(self.frames)

    def __repr__(self) -> str:
        return f"<Animation: {self.title}, {len(self)} frames of {self.seconds:g} s>"

    def frame(self, index: int) -> str:
        """One frame as SVG."""
        one = self.frames[index]
        return self._whole(one.words, "".join(map(svg_shape, one.shapes)))

    def svg(self) -> str:
        """All frames as one SVG that moves and repeats."""
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
        """All frames as a GIF; needs Pillow (``pip install 'inarow[gif]'``)."""
        shapes = [frame.shapes for frame in self.frames]
        return gif_bytes(shapes, (self.width, self.height), self.back, self.seconds)

    def save(self, path: str | Path) -> Path:
        """Write a file: ``.svg`` moves in browsers and needs nothing, ``.gif`` moves nearly everywhere."""
        place = Path(path)
        if place.suffix.lower() == ".svg":
            write_text(place, self.svg())
        elif place.suffix.lower() == ".gif":
            write_bytes(place, self.gif())
        else:
            raise InarowError(f"{place} is neither an .svg nor a .gif file; give a name that ends with one of them")
        return place

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        from inarow.drawing.html import figure

        return figure(self.svg(), self.title)
