"""inarow rate: the rating in words, as JSON, saved, and after Ctrl-C."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inarow.arena.executor import InProcess
from inarow.match.record import read_records
from support.commands import inarow

QUICK = ("--pairs", "20", "--positions", "5", "--workers", "1")


def test_the_rating_is_told_in_words() -> None:
    said = inarow("rate", "tictactoe", "greedy", *QUICK).stdout
    assert "greedy at Tic Tac Toe: " in said
    assert "random has 0" in said
    assert "It plays " in said
    assert "keeps the verdict in " in said
    assert "plays a move with the best score in " in said
    assert "±25 were asked for: raise --pairs." in said


def test_a_player_of_the_ladder_is_told_its_rating_there() -> None:
    said = inarow("rate", "tictactoe", "rules", *QUICK, "--minutes", "10").stdout
    assert "It is a player of the ladder itself, with " in said
    assert "raise --pairs and --minutes." in said


def test_the_matches_are_saved(tmp_path: Path) -> None:
    path = tmp_path / "rated.jsonl"
    inarow("rate", "tictactoe", "greedy", *QUICK, "--out", str(path))
    assert len(list(read_records(path))) == 40
    assert "exists" in inarow("rate", "tictactoe", "greedy", *QUICK, "--out", str(path), code=2).stderr


def test_an_agent_in_a_file_is_rated_and_its_faults_are_told(tmp_path: Path) -> None:
    path = tmp_path / "stubborn.py"
    path.write_text("def agent(observation, configuration): return 4\n", encoding="utf-8")
    said = inarow("rate", "tictactoe", str(path), "--pairs", "10", "--positions", "2", "--workers", "1").stdout
    assert "fault: " in said
    assert "matches by a fault." in said


def test_ctrl_c_gives_the_estimate_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    run = InProcess.run

    def interrupted(*arguments: Any) -> Iterator[Any]:
        yield from itertools.islice(run(*arguments), 4)
        raise KeyboardInterrupt

    monkeypatch.setattr(InProcess, "run", interrupted)
    done = inarow("rate", "tictactoe", "greedy", *QUICK, "--json", code=130)
    assert json.loads(done.stdout)["pairs"] == 4
    assert "interrupted; 4 pairs were played and counted" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("5x4x4", "rules"), "no ladder ships for 5x4x4"),
        (("tictactoe", "nobody"), "nobody"),
        (("tictactoe", "ntuple:model=none.npz"), "there is no model file none.npz"),
    ],
)
def test_what_cannot_be_rated_is_said_in_a_line(arguments: tuple[str, ...], said: str) -> None:
    assert said in inarow("rate", *arguments, code=2).stderr
