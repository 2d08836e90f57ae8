"""Calls of kernels whose arguments have changed since their calls were recorded.

An adapter takes the recorded arguments; it returns those of today, and a function that writes what the kernel changed
back to the recorded arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.kernels.alphabeta import DepthSearch, SearchState, new_search, search_moves
from inarow.kernels.batch import new_setup
from inarow.kernels.evaluate import SearchSetup
from inarow.kernels.lang.jit import kernel
from inarow.kernels.lang.records import array_of, write_fields
from inarow.kernels.mcts import ROOTS, GuidedNode, Node, Options, Prior, TreeState
from inarow.kernels.ntuple import Net, NetBoard, NetworkRules, Work
from inarow.kernels.qlearning import Progress
from inarow.kernels.qlearning import TableRecord as QTable

Ints = NDArray[np.int64]

Adapted = tuple[list[Any], Callable[[], None]]


@kernel
def search_root(
    setup: SearchSetup,
    search: SearchState,
    own: int,
    opp: int,
    depth: int,
    cells: Ints,
    values: Ints,
    lines: Ints,
    board: NetBoard | None,
) -> int:
    """DepthSearch at the root, of which calls were recorded; now it is part of a kernel."""
    return search_moves(DepthSearch(setup, search, board), own, opp, depth, len(cells), cells, values, lines)


def _batch(given: list[Any]) -> Adapted:
    *others, setup = given
    names = ("k", "stride", "board", "bottom", "gravity", "moves", "columns", "rows", "opponent", "seat")
    return [*others, new_setup(masks=setup[10:], **dict(zip(names, setup.tolist(), strict=False)))], lambda: None


# The setup of a search as one array: these fields at these places; the weights, the order of moves, and the images.
SETUP = (
    "k", "stride", "board", "bottom", "gravity", "moves", "symmetries", "prune", "ordering", "use_tt", "use_symmetry",
    "root", "stone_cost", "searcher", "", "", "", "win", "", "", "evaluator",
)  # fmt: skip
WEIGHTS, ORDER, IMAGES = 24, 24 + 205, 24 + 205 + 63
CENTRE = 11
"""Among the weights."""


def search_setup(given: Ints) -> SearchSetup:
    """Return the setup of a search that was recorded as an array."""
    setup = SearchSetup()
    for at, name in enumerate(SETUP):
        if name:  # where leaves of the first player were evaluated for the second one, that one searched
            setattr(setup, name, int(given[at]))
    setup.weights[:6], setup.weights[6:] = given[WEIGHTS : WEIGHTS + 6], given[WEIGHTS + CENTRE : WEIGHTS + CENTRE + 3]
    setup.order[:] = given[ORDER:IMAGES]
    setup.images[:] = given[IMAGES:].reshape(8, 63)
    return setup


# What a search wrote, as one array: these fields, and arrays.
STATE = {"nodes": 0, "leaves": 1, "cutoffs": 2, "look": 3, "limit": 4, "stopped": 5, "root_ply": 8, "generation": 9}
ARRAYS = {"visits": 16, "history": 16 + 64, "lengths": 16 + 64 + 128, "lines": 16 + 64 + 128 + 65}
MOVES = ARRAYS["lines"] + 65 * 64
SCORES = MOVES + 64 * 64


def _alphabeta(given: list[Any]) -> Adapted:
    own, opp, depth, _, setup, work, *rest = given
    table, stop, *answer = rest
    search = new_search(len(table) // 4)
    search.stop = stop
    for name, at in STATE.items():
        setattr(search, name, int(work[at]))
    for name, at in ARRAYS.items():
        array = getattr(search, name)
        array[:] = work[at : at + array.size].reshape(array.shape)
    moves = np.asarray(search.moves)
    moves["cell"], moves["score"] = work[MOVES:SCORES].reshape(64, 64), work[SCORES:].reshape(64, 64)
    entries: Any = search.tt
    words = table.reshape(-1, 4)
    packed = {"generation": (16, -1), "depth": (8, 0xFF), "bound": (6, 3), "tt_move": (0, 63)}
    for name, at in (("own", 0), ("opp", 1), ("value", 2)):
        entries[name] = words[:, at]
    for name, (shift, mask) in packed.items():
        entries[name] = words[:, 3] >> shift & mask

    def write_back() -> None:
        for name, at in STATE.items():
            work[at] = getattr(search, name)
        for name, at in ARRAYS.items():
            array = getattr(search, name)
            work[at : at + array.size] = array.reshape(-1)
        work[MOVES:SCORES], work[SCORES:] = moves["cell"].reshape(-1), moves["score"].reshape(-1)
        for at, name in enumerate(("own", "opp", "value")):
            words[:, at] = entries[name]
        words[:, 3] = sum(entries[name].astype(np.int64) << shift for name, (shift, _) in packed.items())

    cells, values, lines, *network = answer
    board = NetBoard(*network) if network else None
    return [search_setup(setup), search, own, opp, depth, cells, values, lines, board], write_back


class _Tree:
    """A tree that was recorded as an array of numbers and one of nodes."""

    NAMES = ("used", "random", "deepest", "visited")

    def __init__(self, memo: Ints, nodes: Any) -> None:
        self.memo, self.recorded = memo, nodes
        self.state, self.nodes = TreeState(), self.converted(nodes)
        for name, value in zip(self.NAMES, memo.tolist(), strict=False):
            setattr(self.state, name, value)

    @staticmethod
    def converted(recorded: Any) -> Any:
        """Return nodes as they are now."""
        nodes: Any = array_of(Node if "spread" in recorded.dtype.names else GuidedNode, len(recorded))
        info = recorded["info"]
        for name in nodes.dtype.names:
            shift = {"cell": 0, "count": 6, "status": 12}.get(name)
            nodes[name] = recorded[name] if shift is None else info >> shift & (3 if name == "status" else 63)
        return nodes

    @staticmethod
    def write(nodes: Any, recorded: Any) -> None:
        """Write nodes back."""
        for name in set(nodes.dtype.names) & set(recorded.dtype.names):
            recorded[name] = nodes[name]
        cell, count, status = (nodes[name].astype(np.int32) for name in ("cell", "count", "status"))
        recorded["info"] = cell | count << 6 | status << 12

    def write_back(self) -> None:
        """Write everything back."""
        for at, name in enumerate(self.NAMES[: len(self.memo)]):
            self.memo[at] = getattr(self.state, name)
        self.write(self.nodes, self.recorded)


_ROOTS = np.zeros(ROOTS)
"""In the place of a table of logarithms."""


def _simulate(given: list[Any]) -> Adapted:
    at = next(i for i, value in enumerate(given) if isinstance(value, np.ndarray))
    setup, memo, nodes = given[at : at + 3]
    tree = _Tree(memo, nodes)
    if tree.nodes[0].first == 0:
        tree.nodes[0].cell = 0  # as the recorded searches cleared it
    own, opp, simulations, node_limit, c, _, *switches = given[:at]
    *_, stop = (value for value in given[at + 3 :] if isinstance(value, np.ndarray))
    prior = None
    if isinstance(given[-1], Work):
        temperature, leaf, net, board = given[-4:]
        prior = Prior(NetBoard(net, board), temperature, leaf == 1)
    rules, prove, until_proven = switches
    options = Options(c, rules, prove, until_proven, _ROOTS)
    start = [search_setup(setup), tree.state, tree.nodes, own, opp, simulations, node_limit]
    return [*start, options, prior, stop], tree.write_back


def _least_visits(given: list[Any]) -> Adapted:
    most, memo, nodes, stop = given
    tree = _Tree(memo, nodes)
    return [tree.state, tree.nodes, most, stop], tree.write_back


def _keep_below(given: list[Any]) -> Adapted:
    root, ply, least, memo, nodes, copy, stop = given
    tree, other = _Tree(memo, nodes), _Tree.converted(copy)

    def write_back() -> None:
        tree.write_back()
        _Tree.write(other, copy)

    return [tree.state, tree.nodes, other, root, ply, least, stop], write_back


def _expected_line(given: list[Any]) -> Adapted:
    nodes, *rest = given
    return [_Tree.converted(nodes), *rest], lambda: None


def _rules(given: Any) -> NetworkRules:
    rules = NetworkRules()
    write_fields(rules, *given.tolist())
    return rules


def _points_after(given: list[Any]) -> Adapted:
    setup, *rest = given
    return [search_setup(setup), *rest], lambda: None


def _qtable(given: Any) -> tuple[QTable, Callable[[], None]]:
    """Return a table that was recorded as a tuple of arrays."""
    rows, moves, start, keys, values, visits, used = given
    table = QTable()
    write_fields(table, rows, moves, start, *used.tolist(), keys, values, visits)

    def write_back() -> None:
        used[:] = table.used, table.most

    return table, write_back


def _progress(given: Any) -> tuple[Progress, Callable[[], None]]:
    """Return the progress of a learner that was recorded as a tuple of arrays."""
    counters, random, tally = given
    progress = Progress()
    write_fields(progress, *counters.tolist(), *random.tolist(), *tally.tolist())

    def write_back() -> None:
        counters[:], random[:] = (progress.episodes, progress.moves), progress.random
        names = ("wins", "draws", "losses", "plies", "rewards", "errors", "updates")
        tally[:] = [getattr(progress, name) for name in names]

    return progress, write_back


def _episodes(given: list[Any]) -> Adapted:
    given[0], table_back = _qtable(given[0])
    del given[5]  # an evaluator that added nothing to rewards
    given[5], progress_back = _progress(given[5])

    def write_back() -> None:
        table_back()
        progress_back()

    return given, write_back


def _graph_episodes(given: list[Any]) -> Adapted:
    given[3], write_back = _progress(given[3])
    return given, write_back


def _judge(given: list[Any]) -> Adapted:
    given[0], write_back = _qtable(given[0])
    return given, write_back


ADAPTERS: dict[str, Callable[[list[Any]], Adapted]] = {
    "inarow.kernels.alphabeta.learned.search_root": _alphabeta,
    "inarow.kernels.alphabeta.search.search_root": _alphabeta,
    "inarow.kernels.batch.step.clear_all": _batch,
    "inarow.kernels.batch.step.step": _batch,
    "inarow.kernels.common.evaluate.points_after": _points_after,
    "inarow.kernels.mcts.guided.simulate": _simulate,
    "inarow.kernels.mcts.search.expected_line": _expected_line,
    "inarow.kernels.mcts.search.keep_below": _keep_below,
    "inarow.kernels.mcts.search.least_visits": _least_visits,
    "inarow.kernels.mcts.search.simulate": _simulate,
    "inarow.kernels.qlearning.qgraph.episodes": _graph_episodes,
    "inarow.kernels.qlearning.qlearn.episodes": _episodes,
    "inarow.kernels.qlearning.qtable.judge": _judge,
}


RENAMED = {"Table": "TableRecord", "Guide": "GuideRecord", "Setup": "BatchSetup", "Rules": "NetworkRules"}
"""Records of kernels that have another name now."""
MOVED = {
    "inarow.kernels.batch.step": "inarow.kernels.batch",
    "inarow.kernels.common.evaluate": "inarow.kernels.evaluate",
    "inarow.kernels.common.tactics": "inarow.kernels.ntuple",
    "inarow.kernels.ntuple.network": "inarow.kernels.ntuple",
    "inarow.kernels.ntuple.points": "inarow.kernels.ntuple",
    "inarow.kernels.qlearning.arguments": "inarow.kernels.qlearning",
    "inarow.kernels.qlearning.arguments:Graph": "inarow.kernels.qgraph",
    "inarow.kernels.qlearning.qgraph": "inarow.kernels.qgraph",
    "inarow.kernels.qlearning.qlearn": "inarow.kernels.qlearning",
    "inarow.kernels.qlearning.qtable": "inarow.kernels.qlearning",
    "inarow.kernels.qlearning.rates": "inarow.kernels.qlearning",
    "inarow.kernels.alphabeta.learned": "support.recorded_adapters",
    "inarow.kernels.alphabeta.search": "support.recorded_adapters",
    "inarow.kernels.mcts.guided": "inarow.kernels.mcts",
    "inarow.kernels.mcts.search": "inarow.kernels.mcts",
    "inarow.kernels.ntuple.arguments": "inarow.kernels.td",
    "inarow.kernels.ntuple.self_play": "inarow.kernels.td",
    "inarow.kernels.ntuple.td_learning": "inarow.kernels.td",
}
"""Where kernels, and the tuples that they take, are now."""


SCRATCH = {"inarow.kernels.alphabeta.learned.search_root": (1, MOVES)}
"""For a recorded kernel the array, and the index in it, from which on there are lists of moves, which may differ."""


def adapted(name: str, given: list[Any]) -> Adapted:
    """Return the arguments of today for a recorded call, and what writes the changes back."""
    given = [value._replace(rules=_rules(value.rules)) if isinstance(value, Net) else value for value in given]
    adapter = ADAPTERS.get(name)
    return (given, lambda: None) if adapter is None else adapter(given)
