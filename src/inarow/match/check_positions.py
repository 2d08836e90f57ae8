"""Positions that agents fail on: full columns, the last moves, wins and threats, and an opponent that fills columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inarow.agents import Agent, Decision, Mind
from inarow.limits import Limit
from inarow.match.openings import Line
from inarow.randomness import Stream, derive
from inarow.rules import Game, Player, Position
from inarow.stopping import Stop

PLAYOUTS = 20
"""Random matches that positions are taken from."""
_TRIES = 200


def kinds_of_positions(game: Game, seed: int = 0) -> Iterator[tuple[str, Line]]:
    """Kinds of positions, each with the moves that lead there."""
    yield from odd_positions(game, seed)
    stream = Stream(derive(seed, "check"))
    found: set[str] = set()
    for number in range(PLAYOUTS):
        position = Position.start(game)
        line: Line = ()
        while position.outcome() is None:
            for kind in _kinds(position):
                if kind not in found or (number < 2 and position.ply % 5 == 3):
                    found.add(kind)
                    yield kind, line
                    break
            move = stream.choice(position.legal_moves())
            position, line = position.play(move), (*line, move)


def odd_positions(game: Game, seed: int = 0) -> Iterator[tuple[str, Line]]:
    """Positions that random matches hardly reach: full columns everywhere, a nearly full board, one legal move left."""
    stream = Stream(derive(seed, "odd"))
    for kind, most, empty in (
        ("most moves are no longer legal", 2, game.cells),
        ("the board is nearly full", game.moves, 3),
        ("one legal move left", 1, game.cells),
    ):
        for _ in range(_TRIES):
            line = quiet_line(game, stream, range(game.moves), most, empty)
            if line is not None:
                yield kind, line
                break


def quiet_line(game: Game, stream: Stream, order: range | Line, most: int, empty: int) -> Line | None:
    """Moves that win for nobody, the first of ``order`` where possible, until few legal moves and empty cells are left.

    None if it went wrong: somebody had to win.
    """
    position = Position.start(game)
    line: Line = ()
    while len(position.legal_moves()) > most or game.cells - position.ply > empty:
        open_moves = [move for move in position.legal_moves() if position.play(move).outcome() is None]
        if not open_moves:
            return None
        wanted = [move for move in order if move in open_moves][:2]
        move = stream.choice(wanted if wanted and most < game.moves else open_moves)
        position, line = position.play(move), (*line, move)
    return line


def line_that_fills(game: Game, full: Line, seed: int) -> Line | None:
    """Moves after which none of these moves is legal any more, and nobody has won; None if none is found."""
    stream = Stream(derive(seed, "fill", *full))
    for _ in range(_TRIES):
        position = Position.start(game)
        line: Line = ()
        while position.outcome() is None:
            legal = position.legal_moves()
            left = [move for move in full if move in legal]
            if not left:
                return line
            quiet = [move for move in left if position.play(move).outcome() is None] or list(legal)
            move = stream.choice(quiet)
            position, line = position.play(move), (*line, move)
    return None


def _kinds(position: Position) -> Iterator[str]:
    if position.ply == 0:
        yield "the empty board"
    if position.ply == 1:
        yield "as second player"
    if position.winning_moves():
        yield "it can win at once"
    if position.winning_moves(position.to_move.other):
        yield "it must block"
    if len(position.legal_moves()) < position.game.moves:
        yield "some moves are no longer legal"
    if 2 * position.ply > position.game.cells:
        yield "late in the game"
    yield "in the middle of a game"


@dataclass(frozen=True)
class Follower(Agent):
    """Plays on top of the other's last stone, so that the columns that an agent likes fill up."""

    name = "follower"
    summary = "on top of the last stone, else a random move"

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return FollowerMind(game, seed)


class FollowerMind(Mind):
    """The stones that it has seen, and a random stream."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.seen = 0
        self.stream = Stream(seed)

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        last = (position.occupied & ~self.seen).bit_length() - 1
        column = last // self.game.stride
        legal = position.legal_moves()
        quiet = [move for move in legal if position.play(move).outcome() is None] or list(legal)
        move = column if self.game.gravity and last >= 0 and column in quiet else self.stream.choice(quiet)
        self.seen = position.play(move).occupied
        return Decision(move)
