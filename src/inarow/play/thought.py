"""Asking agents for a move or a hint in the background, and keeping their minds between questions."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Protocol, runtime_checkable

from inarow.agents import Agent, Decision, Limit, Mind
from inarow.play.background import Answer, Background, Question
from inarow.play.setup import Setup
from inarow.randomness import derive
from inarow.rules import FIRST, Game, Player, Position
from inarow.stopping import Stop


@runtime_checkable
class Elsewhere(Protocol):
    """An agent that decides in another process."""

    def ask(self, position: Position, limit: Limit, seed: int) -> Future[Decision]:
        """Ask for a decision; the seed tells minds of different matches apart. Cancelling ends the thinking early."""


class Place:
    """An agent in one seat of one match.

    The mind is made where it is first used, in the background (it may load a table). When thinking is cancelled the
    place is left: the mind may still be at work there, so the next one takes another place.
    """

    def __init__(self, agent: Agent, game: Game, player: Player, seed: int) -> None:
        self.agent = agent
        self._game = game
        self._player = player
        self.seed = seed
        self._mind: Mind | None = None
        self._lock = threading.Lock()
        self._busy = False
        self._left = False

    def decide(self, position: Position, limit: Limit, stop: Stop) -> Decision:
        """The agent's decision."""
        with self._lock:
            self._busy = True
        try:
            if self._mind is None:
                self._mind = self.agent.start(self._game, self._player, self.seed)
            return self._mind.decide(position, limit, stop)
        finally:
            with self._lock:
                self._busy = False
                left = self._left
            if left:
                self._close()

    def leave(self) -> None:
        """Close the mind, now or as soon as it stops thinking."""
        with self._lock:
            idle = not self._busy and not self._left
            self._left = True
        if idle:
            self._close()

    def _close(self) -> None:
        with contextlib.suppress(Exception):  # an agent that can't even close must not take the session with it
            if self._mind is not None:
                self._mind.close()


class Thought:
    """The one question about a move and the one about a hint that may be open at a time."""

    def __init__(self, setup: Setup, background: Background) -> None:
        self.background = background
        self._setup = setup
        self._inbox: list[Answer] = []
        self._question: Question | None = None
        self._answer: Answer | None = None
        self._hint: tuple[Question, Place] | None = None
        self._places: dict[Player, Place] = {}
        self._player_asked = FIRST
        self._asked = 0

    @property
    def about_move(self) -> bool:
        """Whether a move was asked for and not taken yet."""
        return self._question is not None

    @property
    def about_hint(self) -> bool:
        """Whether a hint was asked for and has not come yet."""
        return self._hint is not None

    @property
    def answered(self) -> bool:
        """Whether the move that was asked for has come."""
        return self._answer is not None

    def ask_move(self, agent: Agent, position: Position) -> None:
        """Ask the mind in the seat of the side to move."""
        player = position.to_move
        if player not in self._places:
            self._places[player] = self._place(agent, player)
        self._player_asked = player
        self._question = self._ask(self._places[player], position)

    def ask_hint(self, adviser: Agent, position: Position) -> None:
        """Ask a new mind for the side to move."""
        place = self._place(adviser, position.to_move)
        self._hint = self._ask(place, position), place

    def collect(self, seconds: float = 0.0) -> bool:
        """Gather the answers that have come, waiting up to ``seconds`` for the first; whether there are any."""
        self._inbox += self.background.collect(seconds)
        return bool(self._inbox)

    def hints(self) -> Sequence[Decision | Exception]:
        """Look at all answers: keep the move that was asked for, return the hint, ignore what is stale."""
        self.collect()
        hints = []
        for answer in self._inbox:
            if self._question is not None and answer.ticket == self._question.ticket:
                self._answer = answer
            elif self._hint is not None and answer.ticket == self._hint[0].ticket:
                hints.append(answer.result)
                self.drop_hint()
        self._inbox = []
        return hints

    def take(self) -> Decision | Exception:
        """The answer about the move; the question is closed."""
        assert self._answer is not None
        result: Decision | Exception = self._answer.result
        self._question = self._answer = None
        return result

    def cancel(self) -> None:
        """Close both questions; answers that still come are stale."""
        self.drop_hint()
        if self._question is not None:
            self._question.cancel()
            if self._answer is None:  # its mind is still at work
                self._places.pop(self._player_asked).leave()
            self._question = self._answer = None

    def drop_hint(self) -> None:
        """Close the question about a hint."""
        if self._hint is not None:
            self._hint[0].cancel()
            self._hint[1].leave()
            self._hint = None

    def leave_all(self) -> None:
        """Close all minds: the next match begins with new ones."""
        self.cancel()
        for place in self._places.values():
            place.leave()
        self._places = {}

    def _place(self, agent: Agent, player: Player) -> Place:
        self._asked += 1
        return Place(agent, self._setup.game, player, derive(self._setup.seed, "mind", self._asked))

    def _ask(self, place: Place, position: Position) -> Question:
        limit = self._setup.limit
        if isinstance(place.agent, Elsewhere):
            return self.background.follow(place.agent.ask(position, limit, place.seed))
        return self.background.ask(lambda stop: place.decide(position, limit, stop))
