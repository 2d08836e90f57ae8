"""What to remember of a pool of agents: who is best and by how much, what strength costs, what surprises, what is open.

Sentences are written by rules from the values of tables; each number in them stands in a table of the same page.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from inarow.arena import Results, Standing
from inarow.formatting import capitalised, counted, listed
from inarow.match import Claim, Finding
from inarow.match.series import Series
from inarow.report.cells import Blank, Cell, Column, shown
from inarow.report.curves import Priced, frontier
from inarow.report.page import Takeaway
from inarow.report.sentences import lead_in_elo
from inarow.report.tables import Table, table
from inarow.stats import Interval

FEW = 3
"""Up to this many pairings are named one by one."""
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def at_start(name: str) -> str:
    """A name at the start of a sentence: with a capital letter, unless it is written as a spec."""
    return name if ":" in name else capitalised(name)


def series_of(parts: Sequence[str]) -> str:
    """A list in a sentence; where its parts have commas themselves, they are set apart by semicolons."""
    if len(parts) < 3 or not any("," in part for part in parts):
        return listed(parts)
    return "; ".join([*parts[:-1], f"and {parts[-1]}"])


def in_words(count: int) -> str:
    """A small count in words."""
    return WORDS[count] if count < len(WORDS) else f"{count:,}"


@dataclass(frozen=True)
class Pool:
    """The results of a pool under their labels, and the specs behind those."""

    results: Results
    specs: Mapping[str, str]
    """By label."""

    @cached_property
    def order(self) -> list[Standing]:
        """The strongest first."""
        return self.results.standings()

    @property
    def names(self) -> list[str]:
        """Labels, the strongest first."""
        return [standing.spec for standing in self.order]

    def kind(self, name: str) -> str:
        """The name of the algorithm."""
        return self.specs.get(name, name).partition(":")[0]

    def gap(self, a: str, b: str) -> Interval:
        """How much stronger ``a`` is than ``b``, in Elo."""
        return self.results.ratings.difference(self.results.agents.index(a), self.results.agents.index(b))

    @cached_property
    def best(self) -> list[str]:
        """The strongest agent and all that are not shown to be weaker, by their ratings."""
        first = self.names[0]
        return [first, *(name for name in self.names[1:] if self.gap(first, name).low <= 0)]

    @cached_property
    def unbeaten(self) -> list[str]:
        """Those that played and lost no match."""
        return [s.spec for s in self.order if s.side.together.matches and not s.side.together.losses]

    @cached_property
    def is_ranked(self) -> bool:
        """Whether there are matches enough to speak of strength at all."""
        enough = self.results.rule.finding(Interval(1, 1, 1), self.results.matches, self.results.distinct)
        return len(self.names) > 1 and enough is Finding.BETTER

    def series(self, a: str, b: str) -> Series | None:
        """What two agents played."""
        found = (s for s in self.results.series.values() if {side.spec for side in s.sides} == {a, b})
        return next(found, None)

    def claim(self, a: str, b: str) -> Claim | None:
        """What the matches of two agents show."""
        series = self.series(a, b)
        return None if series is None else self.results.claim(series)

    @cached_property
    def priced(self) -> list[Priced]:
        """Every agent that took time, with its time a move."""
        made = [Priced(s.spec, s.side.effort.seconds_per_move(), s.rating) for s in self.order]
        return [one for one in made if one.cost > 0]

    @cached_property
    def frontier(self) -> list[str]:
        """Those that no other beats at the same time a move or less, the cheapest first."""
        return [one.label for one in frontier(self.priced)]

    @cached_property
    def nodes(self) -> dict[str, float]:
        """Nodes a move."""
        return {s.spec: s.side.effort.nodes_per_move() for s in self.order}


def steps(pool: Pool, key: str) -> Table:
    """Each step up the frontier, from an agent to the next that is stronger: what is gained, and what it costs."""
    cost = {one.label: one.cost for one in pool.priced}
    rows: list[tuple[Cell, ...]] = []
    for weak, strong in itertools.pairwise(pool.frontier):
        rows.append(
            (
                weak,
                strong,
                pool.gap(strong, weak),
                cost[strong] / cost[weak],
                cost[strong],
                pool.nodes[strong],
                _met(pool.claim(strong, weak)),
            )
        )
    heads = (
        "from",
        "to",
        Column("Elo gained", "elo"),
        Column("times as long", "number"),
        Column("time a move", "seconds"),
        Column("nodes a move", "number"),
        "their own matches",
    )
    note = "The frontier: agents that no other one beats at the same time a move or less."
    return table(key, f"{pool.results.game.title}: what each step up costs", heads, rows, note)


def ranks(pool: Pool, key: str) -> Table:
    """Every agent and the next weaker one: how far apart they are, by the ratings and in their own matches."""
    rows: list[tuple[Cell, ...]] = []
    for better, worse in itertools.pairwise(pool.names):
        series = pool.series(better, worse)
        side = None if series is None else next(side for side in series.sides if side.spec == better)
        score = None if side is None else pool.results.rule.interval(side)
        met = pool.claim(better, worse)
        gaps = pool.gap(better, worse), pool.gap(pool.names[0], worse)
        shown_by = APART if met is None else met.verdict_for(better)
        rows.append((better, worse, *gaps, score or APART, shown_by))
    heads = (
        "agent",
        "the next",
        Column("Elo ahead of the next", "elo"),
        Column("Elo from the first to the next", "elo"),
        Column("score against the next", "percent"),
        "in their own matches",
    )
    return table(key, f"{pool.results.game.title}: from rank to rank", heads, rows)


APART = Blank("the two did not meet")


def _met(claim: Claim | None) -> Cell:
    return APART if claim is None else claim.verdict


def strongest(pool: Pool, place: int = 0) -> Takeaway:
    """The best group and by how much; ``place`` is that of the game on the page, so that wordings differ."""
    group, names, title = pool.best, pool.names, "The strongest"
    if not pool.is_ranked:
        matches, distinct = f"{pool.results.matches:,}", f"{pool.results.distinct:,}"
        return Takeaway(title, (f"No ranking is claimed: {distinct} distinct matches of {matches} are too few.",))
    if len(group) == len(names):
        return Takeaway(title, ("These matches don’t tell the agents apart.",))
    after, many = next(name for name in names if name not in group), in_words(len(names))
    ahead = lead_in_elo(pool.gap(group[0], after))
    if len(group) == 1:
        first = f"{at_start(group[0])} is the strongest of {many}, {ahead} ahead of {after}."
        other = f"Of {many} players {group[0]} is the strongest: it is {ahead} ahead of {after}, the next."
        said = [(first, other)[place % 2], *_second(pool, after)]
    else:
        level = f"{capitalised(in_words(len(group)))} players share the top: {series_of(group)}."
        other = f"{at_start(series_of(group))} can’t be told apart by their ratings."
        said = [
            (other, level)[place % 2],
            f"{at_start(after)} is the first to fall behind, {ahead} below {group[0]}.",
        ]
    if pool.unbeaten:
        said.append(f"{at_start(series_of(pool.unbeaten))} lost no match at all.")
    return Takeaway(title, tuple(said))


def _second(pool: Pool, second: str) -> list[str]:
    """By how much the second is ahead of the third, if that is shown."""
    third = next(iter(pool.names[2:]), None)
    if third is None or pool.gap(second, third).low <= 0:
        return []
    return [f"{at_start(second)} in turn leads {third} by {lead_in_elo(pool.gap(second, third))}."]


def price_of_strength(pool: Pool, place: int = 0) -> Takeaway | None:
    """What each step up the frontier costs, and who pays more for less."""
    path = pool.frontier
    if not pool.is_ranked or len(path) < 2:
        return None
    cost = {one.label: one.cost for one in pool.priced}
    made, small = [], []
    for weak, strong in itertools.pairwise(path):
        gap, times = pool.gap(strong, weak), shown("number", cost[strong] / cost[weak])
        if gap.low > 0:
            searched = f" and {shown('number', pool.nodes[strong])} nodes a move" if pool.nodes[strong] else ""
            made.append(f"{round(gap.estimate)} Elo to {strong} for {times} times the time{searched}")
        else:
            small.append(f"{at_start(strong)} takes {times} times the time of {weak}, for a gain within chance.")
    start = (f"Up from {path[0]}, each step has its price: ", f"From {path[0]} the way up is ")[place % 2]
    said = [f"{start}{series_of(made)}."] if made else []
    said += small
    rest = [name for name in pool.names if name not in path and name in cost]
    if rest:
        worst = max(rest, key=lambda name: cost[name])
        better = next(name for name in reversed(path) if cost[name] <= cost[worst])
        dear, cheap = (shown("seconds", cost[name]) for name in (worst, better))
        nodes, higher = pool.nodes[worst], "higher" if pool.gap(better, worst).low > 0 else "no lower"
        looks = f" and {shown('number', nodes)} nodes" if nodes > 0 else ""
        first = f"{at_start(worst)} pays the most for less: {dear}{looks} a move, where {better} takes {cheap} and is"
        other = f"Not worth its time is {worst}, with {dear}{looks} a move: {better} takes {cheap} and is"
        said.append(f"{(first, other)[place % 2]} rated {higher}.")
    return Takeaway("What strength costs", tuple(said))


def undecided(pool: Pool, place: int = 0) -> Takeaway:
    """How many pairings are decided, and which are not."""
    claims = [pool.results.claim(series) for series in pool.results.series.values()]
    better = sum(made.finding is Finding.BETTER for made in claims)
    equal = sum(made.finding is Finding.EQUAL for made in claims)
    left = [made for made in claims if not made.decided]
    if not left:
        return Takeaway("What is not decided", (f"Nothing: all {len(claims)} pairings are decided.",))
    said = f"Of {len(claims)} pairings {better} show which agent is better"
    said += f" and {equal} that the two are about equal." if equal else "."
    sentences = [said]
    pairs = [_open(pool, made) for made in left]
    if len(left) <= FEW:
        sentences.append(f"{'One stays' if len(left) == 1 else 'These stay'} open: {series_of(pairs)}.")
    else:
        repeated = sum(made.finding is Finding.REPEATED for made in left)
        other = f"{capitalised(in_words(len(left)))} stay open"
        why = f", {in_words(repeated)} of them because the same matches are repeated" if repeated else ""
        sentences.append(f"{other}{why}.")
        inside = [made for made in left if {made.better, made.worse} <= set(pool.best)]
        if len(inside) == len(left):
            sentences.append("All of these are among the players at the top.")
    return Takeaway("What is not decided", tuple(sentences))


def _open(pool: Pool, claim: Claim) -> str:
    """A pairing that is not decided, with its score so far."""
    series = pool.series(claim.better, claim.worse)
    if claim.score is None or series is None:
        return f"{claim.better} against {claim.worse}"
    ahead, behind = sorted(series.sides, key=lambda side: pool.names.index(side.spec))
    score, pairs = pool.results.rule.interval(ahead) or claim.score, ahead.pairs.total()
    return (
        f"{ahead.spec} scores {shown('percent', score)} against {behind.spec} after {counted(pairs, 'pair', 'pairs')}"
    )


def headline(pool: Pool) -> str:
    """The result of one pool as the first half of a page's headline, without a full stop."""
    game, names, group = pool.results.game.title, pool.names, pool.best
    if not pool.is_ranked:
        return f"{game}: too few matches for a ranking"
    if len(group) == len(names):
        return f"{game}: the players can’t be told apart"
    if len(group) == 1 and pool.kind(names[0]) == "perfect" and _beats_all_but_the_first(pool, names[1]):
        return f"only perfect play beats {names[1]} in {game}"
    if len(group) == 1:
        return f"{at_start(group[0])} is the strongest of {in_words(len(names))} players of {game}"
    if len(pool.unbeaten) > 1 and set(pool.unbeaten) <= set(group):
        return f"{in_words(len(pool.unbeaten))} of {in_words(len(names))} players never lost at {game}"
    share = "half" if 2 * len(group) == len(names) else in_words(len(group))
    return f"in {game} {share} of {in_words(len(names))} players share the top"


def _beats_all_but_the_first(pool: Pool, second: str) -> bool:
    """Whether the second is shown to lose to the first and to beat everybody else."""
    claims = {name: pool.claim(second, name) for name in pool.names if name != second}
    winners = {name: made and made.winner for name, made in claims.items()}
    return len(claims) > 2 and all(
        winner == (name if name == pool.names[0] else second) for name, winner in winners.items()
    )


def of_pool(pool: Pool, surprises: Sequence[str] = (), place: int = 0) -> tuple[Takeaway, ...]:
    """All that is to be remembered of a pool."""
    made = [strongest(pool, place), price_of_strength(pool, place)]
    if surprises:
        made.append(Takeaway("The surprise" if len(surprises) == 1 else "What surprises", tuple(surprises)))
    made.append(undecided(pool, place))
    return tuple(one for one in made if one is not None)
