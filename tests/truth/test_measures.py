"""A move is measured by the exact scores of all moves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inarow.agents import agent
from inarow.errors import InarowError
from inarow.limits import Limit
from inarow.match import play_match
from inarow.rules import FIRST, Position, game
from inarow.solver import Oracle
from inarow.truth import measure_move, measure_record, summarise
from support.commands import inarow


def test_a_move_is_perfect_keeps_the_verdict_or_blunders() -> None:
    position = Position.start(game("connect4"))
    scores = {0: 5, 1: 3, 2: 0, 3: -4}
    perfect, kept, lost = (measure_move(position, move, scores, "a") for move in (0, 1, 3))
    assert (perfect.perfect, perfect.keeps_verdict, perfect.blunder, perfect.regret) == (True, True, False, 0)
    assert (kept.perfect, kept.keeps_verdict, kept.blunder, kept.regret) == (False, True, False, 2)
    assert (lost.perfect, lost.keeps_verdict, lost.blunder, lost.regret) == (False, False, True, 9)
    assert not perfect.trivial
    assert measure_move(position, 0, {0: 1, 1: 7}).trivial
    with pytest.raises(InarowError, match="move 6 has no score; scored: 1, 2, 3, 4"):
        measure_move(position, 5, scores)


def test_records_are_measured_and_summed_by_agent_seat_and_ply() -> None:
    board = game("tictactoe")
    oracle = Oracle(board)
    record = play_match(board, agent("perfect"), agent("random"), seed=2)
    measures = list(measure_record(record, oracle))
    assert len(measures) == len(record.moves)
    by_agent = summarise(measures)
    assert by_agent["perfect"].perfect_rate == by_agent["perfect"].kept_rate == 1
    assert by_agent["perfect"].mean_regret == 0
    assert by_agent["random"].moves == len(record.moves) // 2
    assert ("perfect", FIRST) in summarise(measures, by=lambda m: (m.agent, m.seat))
    assert set(summarise(measures, by=lambda m: m.ply)) == set(range(len(record.moves)))
    assert all(m.ply >= 4 for m in measure_record(record, oracle, from_ply=4))


def test_what_is_not_solved_within_the_limit_is_left_out() -> None:
    board = game("connect4")
    record = play_match(board, agent("random"), agent("random"), seed=2)
    measured = list(measure_record(record, Oracle(board, book=False), limit=Limit(nodes=300)))
    assert 0 < len(measured) < len(record.moves)


def test_annotate_marks_blunders(tmp_path: Path) -> None:
    board = game("tictactoe")
    file = tmp_path / "records.jsonl"
    records = [play_match(board, agent("random"), agent("random"), seed=seed) for seed in range(4)]
    file.write_text("".join(json.dumps(record.to_json()) + "\n" for record in records))
    assert "instead of" in inarow("annotate", str(file)).stdout
    data = json.loads(inarow("annotate", str(file), "--json").stdout)
    assert data["measured"] == data["moves"] == sum(len(record.moves) for record in records)
    assert len(data["blunders"]) == data["agents"]["random"]["blunders"] > 0
    assert "can't be read" in inarow("annotate", str(tmp_path / "none"), code=2).stderr
