"""What a side is sure of by *following up*: a bound on scores by parity, proven here and checked on small boards.

Let A be to move and B the other. Number the free cells of each column from the top: 1, 2, 3 … The odd ones are
*claimed* (the top cell, and every second below it). B follows up: it answers in the column in which A has just played,
right above. In a column with an even number of free cells A then gets the unclaimed cells and B the claimed ones.
A column with an odd number begins with a claimed cell that is *contested*: if the number of such columns is even, B
pairs them; when A takes the contested cell of one, B takes that of its partner, and both columns are even from then on.
So B always has an answer, A never gets more than its own stones, the unclaimed cells and the contested cells,
and nothing above a claimed cell where B wins, because the game ends there. Therefore:

- if these cells hold no line for A, A can't win: its score is at most 0;
- if besides B has a winning cell among the claimed ones that are not contested, B wins, at the latest when everything
  else is full: A must then play right below one of these cells;
- if B's stones and those claimed cells hold a line, B wins with the last stone at the latest.

If the number of columns with an odd number of free cells is odd, B needs one among them, the *threat column*, with a
winning cell that is unclaimed, so that an odd number of free cells lies below it: there A plays first and
last below B's winning cell, the others are as above, and B wins. This is the odd threat of the first player.
"""

from __future__ import annotations

from inarow.bits import Layout, has_line, popcount
from inarow.kernels.solver.state import Search

NO_BOUND = 100


def follow_up(board: Search | Layout, own: int, occupied: int, direct: int, theirs: int) -> tuple[int, int]:
    """Return an upper bound on the mover's score, NO_BOUND if following up proves nothing; and the cells, as bits, in
    one of which the other side completes its line at the latest, if such cells decide.

    ``own`` are the mover's stones, ``direct`` the cells that can be played, ``theirs`` the other side's winning cells.
    The mover must not be able to win with its next stone.
    """
    stride, k = board.stride, board.k
    claimed, spare, bottom = board.claimed, board.spare, board.bottom
    empty = board.board & ~occupied
    contested = direct & claimed
    sure = empty & claimed & ~contested
    wins = theirs & sure
    if popcount(contested) & 1 == 0:
        lowest = (wins | spare) & ~((wins | spare) - bottom)  # of each column; the spare bit where there is none
        upwards = spare - lowest  # these cells and all above them
        if has_line(own | (empty & ~claimed & ~(upwards << 1)) | contested, k, stride):
            return NO_BOUND, 0
        if wins != 0:
            return -(popcount(upwards | ((lowest & ~spare) >> 1)) // 2), lowest & ~spare
        return (-1 if has_line((occupied ^ own) | sure, k, stride) else 0), 0
    left = contested
    while left != 0:
        cell = left & -left
        left ^= cell
        top = spare & ~(cell - 1)
        top &= -top
        column = top - cell
        threat = theirs & column & ~claimed
        if threat != 0:
            threat &= -threat
            beyond = top - threat
            others = (wins & ~column) | spare
            lowest = others & ~(others - bottom)
            upwards = spare - lowest
            reach = (empty & ~claimed & ~(upwards << 1) & ~column) | (contested ^ cell) | (claimed & column & ~beyond)
            if not has_line(own | reach, k, stride):
                return -(popcount(upwards | ((lowest & ~spare) >> 1) | beyond | (threat >> 1)) // 2), threat
    return NO_BOUND, 0
