"""Grading a student's file: each part gives points and a text that says what is wrong, with an example."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import count
from typing import Any

from inarow.randomness import Stream, derive
from inarow.rules import Position
from inarow.teaching.assignment.exercise import Exercise, Solved, board_of, drawn, line_kind, value_of
from inarow.teaching.assignment.learning import grade_learner
from inarow.teaching.assignment.served_game import ServedGame, least_plays, minimax_nodes
from inarow.teaching.assignment.session import Session, Stopped, Student, Trouble

NEARLY = 1.1
"""Up to this many times the plays of a textbook's alpha–beta earn all points."""

PARTS = {
    "legal_moves": "Legal moves",
    "end": "End of the game",
    "minimax": "Minimax",
    "alphabeta": "Alpha–beta gives the same answers",
    "cheaper": "Alpha–beta is cheaper",
    "q_update": "Update of Q-learning",
    "learner": "Learner",
}
"""The parts by the fields of `Points`. Each is checked only after those that it depends on: see `grade`."""
LOADED = "loading the file"
UPDATES = 15
_TIES = """
A move whose value is only a bound must not replace the best move: compare with > and <, not with >= and <=."""


@dataclass(frozen=True)
class Result:
    """One part."""

    name: str
    points: float
    most: float
    output: str
    """For the student."""
    staff: str = ""
    """For staff only."""


@dataclass
class Answers:
    """Right answers, and the first complaint."""

    total: int
    right: int = 0
    complaint: str = ""
    staff: str = ""
    kinds: dict[str, list[int]] = field(default_factory=dict)
    """Right answers and all answers of kinds that share the points equally, if there are several."""

    def wrong(self, text: str | Trouble, where: str = "") -> None:
        """Count a wrong answer."""
        if not self.complaint:
            self.complaint = f"{text}{where}"
            self.staff = text.detail if isinstance(text, Trouble) else ""

    def result(self, name: str, most: float) -> Result:
        """No points up to one half of right answers, all points for all, in between linear."""
        parts = list(self.kinds.values()) or [[self.right, self.total]]
        share = sum(max(0.0, 2 * right / total - 1) for right, total in parts) / len(parts)
        lost = [f"{kind}: {right} of {total}" for kind, (right, total) in self.kinds.items() if right < total]
        where = f" ({', '.join(lost)})" if lost else ""
        said = f"{self.right} of {self.total} answers are right{where}."
        words = said if not self.complaint else f"{said} {self.complaint}"
        return Result(name, round(most * share, 2), most, words, self.staff)


def grade(student: Student, exercise: Exercise) -> list[Result]:
    """Grade all parts that have points, in order. If the file can't be loaded, none of them is checked."""
    points = exercise.points
    try:
        with student.at_work():
            pass
    except Stopped as trouble:
        titles = {PARTS[name]: most for name, most in asdict(points).items() if most}
        first = next(iter(titles), "")
        skipped = f"Not checked: {LOADED} must pass first."
        return [Result(name, 0.0, most, str(trouble) if name == first else skipped) for name, most in titles.items()]
    results = [
        _asked(student, exercise, PARTS["legal_moves"], points.legal_moves, _legal_moves),
        _asked(student, exercise, PARTS["end"], points.end, _end),
        *(_search(student, exercise) if points.minimax or points.alphabeta else ()),
        _asked(student, exercise, PARTS["q_update"], points.q_update, _q_update),
    ]
    if points.learner:
        results.append(Result(PARTS["learner"], *grade_learner(student, exercise)))
    return [one for one in results if one.most]


def _asked(
    student: Student, exercise: Exercise, name: str, most: float, ask: Callable[[Session, Exercise, Answers], None]
) -> Result:
    """A part in a process of its own; it ends early if the process does."""
    answers = Answers(1)
    if not most:
        return answers.result(name, most)
    try:
        with student.at_work() as session:
            ask(session, exercise, answers)
    except Stopped as trouble:
        answers.wrong(trouble)
    return answers.result(name, most)


def _legal_moves(session: Session, exercise: Exercise, answers: Answers) -> None:
    positions = [one for one in exercise.rules if one.outcome() is None]
    answers.total = len(positions)
    for position in positions:
        wanted = list(position.legal_moves())
        _compare(session, "legal_moves", position, answers, lambda given: _sorted(given) == wanted, str(wanted))  # noqa: B023


def _end(session: Session, exercise: Exercise, answers: Answers) -> None:
    """A board counts if both functions are right about it; each kind of board has the same share of the points."""
    answers.total = len(exercise.rules)
    answers.kinds = {kind: [0, total] for kind, total in Counter(map(line_kind, exercise.rules)).items()}
    for position in exercise.rules:
        value = value_of(position)
        winner, over = {1: "X", -1: "O"}.get(value or 0), value is not None
        before = answers.right
        _compare(session, "winner", position, answers, lambda given: given == winner, repr(winner))  # noqa: B023
        _compare(session, "terminal", position, answers, lambda given: given is over, str(over))  # noqa: B023
        right = answers.right - before == 2
        answers.right = before + right
        answers.kinds[line_kind(position)][0] += right


def _q_update(session: Session, exercise: Exercise, answers: Answers) -> None:
    """Ask for updates whose results are whole numbers: α and γ are ½, values multiples of 8."""
    stream = Stream(derive(exercise.seed, "updates"))
    answers.total = UPDATES
    for number in range(UPDATES):
        old, reward = 8 * (stream.below(9) - 4), 8 * (stream.below(3) - 1)
        values = [8 * (stream.below(9) - 4) for _ in range(1 + stream.below(4))] if number % 3 else []
        wanted = old + (reward + max(values, default=0) // 2 - old) // 2
        given = [old, reward, values, 0.5, 0.5]
        try:
            found = session.call("q_update", given)
        except Stopped:
            raise
        except Trouble as trouble:
            answers.wrong(trouble, f" It was asked for q_update({', '.join(map(str, given))}).")
            continue
        if found == wanted and not isinstance(found, bool):
            answers.right += 1
        else:
            answers.wrong(session.wrong(f"q_update({', '.join(map(str, given))})", found, f"{wanted} was expected."))


def _compare(
    session: Session, name: str, position: Position, answers: Answers, is_right: Callable[[Any], bool], wanted: str
) -> None:
    """Ask one function about one board."""
    try:
        given = session.call(name, [board_of(position)])
    except Stopped:
        raise
    except Trouble as trouble:
        answers.wrong(trouble, f" The board:\n{drawn(position)}")
        return
    if is_right(given):
        answers.right += 1
    else:
        answers.wrong(session.wrong(name, given, f"{wanted} was expected, for this board:\n{drawn(position)}"))


def _sorted(given: Any) -> Any:
    whole = isinstance(given, list) and all(isinstance(one, int) and not isinstance(one, bool) for one in given)
    return sorted(given) if whole else given


@dataclass
class Searched(Answers):
    """Answers of a search, and the plays that it took."""

    plays: int = 0
    plain: int = 0
    """Plays of plain minimax on the same positions."""
    textbook: int = 0
    """Plays of a textbook's alpha–beta."""


def _search(student: Student, exercise: Exercise) -> list[Result]:
    points = exercise.points
    minimax = searched(student, exercise.search, "minimax", exercise.seed)
    alphabeta = searched(student, exercise.search, "alphabeta", exercise.seed)
    return [
        minimax.result(PARTS["minimax"], points.minimax),
        alphabeta.result(PARTS["alphabeta"], points.alphabeta),
        _cheaper(alphabeta, points.cheaper),
    ]


def searched(student: Student, positions: Sequence[Solved], name: str, seed: int) -> Searched:
    """Have a search answer on positions; the plays are counted by the game object.

    The seed decides the order of moves. The student's process holds nothing that was derived from it.
    """
    answers = Searched(len(positions))
    numbers = count()
    try:
        with student.at_work() as session:
            for index, one in enumerate(positions):
                game = ServedGame(derive(seed, name, index), numbers)
                _ask_search(session, name, game, one, answers)
                answers.plays += game.plays
                answers.plain += minimax_nodes(one.position)
                answers.textbook += game.alphabeta_nodes(one.position)
    except Stopped as trouble:
        answers.wrong(trouble)
    return answers


def _ask_search(session: Session, name: str, game: ServedGame, one: Solved, answers: Searched) -> None:
    moves = game.node(one.position).moves
    where = f"for this position ({'XO'[one.position.to_move]} to move):\n{drawn(one.position)}"
    try:
        given = session.call(name, game=game, position=one.position)
    except Stopped:
        raise
    except Trouble as trouble:
        answers.wrong(trouble, f" It happened {where}")
        return
    match given:
        case [int() as value, int() as move] if 0 <= move < len(moves):
            pass
        case _:
            answers.wrong(f"{name} returned {given!r}, a value and a move of game.moves(state) were expected, {where}")
            return
    if value != one.value:
        answers.wrong(f"{name} returned the value {value}, {one.value} is right, {where}")
    elif moves[move] not in one.best:
        hint = _TIES if name == "alphabeta" else ""
        answers.wrong(f"{name} returned the right value {value}, but not a move that reaches it, {where}{hint}")
    elif game.plays < (least := least_plays(one.position, value)):
        answers.wrong(suspect(name, game.plays, "game.play", least) + where)
    else:
        answers.right += 1


def suspect(name: str, plays: int, counted: str, least: int) -> str:
    """Say that a right answer can't have been found by a search."""
    return (
        f"Suspect: {name} returned the right answer after {plays:,} calls of {counted}, but a search needs at least "
        f"{least:,} to prove it. The answer is not counted, "
    )


def _cheaper(alphabeta: Searched, most: float) -> Result:
    """All points for as few plays as a textbook's, none for as many as minimax, in between linear."""
    name = PARTS["cheaper"]
    if alphabeta.right < alphabeta.total:
        return Result(name, 0.0, most, f"Not checked: {PARTS['alphabeta']!r} must pass first.")
    said = (
        f"{alphabeta.plays:,} calls of game.play, counted by the game object. Minimax needs {alphabeta.plain:,}, "
        f"a textbook's alpha–beta {alphabeta.textbook:,} in the same order of moves."
    )
    room = max(1.0, alphabeta.plain - NEARLY * alphabeta.textbook)
    share = min(1.0, max(0.0, (alphabeta.plain - alphabeta.plays) / room))
    return Result(name, round(most * share, 2), most, said)
