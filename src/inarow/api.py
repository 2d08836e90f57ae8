"""The functions of ``import inarow``. Each takes values or the texts people write: ``"connect4"``, ``"4455"``,
``"mcts:seconds=1"``.

In texts moves count from 1, as on the command line; as ints they count from 0. Nothing is printed; what takes long
calls ``progress(done, total)`` if it is given.

An agent that raises an exception or returns an illegal move has a bug, so the exception is raised, with a note that
names the agent and the position. ``strict=False`` scores the match as a loss instead, as the command line does;
``faults`` of the result says what happened. An agent in a process of its own (``file:``) always loses, and so does one
that exceeds its time.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

from inarow.agents import Agent, Decision, agent, agent_class
from inarow.formatting import counted
from inarow.limits import NO_LIMIT, Limit
from inarow.rules import Game, NotationError, Position, as_move, game, parse_moves
from inarow.rules.game import is_game
from inarow.rules.notation import DRAWN, parse_drawing
from inarow.rules.position import BadPosition
from inarow.stopping import stop_on_interrupt

if TYPE_CHECKING:
    from inarow.arena import Results, Tournament
    from inarow.ladder import Placement
    from inarow.match import MatchRecord, Series
    from inarow.solver import Analysis
    from inarow.studies import Progress, Study
    from inarow.training import Stage, Trainer
    from inarow.truth import Grade

Moves = str | Iterable[SupportsIndex]
"""Moves as text, counted from 1 (``"4455"``), or as ints, counted from 0."""
OnProgress = Callable[[int, int], None]
"""Called with what is done and with the total."""


_game, _agent = game, agent  # in the functions below these names are arguments


def position(game: Game | str, moves: Moves | Position = "") -> Position:
    """The position after these moves, ``"4455"``; or that of a drawing, its rows from the top: ``"X.O/.X./..O"``."""
    board = _game(game)
    if isinstance(moves, Position):
        if moves.game != board:
            raise BadPosition(f"this position is of {moves.game}, and a position of {board} was asked for")
        return moves
    if isinstance(moves, str) and DRAWN.intersection(moves):
        return parse_drawing(board, moves)
    return Position.start(board, _line(board, moves))


def _line(board: Game, moves: Moves) -> tuple[int, ...]:
    """Moves given as text or as ints, which need not be legal if they are ints."""
    if isinstance(moves, str):
        return parse_moves(board, moves)
    try:
        return tuple(map(as_move, moves))
    except TypeError:
        raise NotationError(
            f"the moves are {moves!r:.60}; expected a string that counts from 1, such as '4455', "
            "or a list of ints that count from 0, such as [3, 3, 4, 4]"
        ) from None


def position_and_agent(function: str, given: Any, moves: Any, by: Any) -> tuple[Position, Agent]:
    """What ``function(game, moves, agent)`` or ``function(position, agent)`` was called with."""
    if isinstance(given, Position):
        moves, by = None, moves
    if by is None:
        after = "" if moves is None else f" after the moves {moves!r}"
        raise TypeError(
            f"no agent was given{after}; write {function}(game, moves, agent), with '' for the empty board, "
            f"or {function}(position, agent)"
        )
    return given if isinstance(given, Position) else position(given, "" if moves is None else moves), agent(by)


@overload
def decide(position: Position, agent: Agent | str, /, *, limit: Limit = ..., seed: int = ...) -> Decision: ...
@overload
def decide(
    game: Game | str, moves: Moves | Position, agent: Agent | str, /, *, limit: Limit = ..., seed: int = ...
) -> Decision: ...
def decide(given: Any, moves: Any, by: Any = None, /, *, limit: Limit = NO_LIMIT, seed: int = 0) -> Decision:
    """What an agent plays in a position, and what led to it: ``decide("connect4", "4455", "mcts:seconds=1")``, or
    ``decide(position, "mcts:seconds=1")``."""
    stop_on_interrupt()
    where, decider = position_and_agent("decide", given, moves, by)
    mind = decider.start(where.game, where.to_move, seed)
    try:
        return mind.decide(where, limit)
    finally:
        mind.close()


def solve(game: Game | Position | str, moves: Moves | Position = "", *, limit: Limit = NO_LIMIT) -> Analysis:
    """The exact score of a position and of every move, and a perfect continuation: ``solve("connect4", "4455")``, or
    ``solve(position)``. A limit in nodes or seconds may leave bounds only."""
    from inarow.solver import Oracle
    from inarow.solver.cache import Cache

    stop_on_interrupt()
    where = game if isinstance(game, Position) else position(game, moves)
    oracle = Oracle(where.game, known=(Cache(where.game, write=True),))
    return oracle.analyse(where, limit, line=True)


def play_match(
    game: Game | str,
    first: Agent | str,
    second: Agent | str,
    *,
    opening: Moves = "",
    seed: int = 0,
    limit: Limit = NO_LIMIT,
    on_decision: Callable[[Position, Decision], None] | None = None,
    strict: bool = True,
) -> MatchRecord:
    """Play one match from an opening to its end.

    An exception of an agent is raised; with ``strict=False`` it loses, with the reason in the record.
    """
    from inarow.match import play_match

    stop_on_interrupt()
    board = _game(game)
    line = _line(board, opening)
    agents = _agent(first), _agent(second)
    return play_match(board, *agents, opening=line, seed=seed, limit=limit, on_decision=on_decision, strict=strict)


def play_series(
    game: Game | str,
    a: Agent | str,
    b: Agent | str,
    *,
    matches: int = 20,
    opening: Moves = "",
    random_plies: int = 0,
    seed: int = 0,
    limit: Limit = NO_LIMIT,
    swap: bool = True,
    strict: bool = True,
    progress: OnProgress | None = None,
) -> Series:
    """Play matches in pairs, each opening twice with seats swapped, and add them up.

    The pairs start from ``opening``, or from random openings of ``random_plies`` plies. Agents without randomness play
    each opening once; a warning says so if fewer matches come of it. An exception of an agent is raised; with
    ``strict=False`` it loses that match, and ``faults`` of the series says why.
    """
    from inarow.match.series import Series, play_series, used_up_text

    stop_on_interrupt()
    board, one, other = _game(game), _agent(a), _agent(b)
    series = Series(board, one, other)
    line = _line(board, opening)
    for pair in play_series(
        board,
        one,
        other,
        matches=matches,
        seed=seed,
        opening=line,
        random_plies=random_plies,
        limit=limit,
        swap=swap,
        strict=strict,
    ):
        series.add(pair)
        if progress is not None:
            progress(series.matches, matches)
    if series.matches < matches:
        warnings.warn(used_up_text(f"{series.matches} of {matches} matches", "random_plies=4"), stacklevel=2)
    return series


def play_tournament(
    tournament: Tournament,
    store: str | Path | None = None,
    *,
    resume: bool = False,
    workers: int = 1,
    cluster: str | None = None,
    strict: bool = True,
    progress: OnProgress | None = None,
) -> Results:
    """Play a tournament (`Tournament.of` makes one) and return its results: standings, ratings with errors, the series
    of every pairing.

    With ``store`` every record is kept in that file, and ``resume`` continues what it holds. ``cluster`` is the address
    of a Dask scheduler to use instead of processes here. In other processes, agents that are defined in a notebook
    need cloudpickle. An exception of an agent is raised, and
    finished pairs are kept; with ``strict=False`` it loses that match, and ``faults`` of the results says why.
    """
    from inarow.arena import Running, Store, load, open_executor
    from inarow.arena.rows import PairRows

    def opened() -> Store:
        if store is None:
            return Store.in_memory()
        if not resume:
            return Store.create(Path(store))
        return Store.open(Path(store))

    stop_on_interrupt()
    with opened() as kept:
        for note in kept.notes:
            warnings.warn(note, stacklevel=2)
        run = kept.resume(tournament) if resume else kept.begin(tournament)
        done, total = 0, tournament.weight // 2

        def on_pairs(rows: Sequence[PairRows]) -> None:
            nonlocal done
            done += len(rows)
            if progress is not None:
                progress(done, total)

        done = sum(len(pairs) for pairs in kept.finished(run).values())
        with open_executor(workers, cluster) as executor:
            Running(tournament, kept, run, executor, raising=strict, on_pairs=on_pairs).play()
        results = load(kept, run)
    if note := results.used_up_note('openings="random:4"'):
        warnings.warn(note, stacklevel=2)
    return results


@dataclass(frozen=True, repr=False)
class Training:
    """A finished training: the agent, its history, and `save`."""

    trainer: Trainer

    @property
    def agent(self) -> Agent:
        """The agent as it was trained, ready to play in this process."""
        return self.trainer.agent()

    @property
    def history(self) -> list[dict[str, Any]]:
        """One entry for every evaluation: episodes, results against each opponent, agreement with the truth."""
        return self.trainer.history

    def __repr__(self) -> str:
        plan, episodes = self.trainer.plan, counted(self.trainer.learner.episodes, "episode", "episodes")
        return f"<Training {plan.agent.spec} on {plan.game.name}: {episodes}>"

    def _repr_html_(self) -> str:
        """Show the training curves in a notebook."""
        from inarow.drawing.html import figure
        from inarow.report.training_curves import training_figure

        plan = self.trainer.plan
        if not self.history:
            return figure("", repr(self))
        drawn = training_figure([{"game": plan.game.name, "spec": plan.agent.spec, "history": self.history}])
        return figure(drawn.svg[drawn.svg.index("<svg") :], f"{repr(self)[1:-1]}. {drawn.caption}")

    def learn(
        self,
        episodes: int | None = None,
        *,
        agent: Agent | str | None = None,
        opponents: Sequence[Stage | str] = (),
        evaluate_every: int | None = None,
        progress: OnProgress | None = None,
    ) -> Training:
        """Train on: more episodes, other opponents, or the ``agent`` with other parameters, such as its rates.

        What is not given is as before. A schedule that is the same as before goes on; another one starts anew.
        """
        from inarow.training import plan_training

        before = self.trainer.plan
        planned = before.episodes if episodes is None and not opponents else episodes
        learning = before.agent if agent is None else _agent(agent)
        plan = plan_training(
            learning, before.game, planned, opponents or before.stages, evaluate_every,
            before.evaluation.opponents, before.evaluation.matches,
            log_episodes=before.log_episodes, seed=before.seed, workers=before.workers,
        )  # fmt: skip
        return _trained(self.trainer.continued(plan), progress)

    def save(self, path: str | Path, *, slim: bool = False) -> Agent:
        """Write the model to a file and return the agent that plays by that file; ``slim`` leaves out what only a
        resumed training needs."""
        self.trainer.save(Path(path), slim)
        playing = {"model": str(path)}
        return agent_class(self.trainer.plan.agent.name)(**playing)


def _in_order(game: Any, agent: Any) -> tuple[Game, Agent]:
    """A game and an agent, in whichever order they were given."""
    if isinstance(game, Agent) or isinstance(agent, Game) or (isinstance(agent, str) and is_game(agent)):
        game, agent = agent, game
    return _game(game), _agent(agent)


def train(
    game: Game | str,
    agent: Agent | str,
    *,
    episodes: int | None = None,
    opponents: Sequence[Stage | str] = (),
    resume: str | Path | None = None,
    evaluate_every: int | None = None,
    evaluation_opponents: Sequence[str] | None = None,
    evaluation_matches: int = 50,
    log_episodes: bool = False,
    seed: int = 0,
    workers: int | None = None,
    progress: OnProgress | None = None,
) -> Training:
    """Train ``qlearning`` or ``ntuple`` with its parameters, by self-play or against ``opponents``, one stage each:
    ``"random | rules"`` draws one for each episode, and ``"opponent=random,episodes=5000,epsilon=0.3"`` is a stage with
    settings of its own.

    ``resume`` continues the training in a model file, if there is one. It is evaluated about 40 times, or every
    ``evaluate_every`` episodes (0: only at the end), against its training opponents, or after self-play against random
    and rules. ``log_episodes`` keeps the reward and the length of every episode.
    """
    from inarow.training import Trainer, plan_training

    stop_on_interrupt()
    board, learning = _in_order(game, agent)
    plan = plan_training(
        learning, board, episodes, opponents, evaluate_every, evaluation_opponents, evaluation_matches,
        log_episodes=log_episodes, seed=seed, workers=workers,
    )  # fmt: skip
    path = None if resume is None else Path(resume)
    trainer = Trainer(plan) if path is None or not path.exists() else Trainer.resume(plan, path)
    return _trained(trainer, progress)


def _trained(trainer: Trainer, progress: OnProgress | None) -> Training:
    trainer.run(on_step=None if progress is None else lambda done: progress(done, trainer.end))
    return Training(trainer)


def grade(
    game: Game | str,
    agent: Agent | str,
    *,
    positions: int = 200,
    matches: int = 0,
    seed: int = 0,
    workers: int = 1,
    cluster: str | None = None,
    strict: bool = True,
) -> Grade:
    """Measure an agent against the exact truth: in how many positions its move keeps win, draw or loss.

    A small game is asked in full, with all lines of play; a larger one in random positions whose moves differ.
    ``matches`` against each perfect player in each seat are added if given. An exception of the agent is raised; with
    ``strict=False`` an `AgentError` that names the position.
    """
    from inarow.arena import open_executor
    from inarow.truth import grade_matches, grade_positions

    stop_on_interrupt()
    board, graded = _in_order(game, agent)
    with open_executor(workers, cluster) as executor:
        found = grade_positions(graded, board, count=positions, seed=seed, strict=strict, each=executor.map)
        if matches:
            perfect = {"longest resistance": _agent("perfect"), "random-perfect": _agent("perfect:resist=any")}
            grade_matches(found, perfect, matches, seed, strict=strict, each=executor.map)
    return found


def rate(
    game: Game | str,
    agent: Agent | str,
    *,
    within: float = 25.0,
    pairs: int = 1000,
    minutes: float | None = None,
    positions: int = 200,
    seed: int = 0,
    workers: int = 1,
    cluster: str | None = None,
    strict: bool = True,
    progress: OnProgress | None = None,
) -> Placement:
    """Place an agent on the ladder of a game: its Elo among reference players whose ratings never change.

    It plays pairs until the 95 % interval is ``within`` Elo to either side, or ``pairs`` or ``minutes`` are spent. Then
    it is asked for moves in ``positions`` whose exact scores are known. An exception of the agent is raised; with
    ``strict=False`` it loses that match, and ``faults`` of the placement says why.
    """
    from inarow.arena import open_executor
    from inarow.ladder import ladder
    from inarow.ladder.rating import Budget, Rating

    stop_on_interrupt()
    on_pair = None if progress is None else lambda done: progress(done, pairs)
    budget = Budget(within, pairs, minutes, positions)
    rating = Rating(_agent(agent), ladder(_game(game)), budget, seed, on_pair, strict=strict)
    with open_executor(workers, cluster) as executor:
        return rating.run(executor)


def run_study(
    study: Study | str,
    out: str | Path | None = None,
    *,
    scale: str = "quick",
    seed: int = 0,
    workers: int | None = None,
    cluster: str | None = None,
    resume: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> Path:
    """Run a study, by its name or one of your own, into a folder (by default of its name); the path of its page.

    Interrupted, it keeps what is finished, and ``resume`` continues. ``force`` overwrites a folder in use.
    """
    from inarow.studies import Plan, Progress
    from inarow.studies import run_study as run
    from inarow.studies import study as named

    stop_on_interrupt()
    chosen = named(study) if isinstance(study, str) else study
    folder = Path(chosen.name if out is None else out)
    watch = Progress() if progress is None else progress
    options = {"workers": workers, "cluster": cluster, "resume": resume, "force": force}
    return run(chosen, folder, Plan(scale, seed), watch=watch, **options)  # type: ignore[arg-type]
