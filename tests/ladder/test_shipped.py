"""The ladders that ship: what is stated follows from the matches, and a model that changed is noticed."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from inarow.ladder import STAFF, LadderError, known_ratings, ladder, read_ladder, staff
from inarow.play.setup import USUAL
from inarow.rules import CONNECT4, TICTACTOE, Game, game
from inarow.stats import HeadToHead, bradley_terry, place
from support.commands import inarow

GAMES = (CONNECT4, TICTACTOE)
QLEARNING = {CONNECT4: "qlearning:guide=heuristic", TICTACTOE: "qlearning"}


@pytest.fixture
def _nothing_remembered() -> Iterator[None]:
    ladder.cache_clear()
    known_ratings.cache_clear()
    yield
    ladder.cache_clear()
    known_ratings.cache_clear()


def file_of(game: Game) -> dict[str, Any]:
    text = resources.files("inarow").joinpath(f"data/ladder/{game.name}.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_the_ratings_follow_from_the_matches(game: Game) -> None:
    data = file_of(game)
    place = {one["agent"]: at for at, one in enumerate(data["players"])}
    meetings = [
        HeadToHead(
            place[one["a"]],
            place[one["b"]],
            {tuple(map(float, row.split())): count for row, count in one["pairs"].items()},
        )
        for one in data["pairings"]
    ]
    found = bradley_terry(len(place), meetings, 0.0)
    zero = found.elo[place[data["anchor"]]]
    for at, one in enumerate(data["players"]):
        rating = found.rating(at)
        assert [one["elo"], one["low"], one["high"]] == pytest.approx([value - zero for value in rating], abs=0.06)
        assert one["pairs"] == sum(sum(m.pairs.values()) for m in meetings if at in (m.a, m.b))
        assert data["covariance"][at] == pytest.approx(list(found.covariance[at]), abs=0.001)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_the_ratings_of_levels_follow_from_their_matches(game: Game) -> None:
    steps = ladder(game)
    at = {one.agent.spec: place for place, one in enumerate(steps.players)}
    text = resources.files("inarow").joinpath(f"data/ladder/{game.name}-levels.json").read_text(encoding="utf-8")
    data = json.loads(text)
    assert data["ladder"] == steps.version
    for level in data["players"]:
        met = {
            at[spec]: {tuple(map(float, row.split())): count for row, count in rows.items()}
            for spec, rows in level["met"].items()
        }
        found = place(steps.scale, met).interval
        assert [level["elo"], level["low"], level["high"]] == pytest.approx(list(found), abs=0.06), level["agent"]


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_every_opponent_of_the_menus_is_rated(game: Game) -> None:
    players = [player for level in USUAL.levels if (player := level.agent(game)) is not None]
    assert [one.spec for one in players if one.spec not in known_ratings(game)] == []


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_a_ladder_has_the_reference_players_from_the_weakest_to_the_strongest(game: Game) -> None:
    found = ladder(game)
    specs = [one.agent.spec for one in found.players]
    wanted = {"random", "rules", QLEARNING[game], "ntuple", "perfect"}
    wanted |= {f"alphabeta:depth={depth}" for depth in (2, 4, 6, 8)}
    wanted |= {f"mcts:simulations={count}" for count in (500, 5000, 50000)}
    assert wanted <= set(specs)
    assert any(spec.startswith("perfect:error=") for spec in specs)
    assert all(a.elo.estimate <= b.elo.estimate for a, b in itertools.pairwise(found.players))
    assert found.players[specs.index("random")].elo.estimate == 0
    assert found.notes == []


@pytest.mark.usefixtures("_nothing_remembered")
def test_a_player_whose_model_has_changed_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarow.ladder.model_hash", lambda agent, game: "another" if agent.name == "ntuple" else None)
    found = ladder(TICTACTOE)
    specs = [one.agent.spec for one in found.present.values()]
    assert "ntuple" not in specs
    assert "rules" in specs
    assert any("ntuple is omitted from the ladder: its model is not the one that was rated" in n for n in found.notes)
    assert "ntuple" not in known_ratings(TICTACTOE)


def test_a_game_without_a_ladder_is_an_error_that_names_those_with_one() -> None:
    with pytest.raises(LadderError, match=r"no ladder ships for 5x4x4; there are ladders for connect4 and tictactoe"):
        ladder(game("5x4x4"))
    assert known_ratings(game("5x4x4")) == {}


def test_a_ladder_that_was_played_from_other_openings_is_refused() -> None:
    data = file_of(TICTACTOE)
    with pytest.raises(LadderError, match="the openings of tictactoe differ"):
        read_ladder(TICTACTOE, {**data, "openings": {**data["openings"], "plies": 3}})


def test_known_ratings_hold_players_by_their_canonical_specs() -> None:
    found = known_ratings(CONNECT4)
    assert found["random"].estimate == 0
    assert found["perfect"].estimate > found["rules"].estimate


class TestStaff:
    """Reference players for a league."""

    def test_without_names_they_are_spread_over_the_ladder(self) -> None:
        players = [one.agent.spec for one in staff([CONNECT4])]
        assert len(players) == STAFF
        order = [one.agent.spec for one in ladder(CONNECT4).players]
        assert players == sorted(players, key=order.index)
        assert players[0] == "random"

    def test_those_of_several_games_are_on_each_ladder(self) -> None:
        found = staff([CONNECT4, TICTACTOE], ["perfect", "alphabeta:depth=6", "rules"])
        assert [(one.agent.spec, one.beatable) for one in found] == [
            ("rules", True),
            ("alphabeta:depth=6", False),  # nobody beats it in Tic Tac Toe
            ("perfect", False),
        ]

    def test_names_are_those_of_the_ladder(self) -> None:
        with pytest.raises(LadderError, match="unknown player of the ladder 'alphabeta:depth=5'"):
            staff([CONNECT4], ["alphabeta:depth=5"])


@pytest.mark.parametrize("board", ["connect4", "tictactoe"])
def test_the_levels_of_best_are_rated_and_the_lowest_is_far_below_the_highest(board: str) -> None:
    ratings = known_ratings(game(board))
    levels = [ratings[f"best:level={level}"] for level in range(1, 10)]
    assert levels[0].high < levels[4].low < levels[8].high
    assert ratings["best:seconds=0.1"].high >= levels[8].low
    assert "best:level=1 " in inarow("agents", "best").stdout


@pytest.mark.usefixtures("_nothing_remembered")
def test_a_damaged_ladder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarow.ladder._folder", lambda: tmp_path)
    data = file_of(TICTACTOE)
    players = data["players"]
    damages: list[Any] = [
        data | {"covariance": data["covariance"][1:]},
        data | {"players": [{**players[0], "elo": math.nan}, *players[1:]]},
        data | {"players": players[1:]},
        data | {"players": [{**players[0], "agent": "nobody"}, *players[1:]]},
        data | {"openings": None},
        [],
    ]
    for bad in damages:
        (tmp_path / "tictactoe.json").write_text(json.dumps(bad))
        with pytest.raises(LadderError, match=r"the ladder tictactoe.json .* is damaged \(.*\); install inarow again"):
            ladder(TICTACTOE)
    for text in ("{", "[" * 5000, json.dumps({"players": [{**players[0], "elo": "x"}]})):
        (tmp_path / "tictactoe.json").write_text(text)
        with pytest.raises(LadderError, match="is damaged"):
            known_ratings(TICTACTOE)
