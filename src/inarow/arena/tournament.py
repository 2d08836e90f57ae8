"""The configuration of a tournament: agents, openings, number of pairs and format. Stores identify it by its hash.

The pairings of a round are a function of the results so far, so a killed tournament resumes with the same rounds.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

from inarow.agents import NO_LIMIT, Agent, Limit, agent
from inarow.errors import InarowError, check_flags, check_instance, check_integer, check_list, shown, unknown
from inarow.limits import MAX_MATCHES, check_limit
from inarow.match import Openings, SequentialRule
from inarow.match.openings import Line, as_openings
from inarow.rules import Game, game
from inarow.stats import Sprt

RESULTS_VERSION = 3
"""Part of every configuration. Increment it if and only if a configuration gives other results than before: runs stored
under another number are not resumed."""


class ArenaError(InarowError):
    """The tournament can't be played as requested."""


@dataclass(frozen=True)
class Tournament:
    """The configuration of a tournament. Equal ones give the same results, unless a limit is in seconds.

    Agents may name models that do not exist yet: `check` is called before anything is played.
    """

    game: Game
    agents: tuple[Agent, ...]
    openings: Openings
    pairs: int
    """Pairs per pairing; the maximum with a sequential test or rule."""
    format: str = "round-robin"
    with_self: bool = False
    limit: Limit = NO_LIMIT
    seed: int = 0
    sprt: Sprt | None = None
    rule: SequentialRule | None = None
    """Ends each pairing as soon as it is decided; None plays all pairs."""
    costs: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Relative cost of a pair of an agent, by canonical spec; 1 by default. At cost 3, a pairing plays at most a third
    of the pairs."""
    adjudicate: bool = False
    """End a match as soon as the solver proves its outcome with few nodes."""
    repeat: bool = False
    """Also play pairs that only repeat earlier ones, as published tables did; they are counted once anyway."""
    key: str = "tournament"
    """Its name in a store."""
    labels: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Names of agents in a report by canonical spec; by default the names that files declare, else the spec."""

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
        check_instance("agents", agents, list | tuple, "a list such as ['rules', 'random']", ArenaError)
        return cls(
            played,
            tuple(map(agent, agents)),
            as_openings(played, openings),
            pairs,
            **more,
        )

    def __post_init__(self) -> None:
        for name, kind, wanted in (
            ("game", Game, "a Game, as inarow.game gives it"),
            ("openings", Openings, "openings such as 'random:4'"),
            ("format", str, f"one of {', '.join(FORMATS)}"),
            ("sprt", Sprt | None, "an Sprt or None"),
            ("rule", SequentialRule | None, "a SequentialRule or None"),
            ("costs", Mapping, "a mapping of specs to integers"),
            ("key", str, "a string"),
            ("labels", Mapping, "a mapping of specs to strings"),
        ):
            check_instance(name, getattr(self, name), kind, wanted, ArenaError)
        check_flags(with_self=self.with_self, adjudicate=self.adjudicate, repeat=self.repeat)
        check_list("agents", self.agents, Agent, "agents, as inarow.agent gives them", ArenaError)
        check_limit(self.limit)
        object.__setattr__(self, "pairs", check_integer("pairs", self.pairs, 1, MAX_MATCHES, ArenaError))
        object.__setattr__(self, "seed", check_integer("seed", self.seed, error=ArenaError))
        for cost in self.costs.values():
            check_integer("a cost", cost, 1, error=ArenaError)
        if not self.schedule.fixed and (self.sprt or self.rule or self.with_self or self.costs):
            raise ArenaError(
                f"the format {self.format} can't be combined with a sequential test or rule, --self, or costs"
            )
        specs = [one.spec for one in self.agents]
        twice = sorted({spec for spec in specs if specs.count(spec) > 1})
        if twice and not self.with_self:
            raise ArenaError(f"{twice[0]} is given twice; give each agent once, or --self to play each against itself")
        if twice:
            object.__setattr__(self, "agents", tuple({one.spec: one for one in self.agents}.values()))
        declared = {spec: label for spec, label in label_agents(self.agents).items() if label != spec}
        object.__setattr__(self, "labels", {**declared, **self.labels})
        if len(self.agents) < (1 if self.with_self else 2):
            raise ArenaError(f"a tournament needs at least two agents, got {specs[0] if specs else 'none'}")
        self.schedule.rounds(len(self.agents), lambda pairing: None)  # raises if they are too few
        if self.sprt is not None and len(self.agents) != 2:
            raise ArenaError("a sequential test compares two agents")
        if self.sprt is not None and self.rule is not None:
            raise ArenaError("give either a sequential test or a sequential rule, not both")

    def check(self) -> None:
        """Raise `InarowError` if an agent can't play the game, for example because its model is missing."""
        for one in self.agents:
            one.check(self.game)

    @property
    def stopping(self) -> Sprt | SequentialRule | None:
        """The test or rule that may end a pairing early."""
        return self.sprt or self.rule

    @property
    def schedule(self) -> Format:
        """The format, which pairs agents round by round."""
        return parse_format(self.format)

    @property
    def pairings(self) -> list[tuple[Agent, Agent]]:
        """All pairings in order; all possible ones if they depend on results."""
        schedule = self.schedule if self.schedule.fixed else RoundRobin()
        (only,) = schedule.rounds(len(self.agents), lambda pairing: None)
        met = [*only.pairings, *(Pairing(at, at) for at in range(len(self.agents)) if self.with_self)]
        met.sort(key=lambda one: (one.a, one.a != one.b))
        return [(self.agents[one.a], self.agents[one.b]) for one in met]

    def wanted(self, scores: Scores) -> dict[tuple[str, str], int]:
        """Return the number of pairs to play in each pairing that is known so far, by both specs."""
        if not callable(scores):
            raise ArenaError(f"scores must be a function of a pairing, got {shown(scores)}")
        found: dict[tuple[str, str], int] = {}
        for one in self.schedule.rounds(len(self.agents), scores):
            for pairing in one.pairings:
                met = self.agents[pairing.a].spec, self.agents[pairing.b].spec
                found[met] = max(found.get(met, 0), self.pairs * (pairing.again + 1))
        return found

    def most(self, agents: Sequence[Agent]) -> int:
        """Return the maximum number of pairs of two agents."""
        check_list("agents", agents, Agent, "agents, as inarow.agent gives them", ArenaError)
        return most_pairs(self.pairs, self.costs, (one.spec for one in agents))

    def lines(self) -> list[Line]:
        """Return the opening of each pair, by index; the same for every pairing."""
        return self.openings.draw(self.pairs if self.schedule.fixed else 2 * self.pairs, self.seed)

    @property
    def weight(self) -> int:
        """The number of matches; in known rounds only, if they depend on results."""
        if not self.schedule.fixed:
            return 2 * sum(self.wanted(lambda pairing: None).values())
        return 2 * sum(map(self.most, self.pairings))

    def config(self) -> dict[str, Any]:
        """Return everything that determines the results, for JSON: the declaration and the agents' files."""
        labels = label_agents(self.agents)
        agents = [{"spec": a.spec, "identity": a.identity, "label": labels[a.spec]} for a in self.agents]
        return {**self.declared(), "agents": agents}

    def declared(self) -> dict[str, Any]:
        """Return the configuration without the agents' files, which may not exist yet."""
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
    """Return the name of each agent in a report, by spec: its label, or its spec if labels coincide."""
    labels = [one.label for one in agents]
    return {one.spec: one.label if labels.count(one.label) == 1 else one.spec for one in agents}


def stored_labels(config: Mapping[str, Any]) -> dict[str, str]:
    """Return the labels that a tournament was stored with."""
    return {one["spec"]: one.get("label", one["spec"]) for one in config["agents"]}


def most_pairs(pairs: int, costs: Mapping[str, int], specs: Iterable[str]) -> int:
    """Return the maximum number of pairs of these agents."""
    return max(1, pairs // max((costs.get(spec, 1) for spec in specs), default=1))


def config_hash(config: dict[str, Any]) -> str:
    """Return a hash of the JSON of a configuration."""
    text = json.dumps(config, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """List the differences between two configurations."""
    found = []
    for key in sorted({*old, *new}):
        before, after = old.get(key), new.get(key)
        if key == "agents" and before and after:
            found += _agent_differences(before, after)
        elif before != after:
            found.append(f"{key} was {_short(before)} and is now {_short(after)}")
    return found


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


FORMATS = {
    "round-robin": "every agent against every other",
    "gauntlet": "the first agent against each of the others",
    "swiss": "rounds between agents with similar points, without rematches; swiss:5 plays five",
    "groups": "round robins in groups, then a play-off of the best two of each; groups:4 makes four groups",
}
"""Descriptions of the formats."""
ADVANCE = 2
"""Number of players of each group in the play-off."""


class FormatError(InarowError):
    """The format can't be played."""


class Pairing(NamedTuple):
    """Two players that meet, by their places in the list of players; ``again`` counts earlier pairings of the two."""

    a: int
    b: int
    again: int = 0


Scores = Callable[[Pairing], tuple[float, float] | None]
"""The points per match of both players of a pairing; None while it is not finished."""


@dataclass(frozen=True)
class Round:
    """Pairings that can be played at the same time; a player without a pairing has a bye."""

    name: str
    pairings: tuple[Pairing, ...]
    byes: tuple[int, ...] = ()

    def finished(self, scores: Scores) -> bool:
        """Return True if all pairings were played."""
        return all(scores(pairing) is not None for pairing in self.pairings)


@dataclass
class Place:
    """A player in the table."""

    player: int
    points: float = 0.0
    opponents: float = 0.0
    """The sum of its opponents' points (Buchholz), which breaks ties."""
    met: list[int] = field(default_factory=list)
    reached: str = ""
    """The last round that it reached in a play-off."""


class Format(ABC):
    """A way to pair players."""

    fixed = False
    """True if all pairings are known beforehand."""

    @abstractmethod
    def rounds(self, players: int, scores: Scores) -> list[Round]:
        """Return the known rounds: those that were played, and the current one."""

    def fitted(self, players: int) -> Format:
        """Return this format with no more rounds or groups than this number of players allows."""
        return self

    def table(self, players: int, scores: Scores) -> list[Place]:
        """Return the players, the best first, by the results so far."""
        return _table(range(players), self.rounds(players, scores), scores)

    def finished(self, players: int, scores: Scores) -> bool:
        """Return True if all rounds were played."""
        return all(one.finished(scores) for one in self.rounds(players, scores))


@dataclass(frozen=True)
class RoundRobin(Format):
    """Every player against every other."""

    fixed = True

    def rounds(self, players: int, scores: Scores) -> list[Round]:
        return [Round("round robin", tuple(Pairing(a, b) for a, b in combinations(range(players), 2)))]


@dataclass(frozen=True)
class Gauntlet(Format):
    """The first player against each of the others."""

    fixed = True

    def rounds(self, players: int, scores: Scores) -> list[Round]:
        return [Round("gauntlet", tuple(Pairing(0, b) for b in range(1, players)))]


@dataclass(frozen=True)
class Swiss(Format):
    """Rounds between neighbours in the table that have not met (the Monrad system); a bye counts as a win."""

    count: int | None = None
    """Number of rounds; None for as many as a knockout would have."""

    def fitted(self, players: int) -> Swiss:
        return self if self.count is None else Swiss(max(1, min(self.count, (players + 1) // 2)))

    def _count(self, players: int) -> int:
        usual = max(1, (players - 1).bit_length())
        most = (players + 1) // 2  # with more, a player may have no opponent left
        if self.count is not None and self.count > most:
            raise FormatError(f"a Swiss tournament of {players} has at most {most} rounds, got {self.count}")
        return min(usual, most) if self.count is None else self.count

    def rounds(self, players: int, scores: Scores) -> list[Round]:
        made: list[Round] = []
        for number in range(self._count(players)):
            if made and not made[-1].finished(scores):
                break
            made.append(_swiss_round(f"round {number + 1}", players, made, scores))
        return made


def _swiss_round(name: str, players: int, before: Sequence[Round], scores: Scores) -> Round:
    order = [place.player for place in _table(range(players), before, scores)]
    byes: tuple[int, ...] = ()
    if players % 2:
        had = {player for one in before for player in one.byes}
        lowest = next(player for player in reversed(order) if player not in had)
        order.remove(lowest)
        byes = (lowest,)
    met = {frozenset(pairing[:2]) for one in before for pairing in one.pairings}
    pairs = _without_repeats(order, met)
    assert pairs is not None, "there are few enough rounds"
    return Round(name, tuple(Pairing(min(pair), max(pair)) for pair in pairs), byes)


def _without_repeats(order: Sequence[int], met: set[frozenset[int]]) -> list[tuple[int, int]] | None:
    """Pair neighbours that have not met, the nearest first; return None if that is impossible."""
    if not order:
        return []
    first, *others = order
    for other in others:
        if frozenset((first, other)) not in met:
            rest = _without_repeats([one for one in others if one != other], met)
            if rest is not None:
                return [(first, other), *rest]
    return None


@dataclass(frozen=True)
class Groups(Format):
    """Round robins in groups, then a play-off, whose ties go to the agent that did better in the groups."""

    count: int = 2

    def fitted(self, players: int) -> Groups:
        return Groups(max(1, min(self.count, players // 2)))

    def groups(self, players: int) -> list[list[int]]:
        """Deal the players into groups, in snake order, so that the first ones are spread."""
        if self.count < 1 or players < 2 * self.count:
            raise FormatError(f"{players} players do not fill {self.count} groups of two or more")
        groups: list[list[int]] = [[] for _ in range(self.count)]
        for player in range(players):
            round_number, column = divmod(player, self.count)
            groups[column if round_number % 2 == 0 else self.count - 1 - column].append(player)
        return groups

    def rounds(self, players: int, scores: Scores) -> list[Round]:
        groups = self.groups(players)
        met = tuple(Pairing(a, b) for group in groups for a, b in combinations(group, 2))
        made = [Round("groups", met)]
        left = self._seeds(groups, made[0], scores) if made[0].finished(scores) else []
        while len(left) > 1:
            made.append(_play_off(left, made))
            if not made[-1].finished(scores):
                break
            left = _winners(left, made[-1], scores)
        return made

    def _seeds(self, groups: Sequence[Sequence[int]], played: Round, scores: Scores) -> list[int]:
        """Return the players of the play-off: the winners of the groups in order, then the runners-up."""
        tables = [_table(group, [played], scores) for group in groups]
        return [table[rank].player for rank in range(ADVANCE) for table in tables]

    def table(self, players: int, scores: Scores) -> list[Place]:
        rounds = self.rounds(players, scores)
        places = _table(range(players), rounds[:1], scores)
        reached = {player: number for number, one in enumerate(rounds[1:], start=1) for player in _players(one)}
        if rounds[-1].name == "final" and rounds[-1].finished(scores):
            finalists = [place.player for place in places if reached.get(place.player) == len(rounds) - 1]
            reached[_winners(self._by_seed(finalists, players, scores), rounds[-1], scores)[0]] = len(rounds)
        for place in places:
            number = reached.get(place.player, 0)
            place.reached = "won" if number == len(rounds) else rounds[number].name
        return sorted(places, key=lambda place: -reached.get(place.player, 0))

    def _by_seed(self, some: Sequence[int], players: int, scores: Scores) -> list[int]:
        groups = self.groups(players)
        seeds = self._seeds(groups, self.rounds(players, scores)[0], scores)
        return sorted(some, key=seeds.index)


def _players(one: Round) -> set[int]:
    return {player for pairing in one.pairings for player in pairing[:2]} | set(one.byes)


def _play_off(left: Sequence[int], before: Sequence[Round]) -> Round:
    """Pair the first with the last, and so on; the best have byes if their number is not a power of two."""
    names = {2: "final", 4: "semi-finals", 8: "quarter-finals"}
    size = 1 << (len(left) - 1).bit_length()
    byes = size - len(left)
    playing = left[byes:]
    earlier = [frozenset(pairing[:2]) for one in before for pairing in one.pairings]
    pairings: list[Pairing] = []
    for a, b in zip(playing, reversed(playing), strict=True):
        if len(pairings) < len(playing) // 2:
            pairings.append(Pairing(min(a, b), max(a, b), earlier.count(frozenset((a, b)))))
    return Round(names.get(size, f"last {size}"), tuple(pairings), tuple(left[:byes]))


def _winners(left: Sequence[int], played: Round, scores: Scores) -> list[int]:
    """Return the winners, in the order of their seeds."""
    out = set()
    for pairing in played.pairings:
        a, b = scores(pairing) or (0.0, 0.0)
        worse = max(pairing.a, pairing.b, key=left.index)
        out.add(worse if a == b else (pairing.b if a > b else pairing.a))
    return [player for player in left if player not in out]


def _table(players: Sequence[int] | range, rounds: Sequence[Round], scores: Scores) -> list[Place]:
    """Rank players by points, then by their opponents' points, then in the given order."""
    places = {player: Place(player) for player in players}
    for one in rounds:
        for player in one.byes:
            places[player].points += 1.0
        for pairing in one.pairings:
            found = scores(pairing)
            if found is None or pairing.a not in places:
                continue
            for player, other, points in ((pairing.a, pairing.b, found[0]), (pairing.b, pairing.a, found[1])):
                places[player].points += points
                places[player].met.append(other)
    for place in places.values():
        place.opponents = sum(places[other].points for other in place.met)
    return sorted(
        places.values(), key=lambda place: (-round(place.points, 9), -round(place.opponents, 9), place.player)
    )


def parse_format(text: str) -> Format:
    """Parse a format: ``round-robin``, ``gauntlet``, ``swiss``, ``swiss:5``, ``groups:4``."""
    name, colon, number = text.partition(":")
    if name not in FORMATS:
        raise FormatError(unknown("format", name, FORMATS))
    kinds: Mapping[str, Callable[..., Format]] = {
        "round-robin": RoundRobin,
        "gauntlet": Gauntlet,
        "swiss": Swiss,
        "groups": Groups,
    }
    if not colon:
        return kinds[name]()
    has_number = name in ("swiss", "groups")
    if not (has_number and number.isascii() and number.isdigit() and int(number) > 0):
        raise FormatError(f"unknown format {text}; write {f'{name}:5 or {name}' if has_number else name}")
    return kinds[name](int(number))
