"""r3: every player against every player and itself, as a matrix of outcome shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inarow.report.cells import Blank, Cell, Column, shown
from inarow.report.charts import share_matrix
from inarow.report.page import Section
from inarow.report.tables import Table, table
from inarow.rules import CONNECT4, TICTACTOE, Game
from inarow.stats import wilson
from inarow.studies.framework.study import Content, Experiment, Measurement, Plan, Study
from inarow.studies.framework.study_results import StudyResults
from inarow.studies.reports import reported
from inarow.studies.reports.published import published
from inarow.studies.reports.reported import NOT_PLAYED, quoted
from inarow.studies.sections.by_seat import Sitting, sittings
from inarow.studies.sections.trainings import train, training

PLAYERS: Mapping[Game, Mapping[str, str]] = {
    TICTACTOE: {
        "Easy": "random",
        "Medium": "rules",
        "Minimax": "alphabeta:depth=full,eval=zero,ordering=none,sooner=off",
        "Q-learning": "qlearning:model=models/r3-tictactoe.npz",
    },
    CONNECT4: {
        "Easy": "random",
        "Medium": "rules",
        "Minimax": "alphabeta:depth=5,eval=open,win=300,loss=400,ordering=none,sooner=off",
        "Q-learning": "qlearning:model=models/r3-connect4.npz",
    },
}
NO_NOTE = Blank("the report adds nothing")
GAMES = 100
"""That the report played in each seat."""


class R3(Study):
    """The third report's experiment."""

    name = "r3"
    title = "R3 again: every player against every player and itself"
    summary = "the third report: a full cross table of Easy, Medium, minimax and Q-learning on both games"
    figure = "r3-connect4-matrix"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        made: list[Experiment] = []
        for game in PLAYERS:
            settings = training(
                "qlearning:preset=r3", game, plan.pick(20_000, 100_000), plan, every=plan.pick(10_000, 20_000),
                model=f"models/r3-{game.name}.npz",
            )  # fmt: skip
            made.append(Measurement(f"{game.name}-training", train, settings, weight=plan.pick(100, 500)))
        for game, players in PLAYERS.items():
            made.append(reported.tournament(game.name, game, players, plan.pick(25, GAMES), plan, with_self=True))
        return made

    def content(self, found: StudyResults) -> Content:
        sections, tables = [], []
        for game, players in PLAYERS.items():
            seats = sittings(found, game.name)
            names = list(players)
            cells = {(names.index(a), names.index(b)): s.shares for (a, b), s in seats.items()}
            made = _table(game, seats)
            tables.append(made)
            matrix = share_matrix(f"r3-{game.name}-matrix", f"{game.title}: outcome shares", names, cells)
            sections.append(Section(game.title, (matrix, made)))
        sentence, closing = reported.closing("r3", tables, _why(), _faults(found))
        sections += closing
        lead = "Every player of the report as first player (rows) against every player as second (columns)."
        return Content(lead, (sentence,), sections)


def _table(game: Game, seats: Mapping[tuple[str, str], Sitting]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for row in published("r3_stated"):
        if row["game"] != game.name:
            continue
        sitting = seats.get((row["first"], row["second"]))
        ours = (
            (None, None, None)
            if sitting is None
            else (sitting.rate(0), sitting.rate(1), wilson(sitting.draws, sitting.games))
        )
        cells: list[Cell] = []
        verdicts = []
        for name, rate in zip(("first_win_pct", "second_win_pct", "draw_pct"), ours, strict=True):
            cells += [quoted(row[name]), NOT_PLAYED if rate is None else rate]
            verdicts.append(reported.rate_agreement(row[name], GAMES, rate))
        compared = [verdict for verdict in verdicts if verdict in ("agrees", "differs")]
        said = "differs" if "differs" in compared else "agrees" if compared else "not played here"
        distinct = NOT_PLAYED if sitting is None else len(sitting.playings)
        rows.append((row["first"], row["second"], *cells, said, distinct, row["note"] or NO_NOTE))
    heads: list[Column | str] = ["first", "second"]
    for name in ("first wins %", "second wins %", "draws %"):
        heads += [Column(name, "number", published=True), Column("ours", "percent")]
    heads += ["agrees?", Column("distinct playings", "count"), Column("its note", published=True)]
    return table(f"r3-{game.name}", f"{game.title}: shares stated in the report, and ours", heads, rows)


def _why() -> str:
    return (
        "A row differs if any of its shares does. The report’s shares are partly read off charts, or “about”; its "
        "minimax breaks ties in a way it does not state (the first of equal moves here), which decides the matches of "
        "players without chance: there a hundred playings are one, as the column of distinct playings shows. Its "
        "Q-tables depend on the training, whose length for Tic Tac Toe it does not state."
    )


def _faults(found: StudyResults) -> Table:
    wins = []
    there = sittings(found, CONNECT4.name)
    for name in ("Q-learning", "Easy"):
        rate = there[name, "Medium"].rate(0) if (name, "Medium") in there else None
        wins.append("–" if rate is None else shown("percent", rate))
    return reported.faults(
        "r3-errors", "R3",
        [
            ("The printed Connect 4 trainer loads and saves the other seat’s file.",
             "One table for both seats here; a position tells whose move it is. A table of the other seat has none of "
             f"the positions that a player meets, so that it moves at random: that wins {wins[1]} as first player "
             f"against Medium (row Easy), the table {wins[0]}."),
            ("Minimax against itself ends 100 to 0 in Connect 4, Q-learning against itself 0 to 100, from 100 games.",
             "These players have no chance in them: all 100 games are the same game, which says nothing about rates; "
             "the "
             "column of distinct playings shows it."),
        ],
    )  # fmt: skip
