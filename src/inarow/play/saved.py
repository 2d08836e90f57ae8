"""A session as a record and back, so that a saved match can be resumed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from inarow.agents import Decision
from inarow.match import MatchRecord, RecordError, Termination
from inarow.match.files import read_records, write_records
from inarow.play.events import Ended
from inarow.play.setup import Participant, Setup, participant


class Played(NamedTuple):
    """A move, the decision behind it (None for a person), and the seconds it took."""

    move: int
    decision: Decision | None
    seconds: float


def make_record(
    setup: Setup, seats: tuple[Participant, Participant], played: Sequence[Played], ending: Ended | None, fault: str
) -> MatchRecord:
    """The record of a match; an unfinished one counts as interrupted."""
    return MatchRecord(
        game=setup.game,
        first=seats[0].spec,
        second=seats[1].spec,
        seed=setup.seed,
        opening=setup.opening,
        moves=tuple(one.move for one in played),
        outcome=ending.outcome if ending else None,
        termination=ending.termination if ending else Termination.INTERRUPTED,
        nodes=tuple(one.decision.nodes if one.decision else 0 for one in played),
        values=tuple(one.decision.value if one.decision else None for one in played),
        seconds=tuple(round(one.seconds, 7) for one in played),
        fault=fault,
    )


def saved_moves(record: MatchRecord) -> list[Played]:
    """The moves of a record, as a session keeps them."""
    moves = zip(record.moves, record.nodes, record.values, record.seconds, strict=True)
    return [
        Played(move, Decision(move, value=value, nodes=nodes, seconds=seconds) if nodes or value else None, seconds)
        for move, nodes, value, seconds in moves
    ]


def save_records(records: Sequence[MatchRecord], path: Path) -> None:
    """Write records to a new file; an existing file is not overwritten."""
    if not records:
        raise RecordError("no move has been made yet; there is nothing to save")
    if path.exists():
        raise RecordError(f"{path} exists; give another name")
    write_records(records, path)


def load_record(path: Path) -> MatchRecord:
    """The last record of a file, which is the one to resume."""
    last = None
    for last in read_records(path):  # noqa: B007
        pass
    if last is None:
        raise RecordError(f"{path} holds no record")
    return last


def setup_of(record: MatchRecord) -> Setup:
    """The settings for resuming a saved match: the same participants in the same seats."""
    return Setup(
        game=record.game,
        participants=(participant(record.first), participant(record.second)),
        opening=record.opening,
        seed=record.seed,
    )
