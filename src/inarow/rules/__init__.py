"""The rules: games, positions, outcomes, notation."""

from inarow.rules.game import CONNECT4, GAMES, TICTACTOE, Game, UnknownGame, game
from inarow.rules.notation import NotationError, format_move, format_moves, parse_move, parse_moves
from inarow.rules.position import FIRST, SECOND, IllegalMove, Outcome, Player, Position, as_move

__all__ = [
    "CONNECT4",
    "FIRST",
    "GAMES",
    "SECOND",
    "TICTACTOE",
    "Game",
    "IllegalMove",
    "NotationError",
    "Outcome",
    "Player",
    "Position",
    "UnknownGame",
    "as_move",
    "format_move",
    "format_moves",
    "game",
    "parse_move",
    "parse_moves",
]
