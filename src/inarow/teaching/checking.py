"""A check of an agent before it competes: whole matches and unusual positions, and what is wrong with it."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from inarow.agents import Agent, Decision
from inarow.agents.random_agent import Random
from inarow.agents.rules import Rules
from inarow.errors import HostFailure
from inarow.limits import NO_LIMIT, Limit
from inarow.match.check_positions import Follower, kinds_of_positions, line_that_fills, odd_positions
from inarow.match.openings import Line
from inarow.match.playing import failure, play_decision, play_match, undisturbed
from inarow.match.record import MatchRecord, Termination
from inarow.randomness import derive
from inarow.rules import FIRST, SECOND, Game, Player, Position, format_move, format_moves
from inarow.stopping import Stop

PATIENCE = 40.0
"""Seconds that a check takes at most, apart from the decision that is under way then."""
_FAVOURITES = 3
_SLOW = (Termination.OUT_OF_TIME, Termination.STALLED)


@dataclass(frozen=True)
class CheckedPosition:
    """One position that an agent was shown."""

    kind: str
    moves: str
    """That lead to the position, counting from 1."""
    answer: int | None
    fault: str

    def to_json(self) -> dict[str, Any]:
        """For JSON; the answer counts from 1."""
        answer = None if self.answer is None else int(format_move(self.answer))
        return {"position": self.kind, "moves": self.moves, "answer": answer, "fault": self.fault}


@dataclass(frozen=True)
class CheckedMatch:
    """One match that an agent played."""

    opponent: str
    seat: Player
    record: MatchRecord

    @property
    def result(self) -> str:
        """For the agent: win, draw, loss or unfinished."""
        if self.record.outcome is None:
            return "unfinished"
        winner = self.record.outcome.winner
        return "draw" if winner is None else "win" if winner == self.seat else "loss"

    @property
    def fault(self) -> str:
        """What the agent did wrong; empty if nothing."""
        failed = self.record.termination.is_fault and self.result == "loss"
        return f"{self.record.termination.value}: {self.record.fault}" if failed else ""

    def to_json(self) -> dict[str, str]:
        """For JSON."""
        return {
            "opponent": self.opponent,
            "seat": self.seat.name.lower(),
            "opening": format_moves(self.record.game, self.record.opening),
            "moves": format_moves(self.record.game, self.record.moves),
            "result": self.result,
            "termination": self.record.termination.value,
            "fault": self.fault,
        }


@dataclass
class Problem:
    """One kind of fault, or of weak play: how often, and where it was seen first."""

    text: str
    where: str
    count: int = 1

    def to_json(self) -> dict[str, Any]:
        """For JSON."""
        return {"text": self.text, "count": self.count, "where": self.where}


@dataclass
class Report:
    """All that a check found."""

    positions: list[CheckedPosition] = field(default_factory=list)
    matches: list[CheckedMatch] = field(default_factory=list)
    problems: dict[str, Problem] = field(default_factory=dict)
    """By kind of fault: the same line of the author's file, the same thing that is wrong."""
    advice: dict[str, Problem] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    """Seconds charged for each decision."""
    stopped: str = ""
    """Why the check ended early; empty if it did not."""

    @property
    def loaded(self) -> bool:
        """Whether its file could be loaded at first."""
        return not self.matches or self.matches[0].record.termination is not Termination.NOT_LOADED

    @property
    def faults(self) -> int:
        """How often the agent failed."""
        return sum(problem.count for problem in self.problems.values())

    def breaks(self, limits: tuple[float, ...] = (0.1, 0.2, 0.5, 1, 2, 5, 10)) -> list[float]:
        """Which of these limits, in seconds per decision, its slowest decision breaks."""
        return [limit for limit in limits if max(self.seconds, default=0.0) > limit]

    def to_json(self, allowed: float) -> dict[str, Any]:
        """For JSON, with the seconds allowed per decision; what depends on the clock is under ``timing``."""
        return {
            "faults": self.faults,
            "problems": [one.to_json() for one in self.problems.values()],
            "advice": [one.to_json() for one in self.advice.values()],
            "matches": [one.to_json() for one in self.matches],
            "checks": [one.to_json() for one in self.positions],
            "stopped": self.stopped,
            "timing": {
                "decisions": len(self.seconds),
                "slowest": max(self.seconds, default=None),
                "mean": sum(self.seconds) / len(self.seconds) if self.seconds else None,
                "limit": allowed,
                "breaks": self.breaks(),
            },
        }


class _Enough(Exception):
    """The check ends here; the message says why."""


def check_agent(
    agent: Agent, game: Game, limit: Limit = NO_LIMIT, seed: int = 0, patience: float | None = None
) -> Report:
    """Have an agent play whole matches in both seats, show it odd positions, and gather what is wrong with it."""
    checker = _Checker(agent, game, limit, seed, PATIENCE if patience is None else patience)
    try:
        checker.play_matches()
        checker.fill_favourites()
        for kind, line in kinds_of_positions(game, seed):
            checker.ask(kind, line)
    except _Enough as reason:
        checker.report.stopped = str(reason)
    return checker.report


class _Checker:
    """A check under way."""

    def __init__(self, agent: Agent, game: Game, limit: Limit, seed: int, patience: float) -> None:
        self.agent = agent
        self.game = game
        self.limit = limit
        self.seed = seed
        self.patience = patience
        self.until = time.monotonic() + patience
        self.report = Report()

    def play_matches(self) -> None:
        """Against several players, in both seats, from the empty board and from odd positions."""
        for opponent, opening in self._pairings():
            for seat in (FIRST, SECOND):
                if Position.start(self.game, opening).outcome() is not None:
                    continue
                self._play(opponent, opening, seat)

    def _play(self, opponent: Agent, opening: Line, seat: Player) -> None:
        pair = (self.agent, opponent) if seat is FIRST else (opponent, self.agent)
        seed = derive(self.seed, "check", len(self.report.matches))
        stop = Stop()

        def end_in_time(position: Position, decision: Decision) -> None:
            if time.monotonic() > self.until:
                stop.set()

        record = play_match(
            self.game, *pair, opening=opening, seed=seed, limit=self.limit, stop=stop, on_decision=end_in_time
        )
        match = CheckedMatch(opponent.name, seat, record)
        self.report.matches.append(match)
        position = Position.start(self.game, opening)
        for index, move in enumerate(record.moves):
            if position.to_move is seat:
                self.report.seconds.append(record.seconds[index])
                self._advise(position, move, (*opening, *record.moves[:index]))
            position = position.play(move)
        where = f"as {seat.name.lower()} player against {opponent.name}, after {self._moves(record.all_moves)}"
        self._judge(record.termination, match.fault, where)

    def _pairings(self) -> Iterator[tuple[Agent, Line]]:
        for opponent in (Follower(), Random(), Rules()):
            yield opponent, ()
        for _, line in odd_positions(self.game, self.seed):
            yield Random(), line

    def fill_favourites(self) -> None:
        """Ask for its favourite move, make that illegal, and ask again."""
        full: Line = ()
        kind = "the empty board"
        for _ in range(_FAVOURITES):
            line = line_that_fills(self.game, full, self.seed)
            answer = None if line is None else self.ask(kind, line)
            if answer is None:
                return
            full = (*full, answer)
            kind = f"its favourite move{'s' if len(full) > 1 else ''} {format_moves(self.game, full)} can't be played"

    def ask(self, kind: str, line: Line) -> int | None:
        """Show the agent a position, with a new mind; its move if that was legal."""
        position = Position.start(self.game, line)
        moves = format_moves(self.game, line)
        try:
            decision = undisturbed(f"{self.agent.spec} in a position", lambda last: self._decide(position, moves))
            play_decision(position, decision)
        except HostFailure:
            raise
        except Exception as error:
            termination, words = failure(error)
            fault = f"{termination.value}: {words}"
            self.report.positions.append(CheckedPosition(kind, moves, None, fault))
            self._judge(termination, fault, f"{kind}, after {self._moves(line)}")
            return None
        self.report.positions.append(CheckedPosition(kind, moves, decision.move, ""))
        self.report.seconds.append(decision.seconds)
        self._advise(position, decision.move, line)
        self._judge(None, "", "")
        return decision.move

    def _decide(self, position: Position, moves: str) -> Decision:
        mind = self.agent.start(self.game, position.to_move, derive(self.seed, "check", moves))
        with contextlib.closing(mind):
            return mind.decide(position, self.limit)

    def _advise(self, position: Position, move: int, line: Line) -> None:
        """Note what a move overlooked."""
        wins, threats = position.winning_moves(), position.winning_moves(position.to_move.other)
        missed = wins or (threats if len(threats) == 1 else ())
        if not missed or move in missed:
            return
        what = "missed a win in one" if wins else "did not block a win in one"
        better = " or ".join(format_move(one) for one in missed)
        played = f"it played {format_move(move)}, {better} {'wins' if wins else 'blocks'}"
        self._count(self.report.advice, what, what, f"{played}, after {self._moves(line)}")

    def _judge(self, termination: Termination | None, fault: str, where: str) -> None:
        """Count a fault; end the check when there is nothing more to learn, or no time left."""
        if fault:
            self._count(self.report.problems, _kind_of(fault), fault, where)
        if fault and termination is Termination.NOT_LOADED:
            raise _Enough("it cannot be loaded")
        if fault and termination in _SLOW:
            raise _Enough("it is too slow")
        if time.monotonic() > self.until:
            each = f"{self.patience / max(1, len(self.report.seconds)):.1f} s a decision by the clock"
            raise _Enough(f"it took {self.patience:g} s, {each}; not everything was checked")

    @staticmethod
    def _count(problems: dict[str, Problem], kind: str, text: str, where: str) -> None:
        if kind in problems:
            problems[kind].count += 1
        else:
            problems[kind] = Problem(text, where)

    def _moves(self, line: Line) -> str:
        return f"moves {format_moves(self.game, line)}" if line else "no move"


def _kind_of(fault: str) -> str:
    """What makes two faults the same kind: all but the numbers and names in it, and the line of the author's file."""
    words = fault.partition("; it printed")[0]
    lines = re.findall(r"\(line \d+ of [^)]*\)$", words)
    return re.sub(r"\d+(\.\d+)?|'[^']*'", "#", words.partition(";")[0]) + "".join(lines)
