"""What R4 published, row by row, and the runs of its printed program that each row is compared with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from inarow.reproductions.assessment import Counts, Row, Verdict
from inarow.reproductions.distributions import Sample, published, shipped_runs
from inarow.reproductions.sampling import LEARNER, Experiment, Pairing, Searches, Source

DEFAULT, PLAIN, PRUNED, LEARNS = "r4-default", "r4-minimax:pruning=off", "r4-minimax:pruning=on", "r4-qlearning"
DEPTHS = (1, 2, 3, 4, 5)
UNPRINTED = {
    f"{window} window, {order}, leaf for {leaf}": f"{PRUNED},window={window},{spec},{view}"
    for window in ("full", "carried")
    for order, spec in (("left first", "order=left"), ("centre first", "order=centre"))
    for leaf, view in (("the side to move", "leaf=mover"), ("the searcher", "leaf=searcher"))
}
"""How the pruned search, which is not printed, may have counted: each by nodes and by leaves, so 16 readings."""


def _with_learner(against: int, other: int) -> tuple[Pairing, ...]:
    return (
        Pairing("Q-learning vs default", LEARNER, DEFAULT, against),
        Pairing("default vs Q-learning", DEFAULT, LEARNER, against),
        Pairing("Minimax vs Q-learning", PRUNED, LEARNER, other),
    )


SOURCES: tuple[Source, ...] = (
    Experiment("tictactoe", "tictactoe", (
        Pairing("Minimax vs default", PLAIN, DEFAULT, 100),
        Pairing("Minimax-AB vs default", PRUNED, DEFAULT, 100),
        Pairing("Minimax vs Minimax-AB", PLAIN, PRUNED, 100, once=True),
        Pairing("default vs random", DEFAULT, "random", 100),
        Pairing("random vs default", "random", DEFAULT, 100),
    )),
    Experiment("connect4", "connect4", (
        Pairing("Minimax vs default", PLAIN, DEFAULT, 50),
        Pairing("Minimax-AB vs default", PRUNED, DEFAULT, 50),
        Pairing("Minimax vs Minimax-AB", PRUNED, PRUNED, 20),
        Pairing("default vs random", DEFAULT, "random", 100),
    )),
    Experiment("tictactoe second seat", "tictactoe", (Pairing("default vs Minimax-AB", DEFAULT, PRUNED, 100),)),
    Experiment("connect4 second seat", "connect4", (Pairing("default vs Minimax-AB", DEFAULT, PRUNED, 50),)),
    Experiment("tictactoe learner", "tictactoe", _with_learner(100, 100), LEARNS,
               (("random", 10_000, ""),)),
    Experiment("connect4 learner, trained against random", "connect4", _with_learner(50, 20), LEARNS,
               (("random", 5_000, ""),)),
    Experiment("connect4 learner, trained against default", "connect4", _with_learner(50, 20), LEARNS,
               ((DEFAULT, 5_000, ""),)),
    Searches("searches", "connect4", {
        **{f"printed, limit {depth}": f"{PLAIN},depth={depth}" for depth in DEPTHS},
        **{f"printed, pruned, limit {depth}": f"{PRUNED},depth={depth}" for depth in (*DEPTHS, 6)},
        **{f"corrected, limit {depth}": f"{PLAIN},fixed=on,depth={depth}" for depth in DEPTHS},
        **{f"{name}, limit {d}": f"{spec},depth={d - 1}" for name, spec in UNPRINTED.items() for d in DEPTHS},
    }),
    Searches("first move", "tictactoe", {"Minimax": PLAIN, "Minimax-AB": PRUNED}),
)  # fmt: skip
"""What ``scripts/report_runs.py r4`` runs. With pruning or without, minimax plays the same moves."""


GAMES = {"2": 100, "3": 100, "6": 50, "7": 20}
"""That the report played for each table."""
ORDER = "the game class lists moves row by row"
UNSTATED = "the default opponent's code is not printed, its text is followed"


def rows() -> list[Row]:
    """Return every published row: outcomes, the default opponent, training, nodes a move, nodes by depth."""
    runs = shipped_runs("r4")
    made = [_outcome(row, runs) for row in published("r4_tables")]
    for game, wins in (("tictactoe", 92), ("connect4", 98)):
        made.append(
            Row(
                f"{game} default vs random", ("§4", game, "default vs random", "wins"), f"{wins} %", 100,
                [(wins, 0, 100 - wins)], (0,), readings={"first seat": runs[f"{game} / default vs random"]},
                assumed="of 100 games", open="the number of games and the seat",
            )
        )  # fmt: skip
    made.append(
        Row(
            "tictactoe training", ("§6", "tictactoe", "Q-learning vs random", "wins in training"), "about 76 %", 10_000,
            [(7_500 + step, 0, 2_500 - step) for step in range(0, 201, 20)], (0,),
            readings={"": runs["tictactoe learner / training"]}, assumed="“about” is 75 to 77",
        )
    )  # fmt: skip
    return [*made, *_nodes_a_move(runs), *_by_depth(runs)]


def _outcome(row: Mapping[str, str], runs: Mapping[str, Sample]) -> Row:
    table, game, games = row["table"], row["game"], GAMES[row["table"]]
    pair = row["row"].replace(" depth 4", "")
    shares = [int(row[name]) for name in ("first_or_win_pct", "draw_pct", "second_or_loss_pct")]
    counts: Counts = (round(shares[0] * games / 100), round(shares[1] * games / 100), round(shares[2] * games / 100))
    readings: dict[str, Sample] = {}
    assumed, unstated, proof = UNSTATED, "", ""
    if pair == "Minimax vs Minimax-AB":
        assumed = ORDER if game == "tictactoe" else "limit 4 in both"
        readings = {"": runs[f"{game} / {pair}"]}
        if game == "tictactoe" and not can_draw():
            proof = "as O it plays for X's win, and no way of breaking ties ends in a draw"
    elif pair.startswith("Q-learning"):
        trainings = {"tictactoe": ("",), "connect4": (", trained against random", ", trained against default")}[game]
        for name in trainings:
            for seat, key in (("first", pair), ("second", "default vs Q-learning")):
                sample = runs[f"{game} learner{name} / {key}"]
                readings[f"{seat} seat{name}"] = sample if seat == "first" else sample.turned()
        unstated = "whom the learner met in training" if game == "connect4" else ""
    elif pair.endswith("Q-learning"):
        trainings = {"tictactoe": ("",), "connect4": (", trained against random", ", trained against default")}[game]
        readings = {name.strip(", "): runs[f"{game} learner{name} / Minimax vs Q-learning"] for name in trainings}
        assumed = "trained as X only, the learner sits second and moves at random"
        if game == "tictactoe":
            assumed += f"; {ORDER}: exact chance of a draw {varied_orders()}"
            unstated = "the order of moves"
    else:
        readings = {
            "first seat": runs[f"{game} / {pair}"],
            "second seat": runs[f"{game} second seat / default vs Minimax-AB"].turned(),
        }
    return Row(
        f"{table} {pair}", (table, game, row["row"], "win / draw / loss"), " / ".join(map(str, shares)), games,
        [counts], readings=readings, assumed=assumed, open=unstated, proof=proof,
    )  # fmt: skip


def _nodes_a_move(runs: Mapping[str, Sample]) -> Iterator[Row]:
    """Yield the rows on nodes a move: too few for the first move alone, spread over all moves of a game."""
    most = {"tictactoe": 5, "connect4": 21}
    for row in published("r4_efficiency"):
        game, name, nodes = row["game"], row["agent"], row["nodes_per_move"]
        key, labels = f"{game} {name} nodes", ("4", game, name, "nodes a move")
        if not nodes:
            why = "seconds of another machine, and no nodes"
            yield Row(key, labels, row["time_per_move_s"] + " s", why=why)
            continue
        first = _first_move(runs, game, name)
        least = first / most[game]
        proof = (
            f"its first move alone visits {first:,} nodes; over at most {most[game]} moves of a game the mean is at "
            f"least {least:,.0f}"
        )
        yield Row(key, labels, nodes, proof=proof if least > float(nodes) else "", why="no proof",
                  assumed="" if name == "Minimax" else "each root move is searched with a full window")  # fmt: skip


def _first_move(runs: Mapping[str, Sample], game: str, name: str) -> int:
    pruned = ", pruned" if name == "Minimax-AB" else ""
    key = f"first move / {name}" if game == "tictactoe" else f"searches / printed{pruned}, limit 4"
    return runs[key].runs[0].nodes


def _by_depth(runs: Mapping[str, Sample]) -> Iterator[Row]:
    """Yield table 5: the printed search has no chance in it, so that a different count is impossible."""
    for row in published("r4_scalability"):
        limit = row["depth"]
        for kind, label in (("minimax", "no pruning"), ("alphabeta", "pruning")):
            theirs, labels = row[f"nodes_{kind}"], ("5", "connect4", label, f"limit {limit}")
            key = f"limit {limit} {label}"
            if limit == "full":
                deepest, nodes = (5, "printed, limit 5") if kind == "minimax" else (6, "printed, pruned, limit 6")
                count = runs[f"searches / {nodes}"].runs[0].nodes
                bound = int(theirs.strip(">"))
                why = f"a bound: limit {deepest} has {count:,} nodes already, and each further ply multiplies them"
                yield Row(key, labels, theirs, verdict=Verdict.CONSISTENT, why=why if count * 7**3 > bound else "")
                continue
            count = runs[f"searches / printed{', pruned' if kind == 'alphabeta' else ''}, limit {limit}"].runs[0].nodes
            if kind == "minimax":
                leaves = runs[f"searches / corrected, limit {limit}"].runs[0].totals[0]
                same = f"; published are the {leaves:,} leaves of a corrected search" if leaves == int(theirs) else ""
                proof = f"the printed search counts {count:,}, always{same}"
                yield Row(key, labels, theirs, proof=proof if count != int(theirs) else "", why="")
                continue
            others = [runs[f"searches / {name}, limit {limit}"].runs[0] for name in UNPRINTED]
            counts = sorted({count} | {n for run in others for n in (run.nodes, *run.totals)})
            found = int(theirs) in counts
            why = (
                f"one of {2 * len(UNPRINTED)} readings counts this" if found
                else f"{2 * len(UNPRINTED)} readings count {counts[0]:,} to {counts[-1]:,}, none this"
            )  # fmt: skip
            verdict = Verdict.CONSISTENT if found else Verdict.NOT_REPRODUCED
            yield Row(key, labels, theirs, verdict=verdict, why=why, assumed="the pruned routine is not printed")


# Tic Tac Toe, exactly: R4's search as printed, by bitboards of X and O.

_LINES = (0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)


def _won(stones: int) -> bool:
    return any(stones & line == line for line in _LINES)


@cache
def _value(x: int, o: int, maximises: bool, depth: int) -> int:
    """Return R4's score of a position at a depth: wins count for X, whoever searches."""
    if _won(x):
        return 10 - depth
    if _won(o):
        return depth - 10
    if x | o == 0o777:
        return 0
    values = [_value(*after, not maximises, depth + 1) for after in _after(x, o)]
    return max(values) if maximises else min(values)


def _after(x: int, o: int) -> list[tuple[int, int]]:
    """Return the boards after each legal move."""
    free = [1 << cell for cell in range(9) if not (x | o) >> cell & 1]
    return [(x | cell, o) if x.bit_count() == o.bit_count() else (x, o | cell) for cell in free]


def _chosen(x: int, o: int) -> list[tuple[int, int]]:
    """Return the boards after each move that the printed search may choose: all of equal moves."""
    scored = [(_value(*after, False, 0), after) for after in _after(x, o)]
    best = max(score for score, _ in scored)
    return [after for score, after in scored if score == best]


@cache
def can_draw(x: int = 0, o: int = 0) -> bool:
    """Return True if some way of breaking ties lets the printed search draw against itself."""
    if _won(x) or _won(o):
        return False
    return x | o == 0o777 or any(can_draw(*after) for after in _chosen(x, o))


ORDERS = {
    "row by row": (0, 1, 2, 3, 4, 5, 6, 7, 8),
    "centre first": (4, 0, 2, 6, 8, 1, 3, 5, 7),
    "edges first": (1, 3, 5, 7, 0, 2, 6, 8, 4),
}


@cache
def draw_chance(order: tuple[int, ...], x: int = 0, o: int = 0) -> float:
    """Return the exact chance that a random O draws against the printed search, which tries moves in this order."""
    if _won(x) or _won(o):
        return 0.0
    if x | o == 0o777:
        return 1.0
    if x.bit_count() > o.bit_count():
        chances = [draw_chance(order, *after) for after in _after(x, o)]
        return sum(chances) / len(chances)
    chosen = min(_chosen(x, o), key=lambda after: order.index((after[0] ^ x).bit_length() - 1))
    return draw_chance(order, *chosen)


def varied_orders() -> str:
    """Return the exact chance of a draw for each order that was tried, in words."""
    return ", ".join(f"{draw_chance(order):.2%} {name}" for name, order in ORDERS.items())
