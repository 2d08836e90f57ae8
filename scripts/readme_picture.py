"""The README's moving picture: a real match with the exact value of every move, as one animated SVG.

python scripts/readme_picture.py [FILE]
"""

from __future__ import annotations

import re
import sys
from html import escape
from pathlib import Path
from typing import NamedTuple

import inarow
from inarow.drawing.svg import Label, draw_svg, tone_of
from inarow.play.insight import describe
from inarow.truth import grade_move

OUT = Path(__file__).parents[1] / "docs" / "images" / "truth.svg"
FIRST, SECOND, OPENING, SEED = "alphabeta:depth=6", "mcts:simulations=2000", "4444", 1
SECONDS = 1.4
CAPTION = 66


class Frame(NamedTuple):
    """A picture, and the two lines below it."""

    picture: str
    words: str
    mistake: str


def main(out: Path) -> None:
    """Play the match, solve every position, and write the picture."""
    record = inarow.play_match("connect4", FIRST, SECOND, opening=OPENING, seed=SEED)
    oracle = inarow.Oracle(inarow.CONNECT4)
    names = (f"{FIRST.partition(':')[0]} (X)", f"{SECOND.partition(':')[0]} (O)")
    position = inarow.position("connect4", OPENING)
    frames: list[Frame] = []
    last = record.opening[-1]
    for move in record.moves:
        scores = oracle.scores(position)
        labels = {at: Label(_short(describe(position, score)), tone_of(score)) for at, score in scores.items()}
        mover = names[position.to_move]
        graded = grade_move(position, move, scores)
        had, got = describe(position, graded.best).split()[0], describe(position, graded.score)
        mistake = f"a mistake: a {had} becomes a {got}" if graded.blunder else ""
        picture = draw_svg(position, last=last, labels=labels, marked=[move], theme="light", cell=52)
        frames.append(Frame(picture, f"{mover} plays {move + 1}", mistake))
        position, last = position.play(move), move
    end = f"{names[0] if record.result == 'first' else names[1]} wins" if record.result != "draw" else "a draw"
    frames.append(Frame(draw_svg(position, last=last, theme="light", cell=52), end, ""))
    out.write_text(_animated(frames), encoding="utf-8")


def _short(words: str) -> str:
    return words.replace("win in ", "+").replace("loss in ", "−").replace("draw", "=")


def _animated(frames: list[Frame]) -> str:
    """One picture that shows the frames in turn, by CSS alone; a viewer without animation sees the first."""
    sizes = [re.search(r'width="(\d+)" height="(\d+)"', picture) for picture, _, _ in frames]
    width = max(int(size[1]) for size in sizes if size)
    height = max(int(size[2]) for size in sizes if size)
    total = SECONDS * len(frames)
    share = 100 / len(frames)
    parts = []
    for index, (picture, words, mistake) in enumerate(frames):
        place = f'x="{width / 2}" text-anchor="middle"'
        caption = (
            f'<text {place} y="{height + 26}" class="words">{escape(words)}</text>'
            f'<text {place} y="{height + 50}" class="words mistake">{escape(mistake)}</text>'
        )
        body = picture.replace("<svg ", f'<svg y="{height - _height(picture)}" ', 1)
        parts.append(f'<g class="frame" style="animation-delay:{index * SECONDS:.1f}s">{body}{caption}</g>')
    style = (
        f".frame{{visibility:hidden;animation:turn {total:.1f}s infinite step-end}}"
        f"@keyframes turn{{0%{{visibility:visible}}{share:.3f}%{{visibility:hidden}}}}"
        ".words{font:17px system-ui,sans-serif;fill:#1c2028}.mistake{fill:#c42828}"
        "@media (prefers-reduced-motion:reduce){.frame{animation:none}.frame:first-of-type{visibility:visible}}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height + CAPTION}" width="{width}" '
        f'height="{height + CAPTION}"><style>{style}</style>'
        f'<rect width="100%" height="100%" rx="12" fill="#f4f3ef"/>{"".join(parts)}</svg>\n'
    )


def _height(picture: str) -> int:
    found = re.search(r'height="(\d+)"', picture)
    return int(found[1]) if found else 0


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else OUT)
