"""Grading a learner: it plays a random player before training and after it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from inarow.randomness import Stream, derive
from inarow.rules import Player, Position
from inarow.teaching.assignment.exercise import Exercise, value_of
from inarow.teaching.assignment.served_game import ServedGame
from inarow.teaching.assignment.session import Session, Student, Trouble

GOOD = 0.75
"""Points per match against a random player that a trained learner should reach."""
RANDOM = 0.5
"""Points per match of a random player against a random player, in both seats by turns."""
_Z = 1.96


def grade_learner(student: Student, exercise: Exercise) -> tuple[float, float, str]:
    """Points, most points, and why: half for an improvement, half for a good score.

    One that plays worse than at random before training gains only what it is better than a random player afterwards.
    """
    most = exercise.points.learner
    game = ServedGame(derive(exercise.seed, "learner"))
    try:
        with student.at_work() as session:
            before = _trials(session, game, exercise, "before")
            _train(session, game, exercise)
            after = _trials(session, game, exercise, "after")
    except Trouble as trouble:
        return 0.0, most, str(trouble)
    (first, _), (second, _) = _mean(before), _mean(after)
    gain = second - max(first, RANDOM)
    error = _Z * math.sqrt(_mean(before)[1] + _mean(after)[1])
    improved, good = gain - error > 0, second >= GOOD
    said = [
        f"Against a random player, {exercise.trials} matches each: {first:.2f} points per match before training, "
        f"{second:.2f} after {exercise.training:,} matches of it.",
        f"The gain{' on a random player' if first < RANDOM else ''} is {gain:+.2f} ± {error:.2f}: "
        f"{'an improvement' if improved else 'no improvement is shown'}.",
    ]
    if not good:
        said.append(f"At least {GOOD} after training was expected.")
    if not improved and first >= GOOD:
        said.append("It played well before training: a learner must not know the game in advance.")
    return round(most * (improved + (improved and good)) / 2, 2), most, " ".join(said)


def _mean(scores: Sequence[float]) -> tuple[float, float]:
    """The mean, and the square of its standard error."""
    mean = sum(scores) / len(scores)
    return mean, sum((score - mean) ** 2 for score in scores) / max(1, len(scores) - 1) / len(scores)


def _train(session: Session, game: ServedGame, exercise: Exercise) -> None:
    game.plays, game.most = 0, exercise.training * exercise.game.cells * exercise.game.moves
    position = Position.start(exercise.game)
    try:
        session.call("Learner", [exercise.training], game=game, position=position, method="train", seconds=session.left)
    finally:
        game.most = None
    if game.plays < (least := _least_plays(exercise)):
        raise Trouble(
            f"Suspect: Learner.train called game.play {game.plays:,} times. Training for {exercise.training:,} matches "
            f"needs at least {least:,}, even if no move of a state is played twice. It gets no points."
        )


def _least_plays(exercise: Exercise) -> int:
    """Return the number of different moves in a small share of the training, played at random."""
    stream = Stream(derive(exercise.seed, "least plays"))
    moves: set[tuple[Position, int]] = set()
    for _ in range(max(1, exercise.training // 40)):
        position = Position.start(exercise.game)
        while position.outcome() is None:
            move = stream.choice(position.legal_moves())
            moves.add((position, move))
            position = position.play(move)
    return len(moves)


def _trials(session: Session, game: ServedGame, exercise: Exercise, when: str) -> list[float]:
    """Points of each match, in both seats by turns."""
    stream = Stream(derive(exercise.seed, "trials", when))
    return [_trial(session, game, exercise, Player(number % 2), stream) for number in range(exercise.trials)]


def _trial(session: Session, game: ServedGame, exercise: Exercise, seat: Player, stream: Stream) -> float:
    position = Position.start(exercise.game)
    while value_of(position) is None:
        if position.to_move is seat:
            position = position.play(_chosen(session, game, position))
        else:
            position = position.play(stream.choice(position.legal_moves()))
    outcome = position.outcome()
    assert outcome is not None
    return outcome.score(seat)


def _chosen(session: Session, game: ServedGame, position: Position) -> int:
    """The learner's move. It may look one move ahead, not search."""
    moves = game.node(position).moves
    game.plays, game.most = 0, len(moves)
    move = session.call("Learner", game=game, position=position, method="choose")
    if not isinstance(move, int) or isinstance(move, bool) or not 0 <= move < len(moves):
        raise Trouble(f"Learner.choose returned {move!r}, one of {list(range(len(moves)))} was expected.")
    return moves[move]
