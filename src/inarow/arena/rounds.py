"""The rounds of a stored tournament whose format depends on results: what was played, and the table."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from inarow.arena.formats import Format, Meet, Place, Round, Scores, parse_format
from inarow.arena.store import Run, Store


@dataclass(frozen=True)
class Schedule:
    """The rounds of a run as far as they are known."""

    format: Format
    agents: list[str]
    scores: Scores

    @property
    def rounds(self) -> list[Round]:
        """Those that were played, and the one that is next."""
        return self.format.rounds(len(self.agents), self.scores)

    @property
    def table(self) -> list[Place]:
        """The agents, the best first."""
        return self.format.table(len(self.agents), self.scores)

    @property
    def finished(self) -> bool:
        """Whether nothing is left to be played."""
        return self.format.finished(len(self.agents), self.scores)

    def to_json(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "rounds": [
                {
                    "name": one.name,
                    "meets": [
                        {"a": self.agents[m.a], "b": self.agents[m.b], "score": (self.scores(m) or (None,))[0]}
                        for m in one.meets
                    ],
                    "byes": [self.agents[player] for player in one.byes],
                }
                for one in self.rounds
            ],
            "table": [
                {
                    "agent": self.agents[place.player],
                    "points": round(place.points, 6),
                    "opponents": round(place.opponents, 6),
                    "reached": place.reached or None,
                }
                for place in self.table
            ],
        }


def schedule_of(store: Store, run: Run) -> Schedule | None:
    """The schedule of a run; None if its format does not depend on results."""
    made = parse_format(run.config["format"])
    if made.fixed:
        return None
    agents = [one["spec"] for one in run.config["agents"]]
    points: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for found in store.results(run):
        if known := [one for one in found.points if one is not None]:
            points[run.pairings[found.pairing]].append(sum(known) / len(known))
    pairs: int = run.config["pairs"]

    def scores(meet: Meet) -> tuple[float, float] | None:
        part = points[agents[meet.a], agents[meet.b]][meet.again * pairs : (meet.again + 1) * pairs]
        if len(part) < pairs:
            return None
        mine = sum(part) / pairs
        return mine, 1 - mine

    return Schedule(made, agents, scores)
