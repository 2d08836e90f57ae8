"""`inarow solve` and `inarow book build`: what they print, and how they refuse."""

from __future__ import annotations

import json
import signal
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from support.commands import inarow


@pytest.fixture(autouse=True)
def _a_cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarow.solver.cache.cache_folder", lambda *parts: tmp_path)


def test_what_was_solved_before_is_known() -> None:
    hard = "6572727125341"  # what a glance answers is not worth keeping
    inarow("solve", "connect4", hard)
    assert json.loads(inarow("solve", "connect4", hard, "--json").stdout)["source"] == "cache"
    assert json.loads(inarow("solve", "connect4", hard, "--no-book", "--json").stdout)["source"] == "search"
    assert json.loads(inarow("solve", "connect4", "4", "--json").stdout)["source"] == "book"


def test_solve_says_score_words_moves_and_line() -> None:
    done = inarow("solve", "connect4", "44455554221")
    assert done.stdout.startswith("First player wins with its 7th disc (score −15).\n")
    assert "Best play: " in done.stdout


def test_every_move_has_its_verdict_below_its_column_and_the_best_are_marked() -> None:
    lines = inarow("solve", "connect4", "425").stdout.splitlines()
    assert lines[0] == "A draw (score 0)."
    numbers = next(index for index, line in enumerate(lines) if line.split() == list("1234567"))
    assert "(X)" in lines[numbers - 1], "the last move is marked"
    assert lines[numbers + 1].split() == ["loss"] * 5 + ["draw", "loss"]
    column = lines[numbers].index("6")
    assert lines[numbers + 1][column - 2 : column + 3].strip() == "draw"
    assert lines[numbers + 3].split() == ["best"]
    assert lines[numbers + 3].index("best") in range(column - 3, column + 1)


def test_the_score_is_shown_as_soon_as_it_is_known() -> None:
    from inarow.rules import CONNECT4, Position
    from inarow.solver import Analysis, Oracle

    seen: list[Analysis] = []
    position = Position.start(CONNECT4, [3, 3, 3, 4, 4, 4, 4, 3, 1, 1, 0])
    whole = Oracle(CONNECT4).analyse(position, line=True, on_progress=seen.append)
    assert [one for one, _ in groupby(found.looking_for for found in seen)] == ["score", "moves", "line", ""]
    assert [one.solved for one in seen] == [one.looking_for != "score" for one in seen]
    moves = [sum(bounds.solved for bounds in one.moves.values()) for one in seen]
    assert [count for count, _ in groupby(moves)] == list(range(8)), "after each move"
    assert [one.nodes for one in seen] == sorted(one.nodes for one in seen)
    assert [one.line is None for one in seen] == [True] * (len(seen) - 1) + [False]
    assert whole == seen[-1]


def test_a_board_too_wide_for_captions_says_the_verdicts_below() -> None:
    shown = inarow("solve", "20x1x3", "10,1", terminal=80).stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert "(best)" in shown


def test_a_terminal_says_that_the_solver_is_at_work() -> None:
    done = inarow("solve", "tictactoe", "15", terminal=80)
    assert "Ctrl-C stops" in done.stderr
    assert "Ctrl-C stops" not in inarow("solve", "tictactoe", "15").stderr
    assert done.stdout.index("score") < done.stdout.index("best") < done.stdout.index("Best play")


def test_solve_as_json() -> None:
    data = json.loads(inarow("solve", "connect4", "44455554221", "--json").stdout)
    assert data["score"] == -15
    assert data["verdict"] == "loss"
    assert data["moves"] == [{"move": move, "score": -15, "bounds": [-15, -15]} for move in range(7)]
    assert len(data["line"]) == 2
    weak = json.loads(inarow("solve", "tictactoe", "--weak", "--json").stdout)
    assert weak["verdict"] == "draw"
    assert {tuple(one["bounds"]) for one in weak["moves"]} == {(0, 0)}
    assert weak["score"] is None


def test_what_is_not_solved_is_bounds() -> None:
    done = inarow("solve", "connect4", "--no-book", "--nodes", "500")
    assert "Not solved within the limit" in done.stdout
    data = json.loads(inarow("solve", "connect4", "--no-book", "--nodes", "500", "--json").stdout)
    assert data["score"] is None
    assert data["bounds"][0] < data["bounds"][1]


def test_a_file_is_solved_and_checked_and_bad_lines_are_named(tmp_path: Path) -> None:
    file = tmp_path / "positions"
    file.write_text("4455 18\n44455554221 -14\n99 1\n\n4455 x\n4142434\n")
    done = inarow("solve", "connect4", "--file", str(file), code=1)
    assert "4455 +18 right" in done.stdout
    assert "44455554221 -15 WRONG, expected -14" in done.stdout
    assert "2 positions, 1 wrong, mean" in done.stdout
    for line in ("line 3: in '99', character 1", "line 5: 'x' is not a score", "line 6: the game is over"):
        assert line in done.stderr
    data = json.loads(inarow("solve", "connect4", "--file", str(file), "--json", code=1).stdout)
    assert (data["positions"], data["wrong"], data["bad_lines"]) == (2, 1, 3)
    assert data["mean_seconds"] > 0
    assert [result["score"] for result in data["results"]] == [18, -15]


def test_an_expected_draw_is_named_where_the_score_is_another(tmp_path: Path) -> None:
    file = tmp_path / "positions"
    file.write_text("4455 0\n")
    assert "4455 +18 WRONG, expected +0\n" in inarow("solve", "connect4", "--file", str(file), code=1).stdout
    assert "4455 +1 WRONG, expected +0\n" in inarow("solve", "connect4", "--weak", "--file", str(file), code=1).stdout


def test_mistakes_are_one_line_and_code_2(tmp_path: Path) -> None:
    for arguments, message in (
        (["solve", "connect4", "4142434"], "the game is over (first player has won)"),
        (["solve", "connect4", "44", "--file", "x"], "MOVES is for one position; give it or --file, not both"),
        (["solve", "connect4", "--file", str(tmp_path / "none")], "can't be read"),
        (["solve", "9x9x4"], "too large"),
        (["book", "build", "tictactoe", "--out", str(tmp_path / "b")], "has no gravity"),
    ):
        assert message in inarow(*arguments, code=2).stderr


def test_a_book_is_built_verified_and_taken_up_again(tmp_path: Path) -> None:
    out = tmp_path / "small.book"
    done = inarow("book", "build", "4x4x4", "--out", str(out), "--plies", "3")
    assert "positions up to 3 plies" in done.stdout
    work = tmp_path / "small.book.work"
    lines = work.read_text().splitlines()
    work.write_text("\n".join(lines[:5]) + "\n" + lines[5][:3])  # as if cut short while writing
    before = out.read_bytes()
    assert "exists" in inarow("book", "build", "4x4x4", "--out", str(out), "--plies", "3", code=2).stderr
    inarow("book", "build", "4x4x4", "--out", str(out), "--plies", "3", "--force")
    assert out.read_bytes() == before


def test_ctrl_c_keeps_what_is_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    from inarow.solver import Analysis, Oracle
    from inarow.stopping import Stop

    whole = Oracle.analyse

    def interrupted(self: Oracle, *arguments: Any, stop: Stop, on_progress: Any, **options: Any) -> Analysis:
        def progress(found: Analysis) -> None:
            if on_progress is not None:
                on_progress(found)
            if not stop.is_set() and sum(one.solved for one in found.moves.values()) == 2:
                signal.raise_signal(signal.SIGINT)

        return whole(self, *arguments, stop=stop, on_progress=progress, **options)

    monkeypatch.setattr(Oracle, "analyse", interrupted)
    moves = "332255"
    done = inarow("solve", "connect4", moves, "--no-book", code=130)
    score, _, rest = done.stdout.partition("\n")
    assert "(score" in score
    assert "open" in rest
    assert " … " in rest.splitlines()[-2], "some moves have bounds"
    assert done.stderr == "inarow: interrupted; the results so far are exact.\n"
    data = json.loads(inarow("solve", "connect4", moves, "--no-book", "--json", code=130).stdout)
    assert data["score"] is not None
    assert data["line"] == "4", "the winning move needs no search"
    scores = [one["score"] for one in data["moves"]]
    assert sum(score is not None for score in scores) >= 2
    assert None in scores


def test_a_terminal_shows_what_comes_next_and_the_time_left() -> None:
    from inarow.cli.solve import _AnalysisView
    from inarow.limits import Limit
    from inarow.rules import CONNECT4, Position
    from inarow.solver import Oracle

    oracle = Oracle(CONNECT4)
    said: list[str] = []
    shown = _AnalysisView(oracle, Limit(seconds=50), None)
    said.append(shown.__rich__().plain)

    def show(found: Any) -> None:
        shown.found = found
        said.append(shown.__rich__().plain)

    oracle.analyse(Position.start(CONNECT4, [3, 3, 3, 4, 4, 4, 4, 3, 1, 1, 0]), line=True, on_progress=show)
    assert said[0].startswith("Score; 50")
    assert [one for one in said if one.startswith("Moves")][-1].startswith("Moves: 1 −15, 2 −15, 3 −15")
    assert said[-2].startswith("Best play; ")
    assert all(text.endswith(" s left; Ctrl-C stops") and len(text) < 80 for text in said)
