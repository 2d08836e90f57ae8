"""Positions are solved once, and records are graded by them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from inarow.agents import agent
from inarow.arena import Store
from inarow.limits import NO_LIMIT, Limit
from inarow.match import play_match
from inarow.rules import Position, game
from inarow.solver import Oracle
from inarow.stopping import Stop
from inarow.truth import SolvedPositions, count_by, truth_set
from support.commands import inarow


class CountingOracle(Oracle):
    """Counts the positions that are solved."""

    asked = 0

    def scores(self, position: Any, limit: Limit = NO_LIMIT, *, stop: Stop | None = None) -> dict[int, int]:
        self.asked += 1
        return super().scores(position, limit, stop=stop)


def test_a_position_is_solved_once_and_one_of_the_truth_set_never() -> None:
    board = game("connect4")
    oracle = CountingOracle(board)
    solved = SolvedPositions(board, oracle=oracle)
    start = Position.start(board)
    assert solved.scores(start) == solved.scores(start) == oracle.scores(start)
    assert oracle.asked == 2  # one of them here
    assert solved.scores(truth_set()[0].position) == truth_set()[0].scores
    assert oracle.asked == 2


def test_records_are_graded_and_counted_by_agent() -> None:
    board = game("tictactoe")
    solved = SolvedPositions(board)
    record = play_match(board, agent("perfect"), agent("random"), seed=2)
    graded = list(solved.grade_record(record))
    assert [move.move for _, move in graded if move is not None] == list(record.moves)
    by_agent = count_by(graded)
    assert by_agent["perfect"].perfect == by_agent["perfect"].kept == by_agent["perfect"].moves
    assert by_agent["perfect"].mean_regret == 0
    assert by_agent["random"].moves == len(record.moves) // 2
    assert len(list(solved.grade_record(record, from_ply=4))) == len(record.moves) - 4


def test_what_is_not_solved_within_the_limit_has_no_grade() -> None:
    board = game("connect4")
    record = play_match(board, agent("random"), agent("random"), seed=2)
    solved = SolvedPositions(board, Limit(nodes=300), oracle=Oracle(board, book=False))
    accuracy = count_by(solved.grade_record(record))["random"]
    assert 0 < accuracy.moves < len(record.moves) == accuracy.moves + accuracy.unsolved
    assert solved.is_trivial(Position.start(board))
    assert solved.scores(Position.start(board)) is None


def test_annotate_marks_blunders(tmp_path: Path) -> None:
    board = game("tictactoe")
    file = tmp_path / "records.jsonl"
    records = [play_match(board, agent("random"), agent("random"), seed=seed) for seed in range(4)]
    file.write_text("".join(json.dumps(record.to_json()) + "\n" for record in records))
    said = inarow("annotate", str(file)).stdout
    assert re.search(r"and a (win|draw) became a (draw|loss) \(score −?\d+ instead of", said)
    data = json.loads(inarow("annotate", str(file), "--json").stdout)
    assert data["measured"] == data["moves"] == sum(len(record.moves) for record in records)
    assert len(data["blunders"]) == data["agents"]["random"]["blunders"] > 0
    assert "can't be read" in inarow("annotate", str(tmp_path / "none"), code=2).stderr


def test_annotate_takes_a_store_even_while_it_is_written(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    inarow("tournament", "tictactoe", "random", "rules", "--pairs", "3", "--workers", "1", "--out", str(store))
    with Store.open(store):
        done = inarow("annotate", str(store), "--json", "--workers", "1")
    assert "is being written by" in done.stderr
    data = json.loads(done.stdout)
    assert data["measured"] == data["moves"] > 0
    assert len(data["blunders"]) == sum(one["blunders"] for one in data["agents"].values())
