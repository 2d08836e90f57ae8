"""The study ``seats``: the advantage of moving first, by game and player, and the exact values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from inarow.agents import agent
from inarow.arena import Tournament
from inarow.formatting import listed, share
from inarow.match import Series
from inarow.match.claims import USUAL
from inarow.report.charts import Bar, outcome_bars
from inarow.report.page import Section
from inarow.report.tables import Blank, Cell, Table, table
from inarow.rules import game
from inarow.stats import Interval, bounded_mean
from inarow.studies.base import Content, Experiment, Measurement, Plan, Study, StudyResults, usable
from inarow.studies.measurements import solve_board
from inarow.studies.sections import results_by_seat

GAMES = ("tictactoe", "4x4x3-free", "4x4x4", "5x4x4", "6x5x4", "connect4")
PLAYERS = {
    "random": "random",
    "rules": "rules",
    "alpha–beta at depth 4": "alphabeta:depth=4,ties=random",
    "MCTS with 500 simulations": "mcts:simulations=500",
    "perfect": "perfect:resist=any",
}
"""Specs by name."""
EXACT = {"win": "first wins", "draw": "draw", "loss": "second wins"}
TRUTHS = {"win": "a win for the first player", "draw": "a draw", "loss": "a loss for the first player"}
FIRST, SECOND = "the first player does better", "the second player does better"
OPEN, FEW = "no difference", "too few matches"
LARGEST = 20
"""Maximum cells of boards that the perfect player plays."""


class Seats(Study):
    """Plays each agent against itself."""

    name = "seats"
    title = "The advantage of moving first"
    summary = "the advantage of moving first, by game and player, and the exact values"
    figure = "seats-connect4"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        made: list[Experiment] = []
        for name in GAMES:
            board = game(name)
            for label, spec in usable(board, PLAYERS).items():
                if not (spec.startswith("perfect") and board.cells > LARGEST):
                    made.append(
                        Tournament.of(
                            board, (spec,), "none", plan.pick(50, 500), with_self=True, seed=plan.seed,
                            key=_key(name, spec), labels={agent(spec).spec: label},
                        )
                    )  # fmt: skip
            settings = {"game": name, "seconds": plan.pick(30, 300), "book": True}
            made.append(Measurement(f"{name}-truth", solve_board, settings, weight=50))
        return made

    def content(self, found: StudyResults) -> Content:
        rows: list[tuple[Cell, ...]] = []
        said: list[str] = []
        sections = []
        counts: Counter[str] = Counter()
        for name in GAMES:
            board = game(name)
            truth = found.measured(f"{name}-truth")
            value = truth["timing"]["verdict"] if truth else None
            exact: Cell = Blank("not solved in the time given") if value is None else EXACT[value]
            bars = []
            shown_by: dict[str, list[tuple[str, Interval]]] = {}
            for label, spec in PLAYERS.items():
                seated = _seated(found, _key(name, spec))
                first, second = (seated.win_rate, seated.opponent.win_rate) if seated else (None, None)
                if seated is None or first is None or second is None:
                    continue
                score = bounded_mean({1.0: seated.wins, 0.5: seated.draws, 0.0: seated.losses})
                assert score is not None
                draws = seated.draw_rate or Blank("not played")
                rows.append((board.title, label, score, first, draws, second, seated.distinct, exact))
                bars.append(Bar(label, seated.wins, seated.draws, seated.losses))
                shown_by.setdefault(_shows(score, seated), []).append((label, score))
            if bars:
                title = f"{board.title}: each player against itself, as first player"
                sections.append(Section(board.title, (outcome_bars(f"seats-{name}", title, bars),)))
                said.append(f"{board.title}, {_truth(value)}: {_sentence(shown_by)}")
                counts.update({kind: len(those) for kind, those in shown_by.items()})
        heads = (
            "game | player against itself | score of the first:percent | first wins:percent | draws:percent | "
            "second wins:percent | distinct matches:count | with perfect play"
        )  # fmt: skip
        title = "Outcomes of each player against itself, and exact values"
        note = "Score: points of the first player per match, a draw counting half."
        whole = table("seats", title, heads, rows, note)
        lead = "Each player against itself from the empty board: does the first or the second player win more often?"
        if rows:
            said.insert(
                0,
                f"In {counts[FIRST]} of {len(rows)} cases the first player is significantly better, in "
                f"{counts[SECOND]} the second.",
            )
        return Content(lead, said, [Section("All games", (whole, _totals(counts))), *sections])


def _key(name: str, spec: str) -> str:
    return f"{name}-{spec.partition(':')[0]}"


def _seated(found: StudyResults, key: str) -> Series | None:
    """Return a player's matches against itself, or None."""
    return None if found.run(key) is None else next(iter(results_by_seat(found, key).values()), None)


def _shows(score: Interval, seated: Series) -> str:
    """Return the seat that does better, in the words of the table of totals."""
    if not score.covers(0.5):
        return FIRST if score.estimate > 0.5 else SECOND
    return OPEN if USUAL.could_show(seated) else FEW


def _truth(value: str | None) -> str:
    return "not solved in the time given" if value is None else f"{TRUTHS[value]} with perfect play"


def _sentence(shown_by: Mapping[str, Sequence[tuple[str, Interval]]]) -> str:
    """State which players gain from moving first, from moving second, or from neither."""
    parts = []
    is_first = True
    for kind, words in ((FIRST, "moving first helps"), (SECOND, "moving second helps")):
        named = []
        for label, score in shown_by.get(kind, ()):
            named.append(f"{label} ({'the first player scores ' if is_first else ''}{share(score.estimate)})")
            is_first = False
        parts += [f"{words} {listed(named)}"] if named else []
    for kind, words in ((OPEN, "no significant difference for"), (FEW, "too few matches for")):
        named = [label for label, _ in shown_by.get(kind, ())]
        parts += [f"{words} {listed(named)}"] if named else []
    return f"{'; '.join(parts)}."


def _totals(counts: Mapping[str, int]) -> Table:
    rows = [(kind, counts.get(kind, 0)) for kind in (FIRST, SECOND, OPEN, FEW)]
    heads = "finding | cases:count"
    return table("seats-totals", "Better seat", heads, [*rows, ("in all", sum(counts.values()))])
