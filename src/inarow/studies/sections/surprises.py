"""What a reader will not expect, found in the values and explained: each rule says what is seen, and why."""

from __future__ import annotations

from collections.abc import Mapping

from inarow.formatting import listed
from inarow.match import Finding
from inarow.report.cells import shown
from inarow.studies.sections.accuracy import Graded
from inarow.studies.sections.takeaways import Pool, at_start

LEARNERS = ("qlearning", "ntuple")
SEARCHERS = ("minimax", "alphabeta", "mcts")
FEW_NODES = 0.01
"""A learner that visits at most this share of a search's nodes knows rather than searches."""
EXACT = 0.999
"""A share of kept verdicts from here on is all of them."""
MOST = 3
"""More than this surprise nobody."""


def surprises(pool: Pool, known: Mapping[str, Graded], guides: Mapping[str, str]) -> list[str]:
    """The surprises of a pool, the most striking first.

    ``known`` is the accuracy of agents by label; ``guides`` says which agent is the guide of which learner, with an
    empty table.
    """
    if not pool.is_ranked:
        return []
    found = [
        *_perfect(pool),
        *_drawn(pool),
        *_learner_over_search(pool),
        *_guides(pool, guides),
        *_accurate(pool, known),
    ]
    return found[:MOST]


def _perfect(pool: Pool) -> list[str]:
    """Why the player that never errs is not first, or not alone."""
    exact = [name for name in pool.names if pool.kind(name) == "perfect" and "error" not in pool.specs.get(name, "")]
    if not exact or pool.names[0] in exact:
        return []
    perfect, above = exact[0], pool.names[: pool.names.index(exact[0])]
    shown_above = [name for name in above if pool.gap(name, perfect).low > 0]
    elo = shown("elo", pool.order[pool.names.index(perfect)].rating)
    said = (
        f"{at_start(perfect)} never gives a verdict away, and yet {listed(above)} "
        f"{'is' if len(above) == 1 else 'are'} rated above its Elo of {elo}"
    )
    said += "." if shown_above else "; the difference is within chance."
    why = (
        "It is no contradiction: it plays any move that keeps the verdict and sets no traps, so weak opponents escape "
        "with a draw, while Elo counts points against everybody."
    )
    learners = [name for name in shown_above if pool.kind(name) in LEARNERS]
    if learners:
        why += f" {at_start(listed(learners))} learnt from opponents that err, and takes more points off them."
    return [f"{said} {why}"]


def _drawn(pool: Pool) -> list[str]:
    """Where those at the top only draw with each other."""
    group = set(pool.best)
    series = [s for s in pool.results.series.values() if {side.spec for side in s.sides} <= group]
    if len(group) < 3 or not series:
        return []
    if any(s.sides[0].together.wins or s.sides[0].together.losses for s in series):
        lost = [name for name in pool.names if name in group and _side_losses(pool, name)]
        if len(lost) != 1:
            return []
        odd = lost[0]
        return [
            f"The game is a draw when nobody errs, and those at the top hardly do: in their matches with each other "
            f"only {odd} lost any. Their order in Elo is decided by how often weaker players lose to them."
        ]
    return [
        "Among those at the top every match was drawn: the game is a draw when nobody errs, so more strength can’t "
        "show. Their order in Elo is decided by how often weaker players lose to them."
    ]


def _side_losses(pool: Pool, name: str) -> int:
    group = set(pool.best)
    sides = [
        side
        for s in pool.results.series.values()
        for side in s.sides
        if side.spec == name and {one.spec for one in s.sides} <= group
    ]
    return sum(side.together.losses for side in sides)


def _learner_over_search(pool: Pool) -> list[str]:
    """A learner that hardly searches and is shown to beat a search of thousands of nodes."""
    for learner in pool.names:
        if pool.kind(learner) not in LEARNERS:
            continue
        beaten = [
            name
            for name in pool.names
            if pool.kind(name) in SEARCHERS
            and pool.nodes[learner] <= FEW_NODES * pool.nodes[name]
            and (made := pool.claim(learner, name)) is not None
            and made.winner == learner
        ]
        if beaten:
            busiest = max(beaten, key=lambda name: pool.nodes[name])
            few, many = (shown("number", pool.nodes[name]) for name in (learner, busiest))
            looks = f"looks at {few} positions a move" if pool.nodes[learner] else "searches nothing"
            return [
                f"{at_start(learner)} {looks} and beats {busiest}, which looks at {many}: what it learnt beforehand "
                "does the work that the search does at the board."
            ]
    return []


def _guides(pool: Pool, guides: Mapping[str, str]) -> list[str]:
    """A learner whose table adds nothing to its guide."""
    said = []
    for learner, guide in guides.items():
        made, series = pool.claim(learner, guide), pool.series(learner, guide)
        if made is None or series is None or made.winner == learner:
            continue
        side = next(side for side in series.sides if side.spec == learner)
        score = pool.results.rule.interval(side)
        if score is None:
            continue
        what = {
            Finding.EQUAL: "so the two are equal",
            Finding.BETTER: "so the table even costs it points",
        }.get(made.finding, "and no difference is shown")
        said.append(
            f"{at_start(learner)} scores {shown('percent', score)} against its own guide with an empty table, "
            f"{what}: the strength is the guide’s. The table knows too few of the positions that come up to add to it."
        )
    return said


def _accurate(pool: Pool, known: Mapping[str, Graded]) -> list[str]:
    """Two players that keep the verdict about as often, and are far apart in Elo."""
    rates = {name: rate for name, one in known.items() if (rate := one.total.kept_rate) is not None}
    pairs = [
        (pool.gap(strong, weak).estimate, strong, weak)
        for strong in pool.names
        for weak in pool.names
        if strong in rates
        and weak in rates
        and rates[weak].estimate >= rates[strong].estimate - 0.005
        and rates[strong].estimate < EXACT
        and (made := pool.claim(strong, weak)) is not None
        and made.winner == strong
    ]
    if not pairs:
        return []
    _, strong, weak = max(pairs)
    return [
        f"{at_start(weak)} keeps the exact verdict as often as {strong}, in {shown('percent', rates[weak])} and "
        f"{shown('percent', rates[strong])} of the graded positions, but loses to it: other positions come up in "
        "matches, and an error at the wrong moment costs the whole match."
    ]
