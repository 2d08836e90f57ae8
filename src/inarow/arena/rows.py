"""Convert match records to and from rows of the store.

A row is a named tuple whose fields are the columns of its table, without the checksum. What depends on the clock has a
table of its own.
"""

from __future__ import annotations

import hashlib
import math
import zlib
from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from inarow.match import MatchRecord, Pair, Termination
from inarow.match.record import RESULTS
from inarow.match.series import either
from inarow.match.tally import effort_of
from inarow.randomness import MASK63
from inarow.rules import FIRST, SECOND, Game, format_moves
from inarow.rules.notation import parse_continuation


class MatchRow(NamedTuple):
    """A match: what was played, by which agents, and how it ended."""

    id: int
    pairing: int
    pair: int
    swapped: int
    """1 if the pairing's second agent moved first."""
    result: str
    termination: str
    seed: int
    opening: str
    moves: str
    plies: int
    moves_hash: int
    """A number that different lines of moves don't share, but for one chance in 2**63."""
    moves_first: int
    moves_second: int
    nodes_first: int
    nodes_second: int
    fault: str
    stochastic: int | None
    """1 if a random number decided a move, 0 if none did; NULL if unknown."""
    nodes: bytes
    """Of each move, as 64-bit integers; empty if all are 0."""
    estimates: bytes
    """Of each move, as 64-bit floats, NaN for none; empty if there are none."""


class TimingRow(NamedTuple):
    """The seconds that the decisions of a match took: per seat, and packed as 32-bit floats per move."""

    id: int
    seconds_first: float
    least_first: float | None
    most_first: float | None
    seconds_second: float
    least_second: float | None
    most_second: float | None
    seconds: bytes


def checksum(values: Iterable[object]) -> int:
    """Return a CRC-32 of a row's values as SQLite gives them back."""
    crc = 0
    for value in values:
        data = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
        crc = zlib.crc32(type(value).__name__.encode(), crc)  # so that its type and where it ends matter
        crc = zlib.crc32(data, crc)
    return crc


class PairResult(NamedTuple):
    """What is counted of one finished pair."""

    pairing: int
    pair: int
    opening: str
    points: list[float | None]
    """Of the pairing's first agent, match by match; None of one that was interrupted."""
    lines: tuple[int, ...]
    """A number for each match that only the same moves with the same seats share."""
    stochastic: bool | None
    """Whether a random number decided a move of either match; None if unknown."""

    @classmethod
    def of(cls, rows: Sequence[tuple[int, int, int, str, str, int, int | None]]) -> PairResult:
        """The result of a pair's matches, given by the columns `RESULT_COLUMNS`."""
        pairing, pair, _, opening, *_ = rows[0]
        points = [points_of(result, swapped) for _, _, swapped, _, result, _, _ in rows]
        lines = tuple(line_of(moves_hash, swapped) for _, _, swapped, _, _, moves_hash, _ in rows)
        return cls(pairing, pair, opening, points, lines, either(row[-1] for row in rows))


RESULT_COLUMNS = "pairing, pair, swapped, opening, result, moves_hash, stochastic"
"""The columns of a match that `PairResult.of` needs."""


class PairRows(NamedTuple):
    """The rows of one finished pair."""

    pairing: int
    pair: int
    matches: list[MatchRow]
    timings: list[TimingRow]

    @property
    def result(self) -> PairResult:
        """What is counted of it."""
        return PairResult.of(
            [(m.pairing, m.pair, m.swapped, m.opening, m.result, m.moves_hash, m.stochastic) for m in self.matches]
        )

    @property
    def fault(self) -> tuple[str, str] | None:
        """The termination and the words of the pair's first fault, if there is one."""
        faults = ((row.termination, row.fault) for row in self.matches if Termination(row.termination).is_fault)
        return next(faults, None)


def points_of(result: str, swapped: int) -> float | None:
    """Return the points of the pairing's first agent, who is the first player unless seats are swapped; None for an
    interrupted match."""
    outcome = RESULTS[result]
    return None if outcome is None else outcome.score(SECOND if swapped else FIRST)


def line_of(moves_hash: int, swapped: int) -> int:
    """The hash of a match's moves with its seats as the last bit."""
    return moves_hash & ~1 | swapped


def match_id(pairing: int, pair: int, swapped: int) -> int:
    """The deterministic id of a match: its pairing, the pair's index and the seats."""
    return pairing << 32 | pair << 1 | swapped


def rows_of(pairing: int, pair: Pair) -> PairRows:
    """The rows of a finished pair of this pairing."""
    rows = PairRows(pairing, pair.index, [], [])
    for record, seat in pair.matches():
        number = match_id(pairing, pair.index, int(seat))
        first, second = effort_of(record, FIRST), effort_of(record, SECOND)
        rows.matches.append(
            MatchRow(
                id=number,
                pairing=pairing,
                pair=pair.index,
                swapped=int(seat),
                result=record.result,
                termination=record.termination.value,
                seed=record.seed,
                opening=format_moves(record.game, record.opening),
                moves=format_moves(record.game, record.moves),
                plies=len(record.all_moves),
                moves_hash=_moves_hash(record.all_moves),
                moves_first=first.moves,
                moves_second=second.moves,
                nodes_first=first.nodes,
                nodes_second=second.nodes,
                fault=record.fault,
                stochastic=None if record.stochastic is None else int(record.stochastic),
                nodes=_pack_nodes(record.nodes),
                estimates=_pack_values(record.values),
            )
        )
        times = (float(first.seconds), first.least, first.most, float(second.seconds), second.least, second.most)
        rows.timings.append(TimingRow(number, *times, array("f", record.seconds).tobytes()))
    return rows


def record_of(game: Game, a: str, b: str, row: MatchRow, seconds: bytes | None) -> MatchRecord:
    """Return the record of a row and its packed seconds (kept to about seven digits)."""
    opening, moves = parse_continuation(game, row.opening, row.moves)
    none = (None,) * len(moves)
    return MatchRecord(
        game=game,
        first=b if row.swapped else a,
        second=a if row.swapped else b,
        seed=row.seed,
        opening=opening,
        moves=moves,
        outcome=RESULTS[row.result],
        termination=Termination(row.termination),
        nodes=tuple(array("q", row.nodes)) if row.nodes else (0,) * len(moves),
        values=tuple(_none_for_nan(v) for v in array("d", row.estimates)) if row.estimates else none,
        seconds=tuple(array("f", seconds)) if seconds else (0.0,) * len(moves),
        fault=row.fault,
        stochastic=None if row.stochastic is None else bool(row.stochastic),
    )


def _pack_nodes(nodes: Sequence[int]) -> bytes:
    """Nodes as 64-bit integers; nothing if all are 0."""
    return array("q", nodes).tobytes() if any(nodes) else b""


def _pack_values(values: Sequence[float | None]) -> bytes:
    """Values as 64-bit floats, NaN for None; nothing if all are None."""
    if all(value is None for value in values):
        return b""
    return array("d", [math.nan if value is None else value for value in values]).tobytes()


def _none_for_nan(value: float) -> float | None:
    return None if math.isnan(value) else value


def _moves_hash(moves: Sequence[int]) -> int:
    return int.from_bytes(hashlib.blake2b(bytes(moves), digest_size=8).digest(), "big") & MASK63
