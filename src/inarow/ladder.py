"""The ladder: reference players of a game with frozen ratings, and the rating of an agent by pairs against them.

Opponents depend on earlier results and on the ladder's file, not on the clock: one seed gives one rating, for any
number of workers, unless there is a limit in minutes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, lru_cache
from importlib import resources
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from inarow.agents import Agent, agent
from inarow.arena import Executor
from inarow.arena.running import Chunk, play_chunk
from inarow.errors import InarowError, check_integer, check_number, unknown
from inarow.formatting import counted, listed, share, signed
from inarow.limits import MAX_MATCHES
from inarow.match import MatchRecord, Openings, Pair, Series, Termination, parse_openings
from inarow.match.playing import host_problem, is_bug
from inarow.match.series import Tally
from inarow.models.loading import shipped
from inarow.paths import fingerprint, parse_json
from inarow.randomness import derive
from inarow.rules import Game, Position
from inarow.stats import ELO, Z95, Interval, Placed, Scale, chi_square_limit, expected_score, place, wilson
from inarow.truth import Accuracy
from inarow.truth.grading import decision_of
from inarow.truth.positions import SolvedPositions, quick_ply, random_positions

FIRST_PLAYERS = 5
"""Opponents in the first round, spread over the ladder."""
NEAREST = 3
"""Candidates on each side of the estimate in later rounds."""
MET = 2
"""Opponents chosen from them in each round."""
OWN = 2.0
"""Assumed milliseconds per move of the agent, for weighing the cost of an opponent."""
HOPELESS = 400
"""Distance in Elo from the ends of the ladder at which more matches are uninformative."""
HOPELESS_PAIRS = 100
"""Minimum pairs before a rating ends for that reason."""
MATCH_SHARE = 0.8
"""Share of the minutes for matches; the rest is for positions."""
WIDEST, LONGEST = 5000, 30 * 24 * 60
"""Maximum width of the interval in Elo, and maximum minutes."""


@dataclass(frozen=True)
class Budget:
    """The budget of a rating."""

    within: float = 25.0
    """Half-width of the interval in Elo at which to stop."""
    pairs: int = 1000
    """Maximum number of pairs."""
    minutes: float | None = None
    """Maximum time; None for no limit."""
    positions: int = 200
    """Number of solved positions to test the agent on."""

    def __post_init__(self) -> None:
        check_number("within", self.within, 1, WIDEST, error=LadderError)
        check_integer("pairs", self.pairs, 1, MAX_MATCHES, LadderError)
        check_integer("positions", self.positions, 0, MAX_MATCHES, LadderError)
        if self.minutes is not None:
            check_number("minutes", self.minutes, 0.0001, LONGEST, error=LadderError)


class Rating:
    """A rating in progress. ``on_pair`` is called after every pair with the number of pairs so far."""

    def __init__(
        self,
        agent: Agent,
        ladder: Ladder,
        budget: Budget,
        seed: int,
        on_pair: Callable[[int], None] | None = None,
        *,
        strict: bool = False,
    ) -> None:
        agent.check(ladder.game)
        self.agent = agent
        self.ladder = ladder
        self.budget = budget
        self.seed = seed
        self.on_pair = on_pair
        self.strict = strict
        self.series: dict[int, Series] = {}
        self.answers = Accuracy()
        self.players = {at: one for at, one in ladder.present.items() if one.agent.spec != agent.spec}
        self._pairs: dict[int, list[Pair]] = {}
        self._begun = time.monotonic()

    @property
    def placement(self) -> Placement:
        """The placement so far. Raises `LadderError` before the first pair."""
        if not self.series:
            raise LadderError("no pair was finished, so there is no rating; give it more time")
        ordered = {at: self.series[at] for at in sorted(self.series)}
        found = Placement(self.ladder, self.agent, ordered, self.budget.within, self.budget.minutes, self.answers)
        return replace(found, used_up=not self._near(found.elo.estimate))

    @property
    def records(self) -> list[MatchRecord]:
        """The records of all matches, by opponent and pair."""
        pairs = [pair for _, met in sorted(self._pairs.items()) for pair in sorted(met, key=lambda pair: pair.index)]
        return [record for pair in pairs for record, _ in pair.matches()]

    def run(self, executor: Executor) -> Placement:
        """Play until the interval is narrow enough or the budget is used up, then test the agent on positions."""
        executor.check([self.agent])
        while wanted := self._next_round():
            for job, pairs in executor.run(chunk.job(play_chunk) for chunk in self._chunks(wanted)):
                self._add(job.arguments[0], pairs)
                if self._late(for_matches=True):
                    break
        if self.budget.positions and self.series:
            self._ask(executor)
        return self.placement

    def _late(self, *, for_matches: bool = False) -> bool:
        """Return True if the time, or its share for matches, is used up."""
        minutes = self.budget.minutes
        share = MATCH_SHARE if for_matches and self.budget.positions else 1.0
        return minutes is not None and time.monotonic() - self._begun > 60 * minutes * share

    def played(self, at: int) -> int:
        """Return the number of pairs played against one of the players."""
        return self.series[at].sides[0].pairs.total() if at in self.series else 0

    def _next_round(self) -> dict[int, int]:
        """Return the number of pairs to play against each player, by place; empty to stop."""
        if not self.series:
            return dict.fromkeys(self.ladder.spread(FIRST_PLAYERS, self.players), 2)
        found = self.placement
        left = self.budget.pairs - found.pairs
        if found.reached or left <= 0 or self._late(for_matches=True):
            return {}
        ends = [one.elo.estimate for one in self.players.values()]
        if found.pairs >= HOPELESS_PAIRS and not ends[0] - HOPELESS < found.elo.estimate < ends[-1] + HOPELESS:
            return {}
        each = 5 if found.pairs < 100 else 10
        wanted = {}
        for at in self._near(found.elo.estimate):
            wanted[at] = min(each, left, self._unplayed(at))
            left -= wanted[at]
        return {at: count for at, count in wanted.items() if count}

    def _unplayed(self, at: int) -> int:
        """Return the number of openings not yet played against a player."""
        return len(self.ladder.openings.lines) - self.played(at)

    def _near(self, elo: float) -> list[int]:
        """Choose the most informative of the nearest players on each side, by their cost, that have openings left.

        More distant players are never chosen: since styles differ, they are less informative than the model assumes.
        """
        weaker = [at for at, one in self.players.items() if one.elo.estimate <= elo][-NEAREST:]
        stronger = [at for at, one in self.players.items() if one.elo.estimate > elo][:NEAREST]
        chosen = []
        for side in (weaker, stronger):
            chosen += sorted(filter(self._unplayed, side), key=lambda at: -self._worth(self.players[at], elo))[:MET]
        return chosen

    def _worth(self, player: LadderPlayer, elo: float) -> float:
        score = expected_score(elo - player.elo.estimate)
        return score * (1 - score) / (OWN + player.milliseconds)

    def _chunks(self, wanted: dict[int, int]) -> list[Chunk]:
        """Return chunks of one pair each, the players in turn."""
        made = []
        for number in range(max(wanted.values())):
            for at, count in wanted.items():
                if number < count:
                    player = self.players[at].agent
                    seed = derive(self.seed, "opponent", at)
                    index = self.played(at) + number
                    line = self.ladder.openings.draw(index + 1, seed)[index]
                    pair = ((index, line),)
                    made.append(Chunk(self.ladder.game, self.agent, player, at, pair, seed, raising=self.strict))
        return made

    def _add(self, chunk: Chunk, pairs: Sequence[Pair]) -> None:
        series = self.series.setdefault(chunk.pairing, Series(self.ladder.game, self.agent, chunk.b))
        for pair in pairs:
            series.add(pair)
            self._pairs.setdefault(chunk.pairing, []).append(pair)
        if self.on_pair is not None:
            self.on_pair(sum(map(self.played, self.series)))

    def _ask(self, executor: Executor) -> None:
        """Grade the agent's moves in positions where the moves differ in verdict."""
        game = self.ladder.game
        solved = SolvedPositions(game)
        first_ply = 0 if game.cells <= 9 or game.name == "connect4" else quick_ply(game)
        positions = random_positions(solved, self.budget.positions, self.seed, first_ply)
        arguments = repeat(self.agent), positions, repeat(self.seed), repeat(self.strict)
        found = executor.map(answer, *arguments, what=f"asks {self.agent.spec} for a move")
        for position, move in zip(positions, found, strict=True):
            self.answers.add(None if move is None else solved.grade(position, move))
            if self._late():
                break


def answer(agent: Agent, position: Position, seed: int, strict: bool) -> int | None:
    """Return an agent's move, in a worker; None if it fails, unless ``strict`` (see `play_match`)."""
    try:
        return decision_of(agent, position, seed).move
    except (Exception, SystemExit) as error:
        if host_problem(error) is not None or (strict and is_bug(agent, error)):
            raise
        return None


COMPARED_PAIRS = 20
"""Minimum pairs against a player to compare the score with the expected one."""


class Beyond(StrEnum):
    """The end of the ladder that an agent lies beyond."""

    ABOVE = "above"
    BELOW = "below"


COLUMNS = ("player", "its Elo (95 %)", "pairs", "score (95 %)", "expected")


@dataclass(frozen=True, repr=False)
class Placement:
    """The rating of an agent. ``series`` has its matches against each player, by the player's place."""

    ladder: Ladder
    agent: Agent
    series: Mapping[int, Series]
    within: float
    """The requested half-width of the interval, in Elo."""
    minutes: float | None = None
    """The requested time limit."""
    answers: Accuracy = field(default_factory=Accuracy)
    """Its moves in positions where the moves differ in verdict; ``unsolved`` counts failures to give a legal move."""
    used_up: bool = False
    """True if all openings against the players near it were played."""

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
        """True if the interval is as narrow as requested."""
        return self.error <= self.within

    @property
    def pairs(self) -> int:
        """Pairs played."""
        return sum(series.pairs.total() for series in self.series.values())

    @property
    def faults(self) -> list[str]:
        """Descriptions of the agents' faults."""
        return [fault for _, series in sorted(self.series.items()) for fault in series.faults]

    @property
    def failed(self) -> int:
        """Matches lost by the agent's own faults."""
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
        """The end of the ladder that the agent is significantly beyond, or None."""
        players = self.ladder.players
        if self.elo.low > players[-1].elo.estimate:
            return Beyond.ABOVE
        return Beyond.BELOW if self.elo.high < players[0].elo.estimate else None

    @property
    def bound(self) -> float | None:
        """The end of the one-sided 95 % interval, if the agent is outside the ladder."""
        return {Beyond.ABOVE: self.placed.at_least, Beyond.BELOW: self.placed.at_most, None: None}[self.beyond]

    def neighbours(self) -> tuple[LadderPlayer | None, LadderPlayer | None]:
        """Return the next weaker and the next stronger player, by their ratings, other than the agent itself."""
        others = [one for one in self.ladder.players if one.agent.spec != self.agent.spec]
        weaker = [one for one in others if one.elo.estimate <= self.elo.estimate]
        stronger = [one for one in others if one.elo.estimate > self.elo.estimate]
        return (weaker[-1] if weaker else None, stronger[0] if stronger else None)

    def rating_text(self) -> str:
        """Format the rating: ``612 (588 to 636)``, or a bound such as ``at least 900`` outside the ladder."""
        if self.bound is None:
            return elo_text(self.elo)
        return f"at {'least' if self.beyond is Beyond.ABOVE else 'most'} {round(self.bound)}"

    def sentence(self) -> str:
        """Return a sentence that compares it with its neighbours on the ladder."""
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
        """Return a sentence about its moves in solved positions; empty if there were none."""
        positions, kept, perfect = self._answered
        if not positions:
            return ""
        failed = f" It failed in {self.answers.unsolved} of them." if self.answers.unsolved else ""
        return (
            f"In {counted(positions, 'position', 'positions')} with a choice it keeps the verdict in {share(kept)} and "
            f"plays a move with the best score in {share(perfect)}.{failed}"
        )

    @property
    def _answered(self) -> tuple[int, Interval | None, Interval | None]:
        """The number of positions, and the shares of moves that keep the verdict and that are perfect."""
        found = self.answers
        asked = found.moves + found.unsolved
        return asked, wilson(found.kept, asked), wilson(found.perfect, asked)

    def rows(self) -> list[tuple[LadderPlayer, Series, float]]:
        """Return each opponent, the weakest first, with the series and the score expected from the ratings."""
        scale = self.ladder.scale
        return [
            (self.ladder.players[at], series, expected_score(self.elo.estimate - scale.elo[at]))
            for at, series in sorted(self.series.items())
        ]

    def __repr__(self) -> str:
        pairs = counted(self.pairs, "pair", "pairs")
        return f"<Placement {self.agent.spec} on {self.ladder.game.name}: {self.rating_text()} Elo, {pairs}>"

    def met(self) -> list[tuple[str, str, int, str, str]]:
        """Return the rows of a table of its opponents and scores, with the columns `COLUMNS`."""
        return [
            (player.agent.spec, elo_text(player.elo), series.pairs.total(), share(series.score), share(expected))
            for player, series, expected in self.rows()
        ]

    def _repr_html_(self) -> str:
        """Show its opponents and scores in a notebook."""
        from inarow.drawing.svg import table

        title = f"{self.agent.spec} at {self.ladder.game.title}: {self.rating_text()} Elo"
        return table(COLUMNS, self.met(), title, self.sentence(), *filter(None, [self.accuracy_sentence()]))

    @property
    def uneven(self) -> bool:
        """True if its scores against single players differ from the expected ones by more than chance (χ², 5 %)."""
        squares = []
        for at, series in self.series.items():
            score, scale = series.score, self.ladder.scale
            if score is None or series.pairs.total() < COMPARED_PAIRS:
                continue
            expected = expected_score(self.elo.estimate - scale.elo[at])
            own = ((score.high - score.low) / (2 * Z95)) ** 2
            of_player = (expected * (1 - expected) / ELO) ** 2 * float(scale.covariance[at, at])
            squares.append((score.estimate - expected) ** 2 / (own + of_player))
        return len(squares) > 1 and sum(squares) > chi_square_limit(len(squares) - 1)

    def to_json(self) -> dict[str, Any]:
        """Return the placement for JSON; what depends on the clock is under ``timing``."""
        weaker, stronger = self.neighbours()
        positions, accuracy, perfect = self._answered
        return {
            "game": self.ladder.game.name,
            "agent": self.agent.spec,
            "ladder": self.ladder.version,
            "omitted": self.ladder.notes,
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
            "positions": positions,
            "failed_positions": self.answers.unsolved,
            "accuracy": accuracy and accuracy.to_json(),
            "perfect": perfect and perfect.to_json(),
            "failed_matches": self.failed,
            "faults": self.faults,
            "timing": {"seconds_per_move": self.seconds_per_move},
        }


def _named(player: LadderPlayer) -> str:
    return f"{player.agent.spec} ({round(player.elo.estimate)})"


QUICK = 12.0
"""Maximum milliseconds per move of a player that `Ladder.spread` chooses."""
STAFF = 5
"""Default number of opponents for the entrants of a league."""


class LadderError(InarowError):
    """The ladder does not exist or can't be used as requested."""


@dataclass(frozen=True)
class LadderPlayer:
    """A reference player and its rating."""

    agent: Agent
    elo: Interval
    """The interval is relative to the mean of the ladder, not to its zero."""
    pairs: int
    """The number of pairs that the rating is based on."""
    milliseconds: float
    """Time per move when it was rated."""
    model: str | None
    """The SHA-256 of its model, if it has one."""


@dataclass(frozen=True)
class Ladder:
    """The reference players of a game, the weakest first."""

    game: Game
    version: int
    anchor: str
    """The player whose rating is 0."""
    openings: Openings
    players: tuple[LadderPlayer, ...]
    scale: Scale
    """The ratings of the players, in their order."""

    @property
    def present(self) -> dict[int, LadderPlayer]:
        """The available players by place: those that still have the model that was rated."""
        return {at: one for at, one in enumerate(self.players) if model_hash(one.agent, self.game) == one.model}

    @property
    def notes(self) -> list[str]:
        """A note for each player that is not available."""
        here = self.present
        return [
            f"{one.agent.spec} is omitted from the ladder: its model is not the one that was rated (sha256 {one.model})"
            for at, one in enumerate(self.players)
            if at not in here
        ]

    def is_beatable(self, agent: Agent) -> bool:
        """Return True if one of the players is shown to be stronger than this one."""
        own = next(one.elo for one in self.players if one.agent.spec == agent.spec)
        return any(one.elo.low > own.high for one in self.players)

    def spread(self, count: int, among: Collection[int]) -> list[int]:
        """Choose quick players by place: the weakest, the strongest, and others evenly between them."""
        quick = [at for at in sorted(among) if self.players[at].milliseconds <= QUICK]
        count = min(count, len(quick))
        return sorted({quick[round(i * (len(quick) - 1) / max(1, count - 1))] for i in range(count)})


@lru_cache(maxsize=4)
def ladder(game: Game) -> Ladder:
    """Return the ladder of a game. Raises `LadderError` if none ships."""
    data = _read(game.name)
    if data is None:
        raise LadderError(f"no ladder ships for {game}; there are ladders for {' and '.join(_games())}")
    return read_ladder(game, data)


def read_ladder(game: Game, data: Mapping[str, Any]) -> Ladder:
    """Read the content of a ladder's file. Raises `LadderError` if it is not a ladder."""
    with _reporting_damage(game.name):
        players = tuple(
            LadderPlayer(
                agent(one["agent"]), _interval(one), int(one["pairs"]), _finite(one["milliseconds"]), one["model"]
            )
            for one in data["players"]
        )
        openings = parse_openings(game, data["openings"]["text"])
        declared = {name: value for name, value in data["openings"].items() if name != "text"}
        covariance = np.array([[_finite(value) for value in row] for row in data["covariance"]])
        if covariance.shape != (len(players), len(players)):
            raise ValueError(f"the covariance of {len(players)} players has the shape {covariance.shape}")
        scale = Scale([one.elo.estimate for one in players], covariance)
        found = Ladder(game, int(data["version"]), data["anchor"], openings, players, scale)
    if openings.to_json() != declared:
        raise LadderError(
            f"the openings of {game} differ from those that its ladder was played with; rebuild the ladder"
        )
    return found


class Staff(NamedTuple):
    """A player that the entrants of a league meet."""

    agent: Agent
    beatable: bool
    """True if a player of the ladder is shown to be stronger, in every game of the league."""


def staff(games: Sequence[Game], names: Sequence[str] = ()) -> list[Staff]:
    """Return reference players for a league on these games: those named, or else some spread over the first ladder.

    All of them are on the ladder of every game.
    """
    ladders = [ladder(game) for game in games]
    common = set.intersection(*({one.agent.spec for one in each.present.values()} for each in ladders))
    for name in names:
        if agent(name).spec not in common:
            raise LadderError(unknown("player of the ladder", name, common))
    wanted = {agent(name).spec for name in names} or common
    here = {at: one for at, one in ladders[0].present.items() if one.agent.spec in wanted}
    places = here if names else ladders[0].spread(STAFF, here)
    return [Staff(here[at].agent, all(each.is_beatable(here[at].agent) for each in ladders)) for at in places]


@lru_cache(maxsize=4)
def known_ratings(game: Game) -> Mapping[str, Interval]:
    """Return the shipped ratings of the ladder's players, the levels of `best` and the opponents of the menus, by spec.

    Players whose model has changed since are omitted.
    """
    with _reporting_damage(game.name):
        files = filter(None, (_read(game.name), _read(f"{game.name}-levels")))
        rated = {agent(one["agent"]): one for file in files for one in file["players"]}
        return {one.spec: _interval(entry) for one, entry in rated.items() if model_hash(one, game) == entry["model"]}


def elo_text(elo: Interval) -> str:
    """Format a rating with its interval, in whole Elo."""
    return "{} ({} to {})".format(*(signed(value).removeprefix("+") for value in elo))


def _interval(entry: Mapping[str, Any]) -> Interval:
    return Interval(_finite(entry["elo"]), _finite(entry["low"]), _finite(entry["high"]))


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a finite number")
    return float(value)


@contextmanager
def _reporting_damage(name: str) -> Iterator[None]:
    """Turn errors in reading the file of this name into a `LadderError`."""
    try:
        yield
    except LadderError:
        raise
    except (InarowError, LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise LadderError(
            f"the ladder {name}.json of this installation is damaged ({type(error).__name__}: {error!s:.100}); "
            "install inarow again"
        ) from None


def _folder() -> Any:
    return resources.files("inarow").joinpath("data/ladder")


def _games() -> list[str]:
    return sorted(path.name.removesuffix(".json") for path in _folder().iterdir() if "-" not in path.name)


def _read(name: str) -> dict[str, Any] | None:
    path = _folder().joinpath(f"{name}.json")
    if not path.is_file():
        return None
    with _reporting_damage(name):
        found: dict[str, Any] = parse_json(path.read_bytes())
        return found


_MODELS = {"qlearning": "qlearning", "ntuple": "ntuple", "best": "ntuple"}
"""The kind of the default model by agent."""


def model_hash(agent: Agent, game: Game) -> str | None:
    """Return the SHA-256 of the shipped model that a player uses; None if it uses none."""
    kind = _MODELS.get(agent.name)
    path = None if kind is None else shipped(kind, game)
    return None if path is None else fingerprint(path)
