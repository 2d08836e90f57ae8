"""The settings of a league are read from TOML, and every mistake in them is named with its key."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarow.errors import InarowError
from inarow.limits import Limit
from inarow.rules import CONNECT4, TICTACTOE
from inarow.teaching.league.settings import LeagueSettings, Marking, PointScale, read_settings

WHOLE = """
title = "Autumn"
boards = ["connect4", "tictactoe"]
pairs = 8
max_pairs = 24
precision = 2.5
among_entrants = 2
openings = "random:2"
seed = "nobody knows"
disqualify = 0.25
starter = "starter.py"
packages = ["numpy", "torch"]
[limits]
seconds = 0.5
[accuracy]
points = 10
from = 0.6
to = 0.9
[[ladder]]
agent = "random"
points = 30
[[ladder]]
name = "Staff player"
agent = "file:starter.py"
points = 60
from = 0.1
to = 0.5
[grades]
fail = 0
pass = 50
"""


def read(tmp_path: Path, text: str) -> LeagueSettings:
    path = tmp_path / "league.toml"
    path.write_text(text, encoding="utf-8")
    return read_settings(path)


def test_every_key_is_read(tmp_path: Path) -> None:
    (tmp_path / "starter.py").write_text("def agent(observation): return 0\n")
    found = read(tmp_path, WHOLE)
    assert (found.title, found.boards, found.among) == ("Autumn", (CONNECT4, TICTACTOE), 2)
    assert (found.openings, found.limit) == ("random:2", Limit(seconds=0.5))
    assert found.packages == ("numpy", "torch")
    grades = (("pass", 50), ("fail", 0))
    assert found.marking == Marking(8, 24, 2.5, 0.25, PointScale(10, 0.6, 0.9), Marking().efficiency, grades)
    assert [(rung.name, rung.scale(TICTACTOE, 2)) for rung in found.ladder] == [
        ("random", PointScale(15, 0.5, 0.9)),
        ("Staff player", PointScale(30, 0.1, 0.5)),
    ]
    assert found.most_points == 100
    assert found.ladder[1].agent.spec.startswith("submission@"), "known by its content, not by its path"


def test_players_of_the_ladder_are_taken_by_name_or_all_at_once(tmp_path: Path) -> None:
    path = tmp_path / "league.toml"
    path.write_text("ladder = true", encoding="utf-8")
    spread = read_settings(path)
    assert len(spread.ladder) == 5
    assert spread.most_points == 100
    path.write_text('boards = ["tictactoe"]\nladder = ["perfect", "rules"]', encoding="utf-8")
    assert [(rung.name, rung.least, rung.full, rung.points) for rung in read_settings(path).ladder] == [
        ("rules", None, None, 40),
        ("perfect", 0, 0.5, 40),
    ]


def test_players_of_the_ladder_can_have_points_each(tmp_path: Path) -> None:
    found = read(tmp_path, 'boards = ["tictactoe"]\n[ladder]\nperfect = 10\n"alphabeta:depth=2" = 25.5\n')
    assert [(rung.name, rung.full, rung.points) for rung in found.ladder] == [
        ("alphabeta:depth=2", None, 25.5),
        ("perfect", 0.5, 10),
    ]


def test_an_empty_file_gives_the_defaults(tmp_path: Path) -> None:
    assert read(tmp_path, "") == LeagueSettings()
    assert LeagueSettings().most_points == 100


def test_the_seed_is_not_the_text_itself_and_depends_on_all_of_it(tmp_path: Path) -> None:
    seeds = {read(tmp_path, f"seed = {text}").seed for text in ('"a"', '"b"', "1", "2")}
    assert len(seeds) == 4
    assert 1 not in seeds


def test_disqualification_can_be_switched_off(tmp_path: Path) -> None:
    assert read(tmp_path, "disqualify = false").marking.disqualify is None


def test_the_most_pairs_are_never_fewer_than_the_least(tmp_path: Path) -> None:
    assert read(tmp_path, "pairs = 60").marking.max_pairs == 60


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pears = 3", "unknown key 'pears'; did you mean pairs"),
        ("[limits]\nsecond = 1", "league.toml, [limits]: unknown key 'second'"),
        ("[[ladder]]\nagent = 'rules'\nscore = 1", "[[ladder]] 1: unknown key 'score'"),
        ("pairs = 0", "pairs = 0; expected a positive integer"),
        ("pairs = 20\nmax_pairs = 10", "max_pairs = 10; expected at least pairs = 20"),
        ("precision = -1", "precision = -1; expected a number of points"),
        ("disqualify = 0", "disqualify = 0; expected a share of failed matches above 0 and up to 1, or false"),
        ("disqualify = true", "disqualify = True; expected a share"),
        ("pairs = 'many'", "pairs = 'many'; expected a positive integer"),
        ("pairs = true", "pairs = True"),
        ("limits = 3", "limits = 3; expected a table [limits]"),
        ("[limits]\nseconds = nan", "seconds = nan"),
        ("boards = []", "boards = []"),
        ("boards = 'connect4'", "boards = 'connect4'; expected a list"),
        ("boards = ['chess']", "chess"),
        ("boards = ['connect4', '7x6x4']", "a board is given twice"),
        ("openings = 'some'", "unknown openings 'some'"),
        ("boards = ['tictactoe']\nopenings = 'random:9'", "openings of 9 plies"),
        ("seed = 1.5", "seed = 1.5; expected a secret string or an integer"),
        ("seed = ''", "seed = ''"),
        ("ladder = [1]", "[[ladder]] with agent and points"),
        ("[[ladder]]\npoints = 1", "no agent is given"),
        ("[ladder]\nrandom = 'many'", "[ladder]: random = 'many'; expected a number of points"),
        ("[ladder]\n'greedy' = 5", "unknown player of the ladder 'greedy'"),
        ("format = 'knockout'", "unknown format 'knockout'"),
        ("format = 'gauntlet'", "expected round-robin, swiss or groups"),
        ("[efficiency]\nfrom = 0.9\nto = 0.5", "[efficiency]: `from` must be less than `to`"),
        ("[[ladder]]\nagent = 'gandalf'", "gandalf"),
        ("[[ladder]]\nagent = 'rules'\nfrom = 0.5", "give both `from` and `to`, or neither"),
        ("[[ladder]]\nagent = 'rules'\nfrom = 0.5\nto = 1.5", "`from` must be less than `to`"),
        ("[[ladder]]\nagent = 'file:no.py'", "does not exist"),
        ("[[ladder]]\nagent = 'rules'\n[[ladder]]\nagent = 'rules'", "the ladder has rules twice"),
        ("[[ladder]]\nagent = 'rules'\npoints = -1", "points = -1"),
        ("[grades]\nA = 'best'", "[grades]: A = 'best'"),
        ("[accuracy]\nfrom = 0.9\nto = 0.5", "`from` must be less than `to`"),
        ("starter = 'no.py'", "no.py does not exist"),
        ("packages = 'numpy'", "packages = 'numpy'; expected a list of import names such as"),
        ("packages = ['scikit-learn']", "packages = ['scikit-learn']; expected a list of import names such as"),
        ("title =", "is not TOML"),
        (f"pairs = {'9' * 5000}", "is not TOML: Exceeds the limit"),
        (f"pairs = {'[' * 100_000}", "is not TOML"),
        ("pairs = 100000000000", "pairs = 100000000000 is too large; give at most 10,000,000"),
        (f"max_pairs = {'9' * 400}", "is too large"),
        ("[limits]\nseconds = 1e9", "seconds must be a positive number up to 2,592,000, got 1000000000.0"),
        ("[ladder]\nrandom = inf", "random = inf is too large"),
        ("[grades]\nA = nan", "[grades]: A = nan"),
    ],
)
def test_a_mistake_is_named(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InarowError) as caught:
        read(tmp_path, text)
    assert said in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InarowError, match=r"no\.toml can't be read"):
        read_settings(tmp_path / "no.toml")
