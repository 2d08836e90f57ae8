"""Specs: the grammar, the canonical form, and what is said about a wrong one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inarow
from inarow.agents import Agent, AgentError, Mind, agent, agent_class, agent_names
from inarow.agents.alphabeta import AlphaBeta
from inarow.agents.parameters import (
    FORMER,
    OF_TRAINING,
    Number,
    choice,
    integer,
    number,
    read_arguments,
    split_arguments,
    string,
    switch,
)
from inarow.agents.simple import Rules
from inarow.errors import InarowError
from inarow.rules import CONNECT4, Game, Player
from inarow.training import trainer
from inarow.training.ntuple import NTuple
from support.fuzzed_specs import GOOD, fuzzed_specs

LIMITS = ("nodes", "seconds", "simulations")


@dataclass(frozen=True)
class Sample(Agent):
    """An agent with a parameter of every kind."""

    name = "sample"
    summary = "for tests"
    depth: int | None = integer(4, "plies", low=1, high=42, none="full")
    seconds: float | None = number(None, "time a move", low=0.001, none="none")
    mode: str = choice("a", ("a", "b"), "the mode")
    fast: bool = switch(False, "speed")
    path: str = string("", "a file")

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        raise NotImplementedError


def sample(arguments: str) -> Sample:
    return Sample(**read_arguments("agent sample", Sample.parameters(), arguments))


SAMPLES = st.builds(
    Sample,
    depth=st.none() | st.integers(1, 42),
    seconds=st.none() | st.floats(0.001, 1e6),
    mode=st.sampled_from("ab"),
    fast=st.booleans(),
    path=st.text(alphabet='abc ,()="/é', max_size=8).map(lambda s: s.replace('"', "").strip()),
)


@given(SAMPLES)
def test_a_canonical_spec_names_the_same_agent_again(made: Sample) -> None:
    _, _, arguments = made.spec.partition(":")
    again = sample(arguments) if arguments else Sample()
    assert again.spec == made.spec
    assert (again.depth, again.mode, again.fast, again.path) == (made.depth, made.mode, made.fast, made.path)
    assert again.seconds == (None if made.seconds is None else pytest.approx(made.seconds))


def test_defaults_are_left_out_and_order_does_not_matter() -> None:
    assert sample("mode=b,depth=4").spec == "sample:mode=b"
    assert sample("mode=b,depth=full").spec == sample(" depth = full , mode = b ").spec == "sample:depth=full,mode=b"
    assert agent("rules:style=random").spec == "rules"


@pytest.mark.parametrize("name", agent_names())
def test_every_registered_agent_describes_itself(name: str) -> None:
    kind = agent_class(name)
    assert kind.name == name
    assert kind.summary
    assert all(parameter.help and parameter.wanted for parameter in kind.parameters())


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("depth=0", "agent sample: depth=0 is not an integer from 1 to 42, or full (plies)"),
        ("depth=43", "depth=43 is not an integer from 1 to 42"),
        ("depth=x", "depth=x is not an integer"),
        ("depth=2.5", "depth=2.5 is not an integer"),
        ("seconds=nan", "seconds=nan is not a number from 0.001"),
        ("seconds=-1", "seconds=-1 is not a number"),
        ("mode=c", "mode=c is not one of a, b"),
        ("fast=yes", "fast=yes is not on or off (speed)"),
        ("dept=3", "unknown parameter 'dept'; did you mean depth"),
        ("depth", "'depth' is not of the form key=value"),
        ("depth=1,depth=2", "depth is given twice"),
        ('path="abc', "an unclosed quote"),
        ("path=f(x", "an unclosed parenthesis"),
        ("path=f)x", "an unmatched closing parenthesis"),
    ],
)
def test_a_wrong_parameter_says_what_was_wanted(arguments: str, reason: str) -> None:
    with pytest.raises(AgentError) as caught:
        sample(arguments)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("ruels", "unknown agent 'ruels'; did you mean rules"),
        ("", "no agent was given"),
        ("rules:", "ends with a colon"),
        ("mine.py:depth=3", "agent file: mine.py does not exist"),
        ("mine.npz", "mine.npz is a model file, not an agent; write qlearning:model=FILE"),
        ("random:depth=3", "agent random takes no parameters, got depth"),
    ],
)
def test_a_wrong_spec_says_what_is_wrong(spec: str, reason: str) -> None:
    with pytest.raises(AgentError) as caught:
        agent(spec)
    assert reason in str(caught.value)


def test_an_agent_made_in_python_is_checked_too() -> None:
    with pytest.raises(AgentError, match="style=wild is not one of"):
        Rules(style="wild")


def test_commas_within_quotes_and_parentheses_part_nothing() -> None:
    assert split_arguments("x", 'a="1,2",b=f(3,g(4,5)),c=6') == {"a": "1,2", "b": "f(3,g(4,5))", "c": "6"}


def test_any_text_is_an_agent_that_round_trips_or_is_refused_in_few_words() -> None:
    accepted = 0
    for spec in [*GOOD, *fuzzed_specs(600, seed=4)]:
        try:
            made = agent(spec)
            made.check(CONNECT4)
        except InarowError as error:
            if len(str(error)) > 2_000:
                raise
            continue
        accepted += 1
        assert agent(made.spec) == made
        made.spec.encode()
    assert accepted > 10


def test_a_file_name_that_no_file_can_have_is_refused_in_one_sentence() -> None:
    with pytest.raises(AgentError):
        agent("agent.py:depth=/" + "x" * 5000)


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        ("alphabeta:table=on", "agent alphabeta: table was renamed to tt"),
        ("alphabeta:values=on", "agent alphabeta: values was renamed to root"),
        ("mcts:memory=1", "agent mcts: memory was renamed to tree_mb"),
        ("ntuple:trace=0.5", "trainer ntuple: trace was renamed to lambda"),
        ("ntuple:plies=4", "trainer ntuple: plies was renamed to opening_plies"),
        ("qlearning:openings=4", "trainer qlearning: openings was renamed to opening_plies"),
        ("qlearning:seats=apart", "trainer qlearning: seats was renamed to backup"),
        ("qlearning:table=off", "agent qlearning: table was renamed to use_table"),
    ],
)
def test_the_error_for_a_former_parameter_names_the_new_one(spec: str, error: str) -> None:
    with pytest.raises(AgentError) as raised:
        (trainer if error.startswith("trainer") else agent)(spec)
    assert str(raised.value) == error


def test_a_former_parameter_as_an_argument_is_the_same_error() -> None:
    with pytest.raises(AgentError, match=r"^agent alphabeta: deepening was renamed to iterative_deepening$"):
        agent("alphabeta", deepening=True)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: inarow.QLearning(openings=4), "trainer qlearning: openings was renamed to opening_plies"),  # type: ignore[call-arg]
        (lambda: inarow.NTuple(trace=0.5), "trainer ntuple: trace was renamed to lam"),  # type: ignore[call-arg]
        (lambda: AlphaBeta(table=True), "agent alphabeta: table was renamed to tt"),  # type: ignore[call-arg]
    ],
)
def test_a_former_parameter_as_a_keyword_of_the_class_is_the_same_error(make: Callable[[], object], error: str) -> None:
    with pytest.raises(AgentError) as raised:
        make()
    assert str(raised.value) == error


def test_every_former_parameter_is_gone_and_every_new_one_is_there() -> None:
    for owner, former in FORMER.items():
        what, name = owner.split()
        made = agent_class(name) if what == "agent" else type(trainer(name))
        names = {one.name for one in made.parameters()}
        assert not names & set(former)
        assert set(former.values()) <= names


def test_the_changelog_has_every_renamed_parameter() -> None:
    changes = (Path(__file__).parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
    for former in FORMER.values():
        for old, new in former.items():
            assert f"`{old}` → `{new}`" in changes


def test_parameters_of_training_are_the_trainer_s() -> None:
    for name in ("qlearning", "ntuple"):
        own = {one.name for one in agent_class(name).parameters()}
        assert set(OF_TRAINING[f"agent {name}"]) == {one.name for one in trainer(name).parameters()} - own
        with pytest.raises(AgentError, match="alpha is a parameter of training; give it to `inarow train`"):
            agent(f"{name}:alpha=0.5")


def test_a_limit_that_is_not_given_has_the_same_name_in_every_agent() -> None:
    limits = [one for name in agent_names() for one in agent_class(name).parameters() if one.name in LIMITS]
    assert len(limits) > 5
    for one in limits:
        assert isinstance(one, Number)
        assert one.none in ("unlimited", "auto")


def test_lambda_is_a_parameter_although_python_can_not_spell_it() -> None:
    made = trainer("ntuple:lambda=0.5")
    assert isinstance(made, NTuple)
    assert (made.lam, made.spec) == (0.5, "ntuple:lambda=0.5")
    with pytest.raises(AgentError, match="lambda=2 is not a number from 0 to 1"):
        trainer("ntuple:lambda=2")
