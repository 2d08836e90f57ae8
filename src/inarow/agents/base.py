"""The interface of a player: it takes a position and a limit, and returns a decision.

An `Agent` is the immutable configuration of an algorithm. A `Mind` is an agent in one seat of one match; it holds the
state that lasts between moves.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from inarow.agents.parameters import AgentError, Configured, Kind, kind_of
from inarow.errors import check_instance, check_integer, check_list
from inarow.formatting import MINUS, counted, duration, say
from inarow.limits import NO_LIMIT, Limit, check_limit
from inarow.paths import fingerprint
from inarow.randomness import Stream, derive
from inarow.rules import FIRST, Game, IllegalMove, Player, Position, as_move, format_move, format_moves
from inarow.stopping import SYSTEM_CLOCK, Clock, Stop

if TYPE_CHECKING:
    from inarow.models.network import Network


class Decision(NamedTuple):
    """A move with its evaluation and cost. Values and points are for the side to move."""

    move: int
    value: float | None = None
    """An estimate in [−1, 1]."""
    points: int | None = None
    """The evaluation in the evaluator's unit, if the agent has one."""
    values: Mapping[int, float] = {}
    """Estimates by move, if the agent has them."""
    by_move: Mapping[str, Mapping[int, float]] = {}
    """Other figures per move, by name: points, visits; ``earlier``, the values at `depth` of moves that the next depth,
    which chose but was not completed, did not reach."""
    nodes: int = 0
    """Positions visited below the root, each visit counted once, leaves included."""
    depth: int | None = None
    """Completed depth in plies."""
    line: tuple[int, ...] = ()
    """The expected line (principal variation), starting with this move."""
    seconds: float = 0.0
    details: Mapping[str, Any] = {}
    """Further results by name, specific to the agent; JSON-serialisable."""
    note: str = ""
    """A note about the move, as a sentence; usually empty."""
    position: Position | None = None
    """The position; `Mind.decide` fills it in."""

    @property
    def effort(self) -> str:
        """The effort, such as ``20,000 simulations`` or ``1,234 nodes``; may be empty."""
        simulations = self.details.get("simulations")
        if type(simulations) is int and simulations:
            return counted(simulations, "simulation", "simulations")
        return counted(self.nodes, "node", "nodes") if self.nodes else ""

    def _repr_html_(self) -> str:
        """Return HTML for a notebook: the board with the value of every move and the chosen move."""
        from inarow.drawing.svg import Label, draw_svg, figure, tone_of

        caption = [f"move {format_move(self.move)}"]
        caption += [] if self.value is None else [f"value {self.value:+.3f}"]
        caption += [self.effort] if self.effort else []
        caption += [duration(self.seconds)]
        if self.position is None:
            return figure("", ", ".join(caption))
        line = [f"expected: {format_moves(self.position.game, self.line)}"] if len(self.line) > 1 else []
        labels = {
            move: Label(f"{value:+.2f}".replace("-", MINUS), tone_of(value)) for move, value in self.values.items()
        }
        note = [self.note] if self.note else []
        return figure(draw_svg(self.position, labels=labels, marked=(self.move,)), ", ".join(caption), *line, *note)


_MOVE, _SECONDS, _POSITION = map(Decision._fields.index, ("move", "seconds", "position"))


class Fault(Exception):
    """An agent failed with a known cause (see `match.Termination`); it loses the match."""

    def __init__(self, cause: str, message: str) -> None:
        super().__init__(message)
        self.cause = cause


class Disturbance(Exception):
    """The machine failed, or another process killed or stopped the agent's: the match is replayed."""


class Resignation(Exception):
    """The agent resigns; it loses the match."""


SHORT_SECONDS = 0.05
"""Limits up to this would be overrun, or largely used up, by the first writes to a table: minds make theirs before the
clock runs, as large as the limit can fill. Under longer ones it would only delay decisions that hardly use it."""


def is_short(*limits: Limit) -> bool:
    """Return True if one of these limits is in seconds, and short."""
    return any(limit.seconds is not None and limit.seconds <= SHORT_SECONDS for limit in limits)


class Mind(ABC):
    """An agent in one seat of one match."""

    clock: Clock = SYSTEM_CLOCK
    allowance: float = 0.0
    """Seconds by which the next decision may exceed the limit."""
    lost: float = 0.0
    """Seconds of the last decision lost because the machine was busy or the process was stopped."""
    watcher: Callable[[Decision], None] | None = None
    """Callback with the decision so far, after each depth or several times a second, if the mind supports it.
    It does not affect the decision."""
    __slots__ = ("__dict__",)

    def decide(self, position: Position, limit: Limit = NO_LIMIT, stop: Stop | None = None) -> Decision:
        """Return the decision, with the seconds it took. Setting ``stop`` in another thread ends the search early."""
        if type(position) is not Position:
            check_instance("position", position, Position, "a Position, as inarow.position gives it")
        if type(limit) is not Limit:
            check_limit(limit)
        if stop is not None:
            check_instance("stop", stop, Stop, "a Stop or None")
        if position.outcome() is not None:
            raise IllegalMove(say("nothing_to", "decide", result=position.result_text()))
        self.prepare(position, limit)
        begun = self.clock.now()
        decision = self.think(position, limit, stop)
        if not isinstance(decision, Decision):
            raise Fault("no decision", f"it returned {decision!r:.60}, not a Decision")
        seconds = int(1e7 * (self.clock.now() - begun)) / 1e7
        try:
            move = as_move(decision.move)
        except TypeError:
            raise IllegalMove(position.why_illegal(decision.move) or "") from None
        fields = list(decision)  # takes a third of the time of _replace
        fields[_MOVE], fields[_SECONDS], fields[_POSITION] = move, seconds, position
        return Decision._make(fields)

    def answers(self, positions: Sequence[Position]) -> tuple[Sequence[int], Sequence[float | None]]:
        """Return the move and the value of its decision in each of these unfinished positions, in order.

        Raises `IllegalMove` if a move is illegal.
        """
        check_list("positions", positions, Position, "positions")
        decisions = [self.decide(position) for position in positions]
        for position, decision in zip(positions, decisions, strict=True):
            position.play(decision.move)
        return [decision.move for decision in decisions], [decision.value for decision in decisions]

    def prepare(self, position: Position, limit: Limit) -> None:
        """Load, compile and allocate everything that a decision may need, before it is timed."""

    @abstractmethod
    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        """Decide in an unfinished game. Returns the best move so far when a limit is reached or ``stop`` is set."""

    def close(self) -> None:
        """Release external resources, such as a process."""


class ChoosingMind(Mind):
    """A stateless mind: a function of the position and a random stream."""

    def __init__(self, choose: Callable[[Position, Stream], int], seed: int) -> None:
        self.choose, self.stream = choose, Stream(seed)

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        return Decision(self.choose(position, self.stream))


@dataclass(frozen=True)
class Agent(Configured, ABC):
    """A configured algorithm. A subclass is a frozen dataclass whose fields are its parameters (see `parameters`)."""

    what = "agent"
    group: ClassVar[str] = ""
    """The heading under which `inarow agents` lists it, if not a general one."""
    foreign: ClassVar[bool] = False
    """True if it is an agent in a file, which runs in its own process."""
    needs_kernels: ClassVar[bool] = True
    """True if it needs compiled kernels; other agents can play while they are compiled."""
    variants: ClassVar[bool] = False
    """True if it plays misère and cylinder games."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = vars(cls).get("__init__")
        if own is not None and len(inspect.signature(own).parameters) > 1 and not cls._has_own_identity():
            raise AgentError(
                f"agent {getattr(cls, 'name', cls.__name__)}: the arguments of its __init__ are not part of its "
                "identity; make it a frozen dataclass with a field for each value, or define identity"
            )

    @classmethod
    @functools.cache
    def parameters(cls) -> list[Kind]:
        """Return the parameters in their order. Raises `AgentError` for a field that is not part of the identity."""
        for field in cls.counted_fields():
            if kind_of(field) is None and not cls._has_own_identity():
                raise AgentError(
                    f"agent {cls.name}: the field {field.name} can't be written in a spec; make it a bool, int, float "
                    "or str, define identity, or use field(compare=False) if play does not depend on it"
                )
        return super().parameters()

    @classmethod
    def _has_own_identity(cls) -> bool:
        """Return True if a subclass overrides `spec` or `identity`."""
        return cls.spec is not Configured.spec or cls.identity is not Agent.identity

    @classmethod
    def playing_parameters(cls) -> list[Kind]:
        """Return the parameters that a menu offers: those that are not hidden."""
        return [one for one in cls.parameters() if not one.hidden]

    @property
    def identity(self) -> str:
        """The spec and the hashes of the agent's files: everything that determines its play."""
        return " ".join([self.spec, *(f"sha256={self._hash(name, path)}" for name, path in self.files())])

    def _hash(self, name: str, path: Path) -> str:
        try:
            return fingerprint(path)
        except OSError as error:
            raise AgentError(f"agent {self.name}: {name}={path} can't be read: {error.strerror}") from None

    @property
    def label(self) -> str:
        """Its name in the tables and figures of a report."""
        return self.spec

    @property
    def full_name(self) -> str:
        """Its spec, followed by the name of its algorithm if the agent's name alone would mislead."""
        return self.spec

    @property
    def description(self) -> str:
        """A one-line description."""
        return self.summary

    def memory_mb(self, game: Game) -> int:
        """Return how many MB the tables, tree and solver of a mind may take on this board."""
        return 0

    def effective(self, game: Game) -> str:
        """Return the effective parameters in this game, defaults included: ``depth=6, eval=windows``."""
        values = {one.name: (one, self.in_use(one.field)) for one in self.playing_parameters()}
        return ", ".join(
            f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={kind.format(value)}"
            for name, (kind, value) in values.items()
            if value not in (None, "")
        )

    def in_use(self, name: str) -> Any:
        """Return the effective value of a parameter: ``auto`` resolved, None for no limit."""
        return getattr(self, name)

    @property
    def timed(self) -> bool:
        """True if a limit in seconds makes its play depend on the machine's speed."""
        return getattr(self, "seconds", None) is not None

    def check(self, game: Game) -> None:
        """Raise `AgentError` if this agent can't play this game."""
        check_instance("game", game, Game, "a Game, as inarow.game gives it", AgentError)
        if not self.variants and (game.misere or game.cylinder):
            variant = "misère" if game.misere else "cylinder"
            raise AgentError(say("unfit", "variant", name=self.name, variant=variant, game=game.name))

    def network_in(self, game: Game) -> Network | None:
        """Return the n-tuple network that it uses in a game, alone or in a search, or None."""
        return None

    def start(self, game: Game, player: Player, seed: int) -> Mind:
        """Return a mind for one seat of one match."""
        check_instance("player", player, Player, "Player.FIRST or Player.SECOND", AgentError)
        seed = check_integer("seed", seed, error=AgentError)
        self.check(game)
        return self.mind(game, player, seed)

    @abstractmethod
    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        """Return a new mind; the game has been checked."""


def model_of(owner: Configured, given: str, game: Game) -> Any:
    """Return the model that an agent or evaluator uses for a game, loaded once: from a file, or the shipped one."""
    from inarow.models.files import ModelError
    from inarow.models.loading import load_model, model_path

    try:
        return load_model(model_path(owner.name, given, game), owner.name, game)
    except ModelError as error:
        raise AgentError(f"{owner.what} {owner.name}: {error}") from None


_SMALL = Limit(depth=1, nodes=1, simulations=1, seconds=0.01)
_TIMED = Limit(seconds=0.01)
_PLIES = 12
"""A ply beyond the opening books."""
_rehearsed: set[tuple[str, Game]] = set()


def rehearse(agent: Agent, game: Game) -> None:
    """Warm up an agent with two small decisions, once per process: at the start, which may be in a book, and some moves
    later under a limit in seconds, as in a match.

    Agents in files are skipped: each of their minds starts its own process. Errors are ignored; the first match reports
    them.
    """
    if agent.foreign or (agent.spec, game) in _rehearsed:
        return
    _rehearsed.add((agent.spec, game))
    with contextlib.suppress(Exception, SystemExit):
        mind = agent.mind(game, FIRST, 0)
        try:
            mind.decide(Position.start(game), _SMALL)
            mind.decide(_later(game), _TIMED)
        finally:
            mind.close()


def _later(game: Game) -> Position:
    """Return a position after some random moves where neither side has won or can win immediately."""
    stream = Stream(derive(0, "rehearsal"))
    position = Position.start(game)
    for _ in range(_PLIES):
        children = [position.play(move) for move in position.legal_moves()]
        quiet = [child for child in children if child.outcome() is None and not child.winning_moves()]
        if not quiet:
            break
        position = stream.choice(quiet)
    return position
