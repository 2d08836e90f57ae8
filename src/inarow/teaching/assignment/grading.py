"""Grade a student's file: points for each part, and the first mistake as an example."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from inarow.agents.external import USUAL_PACKAGES, Policy
from inarow.agents.external.sandbox import offered
from inarow.agents.external.staging import MAX_BYTES, Snapshot
from inarow.errors import HostFailure, InarowError
from inarow.randomness import Stream, derive
from inarow.rules import Player, Position
from inarow.teaching.assignment.exercise import (
    AssignmentError,
    CallError,
    Exercise,
    ServedGame,
    Solved,
    Stopped,
    StudentSession,
    Submission,
    TrainingMatches,
    board_of,
    drawn,
    least_plays,
    line_kind,
    minimax_nodes,
    read_exercise,
    value_of,
)

NEARLY = 1.1
"""Full points up to this multiple of the plays of a textbook's alpha–beta."""

PARTS = {
    "legal_moves": "Legal moves",
    "end": "End of the game",
    "minimax": "Minimax",
    "alphabeta": "Alpha–beta gives the same answers",
    "cheaper": "Alpha–beta is cheaper",
    "q_update": "Update of Q-learning",
    "learner": "Learner",
}
"""The parts' titles by the fields of `PartPoints`."""
LOADED = "loading the file"
UPDATES = 15
_TIES = """
A move whose value is only a bound must not replace the best move: compare with > and <, not with >= and <=."""


@dataclass(frozen=True)
class Result:
    """The result of one part."""

    name: str
    points: float
    most: float
    output: str
    """Feedback for the student."""
    staff: str = ""
    """Details for staff only."""


@dataclass
class PartAnswers:
    """Counts of right answers, and the first error."""

    total: int
    right: int = 0
    complaint: str = ""
    staff: str = ""
    kinds: dict[str, list[int]] = field(default_factory=dict)
    """Right answers and all answers of kinds that share the points equally, if there are several."""

    def wrong(self, text: str | CallError, where: str = "") -> None:
        """Count a wrong answer; the first one is the complaint."""
        if not self.complaint:
            self.complaint = f"{text}{where}"
            self.staff = text.detail if isinstance(text, CallError) else ""

    @contextlib.contextmanager
    def asking(self, where: str) -> Iterator[None]:
        """Count a call without a usable answer as wrong; ``where`` describes the call."""
        try:
            yield
        except Stopped:
            raise
        except CallError as trouble:
            self.wrong(trouble, where)

    def result(self, name: str, most: float) -> Result:
        """Give no points if at most half of the answers are right, all points for all, linear in between."""
        parts = list(self.kinds.values()) or [[self.right, self.total]]
        share = sum(max(0.0, 2 * right / total - 1) for right, total in parts) / len(parts)
        lost = [f"{kind}: {right} of {total}" for kind, (right, total) in self.kinds.items() if right < total]
        where = f" ({', '.join(lost)})" if lost else ""
        output = f"{self.right} of {self.total} answers are right{where}. {self.complaint}".rstrip()
        return Result(name, round(most * share, 2), most, output, self.staff)


def grade(student: Submission, exercise: Exercise) -> list[Result]:
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
    student: Submission,
    exercise: Exercise,
    name: str,
    most: float,
    ask: Callable[[StudentSession, Exercise, PartAnswers], None],
) -> Result:
    """Grade a part in its own process; it ends early if the process does."""
    answers = PartAnswers(1)
    if not most:
        return answers.result(name, most)
    try:
        with student.at_work() as session:
            ask(session, exercise, answers)
    except Stopped as trouble:
        answers.wrong(trouble)
    return answers.result(name, most)


def _legal_moves(session: StudentSession, exercise: Exercise, answers: PartAnswers) -> None:
    positions = [one for one in exercise.rules if one.outcome() is None]
    answers.total = len(positions)
    for position in positions:
        answers.right += _is_right(session, "legal_moves", position, list(position.legal_moves()), answers)


def _end(session: StudentSession, exercise: Exercise, answers: PartAnswers) -> None:
    """Count boards where both functions are right; each kind of board has the same share of the points."""
    answers.total = len(exercise.rules)
    answers.kinds = {kind: [0, total] for kind, total in Counter(map(line_kind, exercise.rules)).items()}
    for position in exercise.rules:
        value = value_of(position)
        wanted = {"winner": {1: "X", -1: "O"}.get(value or 0), "terminal": value is not None}
        right = [_is_right(session, name, position, found, answers) for name, found in wanted.items()]
        answers.right += all(right)
        answers.kinds[line_kind(position)][0] += all(right)


def _is_right(session: StudentSession, name: str, position: Position, wanted: Any, answers: PartAnswers) -> bool:
    """Ask one function about one board."""
    board = f"board:\n{drawn(position)}"
    with answers.asking(f" The {board}"):
        answer = session.call(name, [board_of(position)])
        if type(answer) is type(wanted) and _sorted(answer) == wanted:
            return True
        answers.wrong(session.wrong(name, answer, f"expected {wanted!r} for this {board}"))
    return False


def _sorted(given: Any) -> Any:
    whole = isinstance(given, list) and all(isinstance(one, int) and not isinstance(one, bool) for one in given)
    return sorted(given) if whole else given


def _q_update(session: StudentSession, exercise: Exercise, answers: PartAnswers) -> None:
    """Ask for updates whose results are integers: α and γ are ½, values multiples of 8."""
    stream = Stream(derive(exercise.seed, "updates"))
    answers.total = UPDATES
    for number in range(UPDATES):
        old, reward = 8 * (stream.below(9) - 4), 8 * (stream.below(3) - 1)
        values = [8 * (stream.below(9) - 4) for _ in range(1 + stream.below(4))] if number % 3 else []
        wanted = old + (reward + max(values, default=0) // 2 - old) // 2
        arguments = [old, reward, values, 0.5, 0.5]
        call = f"q_update({', '.join(map(str, arguments))})"
        with answers.asking(f" It was asked for {call}."):
            found = session.call("q_update", arguments)
            if found == wanted and not isinstance(found, bool):
                answers.right += 1
            else:
                answers.wrong(session.wrong(call, found, f"expected {wanted}."))


@dataclass
class Searched(PartAnswers):
    """Answers of a search, and the plays that it took."""

    plays: int = 0
    plain: int = 0
    """Plays of plain minimax on the same positions."""
    textbook: int = 0
    """Plays of a textbook's alpha–beta."""


def _search(student: Submission, exercise: Exercise) -> list[Result]:
    points = exercise.points
    minimax = searched(student, exercise.search, "minimax", exercise.seed)
    alphabeta = searched(student, exercise.search, "alphabeta", exercise.seed)
    return [
        minimax.result(PARTS["minimax"], points.minimax),
        alphabeta.result(PARTS["alphabeta"], points.alphabeta),
        _cheaper(alphabeta, points.cheaper),
    ]


def searched(student: Submission, positions: Sequence[Solved], name: str, seed: int) -> Searched:
    """Run a search on positions; the game object counts its plays.

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


def _ask_search(session: StudentSession, name: str, game: ServedGame, one: Solved, answers: Searched) -> None:
    moves = game.node(one.position).moves
    where = f"for this position ({'XO'[one.position.to_move]} to move):\n{drawn(one.position)}"
    with answers.asking(f" It happened {where}"):
        answer = session.call(name, game=game, position=one.position)
        match answer:
            case [int() as value, int() as move] if 0 <= move < len(moves):
                pass
            case _:
                complaint = f"{name} returned {answer!r}, expected a value and a move of game.moves(state), "
                answers.wrong(complaint + where)
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
    """Report a right answer that a search can't have found."""
    return (
        f"Suspect: {name} returned the right answer after {plays:,} calls of {counted}, but a search needs at least "
        f"{least:,} to prove it. The answer is not counted, "
    )


def _cheaper(alphabeta: Searched, most: float) -> Result:
    """Give all points for as few plays as a textbook's search, none for as many as minimax, linear in between."""
    name = PARTS["cheaper"]
    if alphabeta.right < alphabeta.total:
        return Result(name, 0.0, most, f"Not checked: {PARTS['alphabeta']!r} must pass first.")
    notes = (
        f"{alphabeta.plays:,} calls of game.play, counted by the game object. Minimax needs {alphabeta.plain:,}, "
        f"a textbook's alpha–beta {alphabeta.textbook:,} in the same order of moves."
    )
    room = max(1.0, alphabeta.plain - NEARLY * alphabeta.textbook)
    share = min(1.0, max(0.0, (alphabeta.plain - alphabeta.plays) / room))
    return Result(name, round(most * share, 2), most, notes)


GOOD = 0.75
"""Points per match against a random player that a trained learner should reach."""
RANDOM = 0.5
"""Points per match of a random player against a random player, alternating seats."""
_Z = 1.96


def grade_learner(student: Submission, exercise: Exercise) -> tuple[float, float, str]:
    """Return points, maximum and reason: half for an improvement, half for the score, linear from a random player's.

    Three learners, each in its own process, are trained for all matches, for a few, and not at all. The first has to
    score more than each of the others; if one of these scores less than a random player, it counts as one.
    """
    most = exercise.points.learner
    trainings = (0, exercise.short_training, exercise.training)
    try:
        untrained, little, whole = (_mean(_learner_scores(student, exercise, matches)) for matches in trainings)
    except CallError as trouble:
        return 0.0, most, str(trouble)
    rivals = {"without training": untrained, f"after {exercise.short_training:,} matches of it": little}
    notes = [
        f"Against a random player, {exercise.trials} matches each: {untrained[0]:.2f} points per match without "
        f"training, {little[0]:.2f} after {exercise.short_training:,} matches of it, {whole[0]:.2f} after "
        f"{exercise.training:,}."
    ]
    improved, good = True, min(1.0, max(0.0, (whole[0] - RANDOM) / (GOOD - RANDOM)))
    for name, (score, variance) in rivals.items():
        gain, error = whole[0] - max(score, RANDOM), _Z * math.sqrt(variance + whole[1])
        improved = improved and gain > error
        notes.append(
            f"The gain on {'a random player' if score < RANDOM else f'the learner {name}'} is {gain:+.2f} ± "
            f"{error:.2f}: {'an improvement' if gain > error else 'no improvement is shown'}."
        )
    if good < 1:
        notes.append(f"Full points need at least {GOOD} after training.")
    if untrained[0] >= GOOD:
        notes.append("It plays well without training: a learner must not know the game in advance.")
    elif not improved and little[0] >= GOOD:
        notes.append(f"What it knows after {exercise.short_training:,} matches does not come from the others.")
    return round(most * improved * (1 + good) / 2, 2), most, " ".join(notes)


def _mean(scores: Sequence[float]) -> tuple[float, float]:
    """Return the mean and the square of its standard error."""
    mean = sum(scores) / len(scores)
    return mean, sum((score - mean) ** 2 for score in scores) / max(1, len(scores) - 1) / len(scores)


def _learner_scores(student: Submission, exercise: Exercise, matches: int) -> list[float]:
    """Return the points per match of a new learner that was trained for so many matches."""
    game = ServedGame(derive(exercise.seed, "learner"))
    with student.at_work() as session:
        if matches:
            _train(session, game, exercise, matches)
        return _trials(session, game, exercise)


def _train(session: StudentSession, game: ServedGame, exercise: Exercise, matches: int) -> None:
    position = Position.start(exercise.game)
    game.training = TrainingMatches(game.about(position)["state"], matches)
    session.call("Learner", [matches], game=game, position=position, method="train", seconds=session.left)
    begun, game.training = game.training.begun, None
    if 2 * begun < matches:
        raise CallError(
            f"Suspect: Learner.train was to play {matches:,} matches and has begun {begun:,}. It gets no points."
        )


def _trials(session: StudentSession, game: ServedGame, exercise: Exercise) -> list[float]:
    """Play matches with alternating seats, the same opponent for every learner; return the points of each."""
    stream = Stream(derive(exercise.seed, "trials"))
    return [_trial(session, game, exercise, Player(number % 2), stream) for number in range(exercise.trials)]


def _trial(session: StudentSession, game: ServedGame, exercise: Exercise, seat: Player, stream: Stream) -> float:
    position = Position.start(exercise.game)
    while value_of(position) is None:
        if position.to_move is seat:
            position = position.play(_chosen(session, game, position))
        else:
            position = position.play(stream.choice(position.legal_moves()))
    outcome = position.outcome()
    assert outcome is not None
    return outcome.score(seat)


def _chosen(session: StudentSession, game: ServedGame, position: Position) -> int:
    """Return the learner's move. It may look one move ahead, not search."""
    moves = game.node(position).moves
    game.plays, game.most = 0, len(moves)
    move = session.call("Learner", game=game, position=position, method="choose")
    if not isinstance(move, int) or isinstance(move, bool) or not 0 <= move < len(moves):
        raise CallError(f"Learner.choose returned {move!r}, one of {list(range(len(moves)))} is required.")
    return moves[move]


EXERCISE = "exercise.json"
SOLUTION = "solution.py"


def main(folder: Path, arguments: Sequence[str] | None = None) -> int:
    """Run the grader's command line; return the exit code."""
    parser = argparse.ArgumentParser(description="Grade a submission.")
    parser.add_argument("submission", type=Path, nargs="?", help="the file, or the folder that has solution.py")
    parser.add_argument("--results", type=Path, help="write Gradescope's results.json here")
    parser.add_argument("--trust", action="store_true", help="run it without a sandbox")
    parser.add_argument("--sandbox", action="store_true", help="show what the sandbox blocks on this system")
    options = parser.parse_args(arguments)
    missing = offered().missing
    if options.sandbox:
        _say("The sandbox is complete." if not missing else f"Submitted code is not confined: {'; '.join(missing)}.")
        return 0
    if options.submission is None:
        parser.error("no submission was given")
    try:
        code, results = 0, graded(folder, options.submission, trust=options.trust)
    except (InarowError, HostFailure) as error:
        _say(f"grade.py: {error}", sys.stderr)
        code, results = 1 if isinstance(error, HostFailure) else 2, _not_graded(str(error))
    if options.results is not None and not _is_written(options.results, results):
        _say(f"grade.py: {options.results} can't be written", sys.stderr)
        return code or 1
    if code:
        return code
    for test in results["tests"]:
        points = f"{test['score']:g} of {test['max_score']:g}: " if test["visibility"] == "visible" else ""
        _say(f"{points}{test['name']}. {test['output']}")
    _say(f"{results['score']:g} points{'. ' + results['output'] if results['output'] else ''}")
    return 0


def graded(folder: Path, submission: Path, *, trust: bool = False) -> dict[str, Any]:
    """Grade a submission; return the results in the format of Gradescope's results.json."""
    exercise = read_exercise(folder / EXERCISE)
    if not submission.exists():
        raise AssignmentError(f"{submission} does not exist; give a file, or a folder that has {SOLUTION}")
    file = _file(submission)
    return not_gradable(file) if isinstance(file, str) else grade_source(file, exercise, trust)


def check_sandbox(trust: bool) -> None:
    """Raise `AssignmentError` if the sandbox is incomplete, unless the code is trusted."""
    missing = offered().missing
    if missing and not trust:
        raise AssignmentError(f"no complete sandbox here ({'; '.join(missing)}); --trust grades without one")


def grade_source(source: bytes, exercise: Exercise, trust: bool) -> dict[str, Any]:
    """Return the results of a program, in the format of Gradescope's results.json."""
    check_sandbox(trust)
    if len(source) > MAX_BYTES:
        return not_gradable(f"{SOLUTION} is too large.")
    policy = Policy(trust=trust, packages=USUAL_PACKAGES)
    student = Submission(Snapshot(SOLUTION, ((SOLUTION, source),)), policy, exercise.seconds)
    begun = time.monotonic()
    results = _results(grade(student, exercise), exercise, "The code ran without a sandbox." if trust else "")
    return {**results, "execution_time": round(time.monotonic() - begun, 1)}


def not_gradable(reason: str) -> dict[str, Any]:
    """Return results without points for a submission that can't be graded."""
    return {"score": 0.0, "output": reason, "tests": []}


def _file(submission: Path) -> bytes | str:
    """Read a submission, or return why it can't be graded."""
    path = submission
    if submission.is_dir():
        path = submission / SOLUTION
        if not path.is_file() or path.is_symlink():
            found = ", ".join(sorted(one.name for one in submission.iterdir())[:8]) or "nothing"
            return f"{SOLUTION} is missing; hand in a file of that name. Found: {found}."
    try:
        return path.read_bytes()
    except OSError as error:
        raise AssignmentError(f"{path} can't be read: {error.strerror}") from None


def _results(parts: Sequence[Result], exercise: Exercise, note: str) -> dict[str, Any]:
    score = round(sum(one.points for one in parts), 2)
    tests: list[dict[str, Any]] = [
        {
            "name": one.name,
            "score": one.points,
            "max_score": one.most,
            "status": "passed" if one.points == one.most else "failed",
            "output": one.output,
            "visibility": "visible",
        }
        for one in parts
    ]
    tests += [_for_staff(f"{one.name}: {one.staff}") for one in parts if one.staff]
    return {
        "score": score,
        "output": note,
        "tests": tests,
        "leaderboard": [{"name": "Points", "value": score}],
        "extra_data": {"of": exercise.points.most, "board": exercise.game.name},
    }


def _not_graded(reason: str) -> dict[str, Any]:
    """Return results for a failure of the grader, with the reason for staff only."""
    text = "The grader failed. This is not your submission's fault; staff have to repair the grader and rerun it."
    return {"score": 0.0, "output": text, "tests": [_for_staff(reason)]}


def _for_staff(text: str) -> dict[str, Any]:
    """Return a test that Gradescope shows to instructors only."""
    return {"name": "For staff", "score": 0.0, "max_score": 0.0, "output": text, "visibility": "hidden"}


def _is_written(path: Path, results: dict[str, Any]) -> bool:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(path.name + ".part")
        part.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        part.replace(path)
    except OSError:
        return False
    return True


def _say(text: str, where: Any = None) -> None:
    (where or sys.stdout).write(text + "\n")
