"""Sentences about results. A difference is only claimed where its interval excludes nothing at all."""

from __future__ import annotations

import math
from collections.abc import Sequence

from inarow.match.series import Series
from inarow.report.cells import shown
from inarow.stats import Interval, Ratings

FEW = 10
"""Fewer matches than this are too few to say anything."""


def meeting_sentence(series: Series, where: str = "") -> str:
    """What two agents' matches say about them; ``where`` stands before it."""
    said = _meeting(series)
    return f"{where}: {said[0].lower() + said[1:] if said.startswith('No ') else said}" if where else said


def _meeting(series: Series) -> str:
    a, b = series.sides
    score = a.score()
    if score is None:
        return f"{a.spec} and {b.spec} played no match, so nothing can be said about them."
    if series.matches < FEW:
        played = "1 match is" if series.matches == 1 else f"{series.matches} matches are"
        return f"{played} too few to tell {a.spec} from {b.spec}."
    if series.distinct and series.distinct < series.matches / 2:
        return (
            f"{a.spec} scores {shown('percent', score.estimate)} against {b.spec}, but only {series.distinct} of their "
            f"{series.matches} playings are distinct: nothing is claimed from them."
        )
    if score.covers(0.5):
        return f"No difference is shown between {a.spec} and {b.spec}: {a.spec} scores {shown('percent', score)}."
    better = a if score.estimate > 0.5 else b
    worse = b if better is a else a
    found = better.score()
    assert found is not None
    return f"{better.spec} is better than {worse.spec}: it scores {shown('percent', found)} against it."


def ranking_sentence(where: str, names: Sequence[str], ratings: Ratings) -> str:
    """Who leads a pool, and whether the lead over the others is shown."""
    order = sorted(range(len(names)), key=lambda i: (-ratings.elo[i], names[i]))
    if len(order) < 2:
        return f"{where}: one agent alone can't be ranked."
    best = order[0]
    level = [names[i] for i in order[1:] if ratings.difference(best, i).low <= 0]
    elo = shown("elo", ratings.rating(best))
    if not level:
        return f"{where}: {names[best]} is the strongest of {len(names)}, ahead of each other agent; Elo {elo}."
    if len(level) == len(order) - 1:
        return f"{where}: these matches don't tell the agents apart."
    others = level[0] if len(level) == 1 else f"{', '.join(level[:-1])} and {level[-1]}"
    return f"{where}: {names[best]} has the highest Elo, {elo}, but is not shown to be stronger than {others}."


def difference_sentence(what: str, a: str, b: str, difference: Interval, kind: str) -> str:
    """Whether one figure is greater than another, given the interval of their difference (a − b)."""
    if difference.covers(0):
        return f"{what}: no difference is shown between {a} and {b}, {shown(kind, difference)}."
    more, less = (a, b) if difference.estimate > 0 else (b, a)
    return f"{what}: {more} has more than {less}; {a} less {b} is {shown(kind, difference)}."


def agreement(published: Interval, ours: Interval) -> str:
    """Whether two rates can be the same: "agrees" unless the interval of their difference excludes 0 (Newcombe)."""
    return "agrees" if rate_difference(published, ours).covers(0) else "differs"


def rate_difference(a: Interval, b: Interval) -> Interval:
    """Newcombe's interval of a − b for two independent rates with their own intervals."""
    gap = a.estimate - b.estimate
    down = math.hypot(a.estimate - a.low, b.high - b.estimate)
    up = math.hypot(a.high - a.estimate, b.estimate - b.low)
    return Interval(gap, gap - down, gap + up)
