"""Evaluators estimate a position for one side, in points: by windows, lines, a learnt network or a user's function.

Also the parameter kinds of agents whose values are evaluators.
"""

from __future__ import annotations

import hashlib
import inspect
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.agents.base import model_of
from inarow.agents.parameters import AgentError, Configured, Kind, file, number, parameter, read_arguments
from inarow.bits import BitLayout
from inarow.errors import shown, unknown
from inarow.kernels import ntuple as kernel
from inarow.kernels.evaluate import (
    POINTS,
    Custom,
    SearchSetup,
    custom_points,
    estimate,
    points_of,
    set_lines,
    set_up,
    set_windows,
)
from inarow.kernels.lang.jit import is_kernel, source_of
from inarow.kernels.ntuple import Ints, Work
from inarow.models.network import Network
from inarow.rules import Game, Player, Position

LARGEST = 1_000_000


def weight(default: float, help: str) -> Any:
    """Return a field for a weight, in the evaluator's unit."""
    return number(default, help, low=-LARGEST, high=LARGEST)


@dataclass(frozen=True)
class Evaluator(Configured):
    """A function from a position to points for one side. A subclass is a frozen dataclass; its fields are weights."""

    what = "evaluator"

    def __post_init__(self) -> None:
        super().__post_init__()
        for p in self.parameters():
            value = p.of(self)
            if isinstance(value, float) and abs(value * POINTS % 1 - 0.5) < 0.5 - 1e-6:
                given = f"{p.name}={p.format(value)}"
                raise AgentError(f"evaluator {self.name}: {given} has more than two decimals; points are hundredths")

    @property
    def spec(self) -> str:
        """The canonical spec: the name, and the weights that differ from their defaults."""
        return f"{self.name}({self.arguments})" if self.arguments else self.name

    def check(self, game: Game) -> None:
        """Raise `AgentError` if this evaluator can't be used in this game."""

    def network(self, game: Game) -> Network | None:
        """Return the n-tuple network behind this evaluator, or None."""
        return None

    def write_weights(self, setup: SearchSetup, layout: BitLayout) -> None:
        """Set the weights in the kernel's record; without weights only finished games count."""

    def value(self, points: int) -> float:
        """Convert points to a value in [−1, 1]."""
        return estimate(points)

    def points(self, position: Position, player: Player) -> int:
        """Evaluate a position for a player, in points; for many positions use a kernel."""
        stones = (position.first, position.second)
        return int(points_of(new_setup(position.game, self), stones[player], stones[player.other]))


def new_setup(
    game: Game, evaluator: Evaluator | None = None, centre: bool = False, searcher: Player = Player.FIRST
) -> SearchSetup:
    """Return the game and evaluator as kernels read them, with moves in ascending order or nearest the centre first."""
    setup = SearchSetup()
    set_up(setup, game.layout, centre, searcher)
    if evaluator is not None:
        evaluator.check(game)
        evaluator.write_weights(setup, game.layout)
    return setup


@dataclass(frozen=True)
class Zero(Evaluator):
    """Evaluates every unfinished position as 0."""

    name = "zero"
    summary = "every position is equal: only finished games count"


@dataclass(frozen=True)
class Windows(Evaluator):
    """Counts windows of k cells without opposing stones, by own stones, and stones in the centre."""

    name = "windows"
    summary = "windows of k cells by the stones in them, and the centre"
    four: float = weight(100, "for a window full of own stones")
    three: float = weight(5, "for a window of own stones with one empty cell")
    two: float = weight(2, "for a window of own stones with two empty cells")
    other_three: float = weight(-4, "for a window of the opponent's stones with one empty cell")
    other_two: float = weight(0, "for a window of the opponent's stones with two empty cells")
    centre: float = weight(3, "for an own stone in the middle column (without gravity: in the middle of the board)")
    share: float = number(0, "the opponent's own evaluation is subtracted, times this", low=0, high=10)

    def write_weights(self, setup: SearchSetup, layout: BitLayout) -> None:
        set_windows(setup, layout, *(p.of(self) for p in self.parameters()))


@dataclass(frozen=True)
class Lines(Evaluator):
    """Counts windows without opposing stones that lack one or two stones."""

    name = "lines"
    summary = "windows that lack one stone or two, own minus the opponent's"
    one: float = weight(10, "for a window that lacks one own stone")
    two: float = weight(1, "for a window that lacks two")
    share: float = number(1, "the opponent's own evaluation is subtracted, times this", low=0, high=10)

    def write_weights(self, setup: SearchSetup, layout: BitLayout) -> None:
        set_lines(setup, layout, *(p.of(self) for p in self.parameters()))


@dataclass(frozen=True)
class Learned(Evaluator):
    """The sum of a network's weights; with tactics, forced blocks are followed first. Antisymmetric.

    It has its own kernels; to those for weighted windows it looks like `Zero`.
    """

    name = "ntuple"
    summary = "the value by an n-tuple network, as in the agent ntuple"
    model: str = file("", "the model file; without it the model that ships with inarow")

    def network(self, game: Game) -> Network:
        """Return the network, loaded once."""
        model: Network = model_of(self, self.model, game)
        return model

    def check(self, game: Game) -> None:
        self.network(game)

    def value(self, points: int) -> float:
        if abs(points) > kernel.LARGEST:
            return 1.0 if points > 0 else -1.0
        return math.tanh(points / kernel.SCALE)

    def points(self, position: Position, player: Player) -> int:
        network, work = self._set_up(position)
        points = int(kernel.points_of(network.whole, work, position.own, position.opp))
        return points if player is position.to_move else -points

    def write_points_after(self, position: Position, stones: Ints, points: Ints) -> None:
        """Write the points of the moves that place these stones, for the side to move, to ``points``."""
        network, work = self._set_up(position)
        kernel.points_after(network.whole, work, position.own, position.opp, stones, points)

    def _set_up(self, position: Position) -> tuple[Network, Work]:
        network = self.network(position.game)
        work = network.whole_work()
        network.set_up(work, position)
        return network, work


@dataclass(frozen=True)
class Function(Evaluator):
    """A user's function, for agents made in Python.

    Either ``function(position, player)``, called for every leaf while the search runs as Python; or a kernel
    ``function(layout, own, opp)``, compiled as a part of the search: ``own`` are the player's stones. It returns the
    position's value for the player, in the units of the other evaluators, rounded to hundredths.
    """

    name = "function"
    summary = "a function of your own"
    function: Callable[..., float] = field(default=lambda position, player: 0.0)

    @property
    def spec(self) -> str:
        return f"function({function_name(self.function)})"

    @property
    def is_kernel(self) -> bool:
        """True if it is compiled into the search."""
        return is_kernel(self.function)

    def custom(self, game: Game, player: Player) -> Custom:
        """Return the function that kernels call, for a player."""
        if self.is_kernel:
            return Custom(source_of(self.function), game.layout, np.zeros(1, np.int64))

        def evaluate(layout: BitLayout, own: int, opp: int) -> float:
            stones = (opp, own) if player else (own, opp)
            return self._number(self.function(Position(game, *map(int, stones)), player))

        return Custom(evaluate, game.layout, np.zeros(1, np.int64))

    def check_answers(self, custom: Custom) -> None:
        """Raise `AgentError` if the compiled function has returned NaN."""
        if custom.wrong[0]:
            self._number(math.nan)

    def _number(self, answer: Any) -> float:
        """Return what the function returned. Raises `AgentError` if it is not a number."""
        try:
            number = math.nan if isinstance(answer, str) else float(answer)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if math.isnan(number):
            raise AgentError(
                f"evaluator {function_name(self.function)} must return a number, the value of the position for the "
                f"player, got {shown(answer)}"
            )
        return number

    def points(self, position: Position, player: Player) -> int:
        stones = (position.first, position.second)
        custom = self.custom(position.game, player)
        checked = custom._replace(function=lambda *given: self._number(custom.function(*given)))
        return custom_points(checked, stones[player], stones[player.other])


def function_name(function: Callable[..., Any]) -> str:
    """Return the name of a function and a hash of its source, to distinguish functions of the same name."""
    made = source_of(function) if hasattr(function, "__qualname__") else type(function)
    try:
        source = inspect.getsource(inspect.unwrap(made))
    except (OSError, TypeError):
        source = repr(getattr(made, "__code__", made))
    return f"{made.__name__}-{hashlib.sha256(source.encode()).hexdigest()[:8]}"


EVALUATORS: dict[str, type[Evaluator]] = {e.name: e for e in (Zero, Windows, Lines, Learned)}

_SPEC = re.compile(r"\s*(\w*)\s*(?:\((.*)\))?\s*", re.DOTALL)


def evaluator(spec: str) -> Evaluator:
    """Return the evaluator of a spec such as ``windows`` or ``windows(three=5,centre=3)``."""
    match = _SPEC.fullmatch(spec)
    if match is None or not match[1]:
        raise AgentError(
            f"{spec!r} is not an evaluator; write a name, or a name with weights: windows(three=5,centre=3)"
        )
    name, arguments = match.groups()
    if name == Function.name:
        raise AgentError(f"{spec} is a Python function; make the agent in Python: inarow.agent(…, eval=function)")
    if name not in EVALUATORS:
        raise AgentError(unknown("evaluator", name, EVALUATORS))
    kind = EVALUATORS[name]
    if not (arguments or "").strip():
        return kind()
    return kind(**read_arguments(f"evaluator {name}", kind.parameters(), arguments))


@dataclass(frozen=True)
class EvaluatorKind(Kind):
    """A parameter that is an evaluator, or with ``learnt`` a network; ``none`` is the word for None."""

    none: str = ""
    learnt: bool = False

    @property
    def names(self) -> list[str]:
        """The values without weights, for a menu."""
        return [*([self.none] if self.none else []), *([Learned.name] if self.learnt else EVALUATORS)]

    @property
    def wanted(self) -> str:
        if self.learnt:
            return f"{self.none}, ntuple, or ntuple(model=FILE)"
        evaluators = f"an evaluator ({', '.join(EVALUATORS)}), optionally with weights in parentheses"
        return f"{self.none}, or {evaluators}" if self.none else evaluators

    def read(self, text: str) -> Any:
        return None if self.none and text == self.none else evaluator(text)

    def parse(self, owner: str, text: str) -> Any:
        try:
            value = self.read(text)
        except AgentError as error:
            raise AgentError(f"{owner}: {self.name}: {error}") from None
        self.check(owner, value)
        return value

    def convert(self, value: Any) -> Any:
        return Function(value) if callable(value) and not isinstance(value, (Evaluator, type)) else value

    def fits(self, value: Any) -> bool:
        return isinstance(value, Learned if self.learnt else Evaluator) or (bool(self.none) and value is None)

    def format(self, value: Any) -> str:
        return self.none if self.none and value is None else value.spec if isinstance(value, Evaluator) else repr(value)


def evaluator_field(default: Evaluator | None, help: str, none: str = "", learnt: bool = False) -> Any:
    """Return a field for an evaluator (see `EvaluatorKind`)."""
    return parameter(EvaluatorKind, default, help=help, none=none, learnt=learnt)


@dataclass(frozen=True)
class Judge:
    """A user's policy and value function on batches, for the side to move.

    It maps planes (n, 2, rows, columns) to priors (n, moves) and values (n,).
    """

    function: Callable[[NDArray[np.int8]], tuple[Any, Any]]

    def judge(self, game: Game, own: Ints, opp: Ints) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return priors and values of positions, given the stones of the side to move and of the other side.

        Raises `AgentError` if the function's result has the wrong shape or range.
        """
        cells = np.array([bit.bit_length() - 1 for bit in game.cell_bits]).reshape(game.rows, game.columns)
        stones = np.stack([own, opp], axis=1)
        answer = self.function((stones[:, :, None, None] >> cells & 1).astype(np.int8))
        what = f"network {function_name(self.function)}"
        try:
            priors, values = (np.ascontiguousarray(part, dtype=np.float64) for part in answer)
        except (TypeError, ValueError):
            raise AgentError(f"{what} must return priors and values, got {shown(answer)}") from None
        wanted = ((len(own), game.moves), (len(own),))
        if (priors.shape, values.shape) != wanted:
            given = f"{priors.shape} and {values.shape}"
            raise AgentError(f"{what} must return priors and values of shapes {wanted[0]} and {wanted[1]}, got {given}")
        wrong = [f"the prior {prior:g}" for prior in priors[~(priors >= 0) | np.isinf(priors)]]
        wrong += [f"the value {value:g}" for value in values[~(np.abs(values) <= 1)]]
        if wrong:
            raise AgentError(f"{what} must return priors of 0 or more and values from −1 to 1, got {wrong[0]}")
        return priors, values


@dataclass(frozen=True)
class JudgeKind(Kind):
    """A parameter that is a Python function, or none."""

    @property
    def wanted(self) -> str:
        return "a Python function, which can't be written in a spec"

    def read(self, text: str) -> Any:
        if text == "none":
            return None
        raise ValueError(text)

    def convert(self, value: Any) -> Any:
        return Judge(value) if callable(value) else value

    def fits(self, value: Any) -> bool:
        return value is None or isinstance(value, Judge)

    def format(self, value: Any) -> str:
        return function_name(value.function) if isinstance(value, Judge) else "none" if value is None else repr(value)


def judge_field() -> Any:
    """Return a field for a policy and value function; none by default."""
    text = "policy and value of a batch of positions: planes (n, 2, rows, columns) to priors (n, moves), values (n,)"
    return parameter(JudgeKind, None, help=text, hidden=True)
