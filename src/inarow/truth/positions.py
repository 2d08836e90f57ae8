"""Positions with exact values, shipped or solved, and samples to grade agents on.

The shipped truth set has the same number of Connect 4 positions from each ply from 8 to 37, with the exact score of
every move, so that agents can be graded without solving. `scripts/make_truth_set.py` makes it.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from importlib import resources
from itertools import chain, repeat
from typing import Any

from inarow.agents import agent
from inarow.limits import NO_LIMIT, Limit
from inarow.match import MatchRecord
from inarow.randomness import Stream, derive
from inarow.rules import CONNECT4, Game, Position
from inarow.solver import Oracle, Unsolved, Verdict
from inarow.solver.analysis import plies_to_end
from inarow.solver.solved import KnownPosition, is_trivial, read_solved
from inarow.solver.tables import CompleteTable
from inarow.truth.accuracy import GradedMove, grade_move

Map = Callable[..., Iterable[Any]]
"""The built-in ``map``, or `Executor.map`, which makes the calls in other processes."""
PLIES = range(8, 38)
"""The truth set's file."""
PER_PLY = 67
SEED = 1
PATIENCE = 2_000
"""Number of consecutive random matches without a new position after which sampling stops."""


@lru_cache(maxsize=1)
def truth_set() -> tuple[KnownPosition, ...]:
    """Return the shipped positions, ordered by ply."""
    with resources.files("inarow").joinpath("data/truth/connect4.csv").open(encoding="utf-8") as file:
        return tuple(read_solved(CONNECT4, file, "the truth set"))


def sample(ply: int, count: int, seed: int, game: Game = CONNECT4) -> list[tuple[int, ...]]:
    """Return moves to distinct unfinished positions of this ply, at most ``count``."""
    stream = Stream(derive(seed, "truth set", ply))
    rules = agent("rules")
    found: dict[int, tuple[int, ...]] = {}
    failures = 0
    while len(found) < count and failures < PATIENCE:
        position = Position.start(game)
        moves: list[int] = []
        while len(moves) < ply and position.outcome() is None:
            if stream.below(2):
                move = rules.start(game, position.to_move, stream.number()).decide(position).move
            else:
                move = stream.choice(position.legal_moves())
            moves.append(move)
            position = position.play(move)
        failures += 1
        if len(moves) == ply and position.outcome() is None and (key := position.canonical_key()) not in found:
            found[key] = tuple(moves)
            failures = 0
    return list(found.values())


class SolvedPositions:
    """The exact scores of the moves of any position of a game. Those of the truth set need no solving."""

    def __init__(
        self,
        game: Game,
        limit: Limit = NO_LIMIT,
        *,
        oracle: Oracle | None = None,
        table: CompleteTable | None = None,
    ) -> None:
        """Use a limit per position; with a complete table nothing is solved."""
        self.game = game
        self._limit = limit
        self._oracle = oracle or Oracle(game)
        self.table = table
        self._known: dict[int, Mapping[int, int] | None] = {}
        if game == CONNECT4:
            self._known.update((one.position.key(), one.scores) for one in truth_set())

    def scores(self, position: Position) -> Mapping[int, int] | None:
        """Return the score of every legal move for the side to move, or None if the limit is reached."""
        if self.table is not None:
            return self.table.scores(position)
        key = position.key()
        if key not in self._known:
            self._known[key] = _scores(self._oracle, position, self._limit)
        return self._known[key]

    def solve(self, positions: Iterable[Position], each: Map = map) -> None:
        """Solve positions for `scores`, in blocks, by the map ``each``. The result within the limit depends only on the
        positions and their order."""
        wanted = {key: one for one in positions if (key := one.key()) not in self._known}
        asked = list(wanted.values())
        blocks = [asked[at : at + BLOCK] for at in range(0, len(asked), BLOCK)]
        solved = (each if len(blocks) > 1 else map)(solve_block, repeat(self.game), blocks, repeat(self._limit))
        self._known.update(zip(wanted, chain.from_iterable(solved), strict=True))

    def grade(self, position: Position, move: int) -> GradedMove | None:
        """Grade a move, or return None if its position is not solved within the limit."""
        scores = self.scores(position)
        return None if scores is None else grade_move(position, move, scores)

    def is_trivial(self, position: Position) -> bool:
        """Return True if all moves have the same exact value, or the position is unsolved."""
        scores = self.scores(position)
        return scores is None or is_trivial(scores)

    def grade_record(self, record: MatchRecord, from_ply: int = 0) -> Iterator[tuple[str, GradedMove | None]]:
        """Yield the graded moves of a match with the agents that played them; None if unsolved.

        Positions with fewer than ``from_ply`` stones are skipped: early ones take longest to solve.
        """
        agents = (record.first, record.second)
        for position, move in record.decisions(from_ply):
            yield agents[position.to_move], self.grade(position, move)


BLOCK = 200
"""Number of positions that are solved in sequence, starting with an empty table."""


def solve_block(game: Game, positions: Sequence[Position], limit: Limit) -> list[Mapping[int, int] | None]:
    """Return the scores of the moves of each position, in a worker; None where the limit is reached."""
    oracle = fresh_oracle(game)
    return [_scores(oracle, position, limit) for position in positions]


def fresh_oracle(game: Game) -> Oracle:
    """Return this process's oracle of a game with an empty table, so that results within a limit don't depend on
    earlier searches."""
    oracle = _oracle(game)
    oracle.forget()
    return oracle


@cache
def _oracle(game: Game) -> Oracle:
    return Oracle(game)


def _scores(oracle: Oracle, position: Position, limit: Limit) -> Mapping[int, int] | None:
    """Return the score of every legal move; None if the limit is reached."""
    try:
        return oracle.scores(position, limit)
    except Unsolved:
        oracle.forget()  # the entries of this position are of little use for others
        return None


ENUMERABLE = 20_000
"""Games with at most this many positions are graded completely."""


def quick_ply(game: Game) -> int:
    """Return the first ply with at most 30 empty cells; such positions are solved instantly with gravity."""
    return max(0, game.cells - 30)


def all_positions(game: Game, most: int = ENUMERABLE) -> list[Position] | None:
    """Return all unfinished positions of a game, or None if there are more than ``most``."""
    found = {Position.start(game)}
    level = [Position.start(game)]
    while level:
        after = {child for position in level for child in map(position.play, position.legal_moves())}
        level = [position for position in after if position.outcome() is None]
        found.update(level)
        if len(found) > most:
            return None
    return sorted(found, key=_by_ply)


def random_positions(solved: SolvedPositions, count: int, seed: int, first_ply: int = 0) -> list[Position]:
    """Return random positions with a choice from ``first_ply`` on, spread over the plies.

    In such positions moves differ in exact value. Connect 4 uses the truth set.
    """
    game = solved.game
    stream = Stream(derive(seed, "positions"))
    if game == CONNECT4:
        drawn = [one.position for one in truth_set() if not one.trivial and one.position.ply >= first_ply]
        stream.shuffle(drawn)
        return sorted(drawn[:count], key=_by_ply)
    found: dict[int, Position] = {}
    for position in _drawn_positions(game, stream, count * 20, first_ply):
        if position.key() not in found and not solved.is_trivial(position):
            found[position.key()] = position
        if len(found) == count:
            break
    return sorted(found.values(), key=_by_ply)


def table_positions(table: CompleteTable, count: int, seed: int) -> list[Position]:
    """Return positions with a choice from a complete table, drawn uniformly; a count of 0 returns all."""
    plies = range(len(table.plies))
    if count == 0:
        drawn: Iterable[Position] = (position for ply in plies for position in table.open_positions(ply))
    else:
        drawn = table.sample(100 * count, Stream(derive(seed, "table")))
    found: dict[int, Position] = {}
    for position in drawn:
        if position.key() not in found and not is_trivial(table.scores(position)):
            found[position.key()] = position
        if len(found) == count > 0:
            break
    return sorted(found.values(), key=_by_ply)


def _drawn_positions(game: Game, stream: Stream, count: int, first_ply: int) -> Iterator[Position]:
    """Yield positions after random moves, of each ply from ``first_ply`` on in turn; skip games that end earlier."""
    plies = range(first_ply, game.cells - 1)
    for number in range(count):
        position = Position.start(game)
        for _ in range(plies[number % len(plies)]):
            if position.outcome() is not None:
                break
            position = position.play(stream.choice(position.legal_moves()))
        if position.outcome() is None:
            yield position


def by_band(game: Game, positions: Iterable[Position]) -> dict[int, list[Position]]:
    """Group positions, ordered by ply, into bands of plies; the key is the middle of the band."""
    bands: dict[int, list[Position]] = {}
    first, width = -1, max(1, game.cells // 8)
    for position in positions:
        first = position.ply if first < 0 else first
        bands.setdefault(first + (position.ply - first) // width * width + width // 2, []).append(position)
    return bands


def value_positions(solved: SolvedPositions, count: int, seed: int, first_ply: int = 0) -> dict[int, list[Position]]:
    """Draw about ``count`` positions with equally many wins, draws and losses in each band of plies, by band.

    So neither a constant nor the number of stones predicts the outcome. Bands that lack an outcome are skipped. A small
    game is sampled in full, Connect 4 from the truth set, which has at most 216 such positions.
    """
    game = solved.game
    if game == CONNECT4:
        known = [one.position for one in truth_set() if one.position.ply >= first_ply]
    else:
        every = all_positions(game)
        stream = Stream(derive(seed, "value candidates"))
        known = every or list({p.key(): p for p in _drawn_positions(game, stream, 8 * count, first_ply)}.values())
    bands: dict[int, list[list[Position]]] = {}
    for middle, band in by_band(game, sorted(known, key=_by_ply)).items():
        classes: dict[Verdict, list[Position]] = {outcome: [] for outcome in Verdict}
        for position in band:
            if scores := solved.scores(position):
                classes[Verdict.of(max(scores.values()))].append(position)
        if all(classes.values()):
            bands[middle] = list(classes.values())
    found: dict[int, list[Position]] = {}
    for middle, by_class in bands.items():
        each = min(-(-count // (3 * len(bands))), *map(len, by_class))
        for number, one in enumerate(by_class):
            Stream(derive(seed, "values", middle, number)).shuffle(one)
        found[middle] = sorted((position for one in by_class for position in one[:each]), key=_by_ply)
    return found


def _by_ply(position: Position) -> tuple[int, int]:
    return position.ply, position.key()


FILE = "data/truth/connect4-classes.csv.gz"
STAGES = {"begin": range(15), "middle": range(15, 29), "end": range(29, CONNECT4.cells)}
"""Numbers of stones."""
DIFFICULTIES = {"easy": range(14), "medium": range(14, 28), "hard": range(28, CONNECT4.cells + 1)}
"""Number of moves left under perfect play."""


class PositionClass(StrEnum):
    """A stage and a difficulty. The other three are impossible: a game has at most 42 moves."""

    END_EASY = "end-easy"
    MIDDLE_EASY = "middle-easy"
    MIDDLE_MEDIUM = "middle-medium"
    BEGIN_EASY = "begin-easy"
    BEGIN_MEDIUM = "begin-medium"
    BEGIN_HARD = "begin-hard"


def class_of(position: Position, score: int) -> PositionClass:
    """Return the class of a position, given its exact score for the side to move."""
    remaining = plies_to_end(position, score)
    stage = next(name for name, stones in STAGES.items() if position.ply in stones)
    difficulty = next(name for name, moves in DIFFICULTIES.items() if remaining in moves)
    return PositionClass(f"{stage}-{difficulty}")


@lru_cache(maxsize=1)
def position_classes() -> Mapping[PositionClass, tuple[KnownPosition, ...]]:
    """Return the shipped positions by class, in the order they were drawn."""
    found: dict[PositionClass, list[KnownPosition]] = {one: [] for one in PositionClass}
    with (
        resources.files("inarow").joinpath(FILE).open("rb") as packed,
        gzip.open(packed, "rt", encoding="utf-8", newline="") as file,
    ):
        for known in read_solved(CONNECT4, file, "the classes of positions"):
            found[class_of(known.position, max(known.scores.values()))].append(known)
    return {name: tuple(positions) for name, positions in found.items()}
