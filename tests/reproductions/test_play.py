"""The reports' programs at the board: R1's modes and R3's levels in the menus, and R2's questions in the terminal."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from inarow.play import PERSON
from inarow.play.setup import HUMAN, Lineup, lineup
from inarow.rules import CONNECT4, TICTACTOE
from support.commands import inarow


@pytest.mark.parametrize("name", ["r1", "r3"])
def test_every_player_of_a_lineup_is_the_report_s_own_and_plays_both_games(name: str) -> None:
    for level in lineup(name).levels:
        for game in (TICTACTOE, CONNECT4):
            player = level.agent(game)
            assert player is not None
            assert player.name.startswith(f"{name}-")


def test_r1_has_its_five_modes_and_r3_its_four_levels() -> None:
    r1 = lineup("r1")
    assert [mode.label for mode in r1.modes] == ["Human – human", "Human – AI", "Human – semi", "AI – semi", "AI – AI"]
    assert [players(r1, mode.seats) for mode in r1.modes] == [
        [PERSON.spec, PERSON.spec],
        [PERSON.spec, "r1-minimax"],
        [PERSON.spec, "r1-default"],
        ["r1-minimax", "r1-default"],
        ["r1-minimax", "r1-qlearning"],
    ]
    assert [level.label for level in lineup("r3").levels] == ["Easy", "Medium", "Hard – minimax", "Hard – Q-learning"]


def players(offered: Lineup, seats: tuple[str, str]) -> list[str]:
    found = [offered.level(seat) for seat in seats]
    assert all(level is not None or seat == HUMAN for level, seat in zip(found, seats, strict=True))
    return [PERSON.spec if level is None else level.specs[0] for level in found]


def test_a_mode_of_r1_is_played_from_the_command_line_and_shown() -> None:
    shown = inarow(
        "play", "tictactoe", "--lineup", "r1", "--mode", "ai - semi", "--delay", "0", "--seed", "1", terminal=80
    ).stdout
    assert "Tic Tac Toe (R1: AI – semi): r1-minimax" in shown
    assert "wins" in shown or "draw" in shown


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--lineup", "r9"), "unknown lineup 'r9'; did you mean"),
        (("--lineup", "r1"), "--lineup r1 needs --mode"),
        (("--lineup", "r1", "--mode", "me"), "unknown mode of R1 'me'"),
        (("connect4", "human", "random", "--mode", "ai - ai"), "--mode chooses both players"),
        (("5x4x4", "--lineup", "r1", "--mode", "ai - semi"), "there is no AI – minimax for 5x4x4"),
    ],
)
def test_a_lineup_or_mode_that_can_not_be_is_one_sentence(words: tuple[str, ...], reason: str) -> None:
    assert reason.partition(";")[0] in inarow("play", *words, code=2).stderr


def test_r2_asks_for_game_match_up_pruning_and_games_again_and_again() -> None:
    shown = inarow("r2", stdin="7\n1\nbaseline\n1\ny\n1\n").stdout
    assert "type a number from 1 to 2" in shown
    assert "type a number from 1 to 7" in shown
    assert "Use alpha–beta pruning?" in shown
    assert "Tic Tac Toe: baseline – minimax" in shown
    row = shown.rstrip().splitlines()[-1].split()
    assert row[:2] == ["yes", "10"]
    assert sum(map(int, row[2:5])) == 10


def test_r2_s_learner_starts_a_table_continues_it_and_its_results_are_written(tmp_path: Path) -> None:
    table, out = tmp_path / "table.npz", tmp_path / "batch.csv"
    match_up = ("r2", "tictactoe", "--match-up", "2", "--games", "20", "--table", str(table))
    assert "does not exist; starting an empty table" in inarow(*match_up, "--seed", "3").stdout
    assert "positions loaded" in inarow(*match_up, "--out", str(out)).stdout
    (row,) = csv.DictReader(out.read_text(encoding="utf-8").splitlines())
    assert (row["player 1"], row["player 2"], row["games"]) == ("baseline", "learner", "20")
    assert int(row["wins 1"]) + int(row["ties"]) + int(row["wins 2"]) == 20
    kept = table.read_bytes()
    other = ("r2", "connect4", "--match-up", "2", "--games", "10", "--table", str(table))
    assert "was trained on tictactoe" in inarow(*other, code=2).stderr
    assert (
        "--table needs a match-up with the learner"
        in inarow(*match_up[:3], "1", *match_up[4:], "--pruning", code=2).stderr
    )
    assert table.read_bytes() == kept


def test_a_game_of_r2_that_takes_too_long_is_a_tie(tmp_path: Path) -> None:
    """At depth 8 without pruning the first move takes longer."""
    out = tmp_path / "batch.csv"
    for match_up in ("1", "3"):
        inarow("r2", "connect4", "--match-up", match_up, "--no-pruning", "--depth", "8", "--games", "2",
               "--game-seconds", "0.001", "--out", str(out), "--force")  # fmt: skip
        (row,) = csv.DictReader(out.read_text(encoding="utf-8").splitlines())
        assert (row["wins 1"], row["ties"], row["wins 2"]) == ("0", "2", "0")


def test_a_person_may_number_r2_s_columns_from_0_as_its_program_does() -> None:
    shown = inarow("r2", "connect4", "--match-up", "5", "--from-zero", stdin="7\nq\n").stdout
    assert " 0  1  2  3  4  5  6 " in shown
    assert "give a number from 0 to 6" in shown


def test_a_person_plays_r2_s_players_in_the_terminal() -> None:
    shown = inarow("r2", "connect4", "--match-up", "5", stdin="9\nleft\nq\n").stdout
    assert "r2-baseline (X) against human (O)" in shown
    assert "column 9" in shown or "1 to 7" in shown
