"""What the comparison measures besides matches: times, decisions in play, exactness in Tic Tac Toe, and trainings.

Times are processor times of the thread that decides, so that another process on the machine does not change them; for
agents in files, which run in processes of their own, they are times on the clock.
"""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from inarow.agents import Agent, Decision, Mind, agent
from inarow.agents.base import Fault, rehearse
from inarow.formatting import counted, duration
from inarow.limits import Limit
from inarow.match import play_match
from inarow.match.openings import parse_openings
from inarow.match.series import match_seed
from inarow.randomness import derive
from inarow.rules import CONNECT4, FIRST, SECOND, Game, IllegalMove, Player, Position, format_moves, game, parse_moves
from inarow.stopping import SYSTEM_CLOCK, Clock
from inarow.studies.base import Measured, measurement
from inarow.studies.compare.lineup import ABLATED, HEADLINE, SEARCHERS, WITH_TABLE, SearchPlayer, budget_key
from inarow.truth import Accuracy, SolvedPositions, count_by
from inarow.truth.accuracy import grade_move
from inarow.truth.positions import all_positions

GRADED_FROM = 16
"""Stones from which positions of Connect 4 are solved in milliseconds."""
GRADING_LIMIT = Limit(nodes=2_000_000)
SOLVED_AT_ONCE = 20
"""Cells of a board up to which every position is solved."""


class ThreadClock(Clock):
    """The processor time of this thread."""

    def now(self) -> float:
        return time.thread_time()


def _clock(player: Agent) -> Clock:
    """Return the clock that an agent's decisions are timed by."""
    return SYSTEM_CLOCK if player.foreign or player.timed else ThreadClock()


# The time of a decision, and the counts that stand for times.

POSITIONS = 12
WALK = 4
"""Plies between the positions of successive matches, after their openings of twelve stones."""
SHIPPED_SECONDS = (0.0003, HEADLINE, 0.02, 0.1)
PASSES = 5
ROUNDS = 3
"""Rounds in which a count approaches its time."""
FIRST_RATE = 3e6
"""Nodes or simulations per second from which calibration starts; any guess leads to the same counts."""


@cache
def positions_from_matches() -> tuple[str, ...]:
    """Return positions with 12 to 20 stones from matches between quick searchers, as strings of moves."""
    first, second = agent("alphabeta:nodes=2000"), agent("mcts:simulations=200")
    lines = []
    for index, opening in enumerate(parse_openings(CONNECT4, "balanced").draw(8 * POSITIONS, 0)):
        record = play_match(CONNECT4, first, second, opening=opening, seed=index)
        moves = record.all_moves[: len(opening) + WALK * (index % 3)]
        position = Position.start(CONNECT4, moves)
        quiet = not position.winning_moves() and not position.winning_moves(position.to_move.other)
        if len(moves) + 2 * WALK <= len(record.all_moves) and quiet:
            lines.append(format_moves(CONNECT4, moves))
    return tuple(lines[:POSITIONS])


class Cost(NamedTuple):
    """The mean cost of a decision that used its whole count."""

    seconds: float
    nodes: float
    simulations: float
    depth: float | None
    decisions: int


def cost_of(player: Agent, count: int, passes: int) -> Cost:
    """Measure decisions of a searcher as they occur in a match: its mind has decided two plies before.

    The time in a position is the median of the passes; decisions that end early, because the outcome is proven, are
    left out.
    """
    rehearse(player, CONNECT4)
    rows = []
    for text in positions_from_matches():
        moves = parse_moves(CONNECT4, text)
        times = []
        for number in range(passes):
            position = Position.start(CONNECT4, moves)
            mind = player.start(CONNECT4, position.to_move, number)
            mind.decide(Position.start(CONNECT4, moves[:-2]))
            begun = time.thread_time()
            decision = mind.decide(position)
            times.append(time.thread_time() - begun)
        simulations = int(decision.details.get("simulations", 0))
        if max(simulations, decision.nodes) >= count and (not simulations or simulations >= count):
            rows.append((statistics.median(times), decision.nodes, simulations, decision.depth))
    if not rows:
        return Cost(0.0, 0.0, 0.0, None, 0)
    seconds, nodes, simulations_done, depths = zip(*rows, strict=True)
    known = [depth for depth in depths if depth is not None]
    return Cost(
        statistics.fmean(seconds), statistics.fmean(nodes), statistics.fmean(simulations_done),
        statistics.fmean(known) if known else None, len(rows),
    )  # fmt: skip


@measurement("pace")
def pace(settings: dict[str, Any]) -> Measured:
    """Measure what a decision of ``agent`` with a ``count`` costs on this machine, as the median of ``passes``."""
    begun = time.perf_counter(), time.thread_time()
    cost = cost_of(agent(settings["agent"]), settings["count"], settings["passes"])
    wall, cpu = time.perf_counter() - begun[0], time.thread_time() - begun[1]
    counts = {"nodes": cost.nodes, "simulations": cost.simulations, "depth": cost.depth, "decisions": cost.decisions}
    said = f"{settings['agent']} was timed in {counted(cost.decisions, 'position', 'positions')}"
    return Measured({**counts, "verdict": said}, {"seconds": cost.seconds, "wall": wall, "cpu": cpu})


def calibrate(
    budgets: Sequence[float] = SHIPPED_SECONDS, note: Callable[[str], None] = lambda text: None
) -> dict[str, dict[str, int]]:
    """Return the nodes or simulations of each searcher that take these seconds per move on this machine."""
    counts: dict[str, dict[str, int]] = {}
    rates: dict[SearchPlayer, float] = {}
    for seconds in sorted(budgets):
        timed: list[SearchPlayer] = [*SEARCHERS, WITH_TABLE, *(ABLATED if seconds == HEADLINE else ())]
        guess = {one: seconds * rates.get(one, FIRST_RATE) for one in timed}
        for _ in range(ROUNDS if seconds <= HEADLINE else 1):
            for one, took in _interleaved(guess, PASSES).items():
                guess[one] *= seconds / took if took else 0.5
        rates = {one: count / seconds for one, count in guess.items()}
        for one, count in guess.items():
            counts.setdefault(one.key, {})[budget_key(seconds)] = _rounded(count)
        note(f"{duration(seconds)}: " + ", ".join(f"{one.label} {_rounded(count):,}" for one, count in guess.items()))
    return counts


def _interleaved(counts: Mapping[SearchPlayer, float], passes: int) -> dict[SearchPlayer, float]:
    """Return the seconds of a decision of each searcher: the median of passes in which they take turns."""
    times: dict[SearchPlayer, list[float]] = {one: [] for one in counts}
    for _ in range(passes):
        for one, count in counts.items():
            times[one].append(cost_of(agent(one.spec(max(1, round(count)))), round(count), 1).seconds)
    return {one: statistics.median(took) for one, took in times.items()}


def _rounded(count: float) -> int:
    """Return a count with two significant digits, which is closer than times can be measured."""
    return int(float(f"{count:.2g}"))


# Decisions in play.


@cache
def _solved(board: Game) -> SolvedPositions:
    return SolvedPositions(board, GRADING_LIMIT)


@measurement("in_play")
def in_play(settings: dict[str, Any]) -> Measured:
    """Record the decisions of ``agent`` in ``pairs`` pairs against each of ``opponents`` from ``openings``.

    The result has its points by opponent, its accuracy by ply, the cost of its decisions, and by own move how many
    positions its table knew, if it has one.
    """
    board, player = game(settings["game"]), agent(settings["agent"])
    rehearse(player, board)
    clock = _clock(player)
    points: dict[str, float] = {}
    graded: list[tuple[int, Any]] = []
    own: dict[int, Counter[str]] = {}
    cost: Counter[str] = Counter()
    seconds = 0.0
    least = 0 if board.cells <= SOLVED_AT_ONCE else GRADED_FROM
    for number, spec in enumerate(settings["opponents"]):
        opponent = agent(spec)
        rehearse(opponent, board)
        seed = derive(settings["seed"], "in play", number)
        lines = parse_openings(board, settings["openings"]).draw(settings["pairs"], seed)
        scored = 0.0
        for index, (line, seat) in enumerate((line, seat) for line in lines for seat in (FIRST, SECOND)):
            decided: list[tuple[Position, Decision]] = []
            pair = (player, opponent) if seat is FIRST else (opponent, player)
            record = play_match(
                board, *pair, opening=line, seed=match_seed(seed, board, index, seat is SECOND), clock=clock,
                on_decision=_into(decided),
            )  # fmt: skip
            mine = [(position, decision) for position, decision in decided if position.to_move is seat]
            for turn, (position, decision) in enumerate(mine, start=1):
                seconds += decision.seconds
                details = decision.details
                cost += Counter(
                    decisions=1, nodes=decision.nodes,
                    simulations=details.get("simulations", 0), tree=details.get("tree_nodes", 0),
                )  # fmt: skip
                if "known" in details:
                    own.setdefault(turn, Counter()).update(met=1, known=bool(details["known"]))
                if settings["graded"] and position.ply >= least:
                    graded.append((position.ply, _solved(board).grade(position, decision.move)))
            scored += 0.0 if record.outcome is None else record.outcome.score(seat)
        points[spec] = scored / max(1, 2 * len(lines))
    by_ply = {str(ply): one.to_json() for ply, one in sorted(count_by(graded).items())}
    result = {
        "points": points, "by_ply": by_ply, "cost": dict(cost),
        "own": {str(turn): dict(counts) for turn, counts in sorted(own.items())},
        "verdict": f"{settings['agent']} made {counted(cost['decisions'], 'decision', 'decisions')}",
    }  # fmt: skip
    timing = {"seconds": seconds}
    return Measured({"verdict": result["verdict"]}, {**result, **timing}) if player.timed else Measured(result, timing)


def _into(rows: list[tuple[Position, Decision]]) -> Callable[[Position, Decision], None]:
    """Return a callback that keeps decisions."""
    return lambda position, decision: rows.append((position, decision))


# Tic Tac Toe, where every position and every reply can be tried.


@cache
def _small(board: Game) -> tuple[tuple[Position, frozenset[int]], ...]:
    """Return every unfinished position with the moves that keep its value."""
    solved = _solved(board)
    return tuple(
        (position, frozenset(move for move in scores if grade_move(position, move, scores).keeps_verdict))
        for position in all_positions(board) or ()
        if (scores := solved.scores(position)) is not None
    )


class Tried(NamedTuple):
    """An agent in every position: how often its move kept the value, and the mean time of a decision."""

    kept: int
    seconds: float


class _Decider:
    """Gives an agent's moves; one mind per seat, so that only decisions are timed."""

    def __init__(self, player: Agent, board: Game, seed: int, start: Callable[[int], Mind] | None = None) -> None:
        self.player, self.board, self.seed = player, board, seed
        self.make = start
        self.minds: dict[Player, Mind] = {}
        self.seconds = 0.0

    def move(self, position: Position) -> int:
        """Return the move in a position; −1 if the agent fails."""
        side = position.to_move
        if side not in self.minds:
            seed = derive(self.seed, int(side))
            self.minds[side] = self.make(seed) if self.make else self.player.start(self.board, side, seed)
            self.minds[side].clock = _clock(self.player)
        try:
            decision = self.minds[side].decide(position)
        except (Fault, IllegalMove):
            return -1
        self.seconds += decision.seconds
        return decision.move

    def close(self) -> None:
        """Close its minds."""
        for mind in self.minds.values():
            mind.close()


def _try_all(decider: _Decider, board: Game, step: int) -> Tried:
    """Ask for a move in every position, or in every ``step``-th."""
    rows = _small(board)[::step]
    kept = sum(decider.move(position) in keeping for position, keeping in rows)
    return Tried(kept, decider.seconds / len(rows))


class LineCounts(NamedTuple):
    """The play of one seat against every reply: the lines it won, drew and lost, and its expected points against
    uniformly random replies."""

    wins: int
    draws: int
    losses: int
    points: float


def play_out(board: Game, seat: Player, decide: Callable[[Position], int]) -> LineCounts:
    """Play out every reply to an agent's moves."""
    known: dict[int, LineCounts] = {}

    def lines(position: Position) -> LineCounts:
        outcome = position.outcome()
        if outcome is not None:
            winner = outcome.winner
            return LineCounts(winner is seat, winner is None, winner is seat.other, outcome.score(seat))
        key = position.key()
        if key not in known:
            legal = position.legal_moves()
            if position.to_move is seat and (move := decide(position)) not in legal:
                known[key] = LineCounts(0, 0, 1, 0.0)
                return known[key]
            parts = [lines(position.play(m)) for m in ((move,) if position.to_move is seat else legal)]
            sums = [sum(column) for column in zip(*parts, strict=True)]
            known[key] = LineCounts(sums[0], sums[1], sums[2], sums[3] / len(parts))
        return known[key]

    return lines(Position.start(board))


def _both_seats(board: Game, decide: Callable[[Position], int]) -> dict[str, float]:
    parts = [play_out(board, seat, decide) for seat in (FIRST, SECOND)]
    sums = [sum(column) for column in zip(*parts, strict=True)]
    return {"wins": sums[0], "draws": sums[1], "losses": sums[2], "points": sums[3] / len(parts)}


SETTLED = 2
"""Successive counts without an error after which no larger count is tried."""
SEEDS = 5
"""Seeds with which every reply to an agent is played out."""


@measurement("exactness")
def exactness(settings: dict[str, Any]) -> Measured:
    """Try an agent in every position of a small game at growing ``counts``, and play out every reply to it.

    The ``template`` of its spec has a gap for the count; an ``agent`` has none. Every reply is played out at the
    smallest count that never errs, with several seeds. Of an agent without counts, every ``step``-th position is tried.
    """
    board = game(settings["game"])
    rows: list[dict[str, Any]] = []
    times: list[float] = []
    for count in settings["counts"] or [0]:
        player = _with(settings, count)
        rehearse(player, board)
        decider = _Decider(player, board, settings["seed"])
        tried = _try_all(decider, board, settings["step"])
        decider.close()
        rows.append({"count": count, "kept": [tried.kept]})
        times.append(tried.seconds)
        if _settled(rows, _asked(settings, board)):
            break
    exact = _first_exact(rows, _asked(settings, board)) or rows[-1]["count"]
    player = _with(settings, exact)
    lines = []
    for seed in range(SEEDS if player.name == "mcts" else 1):
        decider = _Decider(player, board, derive(settings["seed"], "replies", seed))
        lines.append(_both_seats(board, decider.move))
        decider.close()
    result = _exact_result(rows, lines, _asked(settings, board), player.name)
    if player.timed:
        return Measured({"verdict": result["verdict"]}, {**result, "seconds": times})
    return Measured(result, {"seconds": times})


def _with(settings: Mapping[str, Any], count: int) -> Agent:
    """Return the agent with a count in the gap of its spec."""
    return agent(settings["template"].format(count) if "template" in settings else settings["agent"])


def _asked(settings: Mapping[str, Any], board: Game) -> int:
    return len(_small(board)[:: settings["step"]])


def _exact_result(
    rows: Sequence[Mapping[str, Any]], lines: Sequence[Mapping[str, float]], asked: int, name: str
) -> dict[str, Any]:
    exact = _first_exact(rows, asked)
    said = f"never errs from {exact:,} on" if exact else f"kept the value in {rows[-1]['kept'][0]:,} of {asked:,}"
    return {"rows": list(rows), "lines": list(lines), "positions": asked, "verdict": f"{name} {said}"}


def _never_errs(row: Mapping[str, Any], asked: int) -> bool:
    return all(kept == asked for kept in row["kept"])


def _settled(rows: Sequence[Mapping[str, Any]], asked: int) -> bool:
    """Return True if the last counts were all without an error."""
    return len(rows) >= SETTLED and all(_never_errs(row, asked) for row in rows[-SETTLED:])


def _first_exact(rows: Sequence[Mapping[str, Any]], asked: int) -> int:
    """Return the smallest count from which on no error occurred; 0 if there is none."""
    exact = 0
    for row in reversed(rows):
        if not _never_errs(row, asked):
            break
        exact = row["count"]
    return int(exact)


@measurement("learnt_exactness")
def learnt_exactness(settings: dict[str, Any]) -> Measured:
    """Train tables for growing ``counts`` of episodes from each of ``seeds``, and try each as `exactness` does."""
    from inarow.training import Training, TrainingPlan, parse_stages, trainer

    board, learner = game(settings["game"]), trainer(settings["trainer"])
    rows: list[dict[str, Any]] = []
    times: list[float] = []
    training_times: list[float] = []
    asked = len(_small(board))
    lines: list[dict[str, float]] = []
    for episodes in settings["counts"]:
        kept, took, trained = [], [], []
        lines = []
        for seed in settings["seeds"]:
            plan = TrainingPlan(learner, board, episodes, parse_stages(("self",), board), seed=seed)
            training = Training(plan)
            begun = time.thread_time()
            training.run()
            trained.append(time.thread_time() - begun)
            decider = _Decider(training.agent, board, seed, training.learner.mind)
            tried = _try_all(decider, board, 1)
            kept.append(tried.kept)
            took.append(tried.seconds)
            lines.append(_both_seats(board, decider.move))
        rows.append({"count": episodes, "kept": kept})
        times.append(statistics.fmean(took))
        training_times.append(statistics.fmean(trained))
        if _never_errs(rows[-1], asked):
            break
    result = _exact_result(rows, lines, asked, settings["trainer"])
    return Measured(result, {"seconds": times, "training": training_times})


# Trainings.


@measurement("train_table")
def train_table(settings: dict[str, Any]) -> Measured:
    """Train a table of Q-values by self-play from ``seed`` and save it to ``model``."""
    from inarow.training import Training, TrainingPlan, parse_stages, trainer

    board = game(settings["game"])
    plan = TrainingPlan(
        trainer(settings["trainer"]), board, settings["episodes"], parse_stages(("self",), board), seed=settings["seed"]
    )
    training = Training(plan)
    begun = time.thread_time()
    training.run()
    seconds = time.thread_time() - begun
    path = Path(settings["model"])
    path.parent.mkdir(exist_ok=True)
    training.save(path, slim=True)
    rows = training.learner.size()["entries"]
    result = {"episodes": settings["episodes"], "rows": rows, "bytes": training.learner.size()["bytes"]}
    full = rows >= getattr(training.plan.trainer, "rows", rows + 1)
    said = f"{settings['episodes']:,} games, {rows:,} rows" + (", the table is full" if full else "")
    return Measured({**result, "full": full, "verdict": said}, {"seconds": seconds})


def accuracy_by_ply(stored: Mapping[str, Any]) -> Iterator[tuple[int, Accuracy]]:
    """Yield the accuracy by ply that `in_play` stored."""
    for ply, counts in stored["by_ply"].items():
        yield int(ply), Accuracy.from_json(counts)
