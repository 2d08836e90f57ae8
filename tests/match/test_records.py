"""Records survive the way through both kinds of file; a broken one is refused with the place and the reason."""

from __future__ import annotations

import contextlib
import io
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarow.agents import agent
from inarow.match import MatchRecord, RecordError, Termination, play_match
from inarow.match.record import parse_record_text, read_records, record_text, write_json_lines
from inarow.rules import CONNECT4, Outcome, Player, game
from support.damage import crafted_number, damaged


@st.composite
def records(draw: st.DrawFn) -> MatchRecord:
    """Records of random playings, with what agents may have said, some ended early."""
    board = game(draw(st.sampled_from(["connect4", "tictactoe", "4x4x3-free"])))
    seed = draw(st.integers(0, 10_000))
    opening = play_match(board, agent("random"), agent("random"), seed=seed + 1).moves[: draw(st.integers(0, 4))]
    record = play_match(board, agent("random"), agent("rules:style=centre"), seed=seed, opening=opening)
    count = len(record.moves)
    record = replace(
        record,
        values=tuple(draw(st.lists(st.none() | st.floats(-1, 1), min_size=count, max_size=count))),
        nodes=tuple(draw(st.lists(st.integers(0, 10**9), min_size=count, max_size=count))),
        seconds=tuple(draw(st.lists(st.floats(0, 100), min_size=count, max_size=count))),
    )
    if draw(st.booleans()):
        return replace(
            record,
            moves=record.moves[:-1],
            values=record.values[:-1],
            nodes=record.nodes[:-1],
            seconds=record.seconds[:-1],
            outcome=Outcome(Player.FIRST),
            termination=Termination.EXCEPTION,
            fault=draw(st.text(max_size=20)),
        )
    return record


@given(records())
def test_a_record_survives_json_and_text(record: MatchRecord) -> None:
    assert MatchRecord.from_json(json.loads(json.dumps(record.to_json()))) == record
    assert parse_record_text(record_text(record)) == record


@given(st.lists(records(), min_size=1, max_size=3))
def test_files_of_either_kind_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, several: list[MatchRecord]
) -> None:
    folder = tmp_path_factory.mktemp("records")
    out = io.StringIO()
    write_json_lines(several, out)
    (folder / "a.jsonl").write_text(out.getvalue(), encoding="utf-8")
    (folder / "a.txt").write_text("\n".join(map(record_text, several)), encoding="utf-8")
    assert list(read_records(folder / "a.jsonl")) == several
    assert list(read_records(folder / "a.txt")) == several


def sample() -> dict[str, Any]:
    return play_match(CONNECT4, agent("random"), agent("random"), seed=2).to_json()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"moves": None}, "'moves' is None, not of type str"),
        ({"moves": "99"}, "'9' is not a column"),
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"nodes": [1]}, "1 nodes for"),
        ({"values": "x"}, "'values' is 'x', not of type list"),
        ({"nodes": ["x"]}, "'x' among the record's nodes is not a number"),
        ({"nodes": [-1]}, "-1 among the record's nodes is out of range"),
        ({"nodes": [2**63]}, "9223372036854775808 among the record's nodes is out of range"),
        ({"values": [float("nan")]}, "nan among the record's values is out of range"),
        ({"values": [10**400]}, "among the record's values is out of range"),
        ({"timing": {"seconds": [float("inf")]}}, "inf among the record's seconds is out of range"),
        ({"timing": {"seconds": [-0.5]}}, "-0.5 among the record's seconds is out of range"),
        ({"first": "\ud800"}, "'first' is '\\ud800', which is not valid Unicode"),
        ({"result": "both"}, "'both' is not a result; known: first, second, draw, none"),
        ({"termination": "boredom"}, "'boredom' is not a termination"),
        ({"termination": "full board"}, "is not possible with the termination full board"),
        ({"termination": "exception"}, "not by exception"),
        ({"result": "draw"}, "but the record says draw by line"),
        ({"seed": True}, "'seed' is True, not of type int"),
        ({"timing": {}}, "the record has no 'seconds'"),
    ],
)
def test_a_record_that_contradicts_itself_is_refused(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError) as caught:
        MatchRecord.from_json({**sample(), **change})
    assert reason in str(caught.value)


def test_an_ending_without_a_result_is_an_interruption_only() -> None:
    data = {**sample(), "moves": "", "nodes": [], "values": [], "timing": {"seconds": []}}
    with pytest.raises(RecordError, match="the result none is not possible with the termination exception"):
        MatchRecord.from_json({**data, "result": "none", "termination": "exception"})
    assert MatchRecord.from_json({**data, "result": "none", "termination": "interrupted"}).outcome is None
    with pytest.raises(RecordError, match="a record must be a JSON object, got list"):
        MatchRecord.from_json([])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "is empty"),
        ('{"game": "connect4", "mov', "line 1: not a JSON record"),
        ('[Game "connect4"]\n\n1. 4 4', "line 1: the tag First is missing"),
        ("hello", "line 1: the tag Game is missing"),
        ('[Game "connect4"]\n[First "a"]\n[Second "b"]\n[Result "1-0"]\n[Termination "line"]\n\n1. 4', "cut short"),
        ('[Game "connect4"]\n[First "a"]\n[Second "b"]\n[Result "2-0"]\n[Termination "line"]\n\n1. 4 2-0', "'2-0'"),
        ('[Game "connect4"]\n[First "a"]\n[Second "b"]\n[Result "*"]\n[Termination "interrupted"]\n\n1. e4 *', "'e'"),
        (
            '[Game "connect4"]\n[First "a"]\n[Second "b"]\n[Result "*"]\n[Termination "interrupted"]\n\n1. 4 {n=x} *',
            "the note {n=x} after move 4 can't be read",
        ),
        (
            '[Game "connect4"]\n[First "a"]\n[Second "b"]\n[Seed "x"]\n[Result "*"]\n[Termination "interrupted"]\n\n*',
            "the seed 'x' is not an integer",
        ),
        (
            '[Game "connect4"]\n[First "\\q"]\n[Second "b"]\n[Result "*"]\n[Termination "interrupted"]\n\n*',
            "is not a quoted string",
        ),
    ],
)
def test_a_broken_file_says_where_and_why(tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "records"
    path.write_text(content)
    with pytest.raises(RecordError) as caught:
        list(read_records(path))
    assert str(path) in str(caught.value)
    assert reason in str(caught.value)


def test_the_records_before_a_broken_line_are_read(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(json.dumps(sample()) + "\n" + json.dumps(sample())[:50])
    reading = read_records(path)
    assert next(reading).to_json() == sample() | {"timing": next(read_records(path)).to_json()["timing"]}
    with pytest.raises(RecordError, match="line 2"):
        next(reading)


@pytest.mark.parametrize(("content", "reason"), [(None, "No such file"), (b"\xff\xfe\x00", "it is not a text file")])
def test_a_file_that_is_not_text_or_not_there_is_named(tmp_path: Path, content: bytes | None, reason: str) -> None:
    path = tmp_path / "records.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(RecordError) as caught:
        list(read_records(path))
    assert f"{path} can't be read: {reason}" in str(caught.value)


def test_a_mutated_file_of_records_is_read_or_refused_and_nothing_else(tmp_path: Path) -> None:
    records = [play_match(CONNECT4, agent("greedy"), agent("random"), seed=seed) for seed in range(2)]
    lines = "".join(json.dumps(record.to_json()) + "\n" for record in records).encode()
    texts = "\n".join(record_text(record) for record in records).encode()
    chance, path = random.Random(2), tmp_path / "records"
    for data in (lines, texts):
        for bad in [*damaged(data, 60, 1), *(crafted_number(data, chance) for _ in range(60))]:
            path.write_bytes(bad)
            with contextlib.suppress(RecordError):
                list(read_records(path))
