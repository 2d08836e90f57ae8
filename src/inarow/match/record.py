"""The record of one match: its configuration, moves and result; timing is kept apart."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO, Any

from inarow.errors import InarowError, check_integer
from inarow.formatting import say
from inarow.paths import parse_json, read_text, text_writer
from inarow.rules import Game, Outcome, Player, Position, format_moves, game
from inarow.rules.notation import parse_continuation, separator

MAX_NODES = (1 << 63) - 1
"""Maximum nodes of one decision that a store can hold."""


class RecordError(InarowError):
    """The record is invalid."""


class Termination(StrEnum):
    """The reason that a match ended: the rules, an agent's fault, or another."""

    LINE = "line"
    FULL_BOARD = "full board"
    ILLEGAL_MOVE = "illegal move"
    NO_DECISION = "no decision"
    EXCEPTION = "exception"
    OUT_OF_TIME = "out of time"
    OUT_OF_MEMORY = "out of memory"
    EXITED = "exited"
    STALLED = "stalled"
    FORBIDDEN = "forbidden"
    NOT_LOADED = "cannot be loaded"
    RESIGNATION = "resignation"
    ADJUDICATION = "adjudication"
    TIME_LIMIT = "time limit of the match"
    INTERRUPTED = "interrupted"

    @property
    def is_fault(self) -> bool:
        """True if an agent failed, rather than lost by the rules."""
        return self not in _NO_FAULT


_NO_FAULT = frozenset(
    (
        Termination.LINE,
        Termination.FULL_BOARD,
        Termination.RESIGNATION,
        Termination.ADJUDICATION,
        Termination.TIME_LIMIT,
        Termination.INTERRUPTED,
    )
)
FAULTS = frozenset(termination.value for termination in Termination if termination.is_fault)
"""The stored names of the terminations that are faults."""

RESULTS = {"first": Outcome(Player.FIRST), "second": Outcome(Player.SECOND), "draw": Outcome(None), "none": None}
"""The results in records."""


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """One match. ``nodes``, ``values`` and ``seconds`` have an entry per move after the opening."""

    game: Game
    first: str
    second: str
    seed: int
    opening: tuple[int, ...]
    moves: tuple[int, ...]
    """The moves after the opening."""
    outcome: Outcome | None
    """None if the match was interrupted."""
    termination: Termination
    nodes: tuple[int, ...]
    values: tuple[float | None, ...]
    """Estimates in [−1, 1] by the agent that moved, for its own side."""
    seconds: tuple[float, ...]
    fault: str = ""
    """The failure of an agent, or an empty string."""
    stochastic: bool | None = None
    """True if a random number decided a move. If not, the match is a function of its opening. None if unknown."""

    @property
    def all_moves(self) -> tuple[int, ...]:
        """The opening and the moves."""
        return self.opening + self.moves

    @property
    def result(self) -> str:
        """``first``, ``second``, ``draw``, or ``none`` if interrupted."""
        if self.outcome is None:
            return "none"
        return "draw" if self.outcome.winner is None else self.outcome.winner.name.lower()

    def mover(self, index: int) -> Player:
        """Return the player who made the move at this index (after the opening)."""
        index = check_integer("index", index, 0, len(self.moves) - 1, RecordError)
        return Player((len(self.opening) + index) % 2)

    def decisions(self, from_ply: int = 0) -> Iterator[tuple[Position, int]]:
        """Yield the moves after the opening, each with its position; skip those with fewer than ``from_ply`` stones."""
        from_ply = check_integer("from_ply", from_ply, error=RecordError)
        position = Position.start(self.game, self.opening)
        for move in self.moves:
            if position.ply >= from_ply:
                yield position, move
            position = position.play(move)

    def position(self) -> Position:
        """Return the last position."""
        return Position.start(self.game, self.all_moves)

    def _repr_html_(self) -> str:
        """Show the last position in a notebook, with the players and the result."""
        from inarow.drawing.svg import draw_svg, figure

        won = {"first": f"{self.first} won", "second": f"{self.second} won", "draw": "a draw"}.get(
            self.result, "no result"
        )
        picture = draw_svg(self.position(), last=self.all_moves[-1] if self.all_moves else None)
        ending = f"{won} ({self.termination.value}) after {len(self.all_moves)} moves"
        return figure(picture, f"{self.first} against {self.second}", ending)

    def to_json(self) -> dict[str, Any]:
        """Return a mapping for JSON; moves count from 1, and timing is under ``timing``."""
        return {
            "game": self.game.name,
            "first": self.first,
            "second": self.second,
            "seed": self.seed,
            "opening": format_moves(self.game, self.opening),
            "moves": format_moves(self.game, self.moves),
            "result": self.result,
            "termination": self.termination.value,
            "fault": self.fault,
            "stochastic": self.stochastic,
            "nodes": list(self.nodes),
            "values": list(self.values),
            "timing": {"seconds": list(self.seconds)},
        }

    @classmethod
    def from_json(cls, data: object) -> MatchRecord:
        """Read the output of `to_json`. Raises `RecordError` with the reason if it is invalid."""
        if not isinstance(data, Mapping):
            raise RecordError(f"a record must be a JSON object, got {type(data).__name__}")
        timing = _get(data, "timing", Mapping)
        board = game(_get(data, "game", str))
        opening, moves = parse_continuation(board, _get(data, "opening", str), _get(data, "moves", str))
        record = cls(
            game=board,
            first=_get(data, "first", str),
            second=_get(data, "second", str),
            seed=_get(data, "seed", int),
            opening=opening,
            moves=moves,
            outcome=_word(RESULTS, "result", _get(data, "result", str)),
            termination=_word({t.value: t for t in Termination}, "termination", _get(data, "termination", str)),
            fault=_get(data, "fault", str),
            nodes=_numbers(_get(data, "nodes", list), "nodes", int),
            values=_numbers(_get(data, "values", list), "values", float, none=True),
            seconds=_numbers(_get(timing, "seconds", list), "seconds", float),
            stochastic=_stochastic(data.get("stochastic")),
        )
        record.check()
        return record

    def check(self) -> None:
        """Raise `RecordError` if the parts contradict each other."""
        for name in ("nodes", "values", "seconds"):
            if len(getattr(self, name)) != len(self.moves):
                raise RecordError(f"{len(getattr(self, name))} {name} for {len(self.moves)} moves; give one per move")
        by_rules = self.position().outcome()
        if self.termination in (Termination.LINE, Termination.FULL_BOARD):
            if by_rules is None or by_rules != self.outcome:
                ends, cause = self.position().result_text(), self.termination.value
                raise RecordError(say("record", "contradiction", ends=ends, result=self.result, termination=cause))
            if (by_rules.winner is None) != (self.termination is Termination.FULL_BOARD):
                raise RecordError(
                    f"the result {self.result} is not possible with the termination {self.termination.value}"
                )
        elif by_rules is not None:
            raise RecordError(f"the moves end with {self.position().result_text()}, not by {self.termination.value}")
        elif (self.outcome is None) != (self.termination is Termination.INTERRUPTED):
            raise RecordError(f"the result {self.result} is not possible with the termination {self.termination.value}")


def _get(data: Mapping[str, Any], key: str, kind: type) -> Any:
    if key not in data:
        raise RecordError(say("record", "no_field", name=key))
    value = data[key]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise RecordError(f"the record's {key!r} is {value!r:.40}, not of type {kind.__name__}")
    if isinstance(value, str) and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise RecordError(f"the record's {key!r} is {value!r:.40}, which is not valid Unicode")
    return value


def _stochastic(value: object) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise RecordError(f"the record's 'stochastic' is {value!r:.40}, not true, false or null")
    return value


def _word(words: Mapping[str, Any], name: str, text: str) -> Any:
    if text not in words:
        raise RecordError(f"{text!r:.40} is not a {name}; known: {', '.join(words)}")
    return words[text]


def _numbers(values: list[Any], name: str, kind: type, none: bool = False) -> tuple[Any, ...]:
    most = sys.float_info.max if kind is float else MAX_NODES
    least = -most if none else 0
    for value in values:
        right = isinstance(value, (int, float) if kind is float else int) and not isinstance(value, bool)
        if not right and not (none and value is None):
            raise RecordError(f"{value!r:.40} among the record's {name} is not a number")
        if value is not None and not least <= value <= most:  # also NaN
            raise RecordError(f"{value!r:.40} among the record's {name} is out of range")
    return tuple(values)


_MARKS = {"first": "1-0", "second": "0-1", "draw": "1/2-1/2", "none": "*"}
_TAG = re.compile(r'\[(\w+) "((?:[^"\\]|\\.)*)"\]')
_MOVE = re.compile(r"(\d+)\s*(?:\{([^}]*)\})?")


def write_json_lines(records: Iterable[MatchRecord], out: IO[str]) -> None:
    """Write one record per line."""
    for record in records:
        out.write(json.dumps(record.to_json(), ensure_ascii=False) + "\n")


def write_records(records: Iterable[MatchRecord], path: Path) -> None:
    """Write a file of records: JSON lines if its name ends with .jsonl or .json, else plain text."""
    with text_writer(path, RecordError) as out:
        if path.suffix in (".jsonl", ".json"):
            write_json_lines(records, out)
        else:
            out.write("\n".join(record_text(record) for record in records))


def record_text(record: MatchRecord) -> str:
    """Format a record as tags, then numbered moves with the value, nodes and time of each, if known."""
    tags = {
        "Game": record.game.name,
        "First": record.first,
        "Second": record.second,
        "Seed": str(record.seed),
        "Opening": " ".join(str(move + 1) for move in record.opening),
        "Result": _MARKS[record.result],
        "Termination": record.termination.value,
        "Fault": record.fault,
        "Stochastic": {True: "yes", False: "no", None: ""}[record.stochastic],
    }
    lines = [f"[{name} {json.dumps(value, ensure_ascii=False)}]" for name, value in tags.items() if value]
    words = []
    for index, move in enumerate(record.moves):
        ply = len(record.opening) + index
        if ply % 2 == 0:
            words.append(f"{ply // 2 + 1}.")
        elif index == 0:
            words.append(f"{ply // 2 + 1}...")
        value, nodes, seconds = record.values[index], record.nodes[index], record.seconds[index]
        notes = [] if value is None else [f"v={value!r}"]
        notes += ([f"n={nodes}"] if nodes else []) + ([f"t={seconds!r}"] if seconds else [])
        words.append(f"{move + 1} {{{' '.join(notes)}}}" if notes else str(move + 1))
    return "\n".join([*lines, "", " ".join([*words, _MARKS[record.result]]), ""])


def parse_record_text(text: str) -> MatchRecord:
    """Parse a record in the format of `record_text`. Raises `RecordError` with the reason if it is invalid."""
    tags = {name: _unquoted(value) for name, value in _TAG.findall(text)}
    missing = [name for name in ("Game", "First", "Second", "Result", "Termination") if name not in tags]
    if missing:
        raise RecordError(say("record", "no_tag", name=missing[0]))
    if tags["Result"] not in _MARKS.values():
        raise RecordError(say("record", "no_result", result=repr(tags["Result"]), known=", ".join(_MARKS.values())))
    body = _TAG.sub("", text).strip()
    if not body.endswith(tags["Result"]):
        raise RecordError(say("record", "cut_short", result=tags["Result"]))
    body = re.sub(r"\d+\.+(?=\s)", " ", body[: -len(tags["Result"])])
    moves, values, nodes, seconds = [], [], [], []
    for number, notes in _MOVE.findall(body):
        noted = dict(note.partition("=")[::2] for note in notes.split())
        moves.append(number)
        try:
            values.append(float(noted["v"]) if "v" in noted else None)
            nodes.append(int(noted.get("n", 0)))
            seconds.append(float(noted.get("t", 0)))
        except ValueError:
            raise RecordError(f"the note {{{notes}}} after move {number} can't be read") from None
    if rest := _MOVE.sub("", body).strip():
        raise RecordError(say("record", "no_move", text=f"{rest!r:.40}"))
    join = separator(game(tags["Game"]))
    try:
        seed = int(tags.get("Seed", "0"))
    except ValueError:
        raise RecordError(f"the seed {tags['Seed']!r:.40} is not an integer") from None
    return MatchRecord.from_json(
        {
            "game": tags["Game"],
            "first": tags["First"],
            "second": tags["Second"],
            "seed": seed,
            "opening": join.join(tags.get("Opening", "").split()),
            "moves": join.join(moves),
            "result": {mark: word for word, mark in _MARKS.items()}[tags["Result"]],
            "termination": tags["Termination"],
            "fault": tags.get("Fault", ""),
            "stochastic": {"yes": True, "no": False, "": None}.get(tag := tags.get("Stochastic", ""), tag),
            "nodes": nodes,
            "values": values,
            "timing": {"seconds": seconds},
        }
    )


def _unquoted(value: str) -> str:
    try:
        return str(json.loads(f'"{value}"'))
    except json.JSONDecodeError:
        raise RecordError(f'the tag value "{value:.40}" is not a quoted string') from None


def read_records(path: Path) -> Iterator[MatchRecord]:
    """Read the records of a file in either format; errors name the line."""
    yield from parse_records(read_text(path, RecordError), str(path))


def parse_records(text: str, name: str) -> Iterator[MatchRecord]:
    """Parse the records of a file; ``name`` is its name in errors."""
    if not text.strip():
        raise RecordError(say("record", "empty", name=name))
    pieces = _json_pieces(text) if text.lstrip().startswith("{") else _text_pieces(text)
    for line, piece, parse in pieces:
        try:
            yield parse(piece)
        except json.JSONDecodeError as error:
            why = say("record", "not_json", problem=error.msg)
            raise RecordError(say("record", "at", name=name, line=str(line), why=why)) from None
        except InarowError as error:
            raise RecordError(say("record", "at", name=name, line=str(line), why=str(error))) from None
        except (ValueError, RecursionError):  # a number with thousands of digits, or deep nesting
            raise RecordError(f"{name}, line {line}: not a record; it can't be read") from None


def _json_pieces(text: str) -> Iterator[tuple[int, str, Callable[[str], MatchRecord]]]:
    for number, line in enumerate(text.split("\n"), start=1):  # strings may contain other line separators
        if line.strip():
            yield number, line, lambda piece: MatchRecord.from_json(parse_json(piece))


def _text_pieces(text: str) -> Iterator[tuple[int, str, Callable[[str], MatchRecord]]]:
    starts = [match.start() for match in re.finditer(r"^\[Game ", text, re.MULTILINE)] or [0]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield text.count("\n", 0, start) + 1, text[start:end], parse_record_text
