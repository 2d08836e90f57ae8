"""What is found out about each entrant besides results: what is wrong with its file, its moves by the exact truth, and
how few nodes its search needs, counted outside of its process.

All of it is done by workers and kept in the store under a hash of what decides it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, NamedTuple

from inarow.agents.file import MOVE_SECONDS
from inarow.arena import Executor, Job, Store
from inarow.arena.executor import Stored, not_stored
from inarow.arena.results import GRADING_LIMIT, usual_ply
from inarow.arena.tournament import config_hash
from inarow.limits import Limit
from inarow.match import Pair
from inarow.randomness import derive
from inarow.rules import TICTACTOE, Game, Position
from inarow.solver import Oracle, Verdict
from inarow.teaching.assignment.exercise import AssignmentError, Solved, board_of, drawn, least_plays, minimax_nodes
from inarow.teaching.assignment.grading import Searched, searched, suspect
from inarow.teaching.assignment.making import draw_exercise
from inarow.teaching.assignment.session import Stopped, StudentSession, Submission, Trouble
from inarow.teaching.assignment.student_side import CS50
from inarow.teaching.checking import check_agent
from inarow.teaching.league.entrants import Entrant
from inarow.teaching.league.hand_ins import HandIn
from inarow.teaching.league.meetings import Meeting
from inarow.truth import Accuracy, SolvedPositions

PATIENCE = 20.0
"""Seconds that the check of one file takes at most."""
MISTAKES = 6
"""The worst mistakes that are kept of each task."""


@dataclass(frozen=True)
class CheckTask:
    """A file to be checked on a board."""

    agent: HandIn
    game: Game
    limit: Limit

    def config(self) -> dict[str, Any]:
        """What decides the result."""
        limit = {name: value for name, value in asdict(self.limit).items() if value is not None}
        return {"kind": "league check", "agent": self.agent.identity, "game": self.game.name, "limit": limit}

    def job(self) -> Job[Stored]:
        """Return the job of checking it."""
        return Job(do_check, (self,), f"checks {self.agent.spec}", self.config())


def do_check(task: CheckTask) -> Stored:
    """Check a file, in a worker."""
    allowed = MOVE_SECONDS if task.limit.seconds is None else task.limit.seconds
    found = check_agent(task.agent, task.game, task.limit, patience=PATIENCE).to_json(allowed)
    return found, found.pop("timing")


@dataclass(frozen=True)
class TruthTask:
    """Some pairs of a meeting whose moves are to be graded."""

    meeting: str
    """The hash of the meeting's configuration."""
    game: Game
    first: int
    """The index of the first pair."""
    last: int
    pairs: tuple[Pair, ...] = ()

    @classmethod
    def of(cls, meeting: Meeting, pairs: Sequence[Pair]) -> TruthTask:
        """For the first player of a meeting, in these pairs."""
        return cls(config_hash(meeting.run.config), meeting.game, pairs[0].index, pairs[-1].index, tuple(pairs))

    def config(self) -> dict[str, Any]:
        """What decides the result."""
        return {
            "kind": "league truth",
            "run": self.meeting,
            "pairs": [self.first, self.last],
            "nodes": GRADING_LIMIT.nodes,
            "from_ply": usual_ply(self.game),
        }

    def job(self) -> Job[Stored]:
        """Return the job of grading them."""
        return Job(do_truth, (self,), f"grades one meeting on {self.game}", self.config())


class Mistake(NamedTuple):
    """A move that gave away a win or a draw. Scores are for the side that moved; moves count from 0."""

    drop: int
    """Verdicts lost: 2 from a win to a loss, else 1."""
    regret: int
    pair: int
    swapped: int
    at: int
    """The index of the move, after the opening."""
    move: int
    best: tuple[int, ...]
    score: int
    best_score: int


@cache
def _oracle(game: Game) -> Oracle:
    return Oracle(game)


def do_truth(task: TruthTask) -> Stored:
    """Grade the moves of the first player, in a worker."""
    oracle = _oracle(task.game)
    oracle.forget()  # what was solved before must not decide what is solved within the limit
    solved = SolvedPositions(task.game, GRADING_LIMIT, oracle=oracle)
    least = usual_ply(task.game)
    accuracy = Accuracy()
    mistakes: list[Mistake] = []
    for pair in task.pairs:
        for record, seat in pair.matches():
            position = Position.start(record.game, record.opening)
            for index, move in enumerate(record.moves):
                if position.to_move is seat and position.ply >= least:
                    graded = solved.grade(position, move)
                    accuracy.add(graded)
                    if graded is not None and graded.blunder:
                        scores = solved.scores(position) or {}
                        best = tuple(m for m, score in sorted(scores.items()) if score == graded.best)
                        drop = int(Verdict.of(graded.best)) - int(Verdict.of(graded.score))
                        place = (pair.index, int(seat), index)
                        mistakes.append(Mistake(drop, graded.regret, *place, move, best, graded.score, graded.best))
                position = position.play(move)
    mistakes.sort(key=lambda one: (-one.drop, -one.regret, one.pair, one.swapped, one.at))
    return {"accuracy": accuracy.to_json(), "mistakes": [one._asdict() for one in mistakes[:MISTAKES]]}, {}


CheckTasks = dict[tuple[str, str], CheckTask]
"""By the name of an entrant and of a board."""


def check_tasks(entrants: Sequence[Entrant], boards: Sequence[Game], limit: Limit) -> CheckTasks:
    """Return the check of every file on every board."""
    return {
        (one.name, board.name): CheckTask(one.agent, board, limit)
        for one in entrants
        if one.agent is not None
        for board in boards
    }


def check_files(
    tasks: CheckTasks, store: Store, executor: Executor, on_done: Callable[[], None]
) -> dict[str, dict[str, dict[str, Any]]]:
    """Check files; return what was found by entrant and board. What is stored is not done again."""
    for _ in executor.store((task.job() for task in tasks.values()), store):
        on_done()
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for (name, board), task in tasks.items():
        found.setdefault(name, {})[board] = store.measured(task.config()) or {}
    return found


def graded(task: TruthTask, store: Store) -> tuple[Accuracy, list[Mistake]] | None:
    """What is stored about the moves of a meeting's first player in these pairs."""
    found = store.measured(task.config())
    if found is None:
        return None
    mistakes = [Mistake(**{**one, "best": tuple(one["best"])}) for one in found["mistakes"]]
    return Accuracy.from_json(found["accuracy"]), mistakes


COUNTED = {
    "alphabeta": "moves played on the game object it was handed",
    "minimax": "moves played on the game object it was handed",
    CS50: "calls of its own function result",
}
"""What is counted as a node, by the kind of file."""


@dataclass(frozen=True)
class Efficiency:
    """What a search needed beside plain minimax on the same positions."""

    kind: str
    right: int
    total: int
    nodes: int
    plain: int
    """Nodes of plain minimax."""
    complaint: str = ""

    @property
    def saved(self) -> float:
        """The share of plain minimax's nodes that was not needed; 0 unless all answers are right."""
        if self.right < self.total or not self.plain:
            return 0.0
        return max(0.0, 1 - self.nodes / self.plain)

    def to_json(self) -> dict[str, Any]:
        """For a store."""
        return asdict(self)


def measure(student: Submission, positions: Sequence[Solved], seed: int) -> Efficiency | None:
    """The nodes of a file on positions of one board; None if its kind can't be counted there."""
    try:
        with student.at_work() as session:
            kind = session.kind()
    except Trouble:
        return None
    if kind == CS50 and positions[0].position.game == TICTACTOE:
        return _found(kind, _cs50(student, positions))
    if kind in COUNTED and kind != CS50:
        return _found(kind, searched(student, positions, kind, seed))
    return None


def _found(kind: str, tally: Searched) -> Efficiency:
    return Efficiency(kind, tally.right, tally.total, tally.plays, tally.plain, tally.complaint)


def _cs50(student: Submission, positions: Sequence[Solved]) -> Searched:
    tally = Searched(len(positions))
    try:
        with student.at_work() as session:
            for one in positions:
                tally.plain += minimax_nodes(one.position)
                _ask_cs50(session, one, tally)
    except Stopped as trouble:
        tally.wrong(trouble)
    return tally


def _ask_cs50(session: StudentSession, one: Solved, tally: Searched) -> None:
    board = [[None if cell == "." else cell for cell in row] for row in board_of(one.position)]
    try:
        found, calls = session.count_calls("minimax", [board], "result")
    except Stopped:
        raise
    except Trouble as trouble:
        tally.wrong(trouble)
        return
    tally.plays += calls
    least = least_plays(one.position, one.value)
    match found:
        case [int() as row, int() as column] if row * 3 + column in one.best:
            if calls >= least:
                tally.right += 1
            else:
                tally.wrong(suspect("minimax", calls, "result", least), f"for this position:\n{drawn(one.position)}")
        case _:
            where = f"which is not a best move of this position:\n{drawn(one.position)}"
            tally.wrong(session.wrong("minimax", found, where))


POSITIONS = 12
Efficiencies = Mapping[str, Mapping[str, Efficiency]]
"""By entrant and board; only of those whose nodes can be counted."""


@dataclass(frozen=True)
class CountTask:
    """A file whose nodes are to be counted on a board."""

    agent: HandIn
    game: Game
    seed: int
    positions: tuple[Solved, ...]
    seconds: float

    def config(self) -> dict[str, Any]:
        """What decides the result."""
        return {
            "kind": "league nodes",
            "agent": self.agent.identity,
            "game": self.game.name,
            "seed": self.seed,
            "positions": POSITIONS,
            "seconds": self.seconds,
        }

    def job(self) -> Job[Stored]:
        """Return the job of counting them."""
        return Job(do_count, (self,), f"counts the nodes of {self.agent.spec}", self.config())


@cache
def _positions(game: Game, seed: int) -> tuple[Solved, ...]:
    """Solved positions of a board; none of one that is too large, or so small that a search does not matter."""
    try:
        return draw_exercise(game, seed, boards=2, searches=POSITIONS).search
    except AssignmentError:
        return ()


def do_count(task: CountTask) -> Stored:
    """Count the nodes of a file, in a worker."""
    student = Submission(task.agent.snapshot, task.agent.policy, task.seconds)
    found = measure(student, task.positions, task.seed)
    return {"found": None if found is None else found.to_json()}, {}


def count_nodes(
    entrants: Sequence[Entrant],
    boards: Sequence[Game],
    seconds: float | None,
    seed: int,
    store: Store,
    executor: Executor,
    on_begin: Callable[[int], None],
    on_done: Callable[[], None],
) -> Efficiencies:
    """Of every entrant on every small board; what is stored is not done again."""
    allowed = MOVE_SECONDS if seconds is None else seconds
    tasks: dict[tuple[str, str], CountTask] = {}
    for board in boards:
        own = derive(seed, "nodes", board.name)
        positions = _positions(board, own)
        for one in entrants:
            if one.agent is not None and positions:
                tasks[one.name, board.name] = CountTask(one.agent, board, own, positions, 5 * allowed)

    missing = not_stored([task.job() for task in tasks.values()], store)
    on_begin(len(missing))
    for _ in executor.store(missing, store):
        on_done()
    found: dict[str, dict[str, Efficiency]] = {}
    for (name, board_name), task in tasks.items():
        kept = (store.measured(task.config()) or {}).get("found")
        if kept is not None:
            found.setdefault(name, {})[board_name] = Efficiency(**kept)
    return found
