"""Learners: a model, what it learns by, and all that must be kept to go on exactly where it was."""

from __future__ import annotations

import queue
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.agents import Agent, Mind
from inarow.agents.evaluators import Zero, write_evaluator, write_game
from inarow.agents.ntuple import NTuple, NTupleMind
from inarow.agents.qlearning import QLearning, QMind
from inarow.errors import InarowError
from inarow.kernels import layout, ntuple, qlearn
from inarow.kernels.rates import rate_now
from inarow.models.files import ModelFile
from inarow.models.network import TINY, Network, read_network
from inarow.models.qtable import QTable, read_qtable
from inarow.randomness import Stream, derive
from inarow.rules import Game, IllegalMove, Player, Position
from inarow.stopping import Stop
from inarow.training.opponents import Stage

# It takes many arrays unpacked from a tuple, which types can't follow.
_self_play: Any = ntuple.self_play


class TrainingError(InarowError):
    """A training that can't be done as asked."""


class Learner(ABC):
    """A model that learns. ``run`` goes on from where it was; the same seed gives the same model, in one worker."""

    kind: str
    game: Game
    seed: int
    episodes: int = 0

    @abstractmethod
    def run(self, stage: Stage, count: int, stop: Stop) -> int:
        """Learn from so many episodes; how many were done before ``stop`` was raised."""

    @abstractmethod
    def tally(self) -> dict[str, float]:
        """What the episodes since the last call showed: wins, draws, losses (of the learner; in self-play of the
        first player), plies, reward, error."""

    @abstractmethod
    def size(self) -> dict[str, int]:
        """Entries and bytes of the model."""

    @abstractmethod
    def mind(self, seed: int) -> Mind:
        """A mind that plays by what has been learnt so far, without exploring."""

    @abstractmethod
    def header(self) -> dict[str, Any]:
        """What a file must say so that the model can be made again."""

    @abstractmethod
    def arrays(self, slim: bool = False) -> dict[str, NDArray[Any]]:
        """The arrays of the model; ``slim`` leaves out what only training needs."""

    @abstractmethod
    def restore(self, file: ModelFile) -> None:
        """Take the state of a file, to go on exactly from there."""


class QLearner(Learner):
    """Tabular Q-learning."""

    kind = "qlearning"

    def __init__(self, settings: QLearning, game: Game, seed: int, episodes: int) -> None:
        self.settings = settings
        self.game = game
        self.seed = seed
        guide = "none" if settings.guide == "model" else settings.guide
        self.table = QTable(
            game,
            reduced=settings.features == "reduced",
            symmetries=settings.symmetries,
            start=settings.initial,
            guide=guide,
            share=settings.share,
            most=settings.rows,
        )
        self.alpha = settings.alpha.array(episodes)
        self.epsilon = settings.epsilon.array(episodes)
        self.rewards = np.zeros(qlearn.SETTINGS)
        self.rewards[:] = (
            settings.gamma, settings.initial, settings.win, settings.draw, settings.loss, settings.move,
            0.0 if isinstance(settings.reward, Zero) else settings.scale / layout.POINTS,
            settings.centre, settings.share,
        )  # fmt: skip
        self.setup = np.zeros(layout.SIZE, np.int64)
        write_game(self.setup, game)
        write_evaluator(self.setup, game, settings.reward)
        self.seat = {"first": 0, "second": 1, "both": qlearn.BOTH_SEATS}[settings.seat]
        self.counters = np.zeros(2, np.int64)
        self.random = np.array([derive(seed, "qlearning")])
        self.counts = np.zeros(qlearn.TALLY)

    def run(self, stage: Stage, count: int, stop: Stop) -> int:
        done = 0
        line = np.zeros(self.game.cells, np.int64)
        while done < count and not stop.is_set():
            self.table.make_room()
            if stage.codes is None:
                self._outside(stage, line)
                done += 1
            else:
                done += self._episodes(stage.codes, line, 0, count - done, stop.flag)
        self.episodes = int(self.counters[0])
        return done

    def _episodes(
        self, opponents: list[int], line: NDArray[np.int64], given: int, count: int, flag: NDArray[np.int64]
    ) -> int:
        table, settings, folding = self.table, self.settings, self.table.folding
        rules = table.rules(
            together=settings.seats == "together", backward=settings.sweep == "backward", opening=settings.openings
        )
        return qlearn.episodes(
            table.keys, table.values, table.visits, table.used, rules, self.rewards, self.alpha, self.epsilon,
            self.setup, folding.bit_images, folding.move_images, folding.move_of_bit, folding.styles,
            np.array(opponents), self.seat, self.counters, self.random, line, given, count, flag, self.counts,
        )  # fmt: skip

    def _outside(self, stage: Stage, line: NDArray[np.int64]) -> None:
        """One episode against an opponent that plays in Python."""
        number = int(self.counters[0])
        index = Stream(derive(self.seed, "episode", number)).below(len(stage.opponents))
        opponent = stage.agent(index)
        never = np.zeros(1, np.int64)
        if opponent is None:
            self._episodes([qlearn.SELF], line, 0, 1, never)
            return
        seat = number & 1 if self.seat == qlearn.BOTH_SEATS else self.seat
        mind = opponent.mind(self.game, Player(1 - seat), derive(self.seed, "episode", number, "opponent"))
        position = Position.start(self.game)
        given = 0
        try:
            while (found := self._episodes([qlearn.OUTSIDE], line, given, 1, never)) < 0:
                plies = -1 - found
                for bit in line[given:plies]:
                    position = position.play(self.game.move_of_bit(int(bit).bit_length() - 1))
                try:
                    after = position.play(mind.decide(position).move)
                except IllegalMove as error:
                    raise TrainingError(f"the opponent {opponent.spec} can't play on: {error}") from None
                line[plies] = after.occupied ^ position.occupied
                position, given = after, plies + 1
        finally:
            mind.close()

    def tally(self) -> dict[str, float]:
        counts = self.counts
        games = max(1.0, counts[qlearn.WINS] + counts[qlearn.DRAWS] + counts[qlearn.LOSSES])
        found = {
            "wins": int(counts[qlearn.WINS]),
            "draws": int(counts[qlearn.DRAWS]),
            "losses": int(counts[qlearn.LOSSES]),
            "plies": float(counts[qlearn.PLIES] / games),
            "reward": float(counts[qlearn.REWARDS] / games),
            "error": float(counts[qlearn.ERRORS] / max(1.0, counts[qlearn.LEARNT])),
        }
        counts[:] = 0
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
        state = np.array([*self.counters, *self.random])
        return {"keys": keys, "values": values, "visits": visits, "state": state, "counts": self.counts}

    def restore(self, file: ModelFile) -> None:
        most = self.table.used[1]
        self.table = read_qtable(file, self.game)
        self.table.used[1] = most
        state = file.array("state", np.int64, (3,))
        self.counters[:], self.random[:] = state[:2], state[2:]
        self.counts[:] = file.array("counts", np.float64, (qlearn.TALLY,))
        self.episodes = int(self.counters[0])


class NTupleLearner(Learner):
    """Temporal-difference learning of an n-tuple network in self-play, on one or more threads."""

    kind = "ntuple"
    CHUNK = 10_000
    """Rates are set anew after so many episodes."""
    PIECE = 200
    """Episodes that one of several threads takes at a time."""

    def __init__(self, settings: NTuple, game: Game, seed: int, episodes: int, workers: int = 1) -> None:
        self.settings = settings
        self.game = game
        self.seed = seed
        self.network = Network(settings.layout(game, seed), gamma=settings.gamma, tactics=settings.tactics)
        self.traces = np.full((2, self.network.layout.size, 2), TINY, np.float32)
        levels = np.arange(ntuple.STEP_LEVELS) / (ntuple.STEP_LEVELS - 1)
        self.rates = np.exp(settings.coherence * (levels - 1)).astype(np.float32)
        self.alpha = settings.alpha.array(episodes)
        self.epsilon = settings.epsilon.array(episodes)
        self.random = np.array([[derive(seed, "ntuple", worker)] for worker in range(workers)])
        self.counts = np.zeros(ntuple.TALLY)
        self.workers = workers

    def run(self, stage: Stage, count: int, stop: Stop) -> int:
        if stage.opponents != ("self",):
            raise TrainingError(f"ntuple learns from self-play; --opponent {stage} is for qlearning")
        done = 0
        with ThreadPoolExecutor(self.workers) as pool:
            while done < count and not stop.is_set():
                chunk = min(count - done, self.CHUNK - self.episodes % self.CHUNK)
                tallies = np.zeros((self.workers, ntuple.TALLY))
                pieces = queue.SimpleQueue[int]()
                for size in _pieces(chunk, self.PIECE if self.workers > 1 else chunk):
                    pieces.put(size)
                jobs = [pool.submit(self._play_pieces, w, pieces, stop, tallies[w]) for w in range(self.workers)]
                played = sum(job.result() for job in jobs)
                self.counts += tallies.sum(axis=0)
                self.episodes += played
                done += played
        return done

    def _play_pieces(self, worker: int, pieces: queue.SimpleQueue[int], stop: Stop, tally: NDArray[np.float64]) -> int:
        """Take pieces of work until none is left, so that no thread waits for a slower one."""
        played = 0
        while not stop.is_set():
            try:
                size = pieces.get_nowait()
            except queue.Empty:
                break
            played += self._play(worker, size, stop, tally)
        return played

    def _play(self, worker: int, count: int, stop: Stop, tally: NDArray[np.float64]) -> int:
        settings, network = self.settings, self.network
        since = self.episodes // self.CHUNK * self.CHUNK
        rates = [rate_now(schedule, since) for schedule in (self.alpha, self.epsilon)]
        return int(_self_play(
            network.weights, self.traces, *network.tables, network.layout.start, network.layout.unit_of_bit,
            network.rules(coherence=settings.coherence > 0, opening=settings.plies),
            np.array([*rates, settings.gamma, settings.trace, settings.openings]), self.rates,
            self.random[worker], count, stop.flag, tally,
        ))  # fmt: skip

    def tally(self) -> dict[str, float]:
        counts = self.counts
        games = max(1.0, counts[: ntuple.PLIES].sum())
        found = {
            "wins": int(counts[ntuple.FIRST_WINS]),
            "draws": int(counts[ntuple.DRAWS]),
            "losses": int(counts[ntuple.SECOND_WINS]),
            "plies": float(counts[ntuple.PLIES] / games),
            "reward": float((counts[ntuple.FIRST_WINS] - counts[ntuple.SECOND_WINS]) / games),
            "error": float(counts[ntuple.ERRORS] / max(1.0, counts[ntuple.LEARNT])),
        }
        counts[:] = 0
        return found

    def size(self) -> dict[str, int]:
        weights = self.network.weights
        return {"entries": int(np.count_nonzero(weights)), "bytes": weights.nbytes}

    def mind(self, seed: int) -> Mind:
        return NTupleMind(self.network, Stream(seed))

    def header(self) -> dict[str, Any]:
        return self.network.header()

    def arrays(self, slim: bool = False) -> dict[str, NDArray[Any]]:
        if slim:
            return {"half": self.network.weights.astype(np.float16)}
        state = np.array([self.episodes, *self.random[:, 0]])
        return {"weights": self.network.weights, "traces": self.traces, "state": state, "counts": self.counts}

    def restore(self, file: ModelFile) -> None:
        self.network = read_network(file, self.game)
        self.traces = file.array("traces", np.float32, self.traces.shape)
        state = file.array("state", np.int64, (1 + self.workers,))
        self.episodes = int(state[0])
        self.random[:, 0] = state[1:]
        self.counts[:] = file.array("counts", np.float64, (ntuple.TALLY,))


def _pieces(total: int, size: int) -> list[int]:
    """A number cut into pieces of this size and a rest."""
    return [size] * (total // size) + ([total % size] if total % size else [])


def new_learner(given: Agent, game: Game, seed: int, episodes: int, workers: int = 1) -> Learner:
    """A learner of this agent's kind and settings that knows nothing yet."""
    if isinstance(given, QLearning):
        if workers != 1:
            raise TrainingError(f"qlearning trains in one worker, {workers} were asked for; ntuple can use several")
        return QLearner(given.check_training(game), game, seed, episodes)
    if isinstance(given, NTuple):
        return NTupleLearner(given.check_training(game), game, seed, episodes, workers)
    raise TrainingError(f"{given.spec} does not learn; train qlearning or ntuple")
