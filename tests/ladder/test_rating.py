"""An agent placed on a ladder: the same for any number of workers, near the truth, and honest at the ends."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import inarow
from inarow.agents import Agent, Decision, Mind, agent
from inarow.agents.base import Disturbance
from inarow.arena import open_executor
from inarow.errors import HostFailure
from inarow.ladder import Beyond, Budget, LadderError, Placement, Rating, answer, ladder
from inarow.limits import Limit
from inarow.rules import CONNECT4, TICTACTOE, Game, Player, Position
from inarow.stats import Placed
from inarow.stopping import Stop
from match.test_playing import Scripted
from support.arena_doubles import Mortal


def rated(game: Game, spec: str | Agent, budget: Budget, seed: int = 0, workers: int = 1) -> Placement:
    with open_executor(workers) as executor:
        return Rating(agent(spec) if isinstance(spec, str) else spec, ladder(game), budget, seed).run(executor)


@dataclass(frozen=True)
class Failing(Agent):
    """Fails in every decision."""

    name = "failing"
    summary = "for tests"

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return FailingMind()


class FailingMind(Mind):
    """Raises."""

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        raise RuntimeError("no idea")


def test_one_seed_gives_one_rating_whatever_the_number_of_workers() -> None:
    budget = Budget(pairs=60, positions=20)
    alone, together = (rated(TICTACTOE, "greedy", budget, seed=3, workers=n).to_json() for n in (1, 2))
    assert {**alone, "timing": None} == {**together, "timing": None}
    assert alone["pairs"] == 60
    assert rated(TICTACTOE, "greedy", budget, seed=4).elo != alone["elo"]


@pytest.mark.parametrize(("game", "spec"), [(TICTACTOE, "rules"), (CONNECT4, "alphabeta:depth=2")], ids=str)
def test_a_player_of_the_ladder_rated_anew_lands_within_its_interval(game: Game, spec: str) -> None:
    found = rated(game, spec, Budget(within=30, pairs=500, positions=0), seed=1)
    own = next(one.elo for one in ladder(game).players if one.agent.spec == spec)
    assert found.reached
    assert found.elo.low < own.high
    assert own.low < found.elo.high


def test_it_stops_when_the_interval_is_narrow_enough() -> None:
    wide, narrow = (rated(TICTACTOE, "rules", Budget(within, 1000, positions=0)) for within in (80, 40))
    assert wide.reached
    assert narrow.reached
    assert wide.pairs < narrow.pairs < 1000


def test_what_it_plays_like_is_said_by_its_neighbours() -> None:
    found = rated(TICTACTOE, "greedy", Budget(pairs=60, positions=10))
    weaker, stronger = found.neighbours()
    assert weaker is not None
    assert stronger is not None
    assert weaker.elo.estimate <= found.elo.estimate < stronger.elo.estimate
    assert f"{weaker.agent.spec} (" in found.sentence()
    assert f"{stronger.agent.spec} (" in found.sentence()
    assert "In 10 positions" in found.accuracy_sentence()


@pytest.mark.parametrize(
    ("elo", "error", "said"),
    [
        (150.0, 5.0, "It plays between perfect:error=0.5 (117) and perfect:error=0.4 (186)."),
        (120.0, 5.0, "It plays about as well as perfect:error=0.5 (117), less well than perfect:error=0.4 (186)."),
        (183.0, 5.0, "It plays about as well as perfect:error=0.4 (186), better than perfect:error=0.5 (117)."),
        (150.0, 40.0, "It plays about as well as perfect:error=0.5 (117) and perfect:error=0.4 (186)."),
    ],
)
def test_a_player_within_the_interval_plays_alike(elo: float, error: float, said: str) -> None:
    found = Placement(ladder(TICTACTOE), agent("greedy"), {}, 25.0)
    found.__dict__["placed"] = Placed(elo, error)
    assert found.sentence() == said


def test_an_agent_never_meets_itself() -> None:
    found = rated(TICTACTOE, "rules", Budget(pairs=40, positions=0))
    assert "rules" not in {player.agent.spec for player, _, _ in found.rows()}
    assert found.accuracy_sentence() == ""


def test_an_agent_that_always_fails_is_below_the_ladder() -> None:
    found = rated(TICTACTOE, Failing(), Budget(pairs=1000, positions=10))
    assert found.beyond is Beyond.BELOW
    assert found.pairs < 300  # more would tell nothing
    assert found.bound is not None
    assert found.bound < 0
    assert found.rating_text() == f"at most {round(found.bound)}"
    assert "weaker than every player of the ladder; the weakest is random (0)" in found.sentence()
    assert found.failed == 2 * found.pairs
    assert found.answers.unsolved == 10
    assert "It failed in 10 of them" in found.accuracy_sentence()
    assert "no idea" in found.faults[0]


def test_a_failing_agent_raises_in_python() -> None:
    with pytest.raises(RuntimeError, match="no idea"):
        inarow.rate("tictactoe", Failing(), pairs=10)
    with pytest.raises(RuntimeError, match="no idea"):
        answer(Failing(), Position.start(TICTACTOE), 0, strict=True)
    assert inarow.rate("tictactoe", Failing(), pairs=10, positions=1, strict=False).failed == 20


def test_an_agent_that_beats_everybody_is_above_the_ladder() -> None:
    found = rated(TICTACTOE, "greedy", Budget(pairs=20, positions=0))
    for series in found.series.values():
        series.pairs.clear()
        series.pairs[1.0, 1.0] = 50
    won = Placement(found.ladder, found.agent, found.series, 25.0)
    assert won.beyond is Beyond.ABOVE
    assert won.bound is not None
    assert won.rating_text() == f"at least {round(won.bound)}"
    assert "stronger than every player" in won.sentence()
    assert won.to_json()["beyond"] == "above"


def test_scores_that_no_rating_explains_are_told() -> None:
    found = rated(TICTACTOE, "greedy", Budget(pairs=20, positions=0))
    assert not found.uneven
    for at, series in found.series.items():
        series.pairs.clear()
        series.pairs[(1.0, 1.0) if at > 8 else (0.0, 0.0)] = 50
    assert Placement(found.ladder, found.agent, found.series, 25.0).uneven


def test_the_weakest_player_is_at_the_ladders_end() -> None:
    found = rated(TICTACTOE, "random", Budget(pairs=20, positions=0))
    assert found.beyond is None
    if found.neighbours()[0] is None:
        assert "about as well as the weakest player of the ladder" in found.sentence()


def test_minutes_end_it_early() -> None:
    with pytest.raises(LadderError, match="no pair was finished"):
        Rating(agent("rules"), ladder(TICTACTOE), Budget(), 0).placement  # noqa: B018
    found = rated(TICTACTOE, "rules", Budget(within=1, minutes=0.0001))
    assert found.pairs < 10
    assert not found.reached
    assert found.answers.moves < 200


@pytest.mark.parametrize(("task", "said"), [("play_chunk", "plays pair 1 of"), ("_do_calls", "asks rules for a move")])
def test_a_worker_that_always_dies_is_an_error(task: str, said: str) -> None:
    with pytest.raises(HostFailure, match=f"a worker process dies whenever it {said}"):
        Rating(agent("rules"), ladder(TICTACTOE), Budget(pairs=10, positions=5), 0).run(Mortal(task))


def test_from_python_an_agent_is_rated_by_its_spec() -> None:
    seen: list[tuple[int, int]] = []
    found = inarow.rate("tictactoe", "greedy", pairs=20, positions=5, progress=lambda *done: seen.append(done))
    assert isinstance(found, Placement)
    assert seen[-1] == (20, 20)
    assert found.answers.moves == 5


@pytest.mark.parametrize(
    "budget",
    [{"within": float("inf")}, {"within": float("nan")}, {"pairs": 0}, {"minutes": 1e308}, {"positions": -1}],
)
def test_a_budget_that_cannot_be_is_refused(budget: dict[str, float]) -> None:
    with pytest.raises(LadderError, match=r"must be (an integer|a number) from .*, got "):
        Budget(**budget)  # type: ignore[arg-type]


def test_a_failure_of_the_machine_is_not_an_agents_wrong_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(position: Position) -> int:
        raise Disturbance("no process can be started")

    monkeypatch.setattr("inarow.match.playing.PAUSE", 0.0)
    with pytest.raises(HostFailure, match="no process can be started"):
        answer(Scripted(refuses), Position.start(TICTACTOE), 0, strict=False)


def test_a_rating_ends_when_the_openings_against_near_players_are_used_up() -> None:
    with open_executor(1) as executor:
        found = Rating(agent("greedy"), ladder(TICTACTOE), Budget(within=1, pairs=5000, positions=0), 0).run(executor)
    assert found.used_up
    assert found.pairs < 5000
    assert max(series.pairs.total() for series in found.series.values()) == 72
