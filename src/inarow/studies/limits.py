"""The study ``limits``: strength of alpha–beta and Monte Carlo tree search by time per move."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from inarow.agents import agent
from inarow.arena import Results, Tournament
from inarow.report.curves import Axis, Curve, curves
from inarow.report.page import Section
from inarow.report.tables import Blank, Cell, Column, lead_in_elo, shown, table
from inarow.rules import CONNECT4
from inarow.stats import Interval
from inarow.studies import sections as parts
from inarow.studies.base import Content, Experiment, Plan, Study, StudyResults
from inarow.studies.sections import graded, gradings

TIMES = {"quick": (0.001, 0.004, 0.016), "full": (0.001, 0.003, 0.01, 0.03, 0.1)}
KEPT = (
    "Value kept: share of positions with a choice of the truth set in which the move keeps the exact value. Elo is "
    "estimated from all matches of the pool."
)
LEADS = (Column("time a move", "seconds"), Column("lead in Elo", "elo"))
KINDS = {"alphabeta": "alpha–beta", "mcts": "MCTS"}


def _spec(kind: str, seconds: float) -> str:
    return f"{kind}:seconds={seconds:g}" + (",ordering=threats,tt=on" if kind == "alphabeta" else "")


def _label(kind: str, seconds: float) -> str:
    return f"{KINDS[kind]}, {shown('seconds', seconds)}"


class Limits(Study):
    """Compares alpha–beta and MCTS at equal times per move."""

    name = "limits"
    title = "Strength by time per move: alpha–beta and Monte Carlo tree search"
    summary = "strength and accuracy of alpha–beta and MCTS by time per move"
    figure = "limits-elo"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        specs = tuple(_spec(kind, seconds) for kind in KINDS for seconds in TIMES[plan.scale])
        labels = {agent(_spec(k, seconds)).spec: _label(k, seconds) for k in KINDS for seconds in TIMES[plan.scale]}
        pool = Tournament.of(
            CONNECT4, specs, "random:4", plan.pick(8, 12), seed=plan.seed, key="connect4", labels=labels
        )
        return [pool, *gradings(CONNECT4, specs, plan)]

    def content(self, found: StudyResults) -> Content:
        results = found.results("connect4")
        if results is None:
            return Content("Not begun.", (), ())
        known = graded(found, CONNECT4)
        ratings = {standing.spec: standing.rating for standing in results.standings()}
        rows: list[tuple[Cell, ...]] = []
        elo, kept = [], []
        for kind, name in KINDS.items():
            by_elo: list[tuple[float, float | Interval]] = []
            by_truth: list[tuple[float, float | Interval]] = []
            for seconds in TIMES[found.plan.scale]:
                rating = ratings.get(_label(kind, seconds))
                graded_here = known.get(_spec(kind, seconds))
                rate = None if graded_here is None else graded_here.total.kept_rate
                none = Blank("not measured")
                rows.append((name, seconds, none if rating is None else rating, none if rate is None else rate))
                by_elo += [(seconds, rating)] if rating is not None else []
                by_truth += [(seconds, rate)] if rate is not None else []
            elo.append(Curve(name, by_elo))
            kept.append(Curve(name, by_truth))
        heads = ("search", Column("time a move", "seconds"), Column("Elo", "elo"), Column("value kept", "percent"))
        x = Axis("time a move", "seconds", log=True)
        gaps = _gaps(results, TIMES[found.plan.scale])
        sections = [
            Section(
                "Strength against time",
                (
                    table("limits", "Strength by thinking time", heads, rows, KEPT),
                    table("limits-leads", "Alpha–beta ahead of MCTS at equal times", LEADS, list(gaps.items())),
                    curves("limits-elo", "Elo against thinking time", x, Axis("Elo in this pool", "elo"), elo),
                    curves(
                        "limits-kept", "Kept value against thinking time", x,
                        Axis("value kept", "percent"), kept,
                    ),
                ),
            ),
            Section(
                "Every pairing",
                (
                    parts.cross_table(results, "limits-cross"),
                    parts.meetings(results, "limits-all"),
                ),
            ),
        ]  # fmt: skip
        said = [_sentence(seconds, gap) for seconds, gap in gaps.items()]
        leaders = [(seconds, _leader(gap)) for seconds, gap in gaps.items() if not gap.covers(0)]
        for (before, one), (after, other) in itertools.pairwise(leaders):
            if one != other:
                span = f"{shown('seconds', before)} and {shown('seconds', after)}"
                said.append(f"They cross between {span} a move, from {one} to {other}.")
        if len({better for _, better in leaders}) == 1:
            other = next(name for name in KINDS.values() if name != leaders[0][1])
            said.append(f"The curves do not cross: {other} is significantly stronger at none of these times.")
        lead = "Connect 4; round robin from random openings of 4 plies, in pairs with seats swapped."
        return Content(lead, said, sections)


def _gaps(results: Results, times: Sequence[float]) -> dict[float, Interval]:
    """Return alpha–beta's lead over MCTS in Elo at each time limit."""
    found = {}
    for seconds in times:
        pair = [label for kind in KINDS if (label := _label(kind, seconds)) in results.agents]
        if len(pair) == len(KINDS):
            found[seconds] = results.ratings.difference(*(results.agents.index(label) for label in pair))
    return found


def _leader(gap: Interval) -> str:
    return KINDS["alphabeta" if gap.estimate > 0 else "mcts"]


def _sentence(seconds: float, gap: Interval) -> str:
    where = f"At {shown('seconds', seconds)} a move"
    if gap.covers(0):
        return f"{where} the difference is not significant."
    lead = gap if gap.estimate > 0 else Interval(-gap.estimate, -gap.high, -gap.low)
    return f"{where} {_leader(gap)} is stronger, by {lead_in_elo(lead)}."
