"""A match as one HTML file that needs nothing else: a picture of every position, stepped through by buttons or keys.

And as a record, for a match of which only the moves are known."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from inarow.drawing.svg import draw_svg
from inarow.match import MatchRecord, Termination
from inarow.rules import Game, Position, format_moves

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; padding: 1rem; max-width: 40rem; text-align: center; }
.frame { display: none; }
.frame.here { display: block; }
.frame svg { width: 100%; height: auto; max-height: 70vh; }
button { font: inherit; padding: 0.4rem 1rem; margin: 0.3rem; }
ol { padding: 0; display: flex; flex-wrap: wrap; gap: 0.3rem; list-style: none; justify-content: center; }
li button { padding: 0.1rem 0.5rem; margin: 0; }
li.here button { font-weight: bold; outline: 2px solid; }
"""

_SCRIPT = """
const frames = [...document.querySelectorAll(".frame")], items = [...document.querySelectorAll("li")];
let at = frames.length - 1;
function go(to) {
  at = Math.max(0, Math.min(frames.length - 1, to));
  frames.forEach((one, index) => one.classList.toggle("here", index === at));
  items.forEach((one, index) => one.classList.toggle("here", index === at - 1));
  document.getElementById("where").textContent = at ? `after move ${at}` : "the start";
}
document.getElementById("back").onclick = () => go(at - 1);
document.getElementById("forward").onclick = () => go(at + 1);
items.forEach((one, index) => (one.firstChild.onclick = () => go(index + 1)));
document.onkeydown = (event) => {
  const steps = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: frames.length - 1 };
  if (event.key in steps) go(steps[event.key]);
};
go(at);
"""


def page_of(game: Game, moves: Sequence[int], title: str = "") -> str:
    """The file's text. The last position is shown first; without scripts it is the only one."""
    positions = [Position.start(game)]
    for move in moves:
        positions.append(positions[-1].play(move))
    frames = [
        f'<div class="frame{" here" if index == len(moves) else ""}">'
        f"{draw_svg(position, last=moves[index - 1] if index else None, cell=64)}</div>"
        for index, position in enumerate(positions)
    ]
    items = [f'<li><button type="button">{move + 1}</button></li>' for move in moves]
    heading = escape(title or game.title)
    result = positions[-1].result_text() if positions[-1].outcome() is not None else "not finished"
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="en"><head><meta charset="utf-8"><title>{heading}</title>',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<style>{_STYLE}</style></head><body>",
            f"<h1>{heading}</h1>",
            f"<p>{escape(result)}; moves {escape(format_moves(game, moves))}</p>",
            *frames,
            '<p><button type="button" id="back">← back</button> <span id="where" role="status"></span> '
            '<button type="button" id="forward">forward →</button></p>',
            f"<ol>{''.join(items)}</ol>",
            f"<script>{_SCRIPT}</script>",
            "</body></html>",
        ]
    )


def record_of(position: Position, moves: tuple[int, ...], first: str, second: str) -> MatchRecord:
    """The record of a match that led to a position; where the game is not over it counts as interrupted."""
    outcome = position.outcome()
    termination = Termination.INTERRUPTED
    if outcome is not None:
        termination = Termination.FULL_BOARD if outcome.winner is None else Termination.LINE
    unknown = len(moves)
    return MatchRecord(
        game=position.game,
        first=first,
        second=second,
        seed=0,
        opening=(),
        moves=moves,
        outcome=outcome,
        termination=termination,
        nodes=(0,) * unknown,
        values=(None,) * unknown,
        seconds=(0.0,) * unknown,
    )
