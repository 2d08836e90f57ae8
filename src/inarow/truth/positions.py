"""Positions to grade agents on: all of a small game, or a random sample; and a balanced sample for their values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inarow.randomness import Stream, derive
from inarow.rules import CONNECT4, Game, Position
from inarow.solver import Verdict
from inarow.solver.solved import is_trivial
from inarow.solver.tables import CompleteTable
from inarow.truth.solved import SolvedPositions
from inarow.truth.truth_set import truth_set

ENUMERABLE = 20_000
"""Games with at most this many positions are graded in all of them."""


def quick_ply(game: Game) -> int:
    """The earliest ply at which positions are solved in an instant: 30 cells are left, on any board with gravity."""
    return max(0, game.cells - 30)


def all_positions(game: Game, most: int = ENUMERABLE) -> list[Position] | None:
    """All positions of a game that are not over; None if there are more than ``most``."""
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
    """Random positions from ``first_ply`` on, spread over the plies, in which moves differ in verdict.

    Those of Connect 4 are drawn from the truth set.
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
    """Positions of a complete table in which moves differ in verdict, drawn uniformly; all of them if count is 0."""
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
    """Play random moves to each ply from ``first_ply`` on in turn; games that end earlier give none."""
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
    """Group positions, which are in the order of plies, by bands of plies; the key is the middle of the band."""
    bands: dict[int, list[Position]] = {}
    first, width = -1, max(1, game.cells // 8)
    for position in positions:
        first = position.ply if first < 0 else first
        bands.setdefault(first + (position.ply - first) // width * width + width // 2, []).append(position)
    return bands


def value_positions(solved: SolvedPositions, count: int, seed: int, first_ply: int = 0) -> dict[int, list[Position]]:
    """Draw about ``count`` positions with as many won as drawn and lost ones in each band of plies, by band.

    So neither a constant nor the number of stones predicts the outcome. Bands without one of the outcomes are left
    out. A small game is drawn from in full, Connect 4 from the truth set; that has at most 216 such positions.
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
