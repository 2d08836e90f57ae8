"""A record as rows of the store and back: results, what was thought, and the clock's figures, each apart."""

from __future__ import annotations

import hashlib
import math
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

from inarow.match import Pair, Record, Termination
from inarow.match.record import RESULTS
from inarow.match.series import effort_of
from inarow.randomness import MASK63
from inarow.rules import FIRST, SECOND, Game, format_moves, parse_moves

MATCH = (
    "id, pairing, pair, swapped, result, termination, seed, opening, moves, plies, playing, "
    "moves_first, moves_second, nodes_first, nodes_second, fault"
)
THOUGHT = "id, nodes, estimates"
TIMING = "id, seconds_first, least_first, most_first, seconds_second, least_second, most_second, seconds"


class PairRows(NamedTuple):
    """The rows of one finished pair."""

    pairing: int
    pair: int
    matches: list[tuple[Any, ...]]
    thoughts: list[tuple[Any, ...]]
    timings: list[tuple[Any, ...]]

    @property
    def points(self) -> list[float]:
        """Of the pairing's first agent, match by match."""
        return [points_of(row[4], row[3]) for row in self.matches]

    @property
    def fault(self) -> tuple[str, str] | None:
        """The termination and the words of the pair's first fault, if there is one."""
        return next(((row[5], row[15]) for row in self.matches if Termination(row[5]).is_fault), None)


def points_of(result: str, swapped: int) -> float:
    """The points of the pairing's first agent, who is the first player unless seats are swapped."""
    if result == "draw":
        return 0.5
    return float((result == "second") == bool(swapped))


def match_id(pairing: int, pair: int, swapped: int) -> int:
    """The deterministic id of a match: its pairing, the pair's index and the seats."""
    return pairing << 32 | pair << 1 | swapped


def rows_of(pairing: int, pair: Pair) -> PairRows:
    """The rows of a finished pair of this pairing."""
    rows = PairRows(pairing, pair.index, [], [], [])
    for record, seat in pair.matches():
        number = match_id(pairing, pair.index, int(seat))
        first, second = effort_of(record, FIRST), effort_of(record, SECOND)
        opening, moves = format_moves(record.game, record.opening), format_moves(record.game, record.moves)
        where = (number, pairing, pair.index, int(seat))
        ending = (record.result, record.termination.value, record.seed)
        played = (opening, moves, len(record.all_moves), _playing(record.all_moves))
        efforts = (first.moves, second.moves, first.nodes, second.nodes)
        rows.matches.append((*where, *ending, *played, *efforts, record.fault))
        nodes, estimates = pack_nodes(record.nodes), pack_values(record.values)
        if nodes or estimates:
            rows.thoughts.append((number, nodes, estimates))
        times = (first.seconds, first.least, first.most, second.seconds, second.least, second.most)
        rows.timings.append((number, *times, array("f", record.seconds).tobytes()))
    return rows


def record_of(
    game: Game, a: str, b: str, match: Sequence[Any], thought: Sequence[Any], seconds: bytes | None
) -> Record:
    """The record of a row ``MATCH``, its nodes and estimates, and its seconds (kept to about seven digits)."""
    swapped, result, termination, seed, opening, moves = match[3:9]
    join = "," if game.moves > 9 and opening and moves else ""
    before = parse_moves(game, opening)
    after = parse_moves(game, opening + join + moves)[len(before) :]
    nodes = tuple(array("q", thought[0])) if thought[0] else (0,) * len(after)
    values = tuple(_none_for_nan(v) for v in array("d", thought[1])) if thought[1] else (None,) * len(after)
    return Record(
        game=game,
        first=b if swapped else a,
        second=a if swapped else b,
        seed=seed,
        opening=before,
        moves=after,
        outcome=RESULTS[result],
        termination=Termination(termination),
        nodes=nodes,
        values=values,
        seconds=tuple(array("f", seconds)) if seconds else (0.0,) * len(after),
        fault=match[15],
    )


def pack_nodes(nodes: Sequence[int]) -> bytes:
    """Nodes as 64-bit integers; nothing if all are 0."""
    return array("q", nodes).tobytes() if any(nodes) else b""


def pack_values(values: Sequence[float | None]) -> bytes:
    """Values as 64-bit floats, NaN for None; nothing if all are None."""
    if all(value is None for value in values):
        return b""
    return array("d", [math.nan if value is None else value for value in values]).tobytes()


def _none_for_nan(value: float) -> float | None:
    return None if math.isnan(value) else value


def _playing(moves: Sequence[int]) -> int:
    """A number that different playings don't share, but for one chance in 2**63."""
    return int.from_bytes(hashlib.blake2b(bytes(moves), digest_size=8).digest(), "big") & MASK63
