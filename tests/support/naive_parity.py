"""The solver's parity bound once more, column by column; `kernels.solver.solve` has the proof."""

from __future__ import annotations

from dataclasses import dataclass

from inarow import bits
from inarow.rules import Game, Position


@dataclass(frozen=True)
class FollowUp:
    """What is proven, for the side to move: its score is at most ``score``."""

    score: int
    """At most 0."""
    threat: int | None = None
    """The cell, row by row from the top left, where the other side completes its line in the end, if there is one."""
    alone: bool = False
    """Whether the column of this threat is the one that is left over, while the others are answered in pairs."""


@dataclass(frozen=True)
class _Column:
    """The free cells of a column, as heights from the bottom."""

    index: int
    free: range
    wins: tuple[int, ...]
    """Those where the side that follows up would complete a line."""
    rows: int

    def claimed(self, height: int) -> bool:
        """Whether the follower takes this cell: the top one, and every second below it."""
        return (self.rows - height) % 2 == 1

    @property
    def contested(self) -> bool:
        """Whether its lowest free cell is a claimed one: an odd number of cells is free."""
        return len(self.free) % 2 == 1

    @property
    def sure(self) -> list[int]:
        """The cells that the follower gets."""
        return [
            height for height in self.free if self.claimed(height) and not (self.contested and height == self.free[0])
        ]

    @property
    def win(self) -> int | None:
        """The lowest cell that the follower gets and wins with."""
        return next((height for height in self.sure if height in self.wins), None)

    @property
    def open_to_mover(self) -> list[int]:
        """The cells that the side to move may get: nothing above a cell where the other wins."""
        win = self.win
        return [h for h in self.free if h not in self.sure and (win is None or h <= win)]

    def left_from(self, win: int) -> int:
        """How many cells are still free when the side to move must play below the winning cell."""
        return self.rows - win + 1


def follow_up(position: Position) -> FollowUp | None:
    """The bound for the side to move, which can't win at once; None if following up proves nothing."""
    if not position.game.gravity or position.winning_moves():
        return None
    columns = _columns(position)
    contested = [column for column in columns if column.contested]
    if len(contested) % 2 == 0:
        return _in_pairs(position, columns)
    for column in contested:
        found = _left_over(position, columns, column)
        if found is not None:
            return found
    return None


def _columns(position: Position) -> list[_Column]:
    game = position.game
    wins = bits.winning_cells(position.opp, game.k, game.stride, game.board) & ~position.occupied
    found = []
    for index in range(game.columns):
        taken = sum(1 for height in range(game.rows) if position.occupied & _bit(game, index, height))
        free = range(taken, game.rows)
        here = tuple(height for height in free if wins & _bit(game, index, height))
        found.append(_Column(index, free, here, game.rows))
    return found


def _in_pairs(position: Position, columns: list[_Column]) -> FollowUp | None:
    """Every move can be answered: in its column, or in the partner of a contested one."""
    game = position.game
    if _line(game, position.own, [(column.index, h) for column in columns for h in column.open_to_mover]):
        return None
    winning = [(column, column.win) for column in columns if column.win is not None]
    if winning:
        column, height = winning[0]
        left = sum(one.left_from(win) for one, win in winning if win is not None)
        return FollowUp(-(left // 2), _cell(game, column.index, height or 0))
    sure = [(column.index, height) for column in columns for height in column.sure]
    return FollowUp(-1 if _line(game, position.opp, sure) else 0)


def _left_over(position: Position, columns: list[_Column], alone: _Column) -> FollowUp | None:
    """One contested column has no partner: the follower needs a winning cell in it that it does not claim."""
    game = position.game
    threat = next((height for height in alone.wins if not alone.claimed(height)), None)
    if threat is None:
        return None
    others = [column for column in columns if column is not alone]
    reach = [(column.index, height) for column in others for height in column.open_to_mover]
    reach += [(alone.index, height) for height in alone.free if height < threat and alone.claimed(height)]
    if _line(game, position.own, reach):
        return None
    left = alone.left_from(threat) + sum(column.left_from(column.win) for column in others if column.win is not None)
    return FollowUp(-(left // 2), _cell(game, alone.index, threat), alone=True)


def _line(game: Game, stones: int, cells: list[tuple[int, int]]) -> bool:
    """Whether these stones and cells hold a line."""
    for column, height in cells:
        stones |= _bit(game, column, height)
    return bits.has_line(stones, game.k, game.stride)


def _bit(game: Game, column: int, height: int) -> int:
    return 1 << (column * game.stride + height)


def _cell(game: Game, column: int, height: int) -> int:
    return (game.rows - 1 - height) * game.columns + column
