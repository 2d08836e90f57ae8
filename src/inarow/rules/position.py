"""Positions: the stones of both sides. Their number determines the side to move."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, NoReturn, SupportsIndex

from inarow import bits
from inarow.errors import InarowError, as_index, check_instance, check_integer, shown
from inarow.formatting import say
from inarow.kernels import rules
from inarow.rules.game import Game

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Player(IntEnum):
    """A seat."""

    FIRST = 0
    SECOND = 1

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        raise InarowError(f"a player must be Player.FIRST or Player.SECOND, got {shown(value)}")

    @property
    def other(self) -> Player:
        """The opposite seat."""
        return SECOND if self is FIRST else FIRST


FIRST = Player.FIRST
SECOND = Player.SECOND


class IllegalMove(InarowError):
    """The move is not legal in this position."""


def as_move(move: SupportsIndex) -> int:
    """Return a move as a plain int. Raises TypeError for booleans and for anything without ``__index__``."""
    return move if type(move) is int else as_index(move)


class BadPosition(InarowError):
    """The position is malformed or not reachable."""


class SearchTooLong(InarowError):
    """The search for an order of moves was abandoned."""


class Outcome(NamedTuple):
    """The result of a finished game: the winner, or None for a draw."""

    winner: Player | None

    def score(self, player: Player) -> float:
        """Return 1 for a win of this player, ½ for a draw, 0 for a loss."""
        check_instance("player", player, Player, "Player.FIRST or Player.SECOND")
        return 0.5 if self.winner is None else float(self.winner is player)


WON_BY = (Outcome(FIRST), Outcome(SECOND))
DRAW = Outcome(None)


class Position:
    """An immutable position. Start with the empty board, ``Position.start(game)``, and make others with ``play``."""

    __slots__ = ("_over", "first", "game", "second")

    game: Game
    first: int
    second: int
    _over: int

    def __init__(self, game: Game, first: int = 0, second: int = 0) -> None:
        """Use the bitboards without checking that they can be reached, which ``from_grid`` and ``play`` do."""
        if type(first) is not int or type(second) is not int or not isinstance(game, Game):
            check_instance("game", game, Game, "a Game, as inarow.game gives it", BadPosition)
            first, second = (check_integer("stones", stones, error=BadPosition) for stones in (first, second))
        if first & second or (first | second) & ~game.board:
            raise BadPosition(f"the stones {shown(first)} and {shown(second)} don't fit on {game}")
        put = object.__setattr__
        put(self, "game", game)
        put(self, "first", first)
        put(self, "second", second)
        put(self, "_over", 0)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Position can't be changed; play() makes a new one (tried to set {name})")

    def __reduce__(self) -> tuple[type[Position], tuple[Game, int, int]]:
        return Position, (self.game, self.first, self.second)

    @classmethod
    def start(cls, game: Game, moves: Iterable[SupportsIndex] = ()) -> Position:
        """Return the empty board, or the position after these moves."""
        position = cls(game)
        if isinstance(moves, str) or not isinstance(moves, Iterable):
            raise IllegalMove(f"moves must be ints that count from 0, such as [3, 3], got {shown(moves)}")
        for move in moves:
            position = position.play(move)
        return position

    @classmethod
    def from_grid(cls, game: Game, grid: Sequence[Sequence[Player | None]]) -> Position:
        """Return the position of a grid (rows from the top). Raises `BadPosition` if it is not reachable."""
        check_instance("game", game, Game, "a Game, as inarow.game gives it", BadPosition)
        rows = grid if isinstance(grid, Sequence) else ()
        if not rows or not all(isinstance(row, Sequence) and all(_is_stone(cell) for cell in row) for row in rows):
            raise BadPosition(f"a grid must be rows of Player.FIRST, Player.SECOND or None, got {shown(grid)}")
        if len(grid) != game.rows or any(len(row) != game.columns for row in grid):
            lengths = ", ".join(sorted({str(len(row)) for row in grid}))
            board: dict[str, str | int] = {"game": game.name, "rows": game.rows, "columns": game.columns}
            raise BadPosition(say("notation", "wrong_grid", lines=len(grid), lengths=lengths, **board))
        stones = [0, 0]
        for row, line in enumerate(grid):
            for column, stone in enumerate(line):
                if stone is not None:
                    stones[stone] |= game.cell_bits[row * game.columns + column]
        position = cls(game, *stones)
        position._check_reachable()
        return position

    @property
    def ply(self) -> int:
        """The number of stones on the board."""
        return (self.first | self.second).bit_count()

    @property
    def to_move(self) -> Player:
        """The player to move."""
        return SECOND if (self.first | self.second).bit_count() & 1 else FIRST

    @property
    def occupied(self) -> int:
        """All stones, as bits."""
        return self.first | self.second

    @property
    def own(self) -> int:
        """The stones of the side to move, as bits."""
        return self.second if self.to_move else self.first

    @property
    def opp(self) -> int:
        """The stones of the side that is not to move, as bits."""
        return self.first if self.to_move else self.second

    def outcome(self) -> Outcome | None:
        """Return the outcome, or None if the game is not over."""
        over = self._over
        if over == 0:  # not computed yet; 1: not over, 2: drawn, 3 and 4: won by first, second
            game = self.game
            occupied = self.first | self.second
            if bits.line_on(game, self.first):
                over = 4 if game.misere else 3
            elif bits.line_on(game, self.second):
                over = 3 if game.misere else 4
            else:
                over = 2 if occupied == game.board else 1
            object.__setattr__(self, "_over", over)
        return _OUTCOMES[over]

    def legal_moves(self) -> tuple[int, ...]:
        """Return the legal moves in ascending order; empty if the game is over."""
        return () if self.outcome() is not None else self._open_moves()

    def _open_moves(self) -> tuple[int, ...]:
        occupied = self.first | self.second
        return tuple([m for m, mask in enumerate(self.game.move_masks) if occupied & mask != mask])

    def stone(self, move: SupportsIndex) -> int:
        """Return the cell that a move fills, as a bit. Raises `IllegalMove` if it is taken or not on the board."""
        masks = self.game.move_masks
        index = check_integer("a move", move, 0, len(masks) - 1, IllegalMove)
        free = masks[index] & ~(self.first | self.second)
        if not free:
            raise IllegalMove(self.why_illegal(index) or "")
        return free & -free

    def play(self, move: SupportsIndex) -> Position:
        """Return the position after a move, which counts from 0. Raises `IllegalMove` with the reason."""
        game = self.game
        occupied = self.first | self.second
        try:
            index = move if type(move) is int else as_move(move)
        except TypeError:
            index = -1
        is_open = self._over == 1 or self.outcome() is None
        free = game.move_masks[index] & ~occupied if is_open and 0 <= index < game.moves else 0
        if not free:
            raise IllegalMove(self.why_illegal(move) or "")
        stone = free & -free
        count = occupied.bit_count()
        first, second = self.first, self.second
        if count & 1:
            second = moved = second | stone
            won = 4
        else:
            first = moved = first | stone
            won = 3
        # Only the side that moved can have made a line, and only with k stones on the board.
        if count + 2 >= 2 * game.k and bits.line_on(game, moved):
            over = 7 - won if game.misere else won
        else:
            over = 2 if count + 1 == game.cells else 1
        child = Position.__new__(Position)
        _put(child, "game", game)
        _put(child, "first", first)
        _put(child, "second", second)
        _put(child, "_over", over)
        return child

    def children(self) -> Iterator[tuple[int, Position]]:
        """Yield each legal move with the position after it."""
        for move in self.legal_moves():
            yield move, self.play(move)

    def why_illegal(self, move: SupportsIndex, *, base: int = 0) -> str | None:
        """Return why a move is illegal, with numbers that count from ``base``; None if it is legal."""
        game, base = self.game, check_integer("base", base)
        free = [str(m + base) for m in self._open_moves()]
        values: dict[str, str | int] = {
            "game": game.name,
            "low": base,
            "high": game.moves - 1 + base,
            "free": ", ".join(free),
        }
        kind = "column" if game.gravity else "cell"
        if self.outcome() is not None:
            return say("illegal", "over", result=self.result_text())
        try:
            index = as_move(move)
        except TypeError:
            return say("illegal", f"no_{kind}", move=f"{move!r:.40}", **values)
        if not 0 <= index < game.moves:
            return say("illegal", f"{kind}_out_of_range", move=index + base, **values)
        if game.move_masks[index] & ~self.occupied:
            return None
        return say("illegal", f"{kind}_taken", move=index + base, **values)

    def winning_cells(self) -> tuple[int, ...]:
        """Return the cells (row by row from the top left) of completed lines."""
        game = self.game
        line = bits.wins_on(game, self.first) & self.first | bits.wins_on(game, self.second) & self.second
        return tuple(cell for cell, bit in enumerate(game.cell_bits) if line & bit)

    def winning_moves(self, player: Player | None = None) -> tuple[int, ...]:
        """Return the moves with which this player (by default the side to move) completes a line."""
        check_instance("player", player, Player | None, "Player.FIRST, Player.SECOND or None")
        game = self.game
        occupied = self.first | self.second
        stones = (self.first, self.second)[self.to_move if player is None else player]
        wins = 0 if game.misere else bits.wins_on(game, stones)
        wins &= bits.playable(occupied, game.bottom, game.board, game.gravity)
        if not wins:
            return ()
        return tuple([move for move, mask in enumerate(game.move_masks) if wins & mask])

    def grid(self) -> tuple[tuple[Player | None, ...], ...]:
        """Return the board for drawing: rows from the top, each cell the player whose stone it holds, or None."""
        cells = [FIRST if self.first & bit else SECOND if self.second & bit else None for bit in self.game.cell_bits]
        width = self.game.columns
        return tuple(tuple(cells[start : start + width]) for start in range(0, len(cells), width))

    def to_array(self) -> NDArray[np.int8]:
        """Return planes of shape (2, rows, columns), rows from the top: stones of the side to move, then the other.

        ``np.stack([position.to_array() for position in positions])`` is a batch.
        """
        import numpy as np

        own, opp = (self.second, self.first) if self.to_move else (self.first, self.second)
        planes = [[bool(stones & bit) for bit in self.game.cell_bits] for stones in (own, opp)]
        return np.array(planes, np.int8).reshape(2, self.game.rows, self.game.columns)

    def symmetries(self) -> tuple[Position, ...]:
        """Return this position and its images: two with gravity, eight on square free boards, four on others."""
        cell_bits = self.game.cell_bits
        images = []
        for image in self.game.cell_symmetries:
            stones = [0, 0]
            for cell, bit in enumerate(cell_bits):
                if self.first & bit:
                    stones[0] |= cell_bits[image[cell]]
                elif self.second & bit:
                    stones[1] |= cell_bits[image[cell]]
            images.append(Position(self.game, *stones))
        return tuple(images)

    def mirrored(self) -> Position:
        """Return the position reflected left to right."""
        columns, stride = self.game.columns, self.game.stride
        return Position(self.game, bits.mirror(self.first, columns, stride), bits.mirror(self.second, columns, stride))

    def key(self) -> int:
        """Return a number that is unique among the positions of this game."""
        if self.game.gravity:
            return self.own + self.occupied
        return self.own << bits.MAX_BITS | self.occupied

    def canonical(self) -> Position:
        """Return the canonical one of its symmetric images: the one with the smallest key."""
        return min(self.symmetries(), key=Position.key)

    def canonical_key(self) -> int:
        """Return a number that identifies this position up to symmetry."""
        return self.canonical().key()

    def result_text(self) -> str:
        """Return the result as a phrase."""
        return say("outcome", rules.outcome(self.game.layout, self.first, self.second))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.first == other.first and self.second == other.second and self.game == other.game

    def __hash__(self) -> int:
        return hash((self.first, self.second, self.game.columns))

    def describe(self) -> str:
        """Return the game, the number of stones, and the side to move or the result, as a phrase."""
        state = self.result_text() if self.outcome() is not None else f"{self.to_move.name.lower()} player to move"
        return f"{self.game.title}, {self.ply} stone{'' if self.ply == 1 else 's'}, {state}"

    def __repr__(self) -> str:
        """Return the call of `inarow.position` that makes this position."""
        return f"position({self.game.name!r}, {'/'.join(draw_row(row) for row in self.grid())!r})"

    def _repr_svg_(self) -> str:
        """Return the SVG that a notebook shows."""
        from inarow.drawing.svg import draw_svg

        return draw_svg(self)

    def __str__(self) -> str:
        return "\n".join(" ".join(draw_row(row)) for row in self.grid())

    def _check_reachable(self) -> None:
        """Raise `BadPosition` with the reason if no sequence of moves leads here."""
        code, which, _ = self._reached
        if code == rules.NOT_FOUND:
            raise SearchTooLong(say("impossible", code))
        if code != rules.POSSIBLE:
            first, second = self.first.bit_count(), self.second.bit_count()
            line = Player(which).name.lower() if code == rules.PLAYED_ON else ""
            raise BadPosition(say("impossible", code, first=first, second=second, column=which + 1, player=line))

    @property
    def _reached(self) -> tuple[int, int, tuple[int, ...]]:
        """Return the result of `kernels.rules.reachable`, and the moves."""
        moves, seen = [0] * self.ply, [0] * (1 + 2 * rules.SEEN)
        return *rules.reachable(self.game.layout, self.first, self.second, moves, seen), tuple(moves)

    def history(self) -> tuple[int, ...] | None:
        """Return one sequence of moves that leads here from the empty board, or None."""
        code, _, moves = self._reached
        if code == rules.NOT_FOUND:
            raise SearchTooLong(say("impossible", code))
        return moves if code == rules.POSSIBLE else None


_put = object.__setattr__
_OUTCOMES = (None, None, DRAW, *WON_BY)


def _is_stone(cell: object) -> bool:
    return cell is None or isinstance(cell, Player)


def draw_row(row: Sequence[Player | None]) -> str:
    """Return one row of a grid in plain text: X the first player, O the second, a dot for an empty cell."""
    return "".join("." if stone is None else "XO"[stone] for stone in row)
