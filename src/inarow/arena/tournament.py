"""A tournament as a value: who plays whom, from which openings, how often. A store finds it by its hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from inarow.agents import NO_LIMIT, Agent, Limit, agent
from inarow.arena.formats import Format, RoundRobin, Scores, parse_format
from inarow.errors import InarowError
from inarow.limits import MOST_MATCHES, check_count
from inarow.match import Openings, SequentialRule, parse_openings
from inarow.match.openings import Line
from inarow.rules import Game, game
from inarow.stats import Sprt

RESULTS_VERSION = 2
"""Part of every configuration. Raise it when a configuration gives other results than before, and only then: what is
stored under another number is not resumed."""


class ArenaError(InarowError):
    """A tournament that can't be played as asked."""


class Pairing(NamedTuple):
    """Two agents that meet; in each pair ``a`` moves first once, then ``b``."""

    a: Agent
    b: Agent


@dataclass(frozen=True)
class Tournament:
    """What is to be played. Two that are equal give the same results, limits in seconds aside.

    Agents may name models that are not there yet: `check` is called before anything is played.
    """

    game: Game
    agents: tuple[Agent, ...]
    openings: Openings
    pairs: int
    """Per pairing; with a sequential test or rule, at most."""
    format: str = "round-robin"
    with_self: bool = False
    limit: Limit = NO_LIMIT
    seed: int = 0
    sprt: Sprt | None = None
    rule: SequentialRule | None = None
    """By which each pairing ends as soon as it is decided; None: all pairs are played."""
    costs: Mapping[str, int] = field(default_factory=dict, hash=False)
    """How many pairs of the cheapest agents a pair of this agent stands for, by canonical spec; 1 if nothing is given.
    A pairing of cost 3 plays at most a third of the pairs."""
    adjudicate: bool = False
    """End a match as soon as the solver proves its outcome with few nodes."""
    repeat: bool = False
    """Play pairs although they only repeat earlier ones, as the tables of others did; they are counted once anyway."""
    key: str = "tournament"
    """What it is called in its store; a study finds its results by it."""
    labels: Mapping[str, str] = field(default_factory=dict, compare=False)
    """What agents are called in a report, by canonical spec; the spec itself where nothing is given."""

    @classmethod
    def of(
        cls,
        board: Game | str,
        agents: Sequence[Agent | str],
        openings: Openings | str = "random",
        pairs: int = 20,
        **more: Any,
    ) -> Tournament:
        """Make a tournament from strings: ``of("connect4", ["rules", "random"], "random:4", 20)``."""
        played = game(board)
        return cls(
            played,
            tuple(map(agent, agents)),
            parse_openings(played, openings) if isinstance(openings, str) else openings,
            pairs,
            **more,
        )

    def __post_init__(self) -> None:
        if not self.schedule.fixed and (self.sprt or self.rule or self.with_self or self.costs):
            raise ArenaError(
                f"the format {self.format} can't be combined with a sequential test or rule, --self, or costs"
            )
        if self.pairs < 1:
            raise ArenaError(f"{self.pairs} pairs can't be played; give 1 or more")
        check_count("pairs", self.pairs, MOST_MATCHES)
        specs = [one.spec for one in self.agents]
        twice = sorted({spec for spec in specs if specs.count(spec) > 1})
        if twice and not self.with_self:
            raise ArenaError(f"{twice[0]} is given twice; give each agent once, or --self to play each against itself")
        if twice:
            object.__setattr__(self, "agents", tuple({one.spec: one for one in self.agents}.values()))
        if len(self.agents) < (1 if self.with_self else 2):
            given = f"only {specs[0]} was" if specs else "none were"
            raise ArenaError(f"a tournament needs at least two agents; {given} given")
        self.schedule.rounds(len(self.agents), lambda meet: None)  # raises if they are too few
        if self.sprt is not None and len(self.agents) != 2:
            raise ArenaError("a sequential test compares two agents")
        if self.sprt is not None and self.rule is not None:
            raise ArenaError("a sequential test and a sequential rule can't both end a pairing; give one of them")
        if any(cost < 1 for cost in self.costs.values()):
            raise ArenaError(f"a cost of {min(self.costs.values())} is not possible; give 1 or more")

    def check(self) -> None:
        """Raise `InarowError` if an agent can't play the game, for example because its model is missing."""
        for one in self.agents:
            one.check(self.game)

    @property
    def stopping(self) -> Sprt | SequentialRule | None:
        """What ends a pairing before its pairs are used up."""
        return self.sprt or self.rule

    @property
    def schedule(self) -> Format:
        """Who meets whom, round by round."""
        return parse_format(self.format)

    @property
    def pairings(self) -> list[Pairing]:
        """Who meets whom, in order; who may meet, if that depends on results."""
        schedule = self.schedule if self.schedule.fixed else RoundRobin()
        (only,) = schedule.rounds(len(self.agents), lambda meet: None)
        met = [Pairing(self.agents[meet.a], self.agents[meet.b]) for meet in only.meets]
        if self.with_self:
            met += [Pairing(one, one) for one in self.agents]
            place = {one.spec: index for index, one in enumerate(self.agents)}
            met.sort(key=lambda pairing: (place[pairing.a.spec], pairing.a.spec != pairing.b.spec))
        return met

    def wanted(self, scores: Scores) -> dict[tuple[str, str], int]:
        """Return how many pairs of each pairing are to be played by what is known now, by the specs of both."""
        found: dict[tuple[str, str], int] = {}
        for one in self.schedule.rounds(len(self.agents), scores):
            for meet in one.meets:
                met = self.agents[meet.a].spec, self.agents[meet.b].spec
                found[met] = max(found.get(met, 0), self.pairs * (meet.again + 1))
        return found

    def most(self, pairing: Pairing) -> int:
        """Return how many pairs a pairing plays at most, and exactly if nothing ends it early."""
        return most_pairs(self.pairs, self.costs, (one.spec for one in pairing))

    def lines(self) -> list[Line]:
        """Return the opening of each pair, by index; the same for every pairing."""
        return self.openings.draw(self.pairs if self.schedule.fixed else 2 * self.pairs, self.seed)

    @property
    def weight(self) -> int:
        """How much work it is, in matches; of the rounds that are known, if they depend on results."""
        if not self.schedule.fixed:
            return 2 * sum(self.wanted(lambda meet: None).values())
        return 2 * sum(self.most(pairing) for pairing in self.pairings)

    def config(self) -> dict[str, Any]:
        """Return all that decides the results, for JSON: what is declared, and which files the agents have."""
        labels = label_agents(self.agents)
        agents = [{"spec": a.spec, "identity": a.identity, "label": labels[a.spec]} for a in self.agents]
        return {**self.declared(), "agents": agents}

    def declared(self) -> dict[str, Any]:
        """Return the configuration without the files of its agents, which may not be there yet."""
        return {
            "results_version": RESULTS_VERSION,
            "game": self.game.name,
            "agents": [{"spec": one.spec} for one in self.agents],
            "format": self.format,
            "self": self.with_self,
            "pairs": self.pairs,
            "openings": self.openings.to_json(),
            "limit": {name: value for name, value in asdict(self.limit).items() if value is not None},
            "seed": self.seed,
            "sprt": asdict(self.sprt) if self.sprt is not None else None,
            **({"rule": self.rule.to_json()} if self.rule is not None else {}),
            **({"adjudicate": True} if self.adjudicate else {}),
            **({"repeat": True} if self.repeat else {}),
            **({"costs": dict(sorted(self.costs.items()))} if self.costs else {}),
        }


def label_agents(agents: Sequence[Agent]) -> dict[str, str]:
    """Return what a report calls each agent, by spec: its label, or its spec where two labels are the same."""
    labels = [one.label for one in agents]
    return {one.spec: one.label if labels.count(one.label) == 1 else one.spec for one in agents}


def stored_labels(config: Mapping[str, Any]) -> dict[str, str]:
    """Return the labels that a tournament was stored with."""
    return {one["spec"]: one.get("label", one["spec"]) for one in config["agents"]}


def most_pairs(pairs: int, costs: Mapping[str, int], specs: Iterable[str]) -> int:
    """Return how many pairs agents of these costs play at most."""
    return max(1, pairs // max(costs.get(spec, 1) for spec in specs))


def config_hash(config: dict[str, Any]) -> str:
    """Return a hash of the JSON of a configuration."""
    text = json.dumps(config, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """List what differs between two configurations."""
    said = []
    for key in sorted({*old, *new}):
        before, after = old.get(key), new.get(key)
        if key == "agents" and before and after:
            said += _agent_differences(before, after)
        elif before != after:
            said.append(f"{key} was {_short(before)} and is now {_short(after)}")
    return said


def _agent_differences(before: Sequence[dict[str, str]], after: Sequence[dict[str, str]]) -> list[str]:
    specs = [[agent["spec"] for agent in agents] for agents in (before, after)]
    if specs[0] != specs[1]:
        return [f"the agents were {', '.join(specs[0])} and are now {', '.join(specs[1])}"]
    return [
        f"the file of {old['spec']} has changed since"
        for old, new in zip(before, after, strict=True)
        if old["identity"] != new["identity"]
    ]


def _short(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
