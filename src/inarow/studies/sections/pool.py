"""A pool of agents under their labels: how its pairings rank them by the claim rule, and the findings in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

from inarow.arena import Results, Standing
from inarow.formatting import listed
from inarow.match import Claim, Finding
from inarow.match.series import Series
from inarow.report.sentences import meeting_sentence

MOST_GROUPS = 6
"""A ranking in a headline names at most this many groups."""


@dataclass(frozen=True)
class Pool:
    """The results of a pool under their labels, and the specs behind those."""

    results: Results
    specs: Mapping[str, str]
    """By label."""

    @cached_property
    def order(self) -> list[Standing]:
        """The standings, the highest rating first."""
        return self.results.standings()

    @property
    def names(self) -> list[str]:
        """Labels, the highest rating first."""
        return [standing.spec for standing in self.order]

    def series(self, a: str, b: str) -> Series | None:
        """Return what two agents played, if they met."""
        found = (s for s in self.results.series.values() if {side.spec for side in s.sides} == {a, b})
        return next(found, None)

    def claim(self, a: str, b: str) -> Claim | None:
        """Return what the matches of two agents show, if they met."""
        series = self.series(a, b)
        return None if series is None else self.results.claim(series)

    def beats(self, a: str, b: str) -> bool:
        """Return True if ``a`` is claimed to be better than ``b``."""
        made = self.claim(a, b)
        return made is not None and made.winner == a

    def ranked(self, names: Sequence[str]) -> list[list[str]]:
        """Group names, the highest rating first: everyone in a group is claimed to be better than everyone in the
        groups after it."""
        order = [name for name in self.names if name in names]
        made: list[list[str]] = []
        for place, name in enumerate(order):
            if all(self.beats(better, worse) for better in order[:place] for worse in order[place:]):
                made.append([name])
            else:
                made[-1].append(name)
        return made


def ranking(groups: Iterable[Iterable[str]], most: int | None = None) -> str:
    """Format a ranking: ``a > b, c > d``, where > is a claim and a comma joins agents that are not told apart."""
    texts = [", ".join(group) for group in groups]
    return " > ".join([*texts[:most], "…"] if most is not None and len(texts) > most else texts)


def headline(pool: Pool) -> str:
    """Format the ranking of a pool as a headline."""
    return f"{pool.results.game.title}: {ranking_of(pool, pool.names, MOST_GROUPS)}"


def ranking_of(
    pool: Pool, names: Sequence[str], most: int | None = None, short: Mapping[str, str] | None = None
) -> str:
    """Format how some agents of a pool rank, or say that they don't; ``short`` has other names for them."""
    groups = pool.ranked(names)
    if len(groups) > 1:
        return ranking([[(short or {}).get(name, name) for name in group] for group in groups], most)
    who = listed([short.get(name, name) for name in names]) if short else "the agents"
    if any(pool.beats(a, b) for a, b in permutations(names, 2)):
        return f"the pairings do not rank {who}"
    return f"no difference is shown between {who}"


def findings(pool: Pool) -> list[str]:
    """The ranking of a pool, or what the matches of two agents show."""
    game, claims = pool.results.game.title, [pool.results.claim(series) for series in pool.results.series.values()]
    if len(claims) == 1:
        return [meeting_sentence(next(iter(pool.results.series.values())), game, pool.results.rule)]
    better, equal = (sum(one.finding is finding for one in claims) for finding in (Finding.BETTER, Finding.EQUAL))
    shown = f"{better} of {len(claims)} pairings show a difference" + (f", {equal} equality" if equal else "")
    return [f"{game}: {ranking_of(pool, pool.names)} ({shown})."]
