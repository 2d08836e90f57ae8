"""Check an agent before it competes, in whole matches and unusual positions; check a file of expected moves."""

from __future__ import annotations

import contextlib
import csv
import io
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from inarow.agents import Agent, Decision, Mind
from inarow.agents.file import NotLoaded
from inarow.agents.simple import Random, Rules
from inarow.errors import InarowError, printable
from inarow.limits import NO_LIMIT, Limit
from inarow.match.openings import Line
from inarow.match.playing import failure, host_problem, play_decision, play_match, undisturbed
from inarow.match.record import MatchRecord, Termination
from inarow.paths import read_text
from inarow.randomness import Stream, derive
from inarow.rules import FIRST, SECOND, Game, Player, Position, format_move, format_moves
from inarow.rules import game as board_of
from inarow.rules.notation import parse_position
from inarow.solver import Oracle, Unsolved, Verdict
from inarow.stopping import Stop

PATIENCE = 40.0
"""Maximum seconds of a check, plus the decision in progress."""
_FAVOURITES = 3
_SLOW = (Termination.OUT_OF_TIME, Termination.STALLED)
NOT_LOADED = "it cannot be loaded"
TOO_SLOW = "it is too slow"
"""Reasons to stop a check."""


@dataclass(frozen=True)
class CheckedPosition:
    """One position that an agent was shown."""

    position: str
    """The kind of position."""
    moves: str
    """The moves that lead to the position, counted from 1."""
    answer: int | None
    """The agent's move, counted from 0."""
    fault: str


@dataclass(frozen=True)
class CheckedMatch:
    """One match that an agent played."""

    opponent: str
    seat: Player
    record: MatchRecord

    @property
    def result(self) -> str:
        """The agent's result: win, draw, loss or unfinished."""
        if self.record.outcome is None:
            return "unfinished"
        winner = self.record.outcome.winner
        return "draw" if winner is None else "win" if winner == self.seat else "loss"

    @property
    def fault(self) -> str:
        """The agent's fault, or an empty string."""
        failed = self.record.termination.is_fault and self.result == "loss"
        return f"{self.record.termination.value}: {self.record.fault}" if failed else ""

    def to_json(self) -> dict[str, str]:
        """Return the match for JSON."""
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
class CheckProblem:
    """A kind of fault or weak play: its count and first occurrence."""

    text: str
    count: int
    where: str


@dataclass
class CheckReport:
    """The results of a check."""

    positions: list[CheckedPosition] = field(default_factory=list)
    matches: list[CheckedMatch] = field(default_factory=list)
    problems: dict[str, CheckProblem] = field(default_factory=dict)
    """By kind of fault, see `_kind_of`."""
    advice: dict[str, CheckProblem] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    """Seconds charged for each decision."""
    stopped: str = ""
    """Why the check ended early; empty if it did not."""

    @property
    def loaded(self) -> bool:
        """True if the agent's file could be loaded."""
        return self.stopped != NOT_LOADED

    @property
    def faults(self) -> int:
        """The number of failures."""
        return sum(problem.count for problem in self.problems.values())

    def breaks(self, limits: tuple[float, ...] = (0.1, 0.2, 0.5, 1, 2, 5, 10)) -> list[float]:
        """Return the limits, in seconds per decision, that its slowest decision exceeds."""
        return [limit for limit in limits if max(self.seconds, default=0.0) > limit]

    def to_json(self, allowed: float) -> dict[str, Any]:
        """Return the report for JSON, with the seconds allowed per decision; measured times are under ``timing``."""
        return {
            "faults": self.faults,
            "problems": [asdict(one) for one in self.problems.values()],
            "advice": [asdict(one) for one in self.advice.values()],
            "matches": [one.to_json() for one in self.matches],
            "checks": [asdict(one) for one in self.positions],
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
    """Ends the check; the message is the reason."""


def check_agent(
    agent: Agent, game: Game, limit: Limit = NO_LIMIT, seed: int = 0, patience: float | None = None
) -> CheckReport:
    """Check an agent in whole matches in both seats and in unusual positions, and collect its problems."""
    checker = _Checker(agent, game, limit, seed, PATIENCE if patience is None else patience)
    try:
        checker.play_matches()
        checker.fill_favourites()
        for position in kinds_of_positions(game, seed):
            checker.ask(*position)
    except _Enough as reason:
        checker.report.stopped = str(reason)
    return checker.report


class _Checker:
    """A check in progress."""

    def __init__(self, agent: Agent, game: Game, limit: Limit, seed: int, patience: float) -> None:
        self.agent = agent
        self.game = game
        self.limit = limit
        self.seed = seed
        self.patience = patience
        self.until = time.monotonic() + patience
        self.report = CheckReport()

    def play_matches(self) -> None:
        """Play against several players, in both seats, from the empty board and from unusual positions."""
        for opponent, opening in self._pairings():
            if Position.start(self.game, opening).outcome() is None:
                for seat in (FIRST, SECOND):
                    self._play(opponent, opening, seat)

    def _play(self, opponent: Agent, opening: Line, seat: Player) -> None:
        pair = (self.agent, opponent) if seat is FIRST else (opponent, self.agent)
        seed = derive(self.seed, "check", len(self.report.matches))
        stop = Stop()

        def end_in_time(position: Position, decision: Decision) -> None:
            if time.monotonic() > self.until:
                stop.set()

        try:
            record = play_match(
                self.game, *pair, opening=opening, seed=seed, limit=self.limit, stop=stop, on_decision=end_in_time
            )
        except NotLoaded as error:
            self._judge(Termination.NOT_LOADED, error.reason, "")
            return
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
        """Show the agent a position, with a new mind; return its move if that was legal."""
        position = Position.start(self.game, line)
        moves = format_moves(self.game, line)
        try:
            decision = undisturbed(f"{self.agent.spec} in a position", lambda last: self._decide(position, moves))
            play_decision(position, decision)
        except Exception as error:
            if host_problem(error) is not None:
                raise
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
        """Record a missed win or block."""
        wins, threats = position.winning_moves(), position.winning_moves(position.to_move.other)
        missed = wins or (threats if len(threats) == 1 else ())
        if not missed or move in missed:
            return
        what = "missed a win in one" if wins else "did not block a win in one"
        better = " or ".join(format_move(one) for one in missed)
        played = f"it played {format_move(move)}, {better} {'wins' if wins else 'blocks'}"
        self._count(self.report.advice, what, what, f"{played}, after {self._moves(line)}")

    def _judge(self, termination: Termination | None, fault: str, where: str) -> None:
        """Count a fault; end the check if it is pointless to continue, or if no time is left."""
        if fault:
            self._count(self.report.problems, _kind_of(fault), fault, where)
        if fault and termination is Termination.NOT_LOADED:
            raise _Enough(NOT_LOADED)
        if fault and termination in _SLOW:
            raise _Enough(TOO_SLOW)
        if time.monotonic() > self.until:
            each = f"{self.patience / max(1, len(self.report.seconds)):.1f} s a decision by the clock"
            raise _Enough(f"it took {self.patience:g} s, {each}; not everything was checked")

    @staticmethod
    def _count(problems: dict[str, CheckProblem], kind: str, text: str, where: str) -> None:
        problems.setdefault(kind, CheckProblem(text, 0, where)).count += 1

    def _moves(self, line: Line) -> str:
        return f"moves {format_moves(self.game, line)}" if line else "no move"


def _kind_of(fault: str) -> str:
    """Return the key that groups faults: the message without numbers and names, and the line of the author's file."""
    words = fault.partition("; it printed")[0]
    lines = re.findall(r"\(line \d+ of [^)]*\)$", words)
    return re.sub(r"\d+(\.\d+)?|'[^']*'", "#", words.partition(";")[0]) + "".join(lines)


PLAYOUTS = 20
"""Random matches that positions are taken from."""
_TRIES = 200


def kinds_of_positions(game: Game, seed: int = 0) -> Iterator[tuple[str, Line]]:
    """Yield kinds of positions, each with the moves that lead there."""
    yield from odd_positions(game, seed)
    stream = Stream(derive(seed, "check"))
    found: set[str] = set()
    for number in range(PLAYOUTS):
        position = Position.start(game)
        line: Line = ()
        while position.outcome() is None:
            for kind in _kinds(position):
                if kind not in found or (number < 2 and position.ply % 5 == 3):
                    found.add(kind)
                    yield kind, line
                    break
            move = stream.choice(position.legal_moves())
            position, line = position.play(move), (*line, move)


def odd_positions(game: Game, seed: int = 0) -> Iterator[tuple[str, Line]]:
    """Yield positions that random matches hardly reach: full columns, a nearly full board, one legal move left."""
    stream = Stream(derive(seed, "odd"))
    for kind, most, empty in (
        ("most moves are no longer legal", 2, game.cells),
        ("the board is nearly full", game.moves, 3),
        ("one legal move left", 1, game.cells),
    ):
        for _ in range(_TRIES):
            line = quiet_line(game, stream, range(game.moves), most, empty)
            if line is not None:
                yield kind, line
                break


def quiet_line(game: Game, stream: Stream, order: range | Line, most: int, empty: int) -> Line | None:
    """Draw non-winning moves, the first of ``order`` if possible, until few legal moves and empty cells remain.

    Return None if a win could not be avoided.
    """
    position = Position.start(game)
    line: Line = ()
    while len(position.legal_moves()) > most or game.cells - position.ply > empty:
        open_moves = _quiet(position, position.legal_moves())
        if not open_moves:
            return None
        wanted = [move for move in order if move in open_moves][:2]
        move = stream.choice(wanted if wanted and most < game.moves else open_moves)
        position, line = position.play(move), (*line, move)
    return line


def line_that_fills(game: Game, full: Line, seed: int) -> Line | None:
    """Find moves that make all of these moves illegal without ending the game, or return None."""
    stream = Stream(derive(seed, "fill", *full))
    for _ in range(_TRIES):
        position = Position.start(game)
        line: Line = ()
        while position.outcome() is None:
            legal = position.legal_moves()
            left = [move for move in full if move in legal]
            if not left:
                return line
            move = stream.choice(_quiet(position, left) or list(legal))
            position, line = position.play(move), (*line, move)
    return None


def _quiet(position: Position, moves: Sequence[int]) -> list[int]:
    """Return the moves that do not end the game."""
    return [move for move in moves if position.play(move).outcome() is None]


def _kinds(position: Position) -> Iterator[str]:
    if position.ply == 0:
        yield "the empty board"
    if position.ply == 1:
        yield "as second player"
    if position.winning_moves():
        yield "it can win immediately"
    if position.winning_moves(position.to_move.other):
        yield "it must block"
    if len(position.legal_moves()) < position.game.moves:
        yield "some moves are no longer legal"
    if 2 * position.ply > position.game.cells:
        yield "late in the game"
    yield "in the middle of a game"


@dataclass(frozen=True)
class Follower(Agent):
    """Play on top of the opponent's last stone, so that the agent's favourite columns fill up."""

    name = "follower"
    summary = "on top of the last stone, else a random move"

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return FollowerMind(game, seed)


class FollowerMind(Mind):
    """The stones seen so far, and a random stream."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.seen = 0
        self.stream = Stream(seed)

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        last = (position.occupied & ~self.seen).bit_length() - 1
        column = last // self.game.stride
        quiet = _quiet(position, position.legal_moves()) or list(position.legal_moves())
        move = column if self.game.gravity and last >= 0 and column in quiet else self.stream.choice(quiet)
        self.seen = position.play(move).occupied
        return Decision(move)


COLUMNS = ("game", "moves", "best", "value")
VALUES = {verdict.name.lower(): verdict for verdict in Verdict}
NODES = 200_000_000
"""Limit per position; unsolved ones are reported as unverified."""


class ExpectedError(InarowError):
    """The file of expected moves can't be read."""


@dataclass(frozen=True)
class LineFinding:
    """A remark about one line of the file."""

    line: int
    position: str
    finding: str
    """``right``, ``wrong``, ``not unique`` or ``unverified``."""
    text: str


@cache
def _oracle(board: Game) -> Oracle:
    return Oracle(board)


def check_expected(path: Path) -> list[LineFinding]:
    """Verify every line of a file. Raises `ExpectedError` that names the line that can't be read."""
    reader = csv.DictReader(io.StringIO(read_text(path, ExpectedError)), strict=True, skipinitialspace=True)
    found = []
    try:
        head = [name.strip().lower() for name in reader.fieldnames or ()]
        missing = [name for name in COLUMNS[:2] if name not in head]
        if missing or not {*COLUMNS[2:]} & {*head}:
            raise ExpectedError(
                f"{path} has the columns {', '.join(head) or 'nothing'}; expected game, moves, and best or value"
            )
        reader.fieldnames = head
        for row in reader:
            cells = {name: (row.get(name) or "").strip() for name in COLUMNS}
            try:
                found.append(_check(reader.line_num, **cells))
            except InarowError as error:
                raise ExpectedError(f"{path}, line {reader.line_num}: {error}") from None
    except csv.Error as error:
        raise ExpectedError(f"{path}, line {max(1, reader.line_num)}: {error}") from None
    if not found:
        raise ExpectedError(f"{path} has no line with an expected move or value")
    return found


def _check(line: int, game: str, moves: str, best: str, value: str) -> LineFinding:
    board = board_of(game)
    position = parse_position(board, moves)
    where = f"{board.name} {moves or 'empty board'}"
    if position.outcome() is not None:
        raise ExpectedError(f"the game is over after {moves}")
    if not best and not value:
        raise ExpectedError("no move and no value is given; fill in best or value")
    if value and value.lower() not in VALUES:
        raise ExpectedError(f"value {printable(value)!r}: expected win, draw or loss")
    claimed = [_move(word, position.legal_moves()) for word in best.split()]
    try:
        scores = _oracle(board).scores(position, Limit(nodes=NODES))
    except Unsolved:
        return LineFinding(line, where, "unverified", f"it was not solved within {NODES:,} nodes")
    exact = Verdict.of(max(scores.values()))
    if value and VALUES[value.lower()] is not exact:
        return LineFinding(line, where, "wrong", f"the value is {exact.name.lower()}, not {value.lower()}")
    equal = [move for move, score in scores.items() if Verdict.of(score) is exact]
    bad = [move for move in claimed if move not in equal]
    if bad:
        return LineFinding(
            line, where, "wrong", f"{_shown(bad)} does not keep the {_kept(exact)}; best: {_shown(equal)}"
        )
    others = [move for move in equal if move not in claimed]
    if claimed and others:
        finding = f"{_shown(others)} {'keeps' if len(others) == 1 else 'keep'} the {_kept(exact)} as well"
        fastest = [move for move in equal if scores[move] == max(scores.values())]
        if exact is not Verdict.DRAW and fastest == claimed:
            finding += f"; {_shown(claimed)} is unique only as the {'fastest win' if exact > 0 else 'longest defence'}"
        return LineFinding(line, where, "not unique", finding)
    return LineFinding(line, where, "right", f"{exact.name.lower()}, best: {_shown(equal)}")


def _kept(value: Verdict) -> str:
    return "loss (every move loses)" if value is Verdict.LOSS else value.name.lower()


def _shown(moves: Sequence[int]) -> str:
    return ", ".join(map(format_move, moves))


def _move(word: str, legal: Sequence[int]) -> int:
    move = int(word) - 1 if word.isascii() and word.isdigit() and len(word) < 5 else -1
    if move not in legal:
        raise ExpectedError(f"best move {printable(word)!r} is not legal there; legal: {_shown(legal)}")
    return move
