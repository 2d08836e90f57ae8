"""Specs: the grammar, the canonical form, and what is said about a wrong one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inarow
from inarow.agents import Agent, AgentError, Mind, agent, agent_class, agent_names
from inarow.agents.alphabeta import AlphaBeta
from inarow.agents.parameters import (
    Number,
    choice,
    integer,
    number,
    read_arguments,
    split_arguments,
    string,
    switch,
)
from inarow.agents.simple import Random, Rules
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
    ("make", "error"),
    [
        (lambda: inarow.QLearning(alhpa=1), "trainer qlearning: unknown parameter 'alhpa'; did you mean alpha?"),  # type: ignore[call-arg]
        (lambda: AlphaBeta(dpeth=3), "agent alphabeta: unknown parameter 'dpeth'; did you mean depth?"),  # type: ignore[call-arg]
        (lambda: Random(depth=3), "agent random takes no parameters, got depth"),
    ],
)
def test_an_unknown_keyword_of_a_class_is_the_error_of_a_spec(make: Callable[[], object], error: str) -> None:
    with pytest.raises(AgentError) as raised:
        make()
    assert str(raised.value) == error


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
