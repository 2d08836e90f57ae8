"""Sentences about results, and rankings. A difference is claimed only where its interval excludes zero."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations

from inarow.arena import Results
from inarow.formatting import listed
from inarow.match.claims import USUAL, Finding, Rule, claim
from inarow.match.series import Series
from inarow.report.tables import shown
from inarow.stats import Interval

MOST_GROUPS = 6
"""A ranking in a headline names at most this many groups."""


def meeting_sentence(series: Series, where: str = "", rule: Rule = USUAL) -> str:
    """What the matches of two agents show about them; ``where`` stands before it."""
    said = claim(series, rule).sentence
    return f"{where}: {said[0].lower() + said[1:] if said.startswith('No ') else said}" if where else said


def ranking_sentence(where: str, results: Results, rule: Rule = USUAL) -> str:
    """Who leads a pool, and whether the lead over the others is shown.

    This is not the question of a `claim`: it is answered by ratings, which weigh the matches of the whole pool. The
    rule's condition on the number of matches is the same.
    """
    names, ratings = results.agents, results.ratings
    order = sorted(range(len(names)), key=lambda i: (-ratings.elo[i], names[i]))
    if len(order) < 2:
        return f"{where}: one agent alone can't be ranked."
    best = order[0]
    enough = rule.finding(Interval(1, 1, 1), results.matches)
    if enough is not Finding.BETTER:
        return f"{where}: no ranking is claimed, {enough.value}: {results.matches:,}."
    level = [names[i] for i in order[1:] if ratings.difference(best, i).low <= 0]
    elo = shown("elo", ratings.rating(best))
    if not level:
        return f"{where}: {names[best]} is the strongest of {len(names)}, ahead of each other agent; Elo {elo}."
    if len(level) == len(order) - 1:
        return f"{where}: these matches don't tell the agents apart."
    return f"{where}: {names[best]} has the highest Elo, {elo}, but is not shown to be stronger than {listed(level)}."


def ranking(groups: Iterable[Iterable[str]], most: int | None = None) -> str:
    """Format a ranking: ``a > b, c > d``, where > is a claim and a comma joins agents that are not told apart."""
    texts = [", ".join(group) for group in groups]
    return " > ".join([*texts[:most], "…"] if most is not None and len(texts) > most else texts)


def ranking_of(
    results: Results, names: Sequence[str], most: int | None = None, short: Mapping[str, str] | None = None
) -> str:
    """Format how some agents rank, or say that they don't; ``short`` has other names for them."""
    groups = results.ranked(names)
    if len(groups) > 1:
        return ranking([[(short or {}).get(name, name) for name in group] for group in groups], most)
    who = listed([short.get(name, name) for name in names]) if short else "the agents"
    if any(results.beats(a, b) for a, b in permutations(names, 2)):
        return f"the pairings do not rank {who}"
    return f"no difference is shown between {who}"


def headline(results: Results) -> str:
    """Format the ranking of a pool as a headline."""
    return f"{results.game.title}: {ranking_of(results, results.names, MOST_GROUPS)}"


def findings(results: Results) -> list[str]:
    """The ranking of a pool, or what the matches of two agents show."""
    game, claims = results.game.title, [results.claim(series) for series in results.series.values()]
    if len(claims) == 1:
        return [meeting_sentence(next(iter(results.series.values())), game, results.rule)]
    better, equal = (sum(one.finding is finding for one in claims) for finding in (Finding.BETTER, Finding.EQUAL))
    count = f"{better} of {len(claims)} pairings show a difference" + (f", {equal} equality" if equal else "")
    return [f"{game}: {ranking_of(results, results.names)} ({count})."]


def lead_in_elo(gap: Interval) -> str:
    """A lead without signs: ``257 Elo (174 to 340)``."""
    return f"{round(gap.estimate)} Elo ({round(gap.low)} to {round(gap.high)})"


def rate_difference(a: Interval, b: Interval) -> Interval:
    """Newcombe's interval of a − b for two independent rates with their own intervals."""
    gap = a.estimate - b.estimate
    down = math.hypot(a.estimate - a.low, b.high - b.estimate)
    up = math.hypot(a.high - a.estimate, b.estimate - b.low)
    return Interval(gap, gap - down, gap + up)
