"""What tells two agents apart: every field, and the content of the files that they depend on."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import inarow
from inarow import parameters
from inarow.agents import AgentError
from inarow.arena import Results
from inarow.rules import Game, Player


@dataclass(frozen=True)
class Mine(inarow.Agent):
    """An agent as users write them."""

    name = "mine"
    summary = "for tests"
    skill: float = 0.0
    tag: str = ""
    bold: bool = False
    weights: str = parameters.file("", "a file")
    calls: list[int] = field(default_factory=list, compare=False)

    def mind(self, game: Game, player: Player, seed: int) -> inarow.Mind:
        return inarow.agent("rules" if self.skill else "random").mind(game, player, seed)


def test_plain_fields_are_parameters() -> None:
    assert Mine().spec == "mine"
    assert Mine(1, "a b", bold=True).spec == 'mine:skill=1,tag="a b",bold=on'
    assert [one.spec for one in inarow.Tournament.of("connect4", [Mine(1), Mine(2)]).agents] == [
        "mine:skill=1",
        "mine:skill=2",
    ]
    with pytest.raises(AgentError, match="agent mine: skill=high is not a number"):
        Mine("high")  # type: ignore[arg-type]


def test_another_value_of_a_field_does_not_find_stored_results(tmp_path: Path) -> None:
    def results(skill: float, resume: bool) -> Results:
        plan = inarow.Tournament.of("tictactoe", [Mine(skill), "random"], pairs=5)
        return inarow.play_tournament(plan, tmp_path / "mine.db", resume=resume)

    results(0.0, resume=False)
    with pytest.raises(inarow.InarowError, match="the agents were mine, random and are now mine:skill=1, random"):
        results(1.0, resume=True)


def test_the_content_of_a_file_is_part_of_the_identity(tmp_path: Path) -> None:
    path = tmp_path / "weights"
    path.write_text("one")
    plan = inarow.Tournament.of("tictactoe", [Mine(weights=str(path)), "random"], pairs=5)
    inarow.play_tournament(plan, tmp_path / "mine.db")
    path.write_text("another")
    with pytest.raises(inarow.InarowError, match=r"the file of mine:weights=\S+ has changed since"):
        inarow.play_tournament(plan, tmp_path / "mine.db", resume=True)
    path.unlink()
    with pytest.raises(AgentError, match=r"agent mine: weights=.* can't be read: No such file"):
        _ = plan.agents[0].identity


def test_a_field_that_no_spec_can_hold_is_refused() -> None:
    @dataclass(frozen=True)
    class Held(Mine):
        network: Any = None

    with pytest.raises(AgentError, match=r"agent mine: the field network can't be written in a spec; .*identity"):
        Held()

    @dataclass(frozen=True)
    class Known(Held):
        @property
        def identity(self) -> str:
            return f"{self.spec} {self.network}"

    assert Known(network=3).identity != Known(network=4).identity


def test_values_that_an_own_init_takes_are_refused() -> None:
    with pytest.raises(AgentError, match="agent mine: the arguments of its __init__ are not part of its identity"):

        class Undeclared(Mine):
            def __init__(self, network: object) -> None:
                self.network = network
