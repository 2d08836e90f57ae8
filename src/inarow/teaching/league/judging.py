"""Checks of entrants besides their results: problems of the file, accuracy of the moves, and nodes of the search,
counted outside of its process.

Workers do all of it; results are stored under a hash of everything that determines them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, NamedTuple

from inarow.agents.external.student_side import CS50
from inarow.agents.file import MOVE_SECONDS
from inarow.arena import Job, Store
from inarow.arena.executor import Stored
from inarow.arena.results import GRADING_LIMIT, usual_ply
from inarow.arena.tournament import config_hash
from inarow.limits import Limit
from inarow.match import Pair
from inarow.randomness import derive
from inarow.rules import TICTACTOE, Game
from inarow.solver import Verdict
from inarow.teaching.assignment.exercise import (
    AssignmentError,
    CallError,
    Solved,
    Stopped,
    StudentSession,
    Submission,
    board_of,
    drawn,
    least_plays,
    minimax_nodes,
)
from inarow.teaching.assignment.grading import Searched, searched, suspect
from inarow.teaching.assignment.making import draw_exercise
from inarow.teaching.checking import check_agent
from inarow.teaching.league.entrants import Entrant, SubmittedFile
from inarow.teaching.league.meetings import Meeting
from inarow.truth import Accuracy, SolvedPositions
from inarow.truth.positions import fresh_oracle

PATIENCE = 20.0
"""Maximum seconds for the check of one file."""
MISTAKES = 6
"""Number of worst mistakes that each task stores."""


Jobs = dict[tuple[str, str], Job[Stored]]
"""Jobs by the names of the entrant and of the board."""


def check_jobs(entrants: Sequence[Entrant], boards: Sequence[Game], limit: Limit) -> Jobs:
    """Return the check of every file on every board."""
    limits = {name: value for name, value in asdict(limit).items() if value is not None}
    jobs: Jobs = {}
    for one, agent, board in _on_boards(entrants, boards):
        key = {"kind": "league check", "agent": agent.identity, "game": board.name, "limit": limits}
        jobs[one.name, board.name] = Job(do_check, (agent, board, limit), f"checks {agent.spec}", key)
    return jobs


def _on_boards(entrants: Sequence[Entrant], boards: Sequence[Game]) -> Iterator[tuple[Entrant, SubmittedFile, Game]]:
    return ((one, one.agent, board) for one in entrants if one.agent is not None for board in boards)


def do_check(agent: SubmittedFile, game: Game, limit: Limit) -> Stored:
    """Check a file, in a worker."""
    allowed = MOVE_SECONDS if limit.seconds is None else limit.seconds
    found = check_agent(agent, game, limit, patience=PATIENCE).to_json(allowed)
    return found, found.pop("timing")


def stored_results(jobs: Jobs, store: Store) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the stored results of jobs, by entrant and board."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for (name, board), job in jobs.items():
        found.setdefault(name, {})[board] = store.measured(job.key or {}) or {}
    return found


def truth_job(meeting: Meeting, pairs: Sequence[Pair]) -> Job[Stored]:
    """Return the job of grading the moves of a meeting's first player in these pairs."""
    key = {
        "kind": "league truth",
        "run": config_hash(meeting.run.config),
        "pairs": [pairs[0].index, pairs[-1].index],
        "nodes": GRADING_LIMIT.nodes,
        "from_ply": usual_ply(meeting.game),
    }
    return Job(do_truth, (meeting.game, tuple(pairs)), f"grades one meeting on {meeting.game}", key)


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


def do_truth(game: Game, pairs: Sequence[Pair]) -> Stored:
    """Grade the moves of the first player, in a worker."""
    solved = SolvedPositions(game, GRADING_LIMIT, oracle=fresh_oracle(game))
    accuracy = Accuracy()
    mistakes: list[Mistake] = []
    for pair in pairs:
        for record, seat in pair.matches():
            for position, move in record.decisions(usual_ply(game)):
                if position.to_move is not seat:
                    continue
                graded = solved.grade(position, move)
                accuracy.add(graded)
                if graded is not None and graded.blunder:
                    scores = solved.scores(position) or {}
                    best = tuple(m for m, score in sorted(scores.items()) if score == graded.best)
                    drop = int(Verdict.of(graded.best)) - int(Verdict.of(graded.score))
                    place = (pair.index, int(seat), position.ply - len(record.opening))
                    mistakes.append(Mistake(drop, graded.regret, *place, move, best, graded.score, graded.best))
    mistakes.sort(key=lambda one: (-one.drop, -one.regret, one.pair, one.swapped, one.at))
    return {"accuracy": accuracy.to_json(), "mistakes": [one._asdict() for one in mistakes[:MISTAKES]]}, {}


def graded(job: Job[Stored], store: Store) -> tuple[Accuracy, list[Mistake]] | None:
    """Return the stored accuracy and mistakes, or None."""
    found = store.measured(job.key or {})
    if found is None:
        return None
    mistakes = [Mistake(**{**one, "best": tuple(one["best"])}) for one in found["mistakes"]]
    return Accuracy.from_json(found["accuracy"]), mistakes


COUNTED = {
    "alphabeta": "moves played on the game object that it was given",
    "minimax": "moves played on the game object that it was given",
    CS50: "calls of its own function result",
}
"""The events counted as nodes, by the kind of file."""


@dataclass(frozen=True)
class Efficiency:
    """The nodes of a search and of plain minimax on the same positions."""

    kind: str
    right: int
    total: int
    nodes: int
    plain: int
    """Nodes of plain minimax."""
    complaint: str = ""

    @property
    def summary(self) -> str:
        """Describe the nodes and the right answers."""
        return f"{self.nodes:,} of plain minimax's {self.plain:,}, {self.right} of {self.total} answers right"

    @property
    def saved(self) -> float:
        """The share of plain minimax's nodes that was not needed; 0 unless all answers are right."""
        if self.right < self.total or not self.plain:
            return 0.0
        return max(0.0, 1 - self.nodes / self.plain)


def measure(student: Submission, positions: Sequence[Solved], seed: int) -> Efficiency | None:
    """Count the nodes of a file on positions of one board; None if its kind can't be counted there."""
    try:
        with student.at_work() as session:
            kind = session.kind()
    except CallError:
        return None
    if kind not in COUNTED or (kind == CS50 and positions[0].position.game != TICTACTOE):
        return None
    found = _cs50(student, positions) if kind == CS50 else searched(student, positions, kind, seed)
    return Efficiency(kind, found.right, found.total, found.plays, found.plain, found.complaint)


def _cs50(student: Submission, positions: Sequence[Solved]) -> Searched:
    answers = Searched(len(positions))
    try:
        with student.at_work() as session:
            for one in positions:
                answers.plain += minimax_nodes(one.position)
                with answers.asking(""):
                    _ask_cs50(session, one, answers)
    except Stopped as trouble:
        answers.wrong(trouble)
    return answers


def _ask_cs50(session: StudentSession, one: Solved, answers: Searched) -> None:
    board = [[None if cell == "." else cell for cell in row] for row in board_of(one.position)]
    found, calls = session.count_calls("minimax", [board], "result")
    answers.plays += calls
    least = least_plays(one.position, one.value)
    position = f"this position:\n{drawn(one.position)}"
    match found:
        case [int() as row, int() as column] if row * 3 + column in one.best:
            if calls >= least:
                answers.right += 1
            else:
                answers.wrong(suspect("minimax", calls, "result", least), f"for {position}")
        case _:
            answers.wrong(session.wrong("minimax", found, f"which is not a best move of {position}"))


POSITIONS = 12
Efficiencies = Mapping[str, Mapping[str, Efficiency]]
"""Counts by entrant and board, for files whose nodes can be counted."""


@cache
def _positions(game: Game, seed: int) -> tuple[Solved, ...]:
    """Draw solved positions of a board; none if it is too large, or so small that a search does not matter."""
    try:
        return draw_exercise(game, seed, boards=2, searches=POSITIONS).search
    except AssignmentError:
        return ()


def count_jobs(entrants: Sequence[Entrant], boards: Sequence[Game], seconds: float | None, seed: int) -> Jobs:
    """Return the count of every file's nodes on every small board."""
    allowed = 5 * (MOVE_SECONDS if seconds is None else seconds)
    jobs: Jobs = {}
    for one, agent, board in _on_boards(entrants, boards):
        own = derive(seed, "nodes", board.name)
        if positions := _positions(board, own):
            key = {"kind": "league nodes", "agent": agent.identity, "game": board.name, "seed": own}
            key |= {"positions": POSITIONS, "seconds": allowed}
            arguments = (agent, positions, own, allowed)
            jobs[one.name, board.name] = Job(do_count, arguments, f"counts the nodes of {agent.spec}", key)
    return jobs


def do_count(agent: SubmittedFile, positions: Sequence[Solved], seed: int, seconds: float) -> Stored:
    """Count the nodes of a file, in a worker."""
    found = measure(Submission(agent.snapshot, agent.policy, seconds), positions, seed)
    return {"found": None if found is None else asdict(found)}, {}


def efficiencies(jobs: Jobs, store: Store) -> Efficiencies:
    """Return the stored counts."""
    return {
        name: {board: Efficiency(**one["found"]) for board, one in boards.items() if one.get("found")}
        for name, boards in stored_results(jobs, store).items()
    }
