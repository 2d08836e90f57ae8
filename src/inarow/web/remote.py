"""An agent that thinks in a worker process: for the session it is an agent like any other."""

from __future__ import annotations

import functools
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from inarow.agents import Agent, Decision, Limit, Mind, agent
from inarow.agents.rehearsal import rehearse
from inarow.agents.searching import Searcher
from inarow.play.advice import Adviser
from inarow.rules import CONNECT4, Game, Player, Position, game
from inarow.stopping import Stop
from inarow.web.pool import Pool, Ticket

KEPT_MINDS = 6
"""Minds that a worker keeps for the next decision: they hold tables and trees. Each match has its own; with more
matches than that, or when another worker answers, a new mind is made."""

ADVISER = "adviser"
"""The spec of the agent that gives hints."""

_minds: OrderedDict[tuple[str, str, int, int], Mind] = OrderedDict()


@dataclass(frozen=True)
class Remote(Agent):
    """Has another agent's decisions made in a pool of worker processes."""

    name = "remote"
    summary = "an agent that thinks in another process"
    behind: Agent = None  # type: ignore[assignment]
    pool: Pool = None  # type: ignore[assignment]
    seconds: float = 10.0
    written: str = ""
    """The spec of the agent behind, kept because every state of a session shows it."""

    @classmethod
    def of(cls, behind: Agent, pool: Pool, seconds: float) -> Remote:
        """A stand-in for this agent."""
        return cls(behind, pool, seconds, ADVISER if isinstance(behind, Adviser) else behind.spec)

    @property
    def spec(self) -> str:
        """The spec of the agent behind."""
        return self.written

    def check(self, game: Game) -> None:
        """Raise if the agent behind can't play this game."""
        self.behind.check(game)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return _RemoteMind(self, seed)


class _RemoteMind(Mind):
    def __init__(self, remote: Remote, seed: int) -> None:
        self._remote = remote
        self._seed = seed

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        """Wait for the worker's decision; a task that was cancelled before it began raises `CancelledError`."""
        remote = self._remote
        seconds = remote.seconds if limit.seconds is None else min(limit.seconds, remote.seconds)
        limit = Limit(limit.depth, limit.nodes, limit.simulations, seconds)
        stones = (position.first, position.second)
        ticket = remote.pool.submit(decide, remote.spec, position.game.name, stones, limit, self._seed, seconds=seconds)
        cancels = None if stop is None else _Cancels(ticket, stop)
        try:
            decision: Decision = ticket.future.result()
        finally:
            del cancels
        return decision


class _Cancels(Stop):
    """Cancels a task when another flag is raised."""

    __slots__ = ("_ticket",)

    def __init__(self, ticket: Ticket, within: Stop) -> None:
        self._ticket = ticket
        super().__init__(within)

    def set(self) -> None:
        self._ticket.cancel()


def prepare() -> None:
    """Load what most decisions need, in a new worker."""
    rehearse(_agent("alphabeta"), CONNECT4)


def decide(stop: Stop, spec: str, board: str, stones: tuple[int, int], limit: Limit, seed: int) -> Decision:
    """One decision, in a worker."""
    played = game(board)
    position = Position(played, *stones)
    mind = _mind(spec, played, position.to_move, seed)
    decision = mind.decide(position, limit, stop)
    return decision._replace(details=_plain(decision.details))


def _mind(spec: str, played: Game, player: Player, seed: int) -> Mind:
    kind = Adviser() if spec == ADVISER else _agent(spec)
    key = (spec, played.name, int(player), 0 if _decides_alike(kind) else seed)
    if key not in _minds:
        _minds[key] = kind.start(played, player, seed)
        while len(_minds) > KEPT_MINDS:
            _minds.popitem(last=False)[1].close()
    _minds.move_to_end(key)
    return _minds[key]


def _decides_alike(kind: Agent) -> bool:
    """Whether all matches may share a mind: a search without random ties decides by the position alone."""
    return isinstance(kind, Adviser) or (isinstance(kind, Searcher) and kind.ties != "random")


@functools.lru_cache(maxsize=64)
def _agent(spec: str) -> Agent:
    return agent(spec)


def _plain(details: Any) -> dict[str, Any]:
    return dict(details)
