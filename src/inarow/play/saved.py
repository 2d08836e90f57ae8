"""A session as a record and back: what was played is kept, and can be gone on with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from inarow.agents import Decision
from inarow.match import Record, RecordError, Termination
from inarow.match.files import read_records, write_records
from inarow.play.events import Ended
from inarow.play.setup import Participant, Setup, sitter


class Played(NamedTuple):
    """A move that was made, the decision behind it (None for a person), and how long it took."""

    move: int
    decision: Decision | None
    seconds: float


def make_record(
    setup: Setup, seats: tuple[Participant, Participant], played: Sequence[Played], ending: Ended | None, fault: str
) -> Record:
    """The record of a game; one that is not over counts as interrupted."""
    return Record(
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


def saved_moves(record: Record) -> list[Played]:
    """The moves of a record, as a session keeps them."""
    moves = zip(record.moves, record.nodes, record.values, record.seconds, strict=True)
    return [
        Played(move, Decision(move, value=value, nodes=nodes, seconds=seconds) if nodes or value else None, seconds)
        for move, nodes, value, seconds in moves
    ]


def save_records(records: Sequence[Record], path: Path) -> None:
    """Write records to a new file; one that exists is not written over."""
    if not records:
        raise RecordError("no move has been made yet; there is nothing to save")
    if path.exists():
        raise RecordError(f"{path} exists; give another name")
    try:
        write_records(records, path)
    except OSError as error:
        raise RecordError(f"{path} can't be written: {error.strerror}") from None


def load_record(path: Path) -> Record:
    """The last record of a file: that is the one to go on with."""
    last = None
    for last in read_records(path):  # noqa: B007
        pass
    if last is None:
        raise RecordError(f"{path} holds no record")
    return last


def setup_of(record: Record) -> Setup:
    """The setup in which a record is gone on with: the same two in the same seats, who changes nothing else."""
    return Setup(
        game=record.game,
        sitters=(sitter(record.first), sitter(record.second)),
        opening=record.opening,
        seed=record.seed,
    )
