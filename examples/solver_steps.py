"""An exact solver for Connect 4 in plain Python, built up in steps; it prints the nodes visited by each.

python examples/solver_steps.py          # ten positions with 32 stones, a few seconds
python examples/solver_steps.py --more   # also ten with 24 and with 18, where the last steps matter; two minutes

A score is for the side to move: the number of stones that the winner still has in hand before its winning move.
"""

import sys

from inarow.bits import has_line, playable, popcount, winning_cells
from inarow.randomness import Stream
from inarow.rules import CONNECT4, Game, Position

STEPS = (
    "negamax on bitboards",
    "alpha–beta",
    "immediate wins and forced moves",
    "null windows",
    "centre first",
    "winning cells first",
    "transposition table",
    "bound by parity",
)


class Solver:
    """Solves positions with the first few of these steps and counts nodes: positions visited below the root."""

    def __init__(self, game: Game, steps: int) -> None:
        self.game = game
        self.pruning, self.forcing, self.null_windows, self.centre, self.threats, self.tabled, self.parity = (
            step < steps for step in range(1, len(STEPS))
        )
        middle = (game.columns - 1) / 2
        self.columns = sorted(range(game.columns), key=lambda column: abs(column - middle) if self.centre else column)
        self.table: dict[tuple[int, int], tuple[int, int]] = {}
        self.claimed = sum(game.bottom << row for row in range(game.rows - 1, -1, -2))
        """The top cell of each column and every second below it."""
        self.nodes = 0

    def score(self, position: Position) -> int:
        """Return the exact score of a position."""
        stones = position.second if position.to_move else position.first
        high = (self.game.cells + 1) // 2
        low = -high
        if not self.null_windows:
            return self.search(stones, position.occupied, low, high)
        while low < high:  # null-window searches until the bounds meet
            middle = (low + high) // 2
            found = self.search(stones, position.occupied, middle, middle + 1)
            low, high = (found, high) if found > middle else (low, found)
        return low

    def search(self, own: int, occupied: int, alpha: int, beta: int) -> int:
        """Return the score if it is between alpha and beta, else a bound on the same side of the window."""
        game, opp, left = self.game, occupied ^ own, self.game.cells - popcount(occupied)
        if has_line(opp, game.k, game.stride):
            return -((left + 2) // 2)
        if left == 0:
            return 0
        moves = free = playable(occupied, game.bottom, game.board, game.gravity)
        low, high = -(left // 2), (left + 1) // 2
        if self.forcing:
            if self.wins(own) & free:
                return high
            theirs = self.wins(opp) & ~occupied
            forced = free & theirs
            moves = (forced or free) & ~(theirs >> 1)  # block, and never play right below a winning cell of theirs
            if moves == 0 or forced & (forced - 1):  # no safe move, or two cells to block
                return low
            low, high = -((left - 2) // 2), (left - 1) // 2
        if self.tabled:
            known = self.table.get((own, occupied), (low, high))
            low, high = max(low, known[0]), min(high, known[1])
        if self.parity:
            high = min(high, self.follow_up_bound(own, occupied, free, high))
        if self.pruning and (low >= beta or high <= alpha or low == high):
            return low if low >= beta else high
        best = -left
        for move in self.ordered(own, occupied, moves):
            self.nodes += 1
            best = max(best, -self.search(opp, occupied | move, -beta, -max(alpha, best)))
            if self.pruning and best >= beta:
                break
        if self.tabled:
            self.table[own, occupied] = (best if best > alpha else low, best if best < beta else high)
        return best

    def ordered(self, own: int, occupied: int, cells: int) -> list[int]:
        """Return the moves in search order."""
        game = self.game
        moves = [cells & game.move_masks[column] for column in self.columns if cells & game.move_masks[column]]
        if self.threats:
            moves.sort(key=lambda move: -popcount(self.wins(own | move) & ~occupied))
        return moves

    def wins(self, stones: int) -> int:
        """Return the cells where one more of these stones would complete a line."""
        return winning_cells(stones, self.game.k, self.game.stride, self.game.board)

    def follow_up_bound(self, own: int, occupied: int, free: int, high: int) -> int:
        """Return what the opponent can hold the side to move to by always answering right above its stone, if that is
        less than ``high``.

        So the opponent gets the claimed cells. Where a column begins with one, that cell is contested: an even number
        of those is paired, and the opponent answers one with its partner.
        """
        game, empty = self.game, self.game.board & ~occupied
        contested = free & self.claimed
        if popcount(contested) % 2 or has_line(own | empty & ~self.claimed | contested, game.k, game.stride):
            return high
        return -1 if has_line(occupied ^ own | empty & self.claimed & ~contested, game.k, game.stride) else 0


def positions(stones: int, count: int = 10) -> list[Position]:
    """Return random positions of Connect 4 without an immediate win for the side to move; the same ones each time."""
    random, found = Stream(stones), list[Position]()
    while len(found) < count:
        position = Position.start(CONNECT4)
        while position.ply < stones and position.outcome() is None:
            position = position.play(random.choice(position.legal_moves()))
        if position.outcome() is None and not position.winning_moves():
            found.append(position)
    return found


def nodes_by_step(stones: int, first: int = 1) -> list[int]:
    """Return the total nodes of each step, from the first on, over all positions; all steps give the same scores."""
    counts, scores = list[int](), list[list[int]]()
    for steps in range(first, len(STEPS) + 1):
        nodes, row = 0, list[int]()
        for position in positions(stones):
            solver = Solver(CONNECT4, steps)
            row.append(solver.score(position))
            nodes += solver.nodes
        counts.append(nodes)
        scores.append(row)
    assert all(row == scores[0] for row in scores), scores
    return counts


SETS = {32: 1, 24: 2, 18: 6}
"""By number of stones, the first step that solves such positions in reasonable time."""

if __name__ == "__main__":
    for stones in SETS if "--more" in sys.argv else [32]:
        print(f"nodes in ten positions with {stones} stones")
        for name, nodes in zip(STEPS[SETS[stones] - 1 :], nodes_by_step(stones, SETS[stones]), strict=True):
            print(f"{nodes:>12,}  {name}")
