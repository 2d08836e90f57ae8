"""The pictures of the README and of docs/api.md: a match with the exact value of every move, two agents graded, badges,
and an analysis.

python scripts/readme_picture.py [FOLDER]
"""

from __future__ import annotations

import re
import sys
import tomllib
from html import escape
from pathlib import Path
from typing import NamedTuple

import inarow
from inarow.drawing.svg import Label, draw_svg, tone_of
from inarow.solver.analysis import describe
from inarow.stats import wilson
from inarow.truth import grade_move

ROOT = Path(__file__).parents[1]
OUT = ROOT / "docs" / "images"
FIRST, SECOND, OPENING, SEED = "alphabeta:depth=6", "mcts:simulations=2000", "4444", 1
SECONDS = 1.4
BOARD, PANEL, HEIGHT, LINE = 400, 410, 400, 23
LEGEND = ("Above each column is its exact value:", "+4 wins in 4 moves, −4 loses in 4, = is a draw.")

GRADED = {"alphabeta:depth=8": ("looks 8 plies ahead", "#1f5fb4"), "ntuple": ("learnt, looks 1 ply ahead", "#c4501b")}
POSITIONS = 2000
STONES = ((8, 11), (12, 15), (16, 19), (20, 23), (24, 27), (28, 31), (32, 37))
LEAST = 0.7  # the bottom of the scale

STYLE = (
    ".words{font:14px system-ui,sans-serif;fill:#1c2028}"
    ".mistake{fill:#c42828}.faint{fill:#666b75}.title{font-weight:600}"
)


class Frame(NamedTuple):
    """The board before a move or at the end, and the moves so far, each with whether it was a mistake."""

    board: str
    said: tuple[tuple[str, bool], ...]


def main(folder: Path) -> None:
    """Write them all, as SVG."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest = project["requires-python"].removeprefix(">=")
    (folder / "badge-python.svg").write_text(_badge("Python", f"{oldest}+", "#1f5fb4"), encoding="utf-8")
    (folder / "badge-license.svg").write_text(_badge("License", project["license"], "#2e7d32"), encoding="utf-8")
    (folder / "truth.svg").write_text(_animated(_frames()), encoding="utf-8")
    (folder / "surprise.svg").write_text(_chart(), encoding="utf-8")
    analysis = re.search(r"<svg.*?</svg>", inarow.solve("connect4", "4455")._repr_html_())
    assert analysis is not None
    (folder / "analysis.svg").write_text(analysis[0] + "\n", encoding="utf-8")


def _frames() -> list[Frame]:
    """Play the match, and solve every position of it."""
    record = inarow.play_match("connect4", FIRST, SECOND, opening=OPENING, seed=SEED)
    oracle = inarow.Oracle(inarow.game("connect4"))
    names = (f"{FIRST.partition(':')[0]} (X)", f"{SECOND.partition(':')[0]} (O)")
    position = inarow.position("connect4", OPENING)
    frames: list[Frame] = []
    said: list[tuple[str, bool]] = []
    last = record.opening[-1]
    for move in record.moves:
        scores = oracle.scores(position)
        labels = {at: Label(_short(describe(position, score)), tone_of(score)) for at, score in scores.items()}
        graded = grade_move(position, move, scores)
        had, got = describe(position, graded.best).split()[0], describe(position, graded.score)
        words = f"{names[position.to_move]} plays {move + 1}"
        said.append((f"{words}: {had} → {got.removesuffix(' moves')}" if graded.blunder else words, graded.blunder))
        frames.append(
            Frame(draw_svg(position, last=last, labels=labels, marked=[move], theme="light", cell=52), tuple(said))
        )
        position, last = position.play(move), move
    winner = {"first": f"{names[0]} wins.", "second": f"{names[1]} wins.", "draw": "A draw."}[record.result]
    frames.append(Frame(draw_svg(position, last=last, theme="light", cell=52), (*said, (winner, False))))
    return frames


def _short(words: str) -> str:
    return (
        words.removesuffix("s")
        .removesuffix(" move")
        .replace("win in ", "+")
        .replace("loss in ", "−")
        .replace("draw", "=")
    )


def _animated(frames: list[Frame]) -> str:
    """One picture that shows the frames in turn, by CSS alone; a viewer without animation sees the last."""
    total, share = SECONDS * len(frames), 100 / len(frames)
    room = (HEIGHT - 130) // LINE
    parts = []
    for index, frame in enumerate(frames):
        shown = frame.said[-room:]
        kinds = ["mistake" if mistake else "" for _, mistake in shown]
        kinds[-1] = kinds[-1] or "title"
        lines = [_text(BOARD + 24, 116 + LINE * row, words, kinds[row]) for row, (words, _) in enumerate(shown)]
        height = int(re.search(r'height="(\d+)"', frame.board)[1])  # type: ignore[index]
        board = frame.board.replace("<svg ", f'<svg x="8" y="{HEIGHT - 8 - height}" ', 1)
        still = " still" if index == len(frames) - 1 else ""
        delay = f"animation-delay:{index * SECONDS:.1f}s"
        parts.append(f'<g class="frame{still}" style="{delay}">{board}{"".join(lines)}</g>')
    style = (
        f"{STYLE}.frame{{visibility:hidden;animation:turn {total:.1f}s infinite step-end}}"
        f"@keyframes turn{{0%{{visibility:visible}}{share:.3f}%{{visibility:hidden}}}}"
        "@media (prefers-reduced-motion:reduce){.frame{animation:none}.still{visibility:visible}}"
    )
    head = [_text(BOARD + 24, 34, "Alpha–beta against Monte Carlo tree search", "title")]
    head += [_text(BOARD + 24, 60 + 21 * row, words, "faint") for row, words in enumerate(LEGEND)]
    return _picture(BOARD + PANEL, HEIGHT, style, "".join(head + parts))


def _chart() -> str:
    """How often two agents keep the result, by the stones on the board, with 95 % intervals."""
    width, height, left, right, top, bottom = 800, 310, 60, 790, 74, 260
    step = (right - left) / len(STONES)

    def at(rate: float) -> float:
        return bottom - (rate - LEAST) / (1 - LEAST) * (bottom - top)

    parts = [_text(20, 28, "Positions where a wrong move costs the result: how often is it kept?", "title")]
    for rate in (0.7, 0.8, 0.9, 1.0):
        parts.append(f'<line x1="{left}" x2="{right}" y1="{at(rate):.1f}" y2="{at(rate):.1f}" stroke="#d9d7cf"/>')
        parts.append(_text(left - 8, at(rate) + 5, f"{rate:.0%}".replace("%", " %"), "faint", "end"))
    for index, (low, high) in enumerate(STONES):
        parts.append(_text(left + step * (index + 0.5), bottom + 22, f"{low}–{high}", "faint", "middle"))
    parts.append(_text((left + right) / 2, bottom + 42, "stones on the board", "faint", "middle"))
    for number, (spec, (about, colour)) in enumerate(GRADED.items()):
        grade = inarow.grade("connect4", spec, positions=POSITIONS)
        points = []
        for index, (low, high) in enumerate(STONES):
            counts = [one for ply, one in grade.by_ply.items() if low <= ply <= high]
            found = wilson(sum(one.nontrivial_kept for one in counts), sum(one.nontrivial for one in counts))
            assert found is not None
            x = left + step * (index + 0.5) + 8 * (2 * number - 1)
            points.append((x, at(found.estimate)))
            ends = f'y1="{at(found.low):.1f}" y2="{at(found.high):.1f}"'
            parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" {ends} stroke="{colour}" stroke-width="2" opacity=".55"/>')
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}"/>' for x, y in points]
        beside = left + 340 * number
        parts.append(f'<circle cx="{beside}" cy="44" r="5" fill="{colour}"/>')
        parts.append(_text(beside + 12, 49, f"{spec}: {about}"))
    return _picture(width, height, STYLE, "".join(parts))


def _badge(name: str, value: str, colour: str) -> str:
    left, right = 14 + 7 * len(name), 14 + 7 * len(value)
    words = "".join(
        f'<text x="{x:g}" y="14" fill="#fff" font-size="11" font-family="Verdana,sans-serif" text-anchor="middle">'
        f"{escape(word)}</text>"
        for x, word in ((left / 2, name), (left + right / 2, value))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20"><title>{escape(name)} '
        f'{escape(value)}</title><clipPath id="round"><rect width="100%" height="100%" rx="4"/></clipPath>'
        f'<g clip-path="url(#round)"><rect width="{left}" height="20" fill="#4a4f59"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{colour}"/></g>{words}</svg>\n'
    )


def _text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" class="{f"words {kind}".strip()}" text-anchor="{anchor}">{escape(words)}</text>'
    )


def _picture(width: int, height: int, style: str, content: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f'<style>{style}</style><rect width="100%" height="100%" rx="12" fill="#f4f3ef"/>{content}</svg>\n'
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else OUT)
