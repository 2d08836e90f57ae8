"""The study ``r4``: R4's published rows, the runs to compare them with, and its experiments repeated."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from statistics import fmean
from typing import Any

from inarow.report.charts import Bar, cost_dots, outcome_bars, overview
from inarow.report.curves import Axis, Curve, curves
from inarow.report.page import Section
from inarow.report.tables import Blank, Cell, Figure, Table, table
from inarow.reproductions import assessment
from inarow.reproductions.assessment import Counts, PublishedRow, RowStatus
from inarow.reproductions.distributions import (
    LEARNER,
    NOT_GIVEN,
    NOT_PLAYED,
    Sample,
    Searches,
    Source,
    Trial,
    TrialPairing,
    published,
    quoted,
    shipped_runs,
)
from inarow.rules import CONNECT4, FIRST, TICTACTOE, Game, Position
from inarow.rules import game as game_named
from inarow.studies.base import (
    Content,
    Experiment,
    Measured,
    Measurement,
    Plan,
    Study,
    StudyResults,
    measurement,
    tournament,
)
from inarow.studies.learning import train, training
from inarow.studies.measurements import think
from inarow.studies.sections import Seats, as_first, effort_in, results_by_seat

DEFAULT, PLAIN, PRUNED, LEARNS = "r4-default", "r4-minimax:pruning=off", "r4-minimax:pruning=on", "r4-qlearning"
DEPTHS = (1, 2, 3, 4, 5)
UNPRINTED = {
    f"{window} window, {order}, leaf for {leaf}": f"{PRUNED},window={window},{spec},{view}"
    for window in ("full", "carried")
    for order, spec in (("left first", "ordering=left"), ("centre first", "ordering=centre"))
    for leaf, view in (("the side to move", "leaf_side=to-move"), ("the searcher", "leaf_side=searcher"))
}
"""Possible versions of the pruned search, which is not printed; with nodes or leaves counted, 16 readings."""


def _with_learner(against: int, other: int) -> tuple[TrialPairing, ...]:
    return (
        TrialPairing("Q-learning vs default", LEARNER, DEFAULT, against),
        TrialPairing("default vs Q-learning", DEFAULT, LEARNER, against),
        TrialPairing("Minimax vs Q-learning", PRUNED, LEARNER, other),
    )


SOURCES: tuple[Source, ...] = (
    Trial("tictactoe", "tictactoe", (
        TrialPairing("Minimax vs default", PLAIN, DEFAULT, 100),
        TrialPairing("Minimax-AB vs default", PRUNED, DEFAULT, 100),
        TrialPairing("Minimax vs Minimax-AB", PLAIN, PRUNED, 100, once=True),
        TrialPairing("default vs random", DEFAULT, "random", 100),
        TrialPairing("random vs default", "random", DEFAULT, 100),
    )),
    Trial("connect4", "connect4", (
        TrialPairing("Minimax vs default", PLAIN, DEFAULT, 50),
        TrialPairing("Minimax-AB vs default", PRUNED, DEFAULT, 50),
        TrialPairing("Minimax vs Minimax-AB", PRUNED, PRUNED, 20),
        TrialPairing("default vs random", DEFAULT, "random", 100),
    )),
    Trial("tictactoe second seat", "tictactoe", (TrialPairing("default vs Minimax-AB", DEFAULT, PRUNED, 100),)),
    Trial("connect4 second seat", "connect4", (TrialPairing("default vs Minimax-AB", DEFAULT, PRUNED, 50),)),
    Trial("tictactoe learner", "tictactoe", _with_learner(100, 100), LEARNS,
               (("random", 10_000, ""),)),
    Trial("connect4 learner, trained against random", "connect4", _with_learner(50, 20), LEARNS,
               (("random", 5_000, ""),)),
    Trial("connect4 learner, trained against default", "connect4", _with_learner(50, 20), LEARNS,
               ((DEFAULT, 5_000, ""),)),
    Searches("searches", "connect4", {
        **{f"printed, limit {depth}": f"{PLAIN},depth={depth}" for depth in DEPTHS},
        **{f"printed, pruned, limit {depth}": f"{PRUNED},depth={depth}" for depth in (*DEPTHS, 6)},
        **{f"corrected, limit {depth}": f"{PLAIN},fixed=on,depth={depth}" for depth in DEPTHS},
        **{f"{name}, limit {d}": f"{spec},depth={d - 1}" for name, spec in UNPRINTED.items() for d in DEPTHS},
    }),
    Searches("first move", "tictactoe", {"Minimax": PLAIN, "Minimax-AB": PRUNED}),
)  # fmt: skip
"""Runs for ``scripts/report_runs.py r4``. Minimax plays the same moves with and without pruning."""


GAMES = {"2": 100, "3": 100, "6": 50, "7": 20}
"""Number of games of each table."""
ORDER = "the game class lists moves row by row"
SEAT = "the default opponent's code, the seat"


def rows() -> list[PublishedRow]:
    """Return every published row: outcomes, the default opponent, training, nodes per move, nodes by depth."""
    runs = shipped_runs("r4")
    made = [_outcome(row, runs) for row in published("r4_tables")]
    for game, wins in (("tictactoe", 92), ("connect4", 98)):
        made.append(
            PublishedRow(
                f"{game} default vs random", ("§4", game, "default vs random", "wins"), f"{wins} %", 100,
                [(wins, 0, 100 - wins)], (0,), readings={"first seat": runs[f"{game} / default vs random"]},
                assumed="of 100 games", open=f"the number of games, {SEAT}",
            )
        )  # fmt: skip
    made.append(
        PublishedRow(
            "tictactoe training", ("§6", "tictactoe", "Q-learning vs random", "wins in training"), "about 76 %", 10_000,
            [(7_500 + step, 0, 2_500 - step) for step in range(0, 201, 20)], (0,),
            readings={"": runs["tictactoe learner / training"]}, assumed="“about” is 75 to 77",
        )
    )  # fmt: skip
    return [*made, *_nodes_a_move(runs), *_by_depth(runs)]


def _outcome(row: Mapping[str, str], runs: Mapping[str, Sample]) -> PublishedRow:
    table, game, games = row["table"], row["game"], GAMES[row["table"]]
    pair = row["row"].replace(" depth 4", "")
    shares = [int(row[name]) for name in ("first_or_win_pct", "draw_pct", "second_or_loss_pct")]
    counts: Counts = (round(shares[0] * games / 100), round(shares[1] * games / 100), round(shares[2] * games / 100))
    readings: dict[str, Sample] = {}
    trainings = ("",) if game == "tictactoe" else (", trained against random", ", trained against default")
    assumed, unstated, proof = "", SEAT + ", the pruned routine" * ("AB" in pair), ""
    if pair == "Minimax vs Minimax-AB":
        assumed, unstated = "limit 4 in both", "the pruned routine"
        readings = {"": runs[f"{game} / {pair}"]}
        if game == "tictactoe":  # its class takes a pruning flag and ignores it, so the routine does not matter
            assumed, unstated = "", ""
            proof = "" if can_draw() else "as O it plays for X's win, and no tie-breaking leads to a draw"
    elif pair.startswith("Q-learning"):
        for name in trainings:
            for seat, key in (("first", pair), ("second", "default vs Q-learning")):
                sample = runs[f"{game} learner{name} / {key}"]
                readings[f"{seat} seat{name}"] = sample if seat == "first" else sample.turned()
        unstated = SEAT + ", the learner's training opponent" * (game == "connect4")
    elif pair.endswith("Q-learning"):
        readings = {name.strip(", "): runs[f"{game} learner{name} / Minimax vs Q-learning"] for name in trainings}
        assumed = "trained as X only, the learner sits second and moves at random"
        unstated = "the learner's training opponent" if game == "connect4" else ""
        if game == "tictactoe":
            assumed += f"; {ORDER}: exact probability of a draw {varied_orders()}"
            unstated = "the order of moves"
    else:
        readings = {
            "first seat": runs[f"{game} / {pair}"],
            "second seat": runs[f"{game} second seat / default vs Minimax-AB"].turned(),
        }
    return PublishedRow(
        f"{table} {pair}", (table, game, row["row"], "outcomes"), " / ".join(map(str, shares)), games,
        [counts], readings=readings, assumed=assumed, open=unstated, proof=proof,
    )  # fmt: skip


def _nodes_a_move(runs: Mapping[str, Sample]) -> Iterator[PublishedRow]:
    """Yield the rows on nodes per move, which are fewer than the first move alone requires."""
    most = {"tictactoe": 5, "connect4": 21}
    for row in published("r4_efficiency"):
        game, name, nodes = row["game"], row["agent"], row["nodes_per_move"]
        key, labels = f"{game} {name} nodes", ("4", game, name, "nodes a move")
        if not nodes:
            why = "only seconds on another machine"
            yield PublishedRow(key, labels, row["time_per_move_s"] + " s", why=why)
            continue
        first = _first_move(runs, game, name)
        least = first / most[game]
        why = (
            f"its first move alone visits {first:,} nodes; over at most {most[game]} moves of a game the mean is at "
            f"least {least:,.0f}"
        )
        assert least > float(nodes)
        if name == "Minimax":
            yield PublishedRow(key, labels, nodes, proof=why)
        elif game == "tictactoe":
            yield PublishedRow(key, labels, nodes, proof=f"its class ignores the pruning flag; even with pruning {why}")
        else:
            yield PublishedRow(
                key, labels, nodes, verdict=RowStatus.NOT_REPRODUCED, open="the pruned routine", why=why,
                assumed="each root move is searched with a full window",
            )  # fmt: skip


def _first_move(runs: Mapping[str, Sample], game: str, name: str) -> int:
    pruned = ", pruned" if name == "Minimax-AB" else ""
    key = f"first move / {name}" if game == "tictactoe" else f"searches / printed{pruned}, limit 4"
    return runs[key].runs[0].nodes


def _by_depth(runs: Mapping[str, Sample]) -> Iterator[PublishedRow]:
    """Yield table 5: the printed search is deterministic, so a different count is impossible."""
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
                yield PublishedRow(
                    key, labels, theirs, verdict=RowStatus.CONSISTENT, why=why if count * 7**3 > bound else ""
                )
                continue
            count = runs[f"searches / printed{', pruned' if kind == 'alphabeta' else ''}, limit {limit}"].runs[0].nodes
            if kind == "minimax":
                leaves = runs[f"searches / corrected, limit {limit}"].runs[0].totals[0]
                same = f"; published are the {leaves:,} leaves of a corrected search" if leaves == int(theirs) else ""
                proof = f"the printed search counts {count:,}, always{same}"
                yield PublishedRow(key, labels, theirs, proof=proof if count != int(theirs) else "", why="")
                continue
            others = [runs[f"searches / {name}, limit {limit}"].runs[0] for name in UNPRINTED]
            counts = sorted({count} | {n for run in others for n in (run.nodes, *run.totals)})
            found = int(theirs) in counts
            why = (
                f"one of {2 * len(UNPRINTED)} readings counts this" if found
                else f"{2 * len(UNPRINTED)} readings count {counts[0]:,} to {counts[-1]:,}, none this"
            )  # fmt: skip
            verdict = RowStatus.CONSISTENT if found else RowStatus.NOT_REPRODUCED
            yield PublishedRow(key, labels, theirs, verdict=verdict, why=why, open="the pruned routine")


# Exact analysis of R4's printed search in Tic Tac Toe.

START = Position.start(TICTACTOE)


@cache
def _value(position: Position, maximises: bool, depth: int) -> int:
    """Return R4's score of a position at a depth. Wins count for X, whoever searches."""
    outcome = position.outcome()
    if outcome is not None:
        return 0 if outcome.winner is None else 10 - depth if outcome.winner is FIRST else depth - 10
    values = [_value(position.play(move), not maximises, depth + 1) for move in position.legal_moves()]
    return max(values) if maximises else min(values)


@cache
def _chosen(position: Position) -> list[int]:
    """Return the moves that the printed search may choose: all with the best score."""
    values = {move: _value(position.play(move), False, 0) for move in position.legal_moves()}
    return [move for move, value in values.items() if value == max(values.values())]


@cache
def can_draw(position: Position = START) -> bool:
    """Return True if the printed search can draw against itself under some tie-breaking."""
    outcome = position.outcome()
    if outcome is not None:
        return outcome.winner is None
    return any(can_draw(position.play(move)) for move in _chosen(position))


ORDERS = {
    "row by row": (0, 1, 2, 3, 4, 5, 6, 7, 8),
    "centre first": (4, 0, 2, 6, 8, 1, 3, 5, 7),
    "edges first": (1, 3, 5, 7, 0, 2, 6, 8, 4),
}


@cache
def draw_chance(order: tuple[int, ...], position: Position = START) -> float:
    """Return the exact probability that a random O draws against the printed search with this move order."""
    outcome = position.outcome()
    if outcome is not None:
        return float(outcome.winner is None)
    is_search = position.to_move is FIRST
    moves = [min(_chosen(position), key=order.index)] if is_search else position.legal_moves()
    return fmean(draw_chance(order, position.play(move)) for move in moves)


def varied_orders() -> str:
    """Describe the exact probability of a draw for each move order."""
    return ", ".join(f"{draw_chance(order):.2%} {name}" for name, order in ORDERS.items())


NAMES = ("Minimax", "Minimax-AB", "Q-learning")
OPPONENT, FIXED, FIXED_PLAIN, LEARNT = "default", "Minimax-AB, fixed", "Minimax, fixed", "Q-learning, fixed"
TRAINED = {
    "Q-learning": ("", "random"),
    LEARNT: (":fixed=on", "random"),
    "Q-learning, trained against the default opponent": ("", DEFAULT),
}
"""Training parameters and opponent by label."""
EPISODES = {TICTACTOE: 10_000, CONNECT4: 5_000}
CORRECT = {"Minimax": FIXED, "Minimax-AB": FIXED, "Q-learning": LEARNT}


def _model(game: Game, label: str) -> str:
    return f"models/r4-{game.name}-{list(TRAINED).index(label)}.npz"


def _players(game: Game) -> dict[str, str]:
    return {
        OPPONENT: DEFAULT,
        "Minimax": PLAIN,
        "Minimax-AB": PRUNED,
        # Equal depths: a printed limit of 4 is 5 plies.
        FIXED: f"{PRUNED},fixed=on" + (",depth=5" if game == CONNECT4 else ""),
        **{label: f"{LEARNS}:model={_model(game, label)}" for label in TRAINED},
        "random": "random",
    }


PLAYERS: Mapping[Game, Mapping[str, str]] = {game: _players(game) for game in (TICTACTOE, CONNECT4)}


@measurement("memory_of_decision")
def memory_of_decision(settings: dict[str, Any]) -> Measured:
    """Measure the peak memory that ``agent`` allocates for a mind and its decision from the empty board."""
    from inarow.agents import agent

    board, player = game_named(settings["game"]), agent(settings["agent"])
    player.start(board, FIRST, 0).decide(Position.start(board))  # compile, and load shared data
    tracemalloc.start()
    player.start(board, FIRST, 0).decide(Position.start(board))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return Measured({"verdict": f"{settings['agent']} was measured"}, {"bytes": most})


class R4(Study):
    """The fourth report's experiments."""

    name = "r4"
    title = "R4 again: minimax with and without pruning and Q-learning: outcomes, nodes, scalability"
    summary = "the fourth report: outcomes, nodes, pruning efficiency and scalability of minimax and Q-learning"
    figure = "r4-depth-nodes"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        made: list[Experiment] = []
        for game, players in PLAYERS.items():
            for label, (changed, opponent) in TRAINED.items():
                settings = training(
                    f"{LEARNS}{changed}", game, plan.pick(EPISODES[game] // 2, EPISODES[game]), plan,
                    model=_model(game, label), opponents=[opponent],
                )  # fmt: skip
                made.append(Measurement(f"{game.name}-training-{label}", train, settings, weight=50))
            made.append(tournament(game.name, game, players, plan.pick(30, 100), plan))
            both = {FIXED_PLAIN: players[FIXED].replace("pruning=on", "pruning=off"), FIXED: players[FIXED]}
            made.append(tournament(f"{game.name}-fixed", game, both, plan.pick(10, 100), plan))
            for name in NAMES:
                settings = {"agent": players[name], "game": game.name}
                made.append(Measurement(f"{game.name}-memory-{name}", memory_of_decision, settings))
        for kind, spec in (("minimax", PLAIN), ("alphabeta", PRUNED)):
            for depth in DEPTHS:
                settings = {"agent": f"{spec},depth={depth}", "game": "connect4", "positions": [""], "repeat": 3}
                made.append(Measurement(f"depth-{kind}-{depth}", think, settings))
            settings = {"agent": f"{kind}:seconds={plan.pick(1, 20)}", "game": "connect4", "positions": [""]}
            made.append(Measurement(f"depth-{kind}-timed", think, settings, weight=20))
        return made

    def content(self, found: StudyResults) -> Content:
        seats = {game: results_by_seat(found, game.name) for game in PLAYERS}
        fixed = {game: results_by_seat(found, f"{game.name}-fixed") for game in PLAYERS}
        assessed = assessment.assess(rows())
        sections = [
            Section("Figures 1 to 5", tuple(_figures(seats))),
            Section("Efficiency", (_efficiency(found, seats), _savings(seats))),
            Section("Scalability", (_scalability(found), *_depth_figures(found))),
            Section("Win rate across games", tuple(_rates(found))),
            Section("Connect 4 against random and the default opponent", (_against_both(seats[CONNECT4]),)),
        ]
        lead = (
            "The report’s printed program, with its errors, from the empty board, compared with the published figures "
            "(tinted) and with the same players without the errors. The first-named player moves first."
        )
        return assessment.report_content(
            found, lead, ("table or section", "game", "row", "what"), assessed, _this_run(found, seats, fixed),
            [*_finding(assessed), *_depth_sentences(found)], sections, rows=[_unprinted()],
        )  # fmt: skip


def _this_run(found: StudyResults, seats: Mapping[Game, Seats], fixed: Mapping[Game, Seats]) -> assessment.Here:
    here: dict[str, tuple[Counts | None, Counts | None]] = {}
    for row in published("r4_tables"):
        game = game_named(row["game"])
        pair = row["row"].replace(" depth 4", "")
        a, _, b = pair.partition(" vs ")
        right = as_first(seats[game], CORRECT[a], CORRECT.get(b, b))
        if CORRECT[a] == CORRECT.get(b):
            right = as_first(fixed[game], FIXED_PLAIN, FIXED)
        here[f"{row['table']} {pair}"] = as_first(seats[game], a, b), right
    for game, there in seats.items():
        here[f"{game.name} default vs random"] = as_first(there, OPPONENT, "random"), None
    here["tictactoe training"] = _in_training(found, "Q-learning"), _in_training(found, LEARNT)
    return here


def _in_training(found: StudyResults, label: str) -> Counts | None:
    measured = found.measured(f"{TICTACTOE.name}-training-{label}")
    if measured is None:
        return None
    last = measured["history"][-1]
    return last["wins"], last["draws"], last["losses"]


def _finding(assessed: Sequence[assessment.Assessed]) -> list[str]:
    """Name the outcome tables that the printed program does not reproduce."""
    tables = {number: [one for one in assessed if one.row.labels[0] == number] for number in GAMES}
    missed = {
        number: sum(one.verdict in (RowStatus.NOT_REPRODUCED, RowStatus.IMPOSSIBLE) for one in ones)
        for number, ones in tables.items()
    }
    said = ", ".join(f"{missed[n]} of {len(ones)} rows of table {n}" for n, ones in tables.items() if missed[n])
    if not said:
        return []
    return [
        f"Not reproduced by the printed program: {said}. As O it plays for X’s win, its Connect 4 search is inverted, "
        "and its learner was trained as X only, so it moves at random as second player (tables 3 and 7)."
    ]


def _unprinted() -> Table:
    """Tabulate the readings of the pruned search, which is not printed."""
    runs = shipped_runs("r4")
    stated = [row["nodes_alphabeta"] for row in published("r4_scalability") if row["depth"] != "full"]
    made: list[tuple[Cell, ...]] = [("published", *stated)]
    for name in UNPRINTED:
        counts = [runs[f"searches / {name}, limit {depth}"].runs[0] for depth in DEPTHS]
        made.append((f"{name}: nodes", *(run.nodes for run in counts)))
        made.append((f"{name}: leaves", *(run.totals[0] for run in counts)))
    heads = ["reading", *(f"limit {depth}:count" for depth in DEPTHS)]
    title = f"Table 5, pruned: {2 * len(UNPRINTED)} readings"
    return table("r4-readings", title, heads, made, "The last three published counts grow by a factor of exactly 3.")


def _figures(seats: Mapping[Game, Seats]) -> Iterator[Figure]:
    """Yield figures 1 to 5 with the published values."""
    outcomes = {
        (row["game"], row["row"].replace(" depth 4", "")): row for row in published("r4_tables") if row["table"] in "26"
    }
    efficiency = {(row["game"], row["agent"]): row for row in published("r4_efficiency")}
    nodes, times, bars = [], [], []
    theirs_nodes, theirs_times = dict[str, float](), dict[str, float]()
    rates: dict[str, list[float | None]] = {}
    for game, there in seats.items():
        for name in NAMES:
            label, effort, counts = f"{game.title}, {name}", effort_in(there, name), as_first(there, name, OPPONENT)
            nodes.append((label, effort.nodes_per_move))
            times.append((label, effort.seconds_per_move))
            quote = efficiency.get((game.name, name), {})
            theirs_nodes |= {label: float(quote["nodes_per_move"])} if quote.get("nodes_per_move") else {}
            theirs_times |= {label: float(quote["time_per_move_s"])} if quote.get("time_per_move_s") else {}
            row = outcomes[game.name, f"{name} vs default"]
            stated = [int(row[column]) for column in ("first_or_win_pct", "draw_pct", "second_or_loss_pct")]
            bars += [Bar(label, *counts)] if counts is not None else []
            bars.append(Bar(f"{label}, R4", *stated))
            share = None if counts is None else counts[0] / max(1, sum(counts))
            rates.setdefault(game.title, []).append(share)
            rates.setdefault(f"{game.title}, R4", []).append(stated[0] / 100)
    yield cost_dots("r4-nodes", "Nodes a move", nodes, "nodes a move", published=theirs_nodes, caption="Figure 1.")
    yield outcome_bars(
        "r4-outcomes", "Outcomes against the default opponent", bars,
        "Figure 2. R4: its tables 2 and 6, as percent. The black line is the 95 % interval of the share of wins.",
    )  # fmt: skip
    yield cost_dots("r4-time", "Execution time", times, "time a move", "seconds", "Figure 3.", theirs_times)
    yield overview(
        "r4-rates", "Win rate of each algorithm in both games", list(NAMES), rates,
        "Figure 4. Against the default opponent, as first player.", [f"{game.title}, R4" for game in seats],
    )  # fmt: skip
    for game, there in seats.items():
        efforts = [effort_in(there, name) for name in NAMES]
        seconds, counted = [e.seconds_per_move for e in efforts], [e.nodes_per_move for e in efforts]
        yield overview(
            f"r4-{game.name}-overview", f"{game.title}: win rate, speed and search complexity", list(NAMES),
            {
                "win rate": rates[game.title],
                "win rate, R4": rates[f"{game.title}, R4"],
                "1 − execution time": [1 - t for t in seconds],
                "search complexity (lower is better)": [n / (max(counted) or 1) for n in counted],
            },
            "Figure 5. Execution time in seconds a move; search complexity: nodes a move ÷ the most of the three.",
            ["win rate, R4"],
        )  # fmt: skip


def _rates(found: StudyResults) -> Iterator[Figure]:
    """Plot the share of wins so far against the default opponent, game by game."""
    for game in PLAYERS:
        labels, won = found.labels(game.name), dict[str, list[bool]]()
        for record in found.records(game.name):
            names = [labels.get(spec, spec) for spec in (record.first, record.second)]
            if names[1] == OPPONENT and names[0] in NAMES:
                won.setdefault(names[0], []).append(record.result == "first")
        lines = [
            Curve(name, [(float(n), sum(results[:n]) / n) for n in range(1, len(results) + 1)])
            for name, results in won.items()
        ]
        yield curves(
            f"r4-{game.name}-rates", f"{game.title}: win rate across games against the default opponent",
            Axis("games played", whole=True), Axis("share won so far", "percent", low=-3, high=103), lines,
            "Each as first player.",
        )  # fmt: skip


def _against_both(seats: Seats) -> Table:
    """Tabulate the games of section 4, 50 of each player against both opponents, which have no published figures."""
    made: list[tuple[Cell, ...]] = []
    for name in (*NAMES, OPPONENT):
        for other in ("random", OPPONENT) if name != OPPONENT else ("random",):
            counts = as_first(seats, name, other)
            ours: tuple[Cell, ...] = (NOT_PLAYED,) * 4 if counts is None else (sum(counts), *counts)
            made.append((name, other, "50", NOT_GIVEN, *ours))
    heads = ["first", "second", "games:published", "outcomes:published", "games here:count"]
    heads += [f"{outcome}:count" for outcome in assessment.OUTCOMES]
    return table("r4-random", "The algorithms against the simple players", heads, made)


def _efficiency(found: StudyResults, seats: Mapping[Game, Seats]) -> Table:
    """Tabulate nodes, time and memory of each published player."""
    made: list[tuple[Cell, ...]] = []
    for row in published("r4_efficiency"):
        game, name = game_named(row["game"]), row["agent"]
        effort, fixed = effort_in(seats[game], name), effort_in(seats[game], FIXED)
        none = Blank("it has no nodes")
        memory = found.measured(f"{game.name}-memory-{name}")
        table_size = found.measured(f"{game.name}-training-{name}") if name == "Q-learning" else None
        used = NOT_PLAYED if memory is None else memory["timing"]["bytes"] / 1024
        if table_size is not None and isinstance(used, float):
            used += table_size["history"][-1]["bytes"] / 1024
        made.append((
            row["game"], name, quoted(row["nodes_per_move"]),
            effort.nodes_per_move if row["nodes_per_move"] and effort.moves else none,
            fixed.nodes_per_move if row["nodes_per_move"] and fixed.moves else none, quoted(row["time_per_move_s"]),
            effort.seconds_per_move if effort.moves else NOT_PLAYED, quoted(row["memory"]), used,
        ))  # fmt: skip
    heads = (
        "game | agent | nodes a move:published | printed program:number | a correct program, pruned:number | "
        "s a move:seconds:published | printed program:seconds | memory:published | KiB here:number"
    )
    return table(
        "r4-efficiency", "Nodes, time and memory", heads, made,
        "Nodes and times: over all matches of this run’s pool. Memory: the most that a mind and its decision from the "
        "empty board allocate; of Q-learning with its table.",
    )  # fmt: skip


def _savings(seats: Mapping[Game, Seats]) -> Table:
    """Tabulate the pruning efficiency: nodes with pruning ÷ nodes without."""
    made: list[tuple[Cell, ...]] = []
    for game, there in seats.items():
        plain, pruned = (effort_in(there, name) for name in ("Minimax", "Minimax-AB"))
        stated = {row["agent"]: row["nodes_per_move"] for row in published("r4_efficiency") if row["game"] == game.name}
        theirs = f"{int(stated['Minimax-AB']) / int(stated['Minimax']):.2f}"
        ratio = pruned.nodes_per_move / plain.nodes_per_move if plain.nodes and pruned.moves else NOT_PLAYED
        made.append((game.title, theirs, ratio))
    heads = "game | with ÷ without:published | ours:number"
    return table("r4-savings", "Pruning efficiency, a move", heads, made)


def _depth(found: StudyResults, kind: str, depth: str) -> tuple[Cell, Cell]:
    """Tabulate nodes and seconds of searches from the empty board; ``full`` is the deepest one in a given time."""
    measured = found.measured(f"depth-{kind}-{'timed' if depth == 'full' else depth}")
    if measured is None:
        return NOT_PLAYED, NOT_PLAYED
    timing = measured["timing"]
    if depth == "full":
        return f"{timing['nodes'][0]:,}: depth {timing['depths'][0]}", timing["seconds"][0]
    return measured["nodes"][0], timing["seconds"][0]


def _scalability(found: StudyResults) -> Table:
    made: list[tuple[Cell, ...]] = []
    for row in published("r4_scalability"):
        for kind, label in (("minimax", "no pruning"), ("alphabeta", "pruning")):
            nodes, seconds = _depth(found, kind, row["depth"])
            made.append((row["depth"], label, row[f"nodes_{kind}"], nodes, row[f"time_{kind}_s"], seconds))
    heads = "limit | search | nodes:published | printed program:count | s:seconds:published | printed program:seconds"
    return table(
        "r4-scalability", "Table 5: Connect 4 by depth limit, from the empty board", heads, made,
        "Nodes: all below the root. The printed program searches a ply deeper than its limit. Row “full”: the last "
        "complete depth within the stated shorter time; the study `scaling` has the solver, which searches to the end.",
    )  # fmt: skip


def _depth_figures(found: StudyResults) -> list[Figure]:
    nodes, times = [], []
    stated = [row for row in published("r4_scalability") if row["depth"] != "full"]
    for kind, label in (("minimax", "no pruning"), ("alphabeta", "pruning")):
        known = [(depth, found.measured(f"depth-{kind}-{depth}")) for depth in DEPTHS]
        nodes.append(Curve(label, [(float(d), float(m["nodes"][0])) for d, m in known if m is not None]))
        times.append(Curve(label, [(float(d), float(m["timing"]["seconds"][0])) for d, m in known if m is not None]))
        for lines, column in ((nodes, f"nodes_{kind}"), (times, f"time_{kind}_s")):
            points = [(float(row["depth"]), float(row[column])) for row in stated]
            lines.append(Curve(f"{label}, R4", points, quiet=True))
    depth = Axis("depth limit", whole=True)
    return [
        curves("r4-depth-nodes", "Nodes by depth limit", depth, Axis("nodes", "number", log=True), nodes),
        curves("r4-depth-time", "Time by depth limit", depth, Axis("time", "seconds", log=True), times),
    ]


def _depth_sentences(found: StudyResults) -> list[str]:
    plain, pruned = _depth(found, "minimax", "5")[0], _depth(found, "alphabeta", "5")[0]
    if not isinstance(plain, int) or not isinstance(pruned, int):
        return []
    stated = next(row["nodes_minimax"] for row in published("r4_scalability") if row["depth"] == "5")
    return [
        f"At limit 5 from the empty board the printed minimax visits {plain:,} nodes, and {pruned:,} with pruning; "
        f"published are {stated} without, the leaves of a corrected search."
    ]
