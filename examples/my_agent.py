"""A custom agent: it plays an immediate win, else a block, else the move nearest the centre.

Run this file to see it play, or pass it to any command: inarow match connect4 file:examples/my_agent.py rules
"""

from dataclasses import dataclass

import inarow


@dataclass(frozen=True)
class Central(inarow.Agent):
    """The configuration; an agent is a frozen dataclass that makes a mind for each match."""

    name = "central"
    summary = "win, block, or else the centre"

    def mind(self, game: inarow.Game, player: inarow.Player, seed: int) -> inarow.Mind:
        return CentralMind()


class CentralMind(inarow.Mind):
    """The player in one seat of one match; state between moves is kept in `self`."""

    def think(self, position: inarow.Position, limit: inarow.Limit, stop: object) -> inarow.Decision:
        middle = (position.game.columns - 1) / 2
        moves = position.winning_moves() or position.winning_moves(position.to_move.other) or position.legal_moves()
        return inarow.Decision(min(moves, key=lambda move: abs(move % position.game.columns - middle)))


if __name__ == "__main__":
    series = inarow.play_series("connect4", Central(), "random", matches=20)
    wins = series.wins
    print(f"{wins} of {series.matches} matches won against random")
    accuracy = inarow.grade("tictactoe", Central()).total
    print(f"{accuracy.kept} of {accuracy.moves} moves in Tic Tac Toe keep the exact verdict")
