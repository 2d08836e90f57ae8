"""Tabular Q-learning: episodes in the compiled kernel, against compiled opponents or any agent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from inarow.agents import Mind
from inarow.agents.parameters import AgentError, choice, integer, number, switch
from inarow.agents.qlearning import QLearningAgent, QMind
from inarow.bits import lowest
from inarow.kernels import qgraph as graphs
from inarow.kernels import qlearning as kernels
from inarow.kernels.lang.jit import source_of
from inarow.kernels.lang.records import copied, write_fields
from inarow.kernels.lang.trace import recording
from inarow.kernels.qlearning import BOTH_SEATS, Episode, Exploration, Learning, Progress, Rate
from inarow.limits import MAX_EPISODES
from inarow.models.files import ModelError, ModelFile
from inarow.models.qtable import GUIDES, MAX_ROWS, QGraph, QTable, list_graph, read_qtable
from inarow.randomness import Stream, derive
from inarow.rules import Game, IllegalMove, Player, Position
from inarow.stopping import Stop
from inarow.training.opponents import SEATS, RateLike, Schedule, Stage, TrainingError, as_schedule, rate
from inarow.training.trainer import Learner, Rates, Trainer

if TYPE_CHECKING:
    from inarow.arena import Executor

LARGEST = 1000
"""Maximum size of rewards and values."""

SUMS = ("wins", "draws", "losses", "plies", "rewards", "errors", "updates")
"""Counters of a learner since its last tally."""


@dataclass(frozen=True)
class QLearning(Trainer):
    """Learn a table of Q-values by self-play or against opponents."""

    name = "qlearning"
    summary = "tabular Q-learning"
    alpha: RateLike = rate("0.5", "learning rate")  # noqa: RUF009
    gamma: float = number(0.95, "discount factor per turn", low=0, high=1)
    epsilon: RateLike = rate("0.5", "probability of a random move in training")  # noqa: RUF009
    win: float = number(1, "reward of a win", low=-LARGEST, high=LARGEST)
    draw: float = number(0, "reward of a draw", low=-LARGEST, high=LARGEST)
    loss: float = number(-1, "reward of a loss", low=-LARGEST, high=LARGEST)
    move: float = number(0, "reward of every move", low=-LARGEST, high=LARGEST)
    initial: float = number(0, "initial value of a move; a high one is optimistic", low=-LARGEST, high=LARGEST)
    backup: str = choice(
        "negamax",
        ("negamax", "own"),
        "target of a move: negamax: minus the value of the opponent's best reply; own: the value of one's next turn",
    )
    sweep: str = choice(
        "backward", ("backward", "forward"), "order of learning an episode's moves: from the last or from the first"
    )
    symmetry: bool = switch(True, "symmetric positions share their values")
    guide: str = choice(
        "none",
        tuple(GUIDES),
        "rules that precede the table: none; win or block; also double threats, with a heuristic's share; also no move "
        "that allows a win or a double threat",
    )
    share: float = number(0.3, "the heuristic's share with guide=threats and guide=heuristic", low=0, high=1)
    seat: str = choice(
        "both",
        ("both", "first", "second"),
        "seat in training against an opponent; both: alternating",
    )
    opening_plies: int = integer(8, "maximum random plies at the start of an episode", low=0, high=60)
    rows: int = integer(MAX_ROWS, "maximum number of positions in the table", low=1, high=MAX_ROWS)

    def __post_init__(self) -> None:
        super().__post_init__()
        if as_schedule(self.epsilon).kind == "visits":
            raise AgentError(
                "trainer qlearning: epsilon=visits(…) is invalid: visits are counted per move; use decay or linear"
            )

    def agent_of(self, model: Path) -> QLearningAgent:
        return QLearningAgent(str(model), guide=self.guide)

    def learner(
        self, game: Game, seed: int, episodes: int, workers: int | None = None, pool: Executor | None = None
    ) -> QLearner:
        self.refuse_workers(workers, pool)
        if self.backup == "negamax" and (self.win != -self.loss or self.draw != 0):
            raise AgentError(
                f"trainer qlearning: win={self.win:g}, draw={self.draw:g}, loss={self.loss:g} don't add up "
                "to zero for the two players, as backup=negamax needs; use backup=own"
            )
        return QLearner(self, game, seed, episodes)


@dataclass(frozen=True)
class Update:
    """One step of Q-learning, which moved the value of a move from ``old`` towards ``target``."""

    moves: tuple[int, ...]
    """The moves that led to the position."""
    position: Position
    move: int
    old: float
    target: float
    new: float


def _rate(schedule: Schedule, length: int) -> Rate:
    """Return a schedule over this many episodes as kernels read it."""
    return Rate(*schedule.array(length).tolist())


class QLearner(Learner):
    """Tabular Q-learning."""

    kind = "qlearning"
    rates: Rates

    def __init__(self, settings: QLearning, game: Game, seed: int, episodes: int) -> None:
        self.settings = settings
        self.game = game
        self.seed = seed
        self.table = QTable(
            game, symmetries=settings.symmetry, start=settings.initial, guide=settings.guide, share=settings.share,
            most=settings.rows,
        )  # fmt: skip
        self.rates = Rates(as_schedule(settings.alpha), as_schedule(settings.epsilon), episodes)
        self.exploration = Exploration(_rate(self.rates.epsilon, episodes), settings.opening_plies)
        self.learning = Learning(
            alpha=_rate(self.rates.alpha, episodes),
            gamma=float(settings.gamma),
            win=float(settings.win),
            draw=float(settings.draw),
            loss=float(settings.loss),
            per_move=float(settings.move),
            together=settings.backup == "negamax",
            backward=settings.sweep == "backward",
        )
        self.seats = SEATS[settings.seat]
        self.progress = Progress()
        self.progress.random = derive(seed, "qlearning")
        self.graph_is_current = False
        """True if the graph and the table are in sync."""

    def set_rates(self, rates: Rates) -> None:
        done = self.episodes - rates.episodes, self.moves - rates.moves
        self.rates = rates
        self.progress.episodes, self.progress.moves = done  # kernels count from the start of the schedules
        self.learning = self.learning._replace(alpha=_rate(rates.alpha, rates.length))
        self.exploration = self.exploration._replace(epsilon=_rate(rates.epsilon, rates.length))

    def run(self, stage: Stage, count: int, stop: Stop) -> int:
        self.seats = SEATS[stage.seat or self.settings.seat]
        graph = self.graph if stage.opponents == ("self",) else None
        done = self._in_table(stage, count, stop) if graph is None else self._on_graph(graph, count, stop)
        self._count()
        return done

    def _in_table(self, stage: Stage, count: int, stop: Stop) -> int:
        """Play episodes and update the table."""
        self.graph_is_current = False
        episode, done = self._new_episode(), 0
        while done < count and not stop.is_set():
            self.table.make_room()
            with self._logging() as most:
                if stage.codes is None:
                    self._outside(stage, episode)
                    done += 1
                else:
                    done += self._episodes(stage.codes, episode, 0, min(most, count - done), stop.flag)
        return done

    def _new_episode(self) -> Episode:
        return Episode(*(np.zeros(self.game.cells, np.int64) for _ in range(4)))

    def _count(self) -> None:
        self.episodes = self.rates.episodes + self.progress.episodes
        self.moves = self.rates.moves + self.progress.moves

    @contextmanager
    def _logging(self) -> Iterator[int]:
        """Log the episodes played in this context; yields their maximum number, 1 if there is a log."""
        if self.log is None:
            yield MAX_EPISODES
            return
        before, after = copied(self.progress), self.progress
        yield 1
        wins, draws, losses, plies, rewards = (getattr(after, name) - getattr(before, name) for name in SUMS[:5])
        if played := wins + draws + losses:
            assert played == 1
            self.log.add(int(wins - losses), round(rewards, 6), int(plies))

    @cached_property
    def graph(self) -> QGraph | None:
        """The game as a graph, if it is small and the settings allow it."""
        plain = self.settings.backup == "negamax" and self.table.guide == "none"
        return list_graph(self.table) if plain else None

    def _on_graph(self, graph: QGraph, count: int, stop: Stop) -> int:
        """Play episodes of self-play on a graph, then copy the result to the table."""
        if not self.graph_is_current:
            graph.read(self.table)
            self.graph_is_current = True
        path = np.zeros(graphs.STEP * self.game.cells, np.int32)
        done = 0
        while done < count and not stop.is_set():
            with self._logging() as most:
                done += graphs.episodes(
                    graph.arrays, self.exploration, self.learning, self.progress, path, min(most, count - done),
                    stop.flag,
                )  # fmt: skip
        graph.write(self.table)
        return done

    def _episodes(
        self,
        opponents: list[int],
        episode: Episode,
        given: int,
        count: int,
        flag: NDArray[np.int64],
        kernel: Callable[..., int] = kernels.episodes,
    ) -> int:
        table = self.table
        return kernel(
            table.table, table.board, table.guide_of(), self.exploration, self.learning, self.progress,
            episode, np.array(opponents), self._seat, given, count, flag,
        )  # fmt: skip

    @property
    def _seat(self) -> int:
        """Its seat as a kernel code."""
        return BOTH_SEATS if len(self.seats) > 1 else int(self.seats[0])

    def observe(self) -> list[Update]:
        """Learn from one episode of self-play, uncompiled; return its updates in order."""
        self.table.make_room()
        self.graph_is_current = False
        episode = self._new_episode()
        updates: list[tuple[int, float, float, float]] = []  # ply, old value, target, new value
        with recording(SimpleNamespace(update=lambda *values: updates.append(values))):
            self._episodes([kernels.SELF], episode, 0, 1, np.zeros(1, np.int64), source_of(kernels.episodes))
        self._count()
        positions, moves = [Position.start(self.game)], list[int]()
        while positions[-1].outcome() is None:
            moves.append(self.game.move_of_bit(lowest(int(episode.stones[len(moves)]))))
            positions.append(positions[-1].play(moves[-1]))
        return [Update(tuple(moves[:ply]), positions[ply], moves[ply], *values) for ply, *values in updates]

    def _outside(self, stage: Stage, episode: Episode) -> None:
        """Play one episode against an opponent that plays in Python."""
        here = self.progress.episodes
        number = self.rates.episodes + here
        index = Stream(derive(self.seed, "episode", number)).below(len(stage.opponents))
        opponent = stage.agent(index)
        never = np.zeros(1, np.int64)
        if opponent is None:
            self._episodes([kernels.SELF], episode, 0, 1, never)
            return
        seat = here & 1 if self._seat == BOTH_SEATS else self._seat
        mind = opponent.mind(self.game, Player(1 - seat), derive(self.seed, "episode", number, "opponent"))
        position = Position.start(self.game)
        given = 0
        try:
            while (found := self._episodes([kernels.OUTSIDE], episode, given, 1, never)) < 0:
                plies = -1 - found
                for bit in episode.stones[given:plies]:
                    position = position.play(self.game.move_of_bit(int(bit).bit_length() - 1))
                try:
                    after = position.play(mind.decide(position).move)
                except IllegalMove as error:
                    raise TrainingError(f"the opponent {opponent.spec} can't play on: {error}") from None
                episode.stones[plies] = after.occupied ^ position.occupied
                position, given = after, plies + 1
        finally:
            mind.close()

    def tally(self) -> dict[str, float]:
        sums = self.progress
        matches = max(1.0, sums.wins + sums.draws + sums.losses)
        found = {
            "wins": int(sums.wins),
            "draws": int(sums.draws),
            "losses": int(sums.losses),
            "plies": sums.plies / matches,
            "reward": sums.rewards / matches,
            "error": sums.errors / max(1.0, sums.updates),
        }
        for name in SUMS:
            setattr(sums, name, 0.0)
        return found

    def size(self) -> dict[str, int]:
        return {"entries": len(self.table), "bytes": self.table.nbytes}

    def mind(self, seed: int) -> Mind:
        return QMind(self.table, Stream(seed))

    def header(self) -> dict[str, Any]:
        return self.table.header()

    def arrays(self, slim: bool = False) -> dict[str, NDArray[Any]]:
        keys, values, visits = self.table.rows()
        if slim:
            return {"keys": keys, "values": values}
        progress = self.progress
        state = np.array([self.episodes, self.moves, progress.random])
        counts = np.array([getattr(progress, name) for name in SUMS])
        return {"keys": keys, "values": values, "visits": visits, "state": state, "counts": counts}

    def restore(self, file: ModelFile) -> None:
        table = read_qtable(file, self.game, self.table.most)
        if table.header() != self.table.header():
            raise ModelError(f"{file.path}: its table does not match its settings; it can't be resumed")
        state = file.array("state", np.int64, (3,))
        sums = file.array("counts", np.float64, (len(SUMS),))
        if (state < 0).any() or state[0] != file.header["episodes"] or not np.isfinite(sums).all():
            raise ModelError(f"{file.path}: the state of its training is damaged; start again without --resume")
        self.table = table
        self.graph_is_current = False
        if self.graph is not None:
            self.graph.read(table)
        episodes, moves, random = state.tolist()
        write_fields(self.progress, episodes - self.rates.episodes, moves - self.rates.moves, random, *sums.tolist())
        self._count()
