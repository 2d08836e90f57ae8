"""One decided match, ply by ply, with the exact truth beneath: found in stored records, solved, never played."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from inarow.formatting import listed
from inarow.limits import Limit
from inarow.match import MatchRecord
from inarow.report.charts import Frame, film_strip
from inarow.report.style import Figure
from inarow.rules import Player, Position, format_moves
from inarow.solver import Verdict
from inarow.truth import SolvedPositions

MOST_MOVES = 23
"""A match with more moves after its opening makes too long a strip."""
LOOKED_AT = 6
"""At most this many matches are solved to find one with a single mistake."""
EFFORT = Limit(nodes=20_000_000)
"""For each position: a node count, so that the same match is chosen everywhere."""
STONES = ("red", "yellow")


class Example(NamedTuple):
    """A match and its truth."""

    frames: list[Frame]
    red: str
    """The first player."""
    yellow: str
    winner: str
    loser: str
    mistakes: int


def example(records: Iterable[MatchRecord], a: str, b: str, labels: Mapping[str, str]) -> Example | None:
    """A match of two agents (by spec) that one of them won; with a single mistake, if one of the shortest has it.

    None if none of the matches can be shown.
    """
    won = [r for r in records if {r.first, r.second} == {a, b} and r.result in ("first", "second")]
    if not won:
        return None
    least = min(8, won[0].game.cells // 2)  # fewer moves tell little
    fits = (r for r in won if least <= len(r.moves) <= MOST_MOVES)
    short = sorted(fits, key=lambda r: (len(r.moves), r.all_moves))
    if not short:
        return None
    solved = SolvedPositions(short[0].game, EFFORT)
    found = [one for r in short[:LOOKED_AT] if (one := _told(r, solved, labels)) is not None]
    return min(found, key=lambda one: abs(one.mistakes - 1)) if found else None


def _told(record: MatchRecord, solved: SolvedPositions, labels: Mapping[str, str]) -> Example | None:
    """A match with the truth of every position; None if a position takes too long to solve."""
    names = [labels.get(spec, spec) for spec in (record.first, record.second)]
    position = Position.start(record.game, record.opening)
    frames: list[Frame] = []
    for move in record.moves:
        scores = solved.scores(position)
        if scores is None:
            return None
        best = max(scores.values())
        if not frames:
            frames.append(Frame(position, None, "the opening", "the opening", _truth(position.to_move, best)))
        kept = Verdict.of(scores[move]) == Verdict.of(best)
        good = [one for one, score in sorted(scores.items()) if Verdict.of(score) == Verdict.of(best)]
        better = "" if kept else listed([format_moves(record.game, (one,)) for one in good])
        mover = position.to_move
        position = position.play(move)
        text = format_moves(record.game, (move,))
        frames.append(Frame(position, move, names[mover], text, _truth(mover, scores[move]), better))
    winner = 0 if record.result == "first" else 1
    mistakes = sum(bool(frame.better) for frame in frames)
    return Example(frames, names[0], names[1], names[winner], names[1 - winner], mistakes) if frames else None


def _truth(mover: Player, score: int) -> str:
    """Who wins with perfect play, by the colour of the stones."""
    verdict = Verdict.of(score)
    if verdict is Verdict.DRAW:
        return "a draw"
    winner = mover if verdict is Verdict.WIN else mover.other
    return f"{STONES[winner]} wins"


def example_figure(key: str, title: str, told: Example) -> Figure:
    """The strip."""
    caption = (
        f"Red: {told.red}; yellow: {told.yellow}. Below each board: who wins from there if nobody errs. Framed: moves "
        "that gave the result away."
    )
    return film_strip(key, title, told.frames, caption)
