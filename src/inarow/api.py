"""The functions of ``import inarow``. Each takes objects or the strings of the command line: ``"connect4"``,
``"4455"``, ``"mcts:seconds=1"``. A position is given as a `Position`, or as a game and moves; never as both.

Moves count from 0 as ints and from 1 in notation such as ``"4455"``. Nothing is printed; slow functions call
``progress(done, total)`` if it is given.

An agent that raises an exception or returns an illegal move has a bug, so the exception is raised, with a note that
names the agent and the position. ``strict=False`` scores the match as a loss instead, as the command line does;
``faults`` of the result says what happened. An agent in its own process (``file:``) always loses, and so does one that
exceeds its time; but a file that can't be loaded before the first match raises an `AgentError`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from inarow.agents import Agent, Decision, agent
from inarow.errors import InarowError, as_path, check_callback, check_flags, check_instance, check_integer, shown
from inarow.limits import MAX_MATCHES, NO_LIMIT, USUAL_EVENTS, Limit, check_limit
from inarow.rules import Game, Position, game
from inarow.rules.notation import Moves, read_moves, read_position
from inarow.stopping import stop_on_interrupt

if TYPE_CHECKING:
    from inarow.arena import Results, Tournament
    from inarow.drawing.animation import Animation
    from inarow.ladder import Placement
    from inarow.match import MatchRecord, Openings, Series
    from inarow.solver import Analysis
    from inarow.studies import Study, StudyProgress
    from inarow.truth import Grade


OnProgress = Callable[[int, int], None]
"""A callback that receives the work done so far and the total."""


_game, _agent = game, agent  # the functions below have parameters of these names


def position(game: Game | str, moves: Moves = "") -> Position:
    """Return the position after moves such as ``"4455"``, or of a drawing, top row first: ``"X.O/.X./..O"``."""
    return read_position(_game(game), moves)


def _position(call: str, game: Any, moves: Any) -> Position:
    """Return a position that is given itself, or by a game and moves; ``call`` is the first form."""
    if not isinstance(game, Position):
        return position(game, "" if moves is None else moves)
    if moves is not None:
        raise InarowError(
            f"got a position and the moves {shown(moves)}; write {call}, or give a game and all moves from the start"
        )
    return game


def _position_and_agent(function: str, game: Any, moves: Any, agent: Any) -> tuple[Position, Agent]:
    """Read the arguments of ``function(game, moves, agent)`` or ``function(position, agent)``."""
    if isinstance(game, Position) and agent is None:
        moves, agent = None, moves
    if agent is None:
        after = "" if moves is None else f" after the moves {shown(moves)}"
        raise TypeError(
            f"no agent was given{after}; write {function}(game, moves, agent), with '' for the empty board, "
            f"or {function}(position, agent)"
        )
    return _position(f"{function}(position, agent)", game, moves), _agent(agent)


@overload
def decide(game: Position, moves: Agent | str, /, *, limit: Limit = ..., seed: int = ...) -> Decision: ...
@overload
def decide(game: Game | str, moves: Moves, agent: Agent | str, *, limit: Limit = ..., seed: int = ...) -> Decision: ...
def decide(game: Any, moves: Any = None, agent: Any = None, *, limit: Limit = NO_LIMIT, seed: int = 0) -> Decision:
    """Return an agent's decision in a position, with its values and cost.

    Call it as ``decide("connect4", "4455", "mcts:seconds=1")`` or ``decide(position, "mcts:seconds=1")``.
    """
    stop_on_interrupt()
    where, decider = _position_and_agent("decide", game, moves, agent)
    mind = decider.start(where.game, where.to_move, seed)
    try:
        return mind.decide(where, limit)
    finally:
        mind.close()


@overload
def solve(game: Position, *, limit: Limit = ...) -> Analysis: ...
@overload
def solve(game: Game | str, moves: Moves = ..., *, limit: Limit = ...) -> Analysis: ...
def solve(game: Any, moves: Any = None, *, limit: Limit = NO_LIMIT) -> Analysis:
    """Return the exact score of a position and of every move, and a line of perfect play.

    Call it as ``solve("connect4", "4455")`` or ``solve(position)``. Under a limit in nodes or seconds the result may
    hold only bounds.
    """
    from inarow.solver import Oracle
    from inarow.solver.cache import Cache

    stop_on_interrupt()
    where = _position("solve(position)", game, moves)
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

    An agent's exception is raised; with ``strict=False`` the agent loses instead, and the record says why.
    """
    from inarow.match import play_match

    stop_on_interrupt()
    board = _game(game)
    line, seed = read_moves(board, opening), check_integer("seed", seed)
    agents = _agent(first), _agent(second)
    check_limit(limit)
    check_callback("on_decision", on_decision)
    check_flags(strict=strict)
    return play_match(board, *agents, opening=line, seed=seed, limit=limit, on_decision=on_decision, strict=strict)


def play_series(
    game: Game | str,
    a: Agent | str,
    b: Agent | str,
    *,
    matches: int = 40,
    openings: Openings | str = "random",
    seed: int = 0,
    limit: Limit = NO_LIMIT,
    swap: bool = True,
    strict: bool = True,
    progress: OnProgress | None = None,
) -> Series:
    """Play matches in pairs, each opening twice with seats swapped, and return their totals.

    ``openings`` are those of the command line: ``"random:4"``, ``"moves:4455"``, ``"balanced"``, ``"file:PATH"`` and
    others. Deterministic agents play each opening once; a warning says so if fewer matches are played for that reason.
    An agent's exception is raised; with ``strict=False`` the agent loses that match, and ``faults`` says why.
    """
    from inarow.match.openings import as_openings
    from inarow.match.series import Series, play_series, used_up_text

    stop_on_interrupt()
    board, one, other = _game(game), _agent(a), _agent(b)
    series, starts = Series(board, one, other), as_openings(board, openings)
    seed = check_integer("seed", seed)
    check_limit(limit)
    check_callback("progress", progress)
    check_flags(swap=swap, strict=strict)
    for pair in play_series(
        board, one, other, matches=matches, seed=seed, openings=starts, limit=limit, swap=swap, strict=strict
    ):
        series.add(pair)
        if progress is not None:
            progress(series.matches, matches)
    if series.matches < matches:
        warnings.warn(used_up_text(f"{series.matches} of {matches} matches", 'openings="random:4"'), stacklevel=2)
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
    """Play a tournament made by `Tournament.of` and return its standings, ratings and pairings.

    With ``store`` every record is kept in that file, and ``resume`` continues it. ``cluster`` is the address of a Dask
    scheduler to use instead of local processes. Agents defined in a notebook need cloudpickle to run in other
    processes. An agent's exception is raised, and finished pairs are kept; with ``strict=False`` the agent loses that
    match, and ``faults`` of the results says why.
    """
    from inarow.arena import Running, Store, Tournament, load, open_executor
    from inarow.arena.store import StoredPair

    def opened() -> Store:
        if store is None:
            return Store.in_memory()
        return Store.open(store) if resume else Store.create(store)

    stop_on_interrupt()
    check_instance("tournament", tournament, Tournament, "a Tournament, as inarow.Tournament.of makes it")
    check_callback("progress", progress)
    check_flags(resume=resume, strict=strict)
    if resume and store is None:
        raise InarowError("resume continues a stored tournament; give its store, too")
    with opened() as kept:
        for note in kept.notes:
            warnings.warn(note, stacklevel=2)
        run = kept.resume(tournament) if resume else kept.begin(tournament)
        done, total = 0, tournament.weight // 2

        def on_pairs(rows: Sequence[StoredPair]) -> None:
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


def load(path: str | Path) -> Agent:
    """Return the agent that plays by a model file, such as one that a training saved."""
    from inarow.models.files import ModelFile
    from inarow.training import trainer

    file = as_path("path", path)
    with ModelFile(file) as model:
        spec = model.header["spec"]
    return trainer(spec).agent_of(file)


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
    """Measure how often an agent's moves keep the exact value of a position.

    On a small game all positions and all lines of play are graded, on a larger one random positions whose moves differ
    in value. ``matches`` adds matches against each perfect player in each seat. The agent's exception is raised; with
    ``strict=False`` as an `AgentError` that names the position.
    """
    from inarow.arena import open_executor
    from inarow.truth import grade_matches, grade_positions

    stop_on_interrupt()
    board, graded, seed = _game(game), _agent(agent), check_integer("seed", seed)
    positions = check_integer("positions", positions, 0, MAX_MATCHES)
    matches = check_integer("matches", matches, 0, MAX_MATCHES)
    check_flags(strict=strict)
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
    """Estimate an agent's Elo among the reference players of a game's ladder, whose ratings are fixed.

    It plays pairs until the 95 % interval is ``within`` Elo to either side, or ``pairs`` or ``minutes`` are spent, and
    then makes moves in ``positions`` whose exact scores are known. The agent's exception is raised; with
    ``strict=False`` it loses that match, and ``faults`` of the result says why.
    """
    from inarow.arena import open_executor
    from inarow.ladder import Budget, Rating, ladder

    stop_on_interrupt()
    check_callback("progress", progress)
    check_flags(strict=strict)
    on_pair = None if progress is None else lambda done: progress(done, pairs)
    budget = Budget(within, pairs, minutes, positions)
    rating = Rating(_agent(agent), ladder(_game(game)), budget, check_integer("seed", seed), on_pair, strict=strict)
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
    progress: StudyProgress | None = None,
) -> Path:
    """Run a study, given by name or as an object, and return the path of its page.

    The folder is named after the study unless ``out`` is given. An interrupted study keeps what is finished; ``resume``
    continues it. ``force`` overwrites a folder in use.
    """
    from inarow.studies import Plan, Study, StudyProgress
    from inarow.studies import run_study as run
    from inarow.studies import study as named

    stop_on_interrupt()
    chosen = named(study) if isinstance(study, str) else study
    check_instance("study", chosen, Study, "the name of a study, or a Study")
    check_instance("progress", progress, StudyProgress | None, "a StudyProgress or None")
    check_flags(resume=resume, force=force)
    folder = Path(chosen.name) if out is None else as_path("out", out)
    watch = StudyProgress() if progress is None else progress
    options = {"workers": workers, "cluster": cluster, "resume": resume, "force": force}
    return run(chosen, folder, Plan(scale, seed), watch=watch, **options)  # type: ignore[arg-type]


@overload
def watch(game: MatchRecord, *, theme: str = ..., seconds: float = ...) -> Animation: ...
@overload
def watch(
    game: Position,
    moves: Agent | str,
    /,
    *,
    steps: range | None = ...,
    seed: int = ...,
    theme: str = ...,
    seconds: float = ...,
) -> Animation: ...
@overload
def watch(
    game: Game | str,
    moves: Moves,
    agent: Agent | str,
    *,
    steps: range | None = ...,
    seed: int = ...,
    theme: str = ...,
    seconds: float = ...,
) -> Animation: ...
def watch(
    game: Any,
    moves: Any = None,
    agent: Any = None,
    *,
    steps: range | None = None,
    seed: int = 0,
    theme: str = "light",
    seconds: float = 1.0,
) -> Animation:
    """Animate a search or a match.

    Call it as ``watch("connect4", "4455", "alphabeta:depth=3")``, ``watch(position, "alphabeta:depth=3")`` or
    ``watch(record)``.

    ``steps`` selects the steps of a search, counted from 0; by default the first 60. Each frame lasts ``seconds``. The
    theme is ``light`` or ``dark``. The animation has `frame`, `svg`, `gif` and `save`, and displays in notebooks.
    """
    from inarow.match import MatchRecord
    from inarow.tracing import trace
    from inarow.tracing.film import film, match_film

    stop_on_interrupt()
    seed = check_integer("seed", seed)
    if isinstance(game, MatchRecord):
        if moves is not None or agent is not None or steps is not None or seed != 0:
            raise InarowError("a record is shown as it is; write watch(record), without moves, agent, steps and seed")
        return match_film(game.game, game.all_moves, f"{game.first} against {game.second}", theme, seconds)
    where, searcher = _position_and_agent("watch", game, moves, agent)
    check_instance("steps", steps, range | None, "a range such as range(40)")
    most = USUAL_EVENTS if steps is None else max(1, max(steps, default=0) + 1)
    return film(trace(where, searcher, events=most, seed=seed), steps, theme, seconds)
