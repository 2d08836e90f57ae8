"""Evaluators: what a position is worth to one side where a search stops, in points, by name and weights.

A weight is a number in the evaluator's own unit; points are whole hundredths of it. An evaluator need not be
antisymmetric: what a position is worth to one side is not always what it costs the other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from inarow.agents.parameters import AgentError, Configured, choice, number
from inarow.kernels.common import setup as kernel_setup
from inarow.kernels.common.evaluate import points_of
from inarow.kernels.common.setup import POINTS, SearchSetup
from inarow.rules import Game, Player, Position

LARGEST = 1_000_000
EVEN_ODDS = 20 * POINTS
"""Points that are taken for a value of ½."""


def weight(default: float | None, help: str, none: str | None = None) -> Any:
    """A field for a weight, in the evaluator's unit."""
    return number(default, help, low=-LARGEST, high=LARGEST, none=none)


@dataclass(frozen=True)
class Evaluator(Configured, ABC):
    """Position → points for one side. A subclass is a frozen dataclass whose fields are its weights."""

    what = "evaluator"
    code: ClassVar[int]
    """What the kernels call it."""

    @property
    def mirrors(self) -> bool:
        """Whether a position and its mirror image have the same points."""
        return True

    def __post_init__(self) -> None:
        super().__post_init__()
        for p in self.parameters():
            value = getattr(self, p.name)
            if isinstance(value, float) and abs(value * POINTS % 1 - 0.5) < 0.5 - 1e-6:
                given = f"{p.name}={p.format(getattr(self, p.name))}"
                raise AgentError(f"evaluator {self.name}: {given} has more than two decimals; points are hundredths")

    @property
    def spec(self) -> str:
        """The canonical text: the name, and the weights that differ from their defaults."""
        return f"{self.name}({self.arguments})" if self.arguments else self.name

    def check(self, game: Game) -> None:
        """Raise `AgentError` if this evaluator makes no sense in this game."""

    @abstractmethod
    def weights(self, game: Game) -> Sequence[int]:
        """What the kernels read, in points."""

    def value(self, points: int) -> float:
        """Points as a value in [−1, 1]."""
        return value_of(points)

    def points(self, position: Position, player: Player) -> int:
        """What a position is worth to a player, in points; for many positions use a kernel."""
        stones = (position.first, position.second)
        return int(points_of(new_setup(position.game, self), stones[player], stones[player.other]))


def new_setup(game: Game, evaluator: Evaluator | None = None, masks: Sequence[int] = ()) -> SearchSetup:
    """Return what kernels read of a game, of an evaluator, and of the moves in the order of a search."""
    setup = SearchSetup()
    setup.k, setup.stride, setup.board, setup.bottom = game.k, game.stride, game.board, game.bottom
    setup.gravity, setup.moves = game.gravity, len(masks) or game.moves
    setup.order[: len(masks)] = masks
    if evaluator is not None:
        evaluator.check(game)
        weights = evaluator.weights(game)
        setup.evaluator = evaluator.code
        setup.weights[: len(weights)] = weights
    return setup


def value_of(points: int) -> float:
    """Points as a value: an estimate strictly between −1 and 1, 0 for 0 points."""
    return points / (abs(points) + EVEN_ODDS)


def _points(value: float) -> int:
    return round(value * POINTS)


@dataclass(frozen=True)
class Zero(Evaluator):
    """Sees nothing: only finished games count."""

    name = "zero"
    summary = "every position is equal: only finished games count"
    code = kernel_setup.ZERO

    def weights(self, game: Game) -> Sequence[int]:
        return ()


@dataclass(frozen=True)
class Windows(Evaluator):
    """Counts windows of k cells without a stone of the other side, by own stones, and more."""

    name = "windows"
    summary = "windows of k cells by the stones in them, the centre, stacks and double threats"
    code = kernel_setup.WINDOWS
    four: float = weight(100, "for a window full of own stones")
    three: float = weight(5, "for a window with one cell empty and all others own")
    two: float = weight(2, "for a window with two cells empty and all others own")
    other_three: float = weight(-4, "for a window with one cell empty and all others the opponent's")
    other_two: float = weight(0, "for a window with two cells empty and all others the opponent's")
    centre: float = weight(3, "for an own stone in the middle column (without gravity: in the middle of the board)")
    rows: str = choice(
        "plain",
        ("plain", "lower", "upper"),
        "the centre counts equally in all rows, or with a weight that rises by 1 per row towards that end",
    )
    stacked: float = weight(0, "extra for k − 1 own stones on top of each other with the cell above free")
    double: float = weight(0, "for more than one cell where an own stone would win at once")
    share: float = number(0, "the opponent's own evaluation is subtracted, times this", low=0, high=10)

    def check(self, game: Game) -> None:
        if not game.gravity and (self.stacked or self.rows != "plain"):
            given = f"rows={self.rows}" if self.rows != "plain" else f"stacked={self.stacked:g}"
            raise AgentError(f"evaluator windows: {given} is for boards with gravity, and in {game} stones don't fall")

    def weights(self, game: Game) -> Sequence[int]:
        two = self.two if game.k > 2 else 0
        other_two = self.other_two if game.k > 2 else 0
        own = [self.four, self.three, two]
        other = [0, self.other_three, other_two]
        groups = [] if self.centre == 0 else _centre_groups(game, self.rows)
        parts = [
            *(_points(a - self.share * b) for a, b in zip(own, other, strict=True)),
            *(_points(b - self.share * a) for a, b in zip(own, other, strict=True)),
            *self._both(self.stacked),
            *self._both(self.double),
            len(groups),
        ]
        for mask, factor in groups:
            parts += [mask, *self._both(self.centre * factor)]
        return parts

    def _both(self, value: float) -> tuple[int, int]:
        return _points(value), _points(-self.share * value)


def _centre_groups(game: Game, rows: str) -> list[tuple[int, int]]:
    """Masks of cells of the centre with a factor each."""
    middle = sorted({(game.columns - 1) // 2, game.columns // 2})
    if not game.gravity:
        heights = sorted({(game.rows - 1) // 2, game.rows // 2})
        return [(sum(1 << (c * game.stride + h) for c in middle for h in heights), 1)]
    lines = [(sum(1 << (c * game.stride + h) for c in middle), h) for h in range(game.rows)]
    if rows == "plain":
        return [(sum(mask for mask, _ in lines), 1)]
    return [(mask, height + 1 if rows == "upper" else game.rows - height) for mask, height in lines]


@dataclass(frozen=True)
class Runs(Evaluator):
    """Looks from every stone along the four directions: the k cells from it on, none of them the opponent's."""

    name = "runs"
    summary = "the k cells that start at each stone, by own stones in them"
    code = kernel_setup.RUNS
    four: float = weight(100, "for k own stones")
    three: float = weight(10, "for all but one own, that one empty")
    two: float = weight(1, "for all but two own, those two empty")
    towards: str = choice(
        "right",
        ("right", "down"),
        "which way windows run from their first stone: right, up and both diagonals right; or right, down and both "
        "diagonals down",
    )
    share: float = number(1, "the opponent's own evaluation is subtracted, times this", low=0, high=10)

    def weights(self, game: Game) -> Sequence[int]:
        own = [self.four, self.three, self.two if game.k > 2 else 0]
        return [*(_points(a) for a in own), *(_points(-self.share * a) for a in own), self.towards == "down"]

    @property
    def mirrors(self) -> bool:
        return False


@dataclass(frozen=True)
class Open(Evaluator):
    """Counts the own stones in all windows without a stone of the other side, as often as they are in one."""

    name = "open"
    summary = "stones in windows that are still free of the opponent's, own minus the opponent's"
    code = kernel_setup.OPEN
    stone: float = weight(1, "for an own stone, in every window that is free of the opponent's")
    four: float | None = weight(None, "for a window full of own stones, in place of its stones", none="stones")
    other_four: float | None = weight(None, "for a window full of the opponent's, in place of them", none="stones")
    share: float = number(1, "the opponent's own evaluation is subtracted, times this", low=0, high=10)

    def weights(self, game: Game) -> Sequence[int]:
        own, other = self.stone, -self.share * self.stone
        four = 0 if self.four is None else self.four - game.k * own
        other_four = 0 if self.other_four is None else self.other_four - game.k * other
        return [_points(weight) for weight in (own, other, four, other_four)]


@dataclass(frozen=True)
class Threes(Evaluator):
    """Counts k − 1 stones side by side with the next cell free."""

    name = "threes"
    summary = "k − 1 stones side by side with the next cell free, own minus the opponent's"
    code = kernel_setup.THREES
    three: float = weight(1, "for each free end of k − 1 own stones side by side")
    lines: str = choice("all", ("all", "flat"), "which lines count: all, or horizontal ones only")
    ends: str = choice("both", ("both", "right"), "which ends count: both, or the right (of vertical lines upper) one")
    share: float = number(1, "the opponent's own evaluation is subtracted, times this", low=0, high=10)

    def check(self, game: Game) -> None:
        if game.k < 3:
            raise AgentError(f"evaluator threes: it counts k − 1 stones in a row, and in {game} k is 2; it needs k ≥ 3")

    def weights(self, game: Game) -> Sequence[int]:
        return [
            _points(self.three), _points(-self.share * self.three), self.lines == "flat", self.ends == "right"
        ]  # fmt: skip

    @property
    def mirrors(self) -> bool:
        return self.ends == "both"


@dataclass(frozen=True)
class Lines(Evaluator):
    """Counts windows without a stone of the other side in which one or two stones are missing."""

    name = "lines"
    summary = "windows that lack one stone or two, own minus the opponent's"
    code = kernel_setup.WINDOWS
    one: float = weight(10, "for a window that lacks one own stone")
    two: float = weight(1, "for a window that lacks two")
    share: float = number(1, "the opponent's own evaluation is subtracted, times this", low=0, high=10)

    def weights(self, game: Game) -> Sequence[int]:
        own = [0, self.one, self.two if game.k > 2 else 0]
        return [*(_points(a) for a in own), *(_points(-self.share * a) for a in own), 0, 0, 0, 0, 0]
