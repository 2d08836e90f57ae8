"""r1: minimax and Q-learning against a semi-intelligent opponent and each other, on both games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inarow.report.cells import Cell, Column, shown
from inarow.report.charts import Bar, cost_dots, outcome_bars
from inarow.report.page import Section
from inarow.report.style import Figure
from inarow.report.tables import Table, table
from inarow.rules import CONNECT4, TICTACTOE, Game
from inarow.studies.framework.study import Content, Experiment, Measurement, Plan, Study
from inarow.studies.framework.study_results import StudyResults
from inarow.studies.reports import reported
from inarow.studies.reports.published import published
from inarow.studies.reports.r1_errors import shown_errors, symmetry_table, symmetry_trainings
from inarow.studies.reports.reported import NOT_GIVEN, NOT_PLAYED, quoted
from inarow.studies.sections.by_seat import Sitting, sittings
from inarow.studies.sections.trainings import curve_figure, train, training

_LINES = "eval=lines,win=100,sooner=off"
_WINDOWS = 'eval="windows(rows=upper,stacked=2,double=50)",sooner=off'
DEFAULT = "default opponent"
PLAYERS: Mapping[Game, Mapping[str, str]] = {
    TICTACTOE: {
        DEFAULT: "rules:style=corners",
        "Q-learning untrained": "random",
        "Q-learning trained": "qlearning:model=models/r1-tictactoe.npz",
        "Minimax no pruning depth 5": f"minimax:depth=5,{_LINES}",
        "Minimax pruning depth 5": f"alphabeta:depth=5,ordering=none,{_LINES}",
        "Minimax no pruning full": f"minimax:depth=full,{_LINES}",
        "Minimax pruning full": f"alphabeta:depth=full,ordering=none,{_LINES}",
    },
    CONNECT4: {
        DEFAULT: "rules:style=centre",
        "Q-learning trained": "qlearning:model=models/r1-connect4.npz",
        "Minimax no pruning depth 5": f"minimax:depth=5,{_WINDOWS}",
        "Minimax pruning depth 5": f"alphabeta:depth=5,ordering=none,{_WINDOWS}",
    },
}
MEETING = {TICTACTOE: "Minimax pruning full", CONNECT4: "Minimax pruning depth 5"}
"""Which minimax meets Q-learning."""


class R1(Study):
    """The first report's experiments."""

    name = "r1"
    title = "R1 again: minimax and Q-learning against a default opponent and each other"
    summary = "the first report: minimax and Q-learning against a default opponent and each other"
    figure = "r1-connect4-bars"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        made: list[Experiment] = [self._training(game, plan) for game in PLAYERS]
        made += symmetry_trainings(PLAYERS[TICTACTOE][DEFAULT], plan)
        for game, players in PLAYERS.items():
            made.append(
                reported.tournament(f"{game.name}-default", game, players, plan.pick(20, 100), plan, format="gauntlet")
            )
            both = {name: players[name] for name in (MEETING[game], "Q-learning trained")}
            made.append(reported.tournament(f"{game.name}-each-other", game, both, plan.pick(20, 100), plan))
        return made

    def _training(self, game: Game, plan: Plan) -> Measurement:
        """As the report trains: 20,000 episodes, evaluated every 500 over 50 games without exploration."""
        settings = training(
            "qlearning:preset=r1",
            game,
            plan.pick(5_000, 20_000),
            plan,
            every=plan.pick(1_000, 500),
            matches=plan.pick(10, 25),
            against=[PLAYERS[game][DEFAULT]],
            model=f"models/r1-{game.name}.npz",
        )
        return Measurement(f"{game.name}-training", train, settings, weight=plan.pick(50, 300))

    def content(self, found: StudyResults) -> Content:
        against = {game: sittings(found, f"{game.name}-default") for game in PLAYERS}
        meeting = {game: sittings(found, f"{game.name}-each-other") for game in PLAYERS}
        first, second = _against_default(against), _each_other(meeting)
        sentence, closing = reported.closing("r1", (first[0], second[0]), _why(), _faults(found), symmetry_table(found))
        sections = [
            Section("Against the default opponent", (*first, *_bars(against))),
            Section("Minimax against Q-learning", second),
            Section("Moves, states and time", tuple(_costs(against))),
            Section("Training", tuple(_training(found))),
            *closing,
        ]
        lead = (
            "The report’s players with the report’s parameters, from the empty board, in the report’s seats. Figures "
            "on a tinted ground are the report’s own."
        )
        return Content(lead, (sentence, *_sentences(against)), sections)


def _seat(row: Mapping[str, str], there: Mapping[tuple[str, str], Sitting]) -> tuple[Sitting | None, int]:
    """The sitting of a row of table 1, and the agent's seat in it."""
    if row["seat"] == "1":
        return there.get((row["agent"], DEFAULT)), 0
    return there.get((DEFAULT, row["agent"])), 1


def _against_default(against: Mapping[Game, Mapping[tuple[str, str], Sitting]]) -> tuple[Table, Table]:
    rows: list[tuple[Cell, ...]] = []
    for row in published("r1_vs_default"):
        game = next(game for game in against if game.name == row["game"])
        sitting, seat = _seat(row, against[game])
        theirs = f"{row['wins']} / {row['draws']} / {row['losses']}"
        head = (row["game"], row["agent"], row["seat"], theirs)
        quotes = [quoted(row[name]) for name in ("avg_moves", "time_per_move_s", "game_s", "states")]
        if sitting is None:
            cells: list[Cell] = [part for quote in quotes for part in (quote, NOT_PLAYED)]
            rows.append((*head, NOT_PLAYED, NOT_PLAYED, "not played here", *cells))
            continue
        effort = sitting.effort[seat]
        seconds = sum(e.seconds for e in sitting.effort)
        moves = sum(e.moves for e in sitting.effort)
        ours: list[Cell] = [
            sitting.plies / sitting.games,
            seconds / max(1, moves),
            seconds / sitting.games,
            effort.nodes * int(row["games"]) / sitting.games if row["states"] else NOT_GIVEN,
        ]
        rate = sitting.rate(seat)
        assert rate is not None
        rows.append(
            (
                *head,
                sitting.counts(seat),
                rate,
                reported.count_agreement(row["wins"], row["games"], rate),
                *(part for pair in zip(quotes, ours, strict=True) for part in pair),
            )
        )
    heads = (
        "game", "agent", "seat", Column("win / draw / loss", published=True), "ours", Column("our wins", "percent"),
        "agrees?", Column("moves", "number", published=True), Column("ours", "number"),
        Column("s a move", "number", published=True), Column("ours", "seconds"),
        Column("s a game", "number", published=True), Column("ours", "seconds"),
        Column("states", "count", published=True), Column("ours", "count"),
    )  # fmt: skip
    made = table(
        "r1-default", "Table 1: each algorithm against the default opponent", heads, rows,
        "Moves and time are of both sides, as in the report. States: of all games of the run; ours are the nodes of as "
        "many games.",
    )  # fmt: skip
    return reported.cut(made, 3, 7, "Table 1: moves, times and states")


def _each_other(meeting: Mapping[Game, Mapping[tuple[str, str], Sitting]]) -> tuple[Table, Table]:
    rows: list[tuple[Cell, ...]] = []
    for row in published("r1_head_to_head"):
        game = next(game for game in meeting if game.name == row["game"])
        names = {"Minimax": MEETING[game], "Q-learning": "Q-learning trained"}
        sitting = meeting[game].get((names[row["first"]], names[row["second"]]))
        theirs = f"{row['first_wins']} / {row['draws']} / {row['second_wins']}"
        head = (row["game"], row["first"], row["second"], theirs)
        columns = (
            "avg_moves_first", "avg_moves_second", "time_per_move_first_s", "time_per_move_second_s", "states", "game_s"
        )  # fmt: skip
        quotes = [quoted(row[name]) for name in columns]
        if sitting is None:
            cells: list[Cell] = [part for quote in quotes for part in (quote, NOT_PLAYED)]
            rows.append((*head, NOT_PLAYED, "not played here", *cells))
            continue
        one, two = sitting.effort
        ours: list[Cell] = [
            one.moves / sitting.games, two.moves / sitting.games, one.seconds_per_move(), two.seconds_per_move(),
            (one.nodes + two.nodes) * int(row["games"]) / sitting.games,
            (one.seconds + two.seconds) / sitting.games,
        ]  # fmt: skip
        agrees = reported.count_agreement(row["first_wins"], row["games"], sitting.rate(0))
        both = (part for pair in zip(quotes, ours, strict=True) for part in pair)
        rows.append((*head, sitting.counts(0), agrees, *both))
    heads: list[Column | str] = ["game", "first", "second", Column("first / draw / second", published=True)]
    heads += ["ours", "agrees?"]
    for name, kind in (
        ("moves first", "number"), ("moves second", "number"), ("s a move, first", "seconds"),
        ("s a move, second", "seconds"), ("states", "count"), ("s a game", "seconds"),
    ):  # fmt: skip
        heads += [Column(name, kind, published=True), Column("ours", kind)]
    made = table("r1-each-other", "Table 2: minimax against Q-learning", heads, rows)
    return reported.cut(made, 3, 6, "Table 2: moves, times and states")


def _bars(against: Mapping[Game, Mapping[tuple[str, str], Sitting]]) -> list[Figure]:
    figures = []
    for game, there in against.items():
        bars = []
        for (first, second), s in there.items():
            if first == DEFAULT:
                bars.append(Bar(f"{second}, second", s.second_wins, s.draws, s.first_wins))
            else:
                bars.append(Bar(f"{first}, first", s.first_wins, s.draws, s.second_wins))
        title = f"{game.title}: outcomes against the default opponent by seat"
        figures.append(outcome_bars(f"r1-{game.name}-bars", title, bars))
    return figures


def _costs(against: Mapping[Game, Mapping[tuple[str, str], Sitting]]) -> list[Figure]:
    figures = []
    for game, there in against.items():
        labels = [second for first, second in there if first == DEFAULT]
        rows = []
        for label in labels:
            as_first, as_second = there.get((label, DEFAULT), Sitting()), there[DEFAULT, label]
            moves = as_first.effort[0].moves + as_second.effort[1].moves
            nodes = as_first.effort[0].nodes + as_second.effort[1].nodes
            seconds = as_first.effort[0].seconds + as_second.effort[1].seconds
            plies = (as_first.plies + as_second.plies) / max(1, as_first.games + as_second.games)
            rows.append((label, plies, nodes / max(1, moves), seconds / max(1, moves)))
        shown_as = (("moves a match", "number"), ("states a move", "number"), ("time a move", "seconds"))
        for index, (name, kind) in enumerate(shown_as, 1):
            values = [(row[0], float(row[index])) for row in rows]
            key = f"r1-{game.name}-{name.split()[0]}"
            figures.append(cost_dots(key, f"{game.title}: {name}", values, name, kind))
    return figures


def _training(found: StudyResults) -> list[Figure | str]:
    said: list[Figure | str] = [
        "The report’s win rate in training rises until about 13,000 episodes and stays at about 0.75."
    ]
    for game in PLAYERS:
        measured = found.measured(f"{game.name}-training")
        if measured is not None:
            title = f"{game.title}: win rate during training against the default opponent"
            said.append(curve_figure(f"r1-{game.name}-training", title, {"qlearning:preset=r1": [measured]}))
    return said


def _sentences(against: Mapping[Game, Mapping[tuple[str, str], Sitting]]) -> list[str]:
    said = []
    for game, there in against.items():
        for (first, second), s in there.items():
            agent = second if first == DEFAULT else first
            seat = 1 if first == DEFAULT else 0
            wins, losses = s.rate(seat), s.rate(1 - seat)
            if agent == "Q-learning trained" and wins is not None and losses is not None and wins.low > losses.high:
                place = ("first", "second")[seat]
                rate = shown("percent", wins)
                said.append(f"{game.title}: {agent} as {place} player wins {rate} against the default opponent.")
    return said


def _why() -> str:
    return (
        "Where rates differ: the report’s programs carry the errors below, its trained tables are not published, and "
        "ten games say little. Times differ because these players are compiled. States depend on the order in which "
        "moves are tried, which the report does not state; here it is from the left."
    )


def _faults(found: StudyResults) -> Table:
    ended, blocked = shown_errors(found)
    return reported.faults(
        "r1-errors", "R1",
        [
            ("The eighth symmetry pairs one diagonal’s board with the other’s move.",
             "Rebuilt as a switch: the table below has what it costs. Else boards and moves have the same map here."),
            ("The opponent’s column 0 ends a training episode (0 read as “no move”).",
             f"That would have cut short {ended} of its learner’s games here against the default opponent."),
            ("“Blocking” is rewarded while the opponent still threatens.",
             f"{blocked} of the moves with which its learner blocked here left the opponent another win."),
            ("7^42 is given as 1.4×10^35 and as the number of positions.",
             f"7^42 is {shown('number', float(7**42))}, and counts sequences of moves; Connect 4 has about 4.5×10^12 "
             "positions."),
            ("“Lower rows weigh more” in the centre column.",
             "Its formula gives upper rows more: rows=upper here, as it was run."),
        ],
    )  # fmt: skip
