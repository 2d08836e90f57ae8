"""r4: minimax, minimax with pruning and Q-learning; nodes, pruning efficiency, scalability."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inarow.report.charts import Bar, cost_dots, outcome_bars, overview
from inarow.report.curves import Axis, Curve, curves
from inarow.report.page import Section
from inarow.report.style import Figure
from inarow.report.tables import Blank, Cell, Column, Table, table
from inarow.reproductions import assessment
from inarow.reproductions.assessment import Counts, Verdict
from inarow.reproductions.distributions import NOT_PLAYED, errors_table, published, quoted, shipped_runs, unstated_table
from inarow.reproductions.r4.assessment import DEFAULT, DEPTHS, GAMES, LEARNS, PLAIN, PRUNED, UNPRINTED, rows
from inarow.rules import CONNECT4, TICTACTOE, Game
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
from inarow.studies.measurements import think
from inarow.studies.sections import Seats, as_first, effort_in, results_by_seat
from inarow.studies.trainings import train, training

NAMES = ("Minimax", "Minimax-AB", "Q-learning")
OPPONENT, FIXED, FIXED_PLAIN, LEARNT = "default", "Minimax-AB, fixed", "Minimax, fixed", "Q-learning, fixed"
TRAINED = {
    "Q-learning": ("", "random"),
    LEARNT: (":fixed=on", "random"),
    "Q-learning, trained against the default opponent": ("", DEFAULT),
}
"""Label, what the learner is trained with, and against whom."""
EPISODES = {TICTACTOE: 10_000, CONNECT4: 5_000}
CORRECT = {"Minimax": FIXED, "Minimax-AB": FIXED, "Q-learning": LEARNT}


def _model(game: Game, label: str) -> str:
    return f"models/r4-{game.name}-{list(TRAINED).index(label)}.npz"


def _players(game: Game) -> dict[str, str]:
    return {
        OPPONENT: DEFAULT,
        "Minimax": PLAIN,
        "Minimax-AB": PRUNED,
        # Both look as far: a printed limit of 4 is 5 plies.
        FIXED: f"{PRUNED},fixed=on" + (",depth=5" if game == CONNECT4 else ""),
        **{label: f"{LEARNS}:model={_model(game, label)}" for label in TRAINED},
        "random": "random",
    }


PLAYERS: Mapping[Game, Mapping[str, str]] = {game: _players(game) for game in (TICTACTOE, CONNECT4)}


@measurement("memory_of_decision")
def memory_of_decision(settings: dict[str, Any]) -> Measured:
    """Measure the most memory that ``agent`` allocates for a mind and its decision from the empty board."""
    from inarow.agents import agent
    from inarow.rules import FIRST, Position, game

    board = game(settings["game"])
    player = agent(settings["agent"])
    player.start(board, FIRST, 0).decide(Position.start(board))  # compiles, and loads what is shared
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
        here, correct = _this_run(found, seats, fixed)
        labels = ("table or section", "game", "row", "what")
        sections = [
            Section("Published rows", (assessment.rows_table("r4", labels, assessed, here, correct), _unprinted())),
            Section("Figures 1 to 5", tuple(_figures(seats))),
            Section("Efficiency", (_efficiency(found, seats), _savings(seats))),
            Section("Scalability", (_scalability(found), *_depth_figures(found))),
            Section("Win rate across games", tuple(_rates(found))),
            Section("Verdicts", (assessment.summary_table("r4-verdicts", {"r4": assessed}),)),
            Section("The report’s errors", (errors_table("r4"),)),
            Section("What the report does not state", (unstated_table("r4"),)),
        ]
        lead = (
            "The report’s printed program, with its errors, from the empty board; beside it the published figures, on "
            "a tinted background, and the same players without the errors. The player named first begins."
        )
        summary = (assessment.summary_sentence("R4", assessed), *_finding(assessed), *_depth_sentences(found))
        return Content(lead, summary, sections)


def _this_run(
    found: StudyResults, seats: Mapping[Game, Seats], fixed: Mapping[Game, Seats]
) -> tuple[dict[str, Counts | str], dict[str, Counts | str]]:
    """Return this run's counts of the printed and of the correct program, by the keys of the published rows."""
    here: dict[str, Counts | str] = {}
    correct: dict[str, Counts | str] = {}

    def put(key: str, printed: Counts | None, right: Counts | None) -> None:
        for kept, counts in ((here, printed), (correct, right)):
            if counts is not None:
                kept[key] = counts

    for row in published("r4_tables"):
        game = TICTACTOE if row["game"] == TICTACTOE.name else CONNECT4
        pair = row["row"].replace(" depth 4", "")
        a, _, b = pair.partition(" vs ")
        right = as_first(seats[game], CORRECT[a], CORRECT.get(b, b))
        if CORRECT[a] == CORRECT.get(b):
            right = as_first(fixed[game], FIXED_PLAIN, FIXED)
        put(f"{row['table']} {pair}", as_first(seats[game], a, b), right)
    for game, there in seats.items():
        put(f"{game.name} default vs random", as_first(there, OPPONENT, "random"), None)
    put("tictactoe training", _in_training(found, "Q-learning"), _in_training(found, LEARNT))
    return here, correct


def _in_training(found: StudyResults, label: str) -> Counts | None:
    measured = found.measured(f"{TICTACTOE.name}-training-{label}")
    if measured is None:
        return None
    last = measured["history"][-1]
    return last["wins"], last["draws"], last["losses"]


def _finding(assessed: Sequence[assessment.Assessed]) -> list[str]:
    """Say which tables of outcomes are not given by the printed program."""
    tables = {number: [one for one in assessed if one.row.labels[0] == number] for number in GAMES}
    missed = {
        number: sum(one.verdict in (Verdict.NOT_REPRODUCED, Verdict.IMPOSSIBLE) for one in ones)
        for number, ones in tables.items()
    }
    said = ", ".join(f"{missed[n]} of {len(ones)} rows of table {n}" for n, ones in tables.items() if missed[n])
    if not said:
        return []
    return [
        f"Not given by the printed program: {said}. As O it plays for X’s win, its Connect 4 search is inverted, and "
        "its learner was trained as X only, so that it moves at random where it sits second (tables 3 and 7)."
    ]


def _unprinted() -> Table:
    """Return every way of counting that was tried for the pruned search, which is not printed."""
    runs = shipped_runs("r4")
    stated = [row["nodes_alphabeta"] for row in published("r4_scalability") if row["depth"] != "full"]
    made: list[tuple[Cell, ...]] = [("published", *stated)]
    for name in UNPRINTED:
        counts = [runs[f"searches / {name}, limit {depth}"].runs[0] for depth in DEPTHS]
        made.append((f"{name}: nodes", *(run.nodes for run in counts)))
        made.append((f"{name}: leaves", *(run.totals[0] for run in counts)))
    heads: list[Column | str] = ["reading", *(Column(f"limit {depth}", "count") for depth in DEPTHS)]
    title = f"Table 5, pruned: {2 * len(UNPRINTED)} readings"
    return table("r4-readings", title, heads, made, "The last three published counts grow by exactly 3.")


def _figures(seats: Mapping[Game, Seats]) -> Iterator[Figure]:
    """Yield the counterparts of figures 1 to 5, with the published values."""
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
    """Yield the share of wins so far against the default opponent, game by game."""
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


def _efficiency(found: StudyResults, seats: Mapping[Game, Seats]) -> Table:
    """Return nodes, time and memory of each published player."""
    made: list[tuple[Cell, ...]] = []
    for row in published("r4_efficiency"):
        game, name = (TICTACTOE if row["game"] == TICTACTOE.name else CONNECT4), row["agent"]
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
        "game", "agent", Column("nodes a move", published=True), Column("printed program", "number"),
        Column("a correct program, pruned", "number"), Column("s a move", "seconds", published=True),
        Column("printed program", "seconds"), Column("memory", published=True), Column("KiB here", "number"),
    )  # fmt: skip
    return table(
        "r4-efficiency", "Nodes, time and memory", heads, made,
        "Nodes and times: over all matches of this run’s pool. Memory: the most that a mind and its decision from the "
        "empty board allocate; of Q-learning with its table.",
    )  # fmt: skip


def _savings(seats: Mapping[Game, Seats]) -> Table:
    """Return the pruning efficiency: nodes with pruning ÷ nodes without."""
    made: list[tuple[Cell, ...]] = []
    for game, there in seats.items():
        plain, pruned = (effort_in(there, name) for name in ("Minimax", "Minimax-AB"))
        stated = {row["agent"]: row["nodes_per_move"] for row in published("r4_efficiency") if row["game"] == game.name}
        theirs = f"{int(stated['Minimax-AB']) / int(stated['Minimax']):.2f}"
        ratio = pruned.nodes_per_move / plain.nodes_per_move if plain.nodes and pruned.moves else NOT_PLAYED
        made.append((game.title, theirs, ratio))
    heads = ("game", Column("with ÷ without", published=True), Column("ours", "number"))
    return table("r4-savings", "Pruning efficiency, a move", heads, made)


def _depth(found: StudyResults, kind: str, depth: str) -> tuple[Cell, Cell]:
    """Return nodes and seconds of a search from the empty board, the deepest in a given time for ``full``."""
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
    heads = (
        "limit", "search", Column("nodes", published=True), Column("printed program", "count"),
        Column("s", "seconds", published=True), Column("printed program", "seconds"),
    )  # fmt: skip
    return table(
        "r4-scalability", "Table 5: Connect 4 by depth limit, from the empty board", heads, made,
        "Nodes: all below the root. The printed program looks a ply further than its limit. Row “full”: ours was given "
        "the stated shorter time, and the last depth that it searched in full is shown; the study `scaling` has the "
        "solver, which does search to the end.",
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
