"""An animation is one SVG that shows its frames in turn, or a GIF with as many."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from inarow.drawing.animation import Animation, Frame, checked_theme
from inarow.drawing.board import LIGHT
from inarow.drawing.svg import Box, Disc, Stroke, Text
from inarow.errors import InarowError

SVG = "{http://www.w3.org/2000/svg}"


def animation(count: int) -> Animation:
    frames = [
        Frame(
            [
                Box(10, 10, 80, 30, 5, LIGHT.panel, LIGHT.line, dashed=True),
                Disc(20 + 10 * index, 60, 8, LIGHT.first, LIGHT.text, 2),
                Stroke([(10, 80), (50, 90), (90, 80)], LIGHT.accent, 3, dashed=True),
                Text(50, 30, f"<{index}>", 12, LIGHT.text, bold=True),
            ],
            f"frame & {index}",
        )
        for index in range(count)
    ]
    return Animation("a & b", frames, 100, 100, LIGHT.back, 0.5)


def test_every_frame_of_the_svg_is_visible_for_its_share_of_the_time() -> None:
    drawing = ElementTree.fromstring(animation(4).svg())
    groups = drawing.findall(f"{SVG}g")
    assert [group.get("visibility") for group in groups] == ["visible", "hidden", "hidden", "hidden"]
    for index, group in enumerate(groups):
        motion = group.find(f"{SVG}animate")
        assert motion is not None
        assert motion.get("dur") == "2s"
        times = [float(time) for time in (motion.get("keyTimes") or "").split(";")]
        states = (motion.get("values") or "").split(";")
        assert len(times) == len(states)
        assert times[0] == 0
        for quarter in range(4):
            now = max(at for at, time in enumerate(times) if time <= quarter / 4 + 0.1)
            assert (states[now] == "visible") == (quarter == index)


def test_one_frame_stands_still() -> None:
    assert "<animate" not in animation(1).svg()
    assert ElementTree.fromstring(animation(3).frame(1)).find(f"{SVG}title").text == "frame & 1"  # type: ignore[union-attr]


def test_a_gif_has_every_frame_with_its_time(tmp_path: Path) -> None:
    path = animation(3).save(tmp_path / "a.gif")
    with Image.open(path) as image:
        assert (image.size, getattr(image, "n_frames", 0), image.info["duration"]) == ((100, 100), 3, 500)
        looks = []
        for index in range(3):
            image.seek(index)
            looks.append(image.convert("RGB").tobytes())
    assert len(set(looks)) == 3
    assert Image.open(io.BytesIO(animation(1).gif())).size == (100, 100)


def test_a_notebook_shows_it_and_a_file_holds_it(tmp_path: Path) -> None:
    one = animation(2)
    assert one._repr_html_().startswith('<div class="inarow"><svg')
    assert one.save(tmp_path / "a.svg").read_text(encoding="utf-8") == one.svg()
    assert repr(one) == "<Animation: a & b, 2 frames of 0.5 s>"
    with pytest.raises(InarowError, match=r"neither an \.svg nor a \.gif"):
        one.save(tmp_path / "a.mp4")


def test_nonsense_is_refused() -> None:
    with pytest.raises(InarowError, match="unknown theme"):
        checked_theme("blue", 1)
    with pytest.raises(InarowError, match="to 60, got 0"):
        checked_theme("light", 0)


def test_a_gif_without_pillow_says_how_to_get_it() -> None:
    script = (
        "import sys; sys.modules['PIL'] = None\n"
        "from inarow.drawing.animation import gif_bytes\n"
        "try: gif_bytes([[]], (1, 1), (0, 0, 0), 1)\n"
        "except ValueError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "a GIF needs Pillow: pip install 'inarow[gif]'; an SVG file needs nothing"
