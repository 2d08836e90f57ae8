"""A search of self-play that Python can call."""

from __future__ import annotations

from inarow.kernels.common.board import popcount, winning_cells
from inarow.kernels.lang.jit import kernel
from inarow.kernels.ntuple import look_ahead
from inarow.kernels.ntuple.arguments import Ints, Log, Net, Settings, Stones, Work
from inarow.kernels.ntuple.board import Sums
from inarow.kernels.ntuple.network import hold


@kernel
def search(
    net: Net, work: Work, log: Log, mine: int, other: int, settings: Settings, notes: Ints
) -> tuple[int, float, int, float]:
    """The best move as a stone, its value, the rows logged, and the factor of the leaf, which is logged behind them."""
    k, stride, board, features = net.rules.k, net.rules.stride, net.rules.board, net.rules.features
    stones = Stones(mine, other, winning_cells(mine, k, stride, board), winning_cells(other, k, stride, board))
    player = popcount(mine | other) & 1
    sums = Sums(hold(net, work, 0, 0), hold(net, work, 1, features))
    stone, value, rows = look_ahead.search(net, work, log, stones, player, sums, settings, notes, 0)
    factor = look_ahead.log_leaf(net, work, log, stones, player, sums, settings, notes, rows)
    return stone, value, rows, factor
