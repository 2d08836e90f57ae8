"""Training matches of an n-tuple network whose moves a Monte Carlo tree search chooses and judges."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow import bits
from inarow.agents.base import Decision
from inarow.agents.learned import Learned
from inarow.agents.mcts import Mcts, MctsMind
from inarow.kernels.common import tactics
from inarow.kernels.ntuple import points, self_play
from inarow.kernels.ntuple.arguments import Log, Settings
from inarow.models.network import Network
from inarow.randomness import Stream
from inarow.rules import Position

MEMORY = 8
"""MB for a tree, which is thrown away after each move."""


def result_of(plies: int, final: float) -> int:
    """The index in the tally of `self_play` of a match's result, by its plies and its end for the side to move."""
    if final == 0:
        return self_play.DRAWS
    return self_play.FIRST_WINS if (final > 0) == (plies % 2 == 0) else self_play.SECOND_WINS


class Visit(NamedTuple):
    """A position in which a move was chosen."""

    ply: int
    value: float
    """That of the best move, one ply later."""
    explored: bool
    """Whether another move was played."""


class TreePlay:
    """Plays with a copy of a network in whole points, which follows what the network learns."""

    def __init__(self, network: Network, simulations: int) -> None:
        self.network = network
        self.game = network.game
        self.copy = Network(network.layout, gamma=network.gamma, tactics=network.tactics, weights=network.weights)
        self.agent = Mcts(simulations=simulations, prior=Learned(), leaf="ntuple", keep=False, memory=MEMORY)
        self.copy.prepare()

    def play(self, log: Log, settings: Settings, stream: Stream) -> tuple[int, int, float]:
        """Play a match; its plies, the rows of the log that are filled, and the value of the end to the side to
        move."""
        mind = MctsMind(self.agent, self.game, stream, self.copy)
        position, visits = Position.start(self.game), list[Visit]()
        opening = 0
        if settings.longest_opening > 0 and stream.uniform() < settings.openings:
            opening = 1 + stream.below(settings.longest_opening)
        while True:
            position, final = self._followed(position, settings.gamma)
            if final is not None:
                break
            moves = self._safe(position)
            move = stream.choice(moves)
            if position.ply >= opening:
                decision = mind.decide(position)
                explored = stream.uniform() < settings.epsilon and move != decision.move
                self._note(log, len(visits), position)
                visits.append(Visit(position.ply, self._value(position, decision), explored))
                move = move if explored else decision.move
            position = position.play(move)
        rows = self._write_returns(log, visits, position.ply, final, settings)
        return position.ply, rows, final

    def follow(self, log: Log, rows: int) -> None:
        """Copy the weights that were learnt from these rows of a log."""
        layout = self.network.layout
        width = layout.features + layout.wide_features
        at = layout.features + width
        touched = np.unique(log.index[at : at + rows * width])
        for side in range(2):
            whole = np.rint(self.network.weights[side, touched].astype(np.float64) * points.SCALE)
            self.copy.whole.weights[side * layout.size + touched] = whole.astype(np.int32)

    def _followed(self, position: Position, gamma: float) -> tuple[Position, float | None]:
        """The position after forced blocks, and its value to the side to move if it is decided."""
        outcome = position.outcome()
        if outcome is not None:
            return position, 0.0 if outcome.winner is None else -1.0
        if not self.network.tactics:
            return position, None
        game = self.game
        forced = np.zeros(game.cells + 1, np.int64)
        rules = game.k, game.stride, game.board, game.bottom, game.gravity
        status, blocks = tactics.settled(position.mover, position.waiter, *rules, forced)
        for cell in forced[:blocks]:
            position = position.play(game.move_of_bit(bits.lowest(int(cell))))
        return position, {tactics.WON: gamma, tactics.LOST: -gamma * gamma, tactics.DRAWN: 0.0}.get(status)

    def _value(self, position: Position, decision: Decision) -> float:
        """The value of the move of a decision: the tree's, or the network's if no simulation tried it."""
        if decision.value is None:
            return self.network.judge(position)[decision.move]
        return self.network.gamma * decision.value

    def _safe(self, position: Position) -> list[int]:
        """The moves to choose from: with tactics, none that lets the other side win above it."""
        moves = list(position.legal_moves())
        if not (self.network.tactics and self.game.gravity):
            return moves
        return [move for move in moves if move not in position.play(move).winning_moves()]

    def _note(self, log: Log, row: int, position: Position) -> None:
        """Write the indices of a position to a row of the log."""
        layout, work = self.network.layout, self.copy.whole_work()
        self.network.set_up(work, position)
        points.points_of(self.copy.whole, work, position.mover, position.waiter)
        width = layout.features + layout.wide_features
        at = layout.features + (1 + row) * width
        log.index[at : at + width] = work.index[layout.features : layout.features + width]
        log.sides[row] = int(position.to_move)

    def _write_returns(self, log: Log, visits: list[Visit], end: int, final: float, settings: Settings) -> int:
        """Write the targets of a match, from the last position back: the value of the best move, mixed with what then
        happened. How many rows are to be learnt from."""
        result, later = final, end
        for row in reversed(range(len(visits))):
            visit = visits[row]
            result *= (-settings.gamma) ** (later - visit.ply)
            later = visit.ply
            result = (1.0 - settings.trace) * visit.value + settings.trace * result
            if visit.explored:  # a random move counts only if it turned out better than the best one promised
                result = max(result, visit.value)
            log.targets[row] = result
        return len(visits) if settings.final else max(0, len(visits) - 1)
