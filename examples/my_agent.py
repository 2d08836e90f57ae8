"""An agent of your own: it wins if it can, blocks if it must, and else plays as near to the centre as it can.

Run this file to let it play, or hand it to any command: inarow match connect4 file:examples/my_agent.py rules
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
    """The player in one seat of one match; what it wants to remember between moves it keeps in `self`."""

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
