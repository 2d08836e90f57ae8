"""Wrong calls of the public Python API end in an `InarowError`, never in an error of the inside."""

from __future__ import annotations

import inspect
import math
import random
import re
import traceback
import warnings
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inarow
from inarow.arena import Store
from inarow.drawing.animation import Animation
from inarow.errors import shown

CALLS = 2_000
OWN = re.compile(r"unexpected keyword|missing \d|takes .* argument|multiple values|abstract class|no agent was given")
"""Python's own errors for arguments that are missing or unknown and for abstract classes, and ours."""
BY_INAROW = {
    "mind", "think", "prepare",  # what a subclass defines
    "learner", "defaults", "how", "layout", "refuse_workers", "in_use", "differs",  # between a trainer and its training
    "add", "add_match", "merge", "read", "count", "count_effort", "count_ending", "count_opening", "count_pairs",
    "keep_measured", "measured",
}  # fmt: skip
"""Methods that inarow itself calls: to run what a subclass defines, to train, and to count and store results."""
CALLBACKS = ("progress", "on_progress", "on_step", "on_decision", "scores")
GIVEN: dict[str, Any] = {
    "game": "tictactoe", "board": "tictactoe", "moves": "15", "opening": "1", "agent": "random", "first": "random",
    "second": "rules", "a": "random", "b": "rules", "matches": 2, "openings": "random:1", "seed": 1, "pairs": 1,
    "agents": ["random", "rules"], "positions": 2, "episodes": 10, "evaluation_matches": 1, "evaluate_every": 0,
    "workers": 1, "within": 1000, "swap": True, "strict": False, "theme": "dark", "seconds": 0.5, "steps": range(2),
    "move": 5, "scale": "quick", "study": "no such study", "columns": 3, "rows": 3, "k": 3, "gravity": True, "tt_mb": 1,
    "player": inarow.Player.FIRST, "seat": inarow.Player.FIRST, "index": 0, "share": 0.5, "nodes": 5, "z": 1.96,
    "points": 1.0, "names": ["random"], "from_ply": 0, "name": "as first", "cell": 4, "value": 0.5, "digits": 3,
    "limit": inarow.Limit(nodes=100),
}  # fmt: skip
"""Valid arguments by name, of calls that take milliseconds."""


class Sample:
    """Objects of every kind that the public functions return, and wrong values."""

    def __init__(self, folder: Path) -> None:
        limit = inarow.Limit(nodes=100)
        rules, learner = inarow.agent("rules"), inarow.QLearning()
        self.position = position = inarow.position("tictactoe", "15")
        record = inarow.play_match("tictactoe", "random", "rules", seed=1)
        self.tournament = inarow.Tournament.of("tictactoe", ["random", "rules"], "random:1", pairs=1)
        results = inarow.play_tournament(self.tournament, folder / "store.db")
        training = learner.learn("3x2x2", 10, evaluation_matches=1)
        self.store = Store.read(folder / "store.db")
        self.series = next(iter(results.series.values()))
        best = results.standings()[0]
        self.objects: list[Any] = [
            position, position.game, inarow.Outcome(None), limit, rules, best, best.rating, rules.start(position.game,
            position.to_move, 1), inarow.decide(position, rules), inarow.solve(position), inarow.Oracle("tictactoe",
            tt_mb=1), record, self.series, self.tournament, results, inarow.grade("3x2x2", rules, positions=2),
            self.store, inarow.rate("tictactoe", rules, pairs=1, positions=0, within=1000), training, learner,
            inarow.NTuple(), inarow.watch(record),
        ]  # fmt: skip
        self.junk: list[Any] = [
            None, True, np.bool_(True), -1, 5, 9, 2.5, -0.5, math.nan, math.inf, 10**400, -(10**400), 1 + 2j, object(),
            np.int64(3), np.array([1, 2]), np.array([]), "", "x", "9", "15", "4458", "\ud800", "\0", "random:", "none",
            "tictactoe", "3x2x2", "random", "mcts:simulations=x", "rules:style=none", b"15", [], [9], [None], ["15"],
            [True], (), (1, 2), {}, {"a": 1}, {3}, range(3), range(-3, -1), iter(()), object, int, len, inarow,
            Path("x"), Path(), ValueError("x"), position, inarow.position("3x3x3", "12"), position.game, record,
            self.tournament, results, training, rules, limit, learner, inarow.Agent, inarow.QLearning, inarow.Limit,
            inarow.Verdict.WIN,
        ]  # fmt: skip

    def targets(self) -> Iterator[tuple[str, Callable[..., Any]]]:
        """Yield every public function and class, and every public method of the objects that takes arguments."""
        for name in inarow.__all__:
            value = getattr(inarow, name)
            if callable(value) and not (inspect.isclass(value) and issubclass(value, Exception)):
                yield name, value
        methods: dict[str, Callable[..., Any]] = {}
        for owner in self.objects:
            for name, _ in inspect.getmembers(type(owner), callable):
                method = getattr(owner, name)
                ours = (getattr(method, "__module__", None) or "").startswith("inarow.")
                if ours and not name.startswith("_") and name not in BY_INAROW and inspect.signature(method).parameters:
                    methods[f"{type(owner).__name__}.{name}"] = method
        yield from sorted(methods.items())

    def valid(self, function: Callable[..., Any], name: str) -> Any:
        """Return a valid argument of this name."""
        owner = getattr(function, "__self__", None)
        if name == "game" and (
            inspect.isclass(function) or owner is inarow.Position or isinstance(owner, inarow.Agent)
        ):
            return self.position.game
        if name == "moves" and owner is inarow.Position:
            return (0, 4)
        if name == "path":
            return "x.svg" if isinstance(owner, Animation) else "x.npz"
        own = {"position": self.position, "tournament": self.tournament, "series": self.series}
        return {**GIVEN, **own, "run": self.store.runs()[0]}.get(name)

    def wrong_arguments(self, numbers: random.Random, function: Callable[..., Any]) -> tuple[list[Any], dict[str, Any]]:
        """Draw the arguments of a call: mostly valid, one or two wrong, sometimes one too few or too many."""
        if inspect.isclass(function) and issubclass(function, Enum):  # Python's own code compares arrays
            return [numbers.choice([value for value in self.junk if not isinstance(value, np.ndarray)])], {}
        parameters = inspect.signature(function).parameters.values()
        named = [one for one in parameters if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
        needed = [one.name for one in named if one.default is one.empty]
        arguments = {name: self.valid(function, name) for name in needed}
        for one in named:
            if one.name == "episodes" or (one.name in GIVEN and one.name not in needed and numbers.random() < 0.3):
                arguments[one.name] = self.valid(function, one.name)
        for name in numbers.sample([one.name for one in named], min(len(named), numbers.choice((1, 1, 2)))):
            value = numbers.choice(self.junk)
            if name in CALLBACKS and callable(value):  # the errors of a callback are its own
                value = 5
            if name == "cluster" and isinstance(value, str):  # this address would be tried
                value = 5
            if name == "workers" and (value is None or type(value) in (int, np.int64)):  # these would start processes
                value = 0
            arguments[name] = value
        if numbers.random() < 0.03:
            arguments["unknown"] = 1
        if needed and numbers.random() < 0.03:
            del arguments[numbers.choice(needed)]
        first = [one.name for one in named if one.kind is one.POSITIONAL_ONLY and one.name in arguments]
        return [arguments.pop(name) for name in first], arguments


def test_a_wrong_call_ends_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sample, numbers = Sample(tmp_path), random.Random(1)
    targets = list(sample.targets())
    assert len(targets) > 100
    refused, wrong = 0, []
    for number in range(CALLS):
        name, function = targets[number % len(targets)]
        positional, arguments = sample.wrong_arguments(numbers, function)
        try:
            with warnings.catch_warnings(action="ignore"):
                result = function(*positional, **arguments)
                if inspect.isgenerator(result):
                    list(result)
        except inarow.InarowError:
            refused += 1
        except Exception as error:
            if isinstance(error, TypeError) and OWN.search(str(error)):
                refused += 1
                continue
            given = ", ".join([*map(shown, positional), *(f"{key}={shown(value)}" for key, value in arguments.items())])
            place = traceback.extract_tb(error.__traceback__)[-1]
            wrong.append(f"{name}({given}): {error!r:.100} in {place.name}, {place.filename}:{place.lineno}")
    assert not wrong, f"{len(wrong)} of {CALLS}:\n" + "\n".join(wrong)
    assert refused > 0.8 * CALLS
    sample.store.close()
