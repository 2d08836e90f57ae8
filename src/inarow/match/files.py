"""Reading and writing files of records: JSON lines, or a short text with tags and numbered moves."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO

from inarow.atomic import text_writer
from inarow.errors import InarowError
from inarow.match.record import MatchRecord, RecordError
from inarow.paths import parse_json, read_text
from inarow.rules import game
from inarow.rules.notation import separator

_MARKS = {"first": "1-0", "second": "0-1", "draw": "1/2-1/2", "none": "*"}
_TAG = re.compile(r'\[(\w+) "((?:[^"\\]|\\.)*)"\]')
_MOVE = re.compile(r"(\d+)\s*(?:\{([^}]*)\})?")


def write_json_lines(records: Iterable[MatchRecord], out: IO[str]) -> None:
    """One record per line."""
    for record in records:
        out.write(json.dumps(record.to_json(), ensure_ascii=False) + "\n")


def write_records(records: Iterable[MatchRecord], path: Path) -> None:
    """Write a file of records: JSON lines if its name ends with .jsonl or .json, else the short text."""
    with text_writer(path, RecordError) as out:
        if path.suffix in (".jsonl", ".json"):
            write_json_lines(records, out)
        else:
            out.write("\n".join(record_text(record) for record in records))


def record_text(record: MatchRecord) -> str:
    """A record as a short text: tags, then numbered moves with the value, nodes and time of each, if known."""
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
    """The record of such a text; raises `RecordError` with the reason if it can't be read."""
    tags = {name: _unquoted(value) for name, value in _TAG.findall(text)}
    missing = [name for name in ("Game", "First", "Second", "Result", "Termination") if name not in tags]
    if missing:
        raise RecordError(f'the tag {missing[0]} is missing; a record starts with lines such as [Game "connect4"]')
    if tags["Result"] not in _MARKS.values():
        raise RecordError(f"the result {tags['Result']!r} is none of {', '.join(_MARKS.values())}")
    body = _TAG.sub("", text).strip()
    if not body.endswith(tags["Result"]):
        raise RecordError(f"the moves don't end with the result {tags['Result']}; the record may be cut short")
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
    if _MOVE.sub("", body).strip():
        raise RecordError(f"{_MOVE.sub('', body).strip()!r:.40} among the moves is not a move")
    join = separator(game(tags["Game"]))
    try:
        seed = int(tags.get("Seed", "0"))
    except ValueError:
        raise RecordError(f"the seed {tags['Seed']!r:.40} is not a whole number") from None
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
            "stochastic": {"yes": True, "no": False, "": None}.get(said := tags.get("Stochastic", ""), said),
            "nodes": nodes,
            "values": values,
            "timing": {"seconds": seconds},
        }
    )


def _unquoted(value: str) -> str:
    try:
        return str(json.loads(f'"{value}"'))
    except json.JSONDecodeError:
        raise RecordError(f'the tag value "{value:.40}" is not a quoted text') from None


def read_records(path: Path) -> Iterator[MatchRecord]:
    """The records of a file of either kind; a bad one is reported with its line."""
    yield from parse_records(read_text(path, RecordError), str(path))


def parse_records(text: str, name: str) -> Iterator[MatchRecord]:
    """The records of a file's text; ``name`` is what errors call it."""
    if not text.strip():
        raise RecordError(f"{name} is empty; a file of records was expected")
    pieces = _json_pieces(text) if text.lstrip().startswith("{") else _text_pieces(text)
    for line, piece, parse in pieces:
        try:
            yield parse(piece)
        except json.JSONDecodeError as error:
            raise RecordError(f"{name}, line {line}: not a JSON record ({error.msg}); it may be cut short") from None
        except InarowError as error:
            raise RecordError(f"{name}, line {line}: {error}") from None
        except (ValueError, RecursionError):  # a number of thousands of digits, or endless nesting
            raise RecordError(f"{name}, line {line}: not a record; it can't be read") from None


def _json_pieces(text: str) -> Iterator[tuple[int, str, Callable[[str], MatchRecord]]]:
    for number, line in enumerate(text.split("\n"), start=1):  # a text may have other ends of lines in it
        if line.strip():
            yield number, line, lambda piece: MatchRecord.from_json(parse_json(piece))


def _text_pieces(text: str) -> Iterator[tuple[int, str, Callable[[str], MatchRecord]]]:
    starts = [match.start() for match in re.finditer(r"^\[Game ", text, re.MULTILINE)] or [0]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield text.count("\n", 0, start) + 1, text[start:end], parse_record_text
