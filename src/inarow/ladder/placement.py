"""Where an agent stands on a ladder: the result of rating it, and how it is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from inarow.agents import Agent
from inarow.formatting import counted, listed, share
from inarow.ladder.shipped import Ladder, LadderPlayer, elo_text
from inarow.match import Series, Termination
from inarow.match.tally import Tally
from inarow.stats import Z95, Interval, expected_score, wilson
from inarow.stats.ratings import ELO, Placed, chi_square_limit, place

LEAST_PAIRS = 20
"""Pairs against one player from which its score is compared with the expected one."""


class Beyond(StrEnum):
    """Outside the ladder."""

    ABOVE = "above"
    BELOW = "below"


MET = ("player", "its Elo (95 %)", "pairs", "score (95 %)", "expected")


@dataclass(frozen=True)
class Answers:
    """What an agent played in positions whose moves differ in verdict."""

    positions: int = 0
    kept: int = 0
    """Moves that keep the verdict."""
    perfect: int = 0
    """Moves with the best score."""
    failed: int = 0
    """Positions in which it failed to give a legal move."""

    @property
    def kept_rate(self) -> Interval | None:
        """The share of moves that keep the verdict."""
        return wilson(self.kept, self.positions)

    @property
    def perfect_rate(self) -> Interval | None:
        """The share of moves with the best score."""
        return wilson(self.perfect, self.positions)


@dataclass(frozen=True, repr=False)
class Placement:
    """What was found about an agent. ``series`` has its matches against each player, by the player's place."""

    ladder: Ladder
    agent: Agent
    series: Mapping[int, Series]
    within: float
    """The half-width of the interval that was asked for, in Elo."""
    minutes: float | None = None
    """At most, by the clock, if that was asked for."""
    answers: Answers = Answers()
    used_up: bool = False
    """Whether all openings against the players near it were played."""

    @cached_property
    def placed(self) -> Placed:
        """The rating on the ladder's scale."""
        return place(self.ladder.scale, {at: series.pairs for at, series in self.series.items()})

    @property
    def elo(self) -> Interval:
        """The rating with its 95 % interval: 0 is the ladder's anchor."""
        return self.placed.interval

    @property
    def error(self) -> float:
        """Half the width of the interval."""
        return self.elo.high - self.elo.estimate

    @property
    def reached(self) -> bool:
        """Whether the interval is as narrow as was asked for."""
        return self.error <= self.within

    @property
    def pairs(self) -> int:
        """Pairs played."""
        return sum(series.pairs.total() for series in self.series.values())

    @property
    def faults(self) -> list[str]:
        """What went wrong in matches that were lost by a fault."""
        return [fault for _, series in sorted(self.series.items()) for fault in series.faults]

    @property
    def failed(self) -> int:
        """Matches that the agent lost by a fault of its own."""
        lost = [series.lost_by for series in self.series.values()]
        return sum(count for causes in lost for cause, count in causes.items() if Termination(cause).is_fault)

    @property
    def seconds_per_move(self) -> float:
        """Mean seconds of the agent's decisions."""
        whole = Tally()
        for series in self.series.values():
            whole.count_effort(series)
        return whole.seconds_per_move

    @property
    def beyond(self) -> Beyond | None:
        """Whether the agent is shown to be outside the ladder."""
        players = self.ladder.players
        if self.elo.low > players[-1].elo.estimate:
            return Beyond.ABOVE
        return Beyond.BELOW if self.elo.high < players[0].elo.estimate else None

    @property
    def bound(self) -> float | None:
        """Outside the ladder: the end of the one-sided 95 % interval."""
        if self.beyond is None:
            return None
        return self.placed.at_least if self.beyond is Beyond.ABOVE else self.placed.at_most

    def neighbours(self) -> tuple[LadderPlayer | None, LadderPlayer | None]:
        """The next weaker and the next stronger player, by their ratings; the agent itself is not among them."""
        others = [one for one in self.ladder.players if one.agent.spec != self.agent.spec]
        weaker = [one for one in others if one.elo.estimate <= self.elo.estimate]
        stronger = [one for one in others if one.elo.estimate > self.elo.estimate]
        return (weaker[-1] if weaker else None, stronger[0] if stronger else None)

    def rating_text(self) -> str:
        """The rating: ``612 (588–636)``, or its bound outside the ladder."""
        if self.beyond is Beyond.ABOVE:
            return f"at least {round(self.placed.at_least)}"
        if self.beyond is Beyond.BELOW:
            return f"at most {round(self.placed.at_most)}"
        return elo_text(self.elo)

    def sentence(self) -> str:
        """What it plays like."""
        weakest, strongest = self.ladder.players[0], self.ladder.players[-1]
        if self.beyond is Beyond.ABOVE:
            return f"It is stronger than every player of the ladder; the strongest is {_named(strongest)}."
        if self.beyond is Beyond.BELOW:
            return f"It is weaker than every player of the ladder; the weakest is {_named(weakest)}."
        weaker, stronger = self.neighbours()
        if weaker is None or stronger is None:
            end = f"weakest player of the ladder, {_named(weakest)}"
            end = end if weaker is None else f"strongest player of the ladder, {_named(strongest)}"
            return f"It plays about as well as the {end}."
        alike = [one for one in (weaker, stronger) if self.elo.covers(one.elo.estimate)]
        if not alike:
            return f"It plays between {_named(weaker)} and {_named(stronger)}."
        rest = f", better than {_named(weaker)}" if weaker not in alike else ""
        rest += f", less well than {_named(stronger)}" if stronger not in alike else ""
        return f"It plays about as well as {listed([_named(one) for one in alike])}{rest}."

    def accuracy_sentence(self) -> str:
        """How it answers in positions whose truth is known; empty if it was not asked."""
        found = self.answers
        if not found.positions:
            return ""
        failed = f" It failed in {found.failed} of them." if found.failed else ""
        return (
            f"In {counted(found.positions, 'position', 'positions')} with a choice it keeps the verdict in "
            f"{share(found.kept_rate)} and plays a move with the best score in {share(found.perfect_rate)}.{failed}"
        )

    def rows(self) -> list[tuple[LadderPlayer, Series, float]]:
        """Each player it met, the weakest first: the series, and the score that the ratings expect of the agent."""
        scale = self.ladder.scale
        return [
            (self.ladder.players[at], series, expected_score(self.elo.estimate - scale.elo[at]))
            for at, series in sorted(self.series.items())
        ]

    def __repr__(self) -> str:
        pairs = counted(self.pairs, "pair", "pairs")
        return f"<Placement {self.agent.spec} on {self.ladder.game.name}: {self.rating_text()} Elo, {pairs}>"

    def met(self) -> list[tuple[str, str, int, str, str]]:
        """Whom it met, and how it did: cells of a table whose head is `MET`."""
        return [
            (
                player.agent.spec,
                player.elo_text(),
                series.pairs.total(),
                share(series.score),
                share(expected),
            )
            for player, series, expected in self.rows()
        ]

    def _repr_html_(self) -> str:
        """How a notebook shows it: whom it met, with the scores, and what it plays like."""
        from inarow.drawing.html import table

        said = f"{self.agent.spec} at {self.ladder.game.title}: {self.rating_text()} Elo"
        return table(MET, self.met(), said, self.sentence(), *filter(None, [self.accuracy_sentence()]))

    @property
    def uneven(self) -> bool:
        """Whether its scores against single players differ from the expected ones by more than chance (χ², 5 %)."""
        squares = []
        for at, series in self.series.items():
            score, scale = series.score, self.ladder.scale
            if score is None or series.pairs.total() < LEAST_PAIRS:
                continue
            expected = expected_score(self.elo.estimate - scale.elo[at])
            own = ((score.high - score.low) / (2 * Z95)) ** 2
            of_player = (expected * (1 - expected) / ELO) ** 2 * float(scale.covariance[at, at])
            squares.append((score.estimate - expected) ** 2 / (own + of_player))
        return len(squares) > 1 and sum(squares) > chi_square_limit(len(squares) - 1)

    def to_json(self) -> dict[str, Any]:
        """The placement for JSON; what depends on the clock is under ``timing``."""
        weaker, stronger = self.neighbours()
        accuracy, perfect = self.answers.kept_rate, self.answers.perfect_rate
        return {
            "game": self.ladder.game.name,
            "agent": self.agent.spec,
            "ladder": self.ladder.version,
            "left_out": self.ladder.notes,
            "elo": self.elo.to_json(1),
            "error": round(self.error, 1),
            "within": self.within,
            "reached": self.reached,
            "beyond": self.beyond and self.beyond.value,
            "bound": None if self.bound is None else round(self.bound, 1),
            "weaker": weaker and weaker.agent.spec,
            "stronger": stronger and stronger.agent.spec,
            "uneven": self.uneven,
            "pairs": self.pairs,
            "opponents": [
                {
                    "agent": player.agent.spec,
                    "elo": player.elo.to_json(1),
                    "pairs": series.pairs.total(),
                    "score": None if (score := series.score) is None else score.to_json(),
                    "expected": round(expected, 6),
                }
                for player, series, expected in self.rows()
            ],
            "positions": self.answers.positions,
            "failed_positions": self.answers.failed,
            "accuracy": accuracy and accuracy.to_json(),
            "perfect": perfect and perfect.to_json(),
            "failed_matches": self.failed,
            "faults": self.faults,
            "timing": {"seconds_per_move": self.seconds_per_move},
        }


def _named(player: LadderPlayer) -> str:
    return f"{player.agent.spec} ({round(player.elo.estimate)})"
