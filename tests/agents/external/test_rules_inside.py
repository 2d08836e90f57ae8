"""The rules say the same inside the sandbox as outside, and no mistake of an agent is taken for cheating."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from inarow.agents.external import USUAL_PACKAGES, Policy, sandbox
from inarow.agents.external.loading import KitGame
from inarow.agents.external.sandbox import CHEATING, OPEN_PARTS, PACKAGE, SOLVER_PARTS, why_closed
from inarow.agents.external.staging import Snapshot
from inarow.agents.external.student_side import StudentGame
from inarow.rules import CONNECT4, Game, IllegalMove, Position
from inarow.teaching.assignment.exercise import ServedGame, Submission
from support import rules_calls

LEAGUE = Policy(packages=USUAL_PACKAGES)


@pytest.mark.parametrize("policy", [Policy(), LEAGUE], ids=["matches", "leagues"])
def test_every_call_of_the_rules_has_the_same_answer_in_the_sandbox(policy: Policy) -> None:
    source = Path(rules_calls.__file__).read_bytes()
    submission = Submission(Snapshot("agent.py", (("agent.py", source),)), policy, 100)
    with submission.at_work() as session:
        for number, (what, call) in enumerate(rules_calls.calls()):
            assert session.call("answer", [number]) == rules_calls.answer(number), (what, rules_calls.told(call))


def test_every_method_of_the_rules_is_called() -> None:
    for kind in (Game, Position):
        for name, method in inspect.getmembers(kind):
            if not name.startswith("_") and (inspect.isfunction(method) or inspect.ismethod(method)):
                needed = list(inspect.signature(method).parameters)[0 if inspect.ismethod(method) else 1 :]
                assert not needed or name in rules_calls.GIVEN, f"{kind.__name__}.{name} needs arguments"


def test_a_part_that_the_sandbox_names_exists() -> None:
    assert [part for part in (*OPEN_PARTS, *SOLVER_PARTS, *CHEATING) if not (PACKAGE / part).exists()] == []


@pytest.mark.parametrize(
    ("part", "accused"),
    [
        ("solver/oracle.py", True),
        ("agents/mcts.py", True),
        ("kernels/mcts.py", True),
        ("data/books/connect4.bin", True),
        ("data/sentences.json", False),
        ("match/__init__.py", False),
        ("cli/main.py", False),
    ],
)
def test_only_what_plays_for_an_agent_is_called_cheating(part: str, accused: bool) -> None:
    reason = why_closed(str(sandbox.PACKAGE / part))
    assert reason
    assert ("solvers, models or searches" in reason) == accused


def test_an_illegal_move_raises_the_same_in_the_kit_of_a_league_and_of_the_grader() -> None:
    start = Position.start(CONNECT4)
    served = ServedGame(1)
    student = StudentGame(served.serve)
    state = student.meet(served.about(start))
    for move in (99, -1, None, True):
        for play in (lambda move=move: KitGame().play(start, move), lambda move=move: student.play(state, move)):
            with pytest.raises(IllegalMove) as raised:
                play()
            assert isinstance(raised.value, ValueError)
