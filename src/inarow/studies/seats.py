"""seats: the advantage of moving first, by game and player, against the truth."""

from __future__ import annotations

from collections.abc import Sequence

from inarow.arena import Tournament
from inarow.match.claims import USUAL, Finding
from inarow.report.cells import Blank, Cell, Column
from inarow.report.charts import Bar, outcome_bars
from inarow.report.page import Section
from inarow.report.tables import table
from inarow.rules import game
from inarow.stats import bounded_mean
from inarow.studies.framework.measurements import solve_board
from inarow.studies.framework.study import Content, Experiment, Measurement, Plan, Study
from inarow.studies.framework.study_results import StudyResults
from inarow.studies.reports.reported import usable
from inarow.studies.sections.by_seat import results_by_seat

GAMES = ("tictactoe", "4x4x3-free", "4x4x4", "5x4x4", "6x5x4", "connect4")
PLAYERS = ("random", "rules", "alphabeta:depth=4,ties=random", "mcts:simulations=500", "perfect:resist=any")
LARGEST = 20
"""Cells of the boards that the exact player plays in quick studies."""


class Seats(Study):
    """Each player against itself."""

    name = "seats"
    title = "The advantage of moving first"
    summary = "the advantage of moving first, by game and player, against the truth"
    figure = "seats-connect4"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        made: list[Experiment] = []
        for name in GAMES:
            board = game(name)
            for spec in usable(board, {spec: spec for spec in PLAYERS}):
                if not (spec.startswith("perfect") and board.cells > LARGEST):
                    made.append(
                        Tournament.of(
                            board,
                            (spec,),
                            "none",
                            plan.pick(50, 500),
                            with_self=True,
                            seed=plan.seed,
                            key=f"{name}-{spec.partition(':')[0]}",
                        )
                    )
            settings = {"game": name, "seconds": plan.pick(30, 300), "book": True}
            made.append(Measurement(f"{name}-truth", solve_board, settings, weight=50))
        return made

    def content(self, found: StudyResults) -> Content:
        rows: list[tuple[Cell, ...]] = []
        said: list[str] = []
        sections = []
        for name in GAMES:
            board = game(name)
            truth = found.measured(f"{name}-truth")
            value = truth["timing"]["verdict"] if truth else None
            exact: Cell = Blank("not solved in the time given") if value is None else f"a {value} for the first"
            bars = []
            for spec in PLAYERS:
                key = f"{name}-{spec.partition(':')[0]}"
                if found.run(key) is None:
                    continue
                seated = next(iter(results_by_seat(found, key).values()), None)
                first, second = (seated.rate(0), seated.rate(1)) if seated else (None, None)
                if seated is None or first is None or second is None:
                    continue
                counts = {1.0: seated.first_wins, 0.5: seated.draws, 0.0: seated.second_wins}
                score = bounded_mean(counts)
                assert score is not None
                draws = seated.draw_rate() or Blank("not played")
                rows.append((board.title, spec, score, first, draws, second, len(seated.lines), exact))
                bars.append(Bar(spec, seated.first_wins, seated.draws, seated.second_wins))
                if USUAL.finding(score, seated.matches, len(seated.lines)) is Finding.BETTER:
                    seats = ("first", "second") if score.estimate > 0.5 else ("second", "first")
                    said.append(
                        f"{board.title}: {spec} against itself does better as {seats[0]} player than as {seats[1]}."
                    )
            if bars:
                title = f"{board.title}: each player against itself, as first player"
                sections.append(Section(board.title, (outcome_bars(f"seats-{name}", title, bars),)))
        heads = (
            "game", "player against itself", Column("score of the first", "percent"),
            Column("first wins", "percent"), Column("draws", "percent"),
            Column("second wins", "percent"), Column("distinct matches", "count"), "exact value",
        )  # fmt: skip
        title = "Outcomes of each player against itself, and the truth"
        note = "Score: points of the first player per match, a draw counting half."
        whole = table("seats", title, heads, rows, note)
        lead = "Each player against itself from the empty board: who wins more often, the first or the second?"
        return Content(lead, said, [Section("All games", (whole,)), *sections])
