"""r4: minimax, minimax with pruning and Q-learning; nodes, pruning efficiency, scalability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inarow.report.cells import Blank, Cell, Column
from inarow.report.charts import Bar, cost_dots, outcome_bars, overview
from inarow.report.curves import Axis, Curve, curves
from inarow.report.page import Section
from inarow.report.style import Figure
from inarow.report.tables import Table, table
from inarow.rules import CONNECT4, TICTACTOE, Game
from inarow.stats import wilson
from inarow.studies.framework.study import Content, Experiment, Measurement, Plan, Study
from inarow.studies.framework.study_results import StudyResults
from inarow.studies.reports import reported
from inarow.studies.reports.published import published
from inarow.studies.reports.r4_depths import depth_figures, depth_sentences, measurements, scalability
from inarow.studies.reports.r4_errors import DEFAULT, GAMES, MEANT, MENDED, WHY, fault_table, mended_table
from inarow.studies.reports.reported import NOT_PLAYED, quoted
from inarow.studies.sections.by_seat import Seats, as_first, effort_in, sittings
from inarow.studies.sections.trainings import train, training

_C4 = 'depth=5,eval="windows(share=0.7)",win=1000,view=first'
PLAYERS: Mapping[Game, Mapping[str, str]] = {
    TICTACTOE: {
        DEFAULT: "rules",
        "Minimax": "minimax:depth=full,win=10,ties=random",
        "Minimax-AB": "alphabeta:depth=full,win=10,ordering=none,ties=random",
        "Q-learning": "qlearning:model=models/r4-tictactoe.npz,preset=r4",
        MENDED: "qlearning:model=models/r4-tictactoe-mended.npz,preset=r4",
        "random": "random",
    },
    CONNECT4: {
        DEFAULT: "rules",
        "Minimax": f"minimax:{_C4},ties=random",
        "Minimax-AB": f"alphabeta:{_C4},ordering=none,ties=random",
        "Q-learning": "qlearning:model=models/r4-connect4.npz,preset=r4",
        MENDED: "qlearning:model=models/r4-connect4-mended.npz,preset=r4",
        "random": "random",
        MEANT: 'alphabeta:depth=4,eval="windows(share=0.7)",win=1000,ordering=none,ties=random',
    },
}
STATED_DEFAULT = {TICTACTOE: "92", CONNECT4: "98"}
"""Wins of its default opponent against random, in percent."""


class R4(Study):
    """The fourth report's experiments."""

    name = "r4"
    title = "R4 again: minimax with and without pruning and Q-learning: outcomes, nodes, scalability"
    summary = "the fourth report: outcomes, nodes, pruning efficiency and scalability of minimax and Q-learning"
    figure = "r4-depth-nodes"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        made: list[Experiment] = []
        for game, episodes in ((TICTACTOE, 10_000), (CONNECT4, 5_000)):
            # Every update of the report's learner is marked terminal: what comes later counts for nothing.
            for name, spec in (("", "qlearning:preset=r4,gamma=0"), ("-mended", "qlearning:preset=r4")):
                model = f"models/r4-{game.name}{name}.npz"
                settings = training(spec, game, episodes, plan, every=episodes // 10, model=model)
                made.append(Measurement(f"{game.name}-training{name}", train, settings, weight=50))
        for game, players in PLAYERS.items():
            made.append(reported.tournament(game.name, game, players, plan.pick(20, 100), plan))
        made += measurements(plan)
        return made

    def content(self, found: StudyResults) -> Content:
        seats = {game: sittings(found, game.name) for game in PLAYERS}
        outcomes = _outcomes(seats)
        basic = _default_against_random(seats)
        sentence, closing = reported.closing("r4", (outcomes, basic), WHY, fault_table(seats), mended_table(seats))
        figures = [figure for game in PLAYERS for figure in _figures(game, seats[game], found)]
        sections = [
            Section("Outcomes", (outcomes, basic, *figures)),
            Section("Efficiency", (_efficiency(seats), *_overviews(seats))),
            Section("Scalability", (scalability(found), *depth_figures(found))),
            *closing,
        ]
        lead = (
            "The report’s players with the report’s parameters, from the empty board. The report does not say who "
            "began; its figures can only be those of the first player, so in ours the player named first begins."
        )
        return Content(lead, (sentence, *depth_sentences(found)), sections)


def _outcomes(seats: Mapping[Game, Seats]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for row in published("r4_tables"):
        game = next(game for game in seats if game.name == row["game"])
        a, _, b = row["row"].replace(" depth 4", "").partition(" vs ")
        counts = as_first(seats[game], a, b)
        games = GAMES[row["table"], row["game"]]
        cells: list[Cell] = []
        said = []
        for place, name in enumerate(("first_or_win_pct", "draw_pct", "second_or_loss_pct")):
            rate = wilson(counts[place], sum(counts)) if counts is not None else None
            cells += [quoted(row[name]), NOT_PLAYED if rate is None else rate]
            said.append(reported.rate_agreement(row[name], games, rate))
        verdict = "differs" if "differs" in said else said[0]
        rows.append((row["table"], row["game"], row["row"], *cells, verdict))
    heads: list[Column | str] = ["table", "game", "match-up"]
    for name in ("wins %", "draws %", "losses %"):
        heads += [Column(name, "number", published=True), Column("ours", "percent")]
    return table(
        "r4-outcomes", "Outcomes against the default opponent and each other", [*heads, "agrees?"], rows,
        "A row differs if any of its three shares does.",
    )  # fmt: skip


def _default_against_random(seats: Mapping[Game, Seats]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for game, stated in STATED_DEFAULT.items():
        counts = as_first(seats[game], DEFAULT, "random")
        rate = wilson(counts[0], sum(counts)) if counts is not None else None
        rows.append(
            (game.title, stated, NOT_PLAYED if rate is None else rate, reported.rate_agreement(stated, 100, rate))
        )
    heads = ("game", Column("wins %", "number", published=True), Column("ours", "percent"), "agrees?")
    return table("r4-default", "The default opponent against random", heads, rows, "Taken as of 100 games.")


def _efficiency(seats: Mapping[Game, Seats]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for row in published("r4_efficiency"):
        game = next(game for game in seats if game.name == row["game"])
        effort = effort_in(seats[game], row["agent"])
        memory = "a table of values" if row["agent"] == "Q-learning" else "the line under search"
        ours = (effort.seconds_per_move(), effort.nodes_per_move()) if effort.moves else (NOT_PLAYED, NOT_PLAYED)
        rows.append(
            (
                row["game"], row["agent"], quoted(row["time_per_move_s"]), ours[0], quoted(row["nodes_per_move"]),
                ours[1], quoted(row["memory"]), memory,
            )
        )  # fmt: skip
    rows += [_saving(seats, game) for game in seats]
    heads = (
        "game", "agent", Column("s a move", "seconds", published=True), Column("ours", "seconds"),
        Column("nodes a move", "number", published=True), Column("ours", "number"), Column("memory", published=True),
        "what it keeps",
    )  # fmt: skip
    return table(
        "r4-efficiency", "Efficiency, and the pruning efficiency: nodes with pruning ÷ nodes without", heads, rows,
        "Over all matches of the pool. A mean over a match is below the cost of the first move.",
    )  # fmt: skip


def _saving(seats: Mapping[Game, Seats], game: Game) -> tuple[Cell, ...]:
    plain, pruned = (effort_in(seats[game], name) for name in ("Minimax", "Minimax-AB"))
    stated = {row["agent"]: row["nodes_per_move"] for row in published("r4_efficiency") if row["game"] == game.name}
    theirs = f"{int(stated['Minimax-AB']) / int(stated['Minimax']):.2f}"
    ratio = pruned.nodes_per_move() / plain.nodes_per_move() if plain.nodes and pruned.moves else NOT_PLAYED
    blank = Blank("of nodes only")
    return (game.name, "pruning efficiency", blank, blank, theirs, ratio, blank, blank)


def _figures(game: Game, seats: Seats, found: StudyResults) -> list[Figure]:
    bars = []
    for name in ("Minimax", "Minimax-AB", "Q-learning"):
        for other in (DEFAULT, "random"):
            counts = as_first(seats, name, other)
            if counts is not None:
                bars.append(Bar(f"{name} – {other}", *counts))
    labels = found.labels(game.name)
    won: dict[str, list[bool]] = {}
    for record in found.records(game.name):
        names = [labels.get(spec, spec) for spec in (record.first, record.second)]
        if names[1] == DEFAULT and names[0] not in (DEFAULT, "random"):
            won.setdefault(names[0], []).append(record.result == "first")
    lines = [
        Curve(name, [(float(n), sum(results[:n]) / n) for n in range(1, len(results) + 1)])
        for name, results in won.items()
    ]
    key = f"r4-{game.name}"
    return [
        outcome_bars(f"{key}-outcomes", f"{game.title}: outcomes against the default opponent and random", bars),
        curves(
            f"{key}-rates", f"{game.title}: win rate across games against the default opponent",
            Axis("games played", whole=True), Axis("share won so far", "percent", low=-3, high=103), lines,
            "Each as first player.",
        ),
    ]  # fmt: skip


def _overviews(seats: Mapping[Game, Seats]) -> list[Figure]:
    figures: list[Figure] = []
    names = ("Minimax", "Minimax-AB", "Q-learning")
    for game, there in seats.items():
        known_counts = [as_first(there, name, DEFAULT) for name in names]
        counts = [known for known in known_counts if known is not None]
        if len(counts) < len(names):
            continue
        efforts = [effort_in(there, name) for name in names]
        times = [effort.seconds_per_move() for effort in efforts]
        nodes = [effort.nodes_per_move() for effort in efforts]
        key = f"r4-{game.name}"
        by_time = list(zip(names, times, strict=True))
        by_nodes = list(zip(names, nodes, strict=True))
        figures += [
            cost_dots(f"{key}-nodes", f"{game.title}: nodes a move", by_nodes, "nodes a move"),
            cost_dots(f"{key}-time", f"{game.title}: execution time", by_time, "time a move", "seconds"),
            overview(
                f"{key}-overview", f"{game.title}: win rate, speed and search cost", list(names),
                {
                    "win rate": [c[0] / max(1, sum(c)) for c in counts],
                    "1 − time": [1 - t / (max(times) or 1) for t in times],
                    "1 − search cost": [1 - n / (max(nodes) or 1) for n in nodes],
                },
                "Win rate against the default opponent; time and nodes a move divided by the greatest of the three.",
            ),
        ]  # fmt: skip
    return figures
