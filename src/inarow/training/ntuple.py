"""Temporal-difference learning of an n-tuple network, in self-play on one or more threads or against other agents."""

from __future__ import annotations

import functools
import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from inarow.agents import Agent, Mind
from inarow.agents.ntuple import NTupleMind
from inarow.agents.parameters import AgentError, integer, number, string, switch
from inarow.kernels import td
from inarow.kernels.ntuple import Net
from inarow.kernels.qlearning import rate_now
from inarow.kernels.td import Coherence, Log, Settings
from inarow.models.files import MAX_ARRAY, ModelError, ModelFile
from inarow.models.loading import half_weights
from inarow.models.network import Layout, Network, memory_entries, random_walks, read_network, read_weights, shapes
from inarow.randomness import Stream, derive
from inarow.rules import Game, IllegalMove, Player, Position
from inarow.stopping import Stop
from inarow.training.opponents import SEATS, RateLike, Stage, TrainingError, as_schedule, rate
from inarow.training.trainer import Learner, Rates, Trainer

if TYPE_CHECKING:
    from inarow.arena import Executor

_NO_TRACES = np.empty(0, np.float32)


@dataclass(frozen=True)
class NTuple(Trainer):
    """Learn an n-tuple network by temporal differences."""

    name = "ntuple"
    summary = "temporal-difference learning of an n-tuple network"
    tuples: int = integer(
        0,
        "number of tuples, each a random walk over neighbouring cells; 0: lines, rows, columns and blocks",
        low=0,
        high=1000,
    )
    length: int = integer(8, "cells of a random walk", low=1, high=12)
    cells: str = string("", "explicit tuples, such as 1-2-3/4-5-6, cells row by row from the top left")
    threats: bool = switch(True, "add features for the winning cells of each pair of columns (boards with gravity)")
    memory: bool = switch(True, "add an entry for each position (boards with gravity)")
    alpha: RateLike = rate("0.026", "learning rate of a weight")  # noqa: RUF009
    coherence: float = number(
        2.7, "temporal coherence: slow down weights whose steps cancel out; 0: off", low=0, high=20
    )
    gamma: float = number(0.99, "discount factor per ply", low=0, high=1)
    lam: float = number(0.8, "trace decay λ of TD(λ)", 0, 1, spelling="lambda")
    epsilon: RateLike = rate("0.05", "probability of a random move in training")  # noqa: RUF009
    opening_share: float = number(0.6, "share of the episodes that start with random plies", low=0, high=1)
    opening_plies: int = integer(0, "maximum random plies of such an opening; 0: a fifth of the cells", low=0, high=40)
    final: bool = switch(True, "final adaptation: the last position learns how the game ended, for both sides")
    average: float = number(
        0.2,
        "play with the weights averaged over this last share of training; 0: the latest weights",
        low=0,
        high=1,
    )
    tactics: bool = switch(True, "wins, forced blocks and double threats are computed, not learnt")

    def __post_init__(self) -> None:
        super().__post_init__()
        rates = as_schedule(self.alpha), as_schedule(self.epsilon)
        if any(one.kind == "visits" for one in rates):
            raise AgentError("trainer ntuple: visits(…) is for tables; use a number, decay or linear")
        if any(one.by_move for one in rates):
            raise AgentError("trainer ntuple: rates change by episode; remove ,moves from decay(…)")

    def layout(self, game: Game, seed: int) -> Layout:
        """Return the layout of the network: from given tuples, random walks or shapes."""
        if self.cells:
            try:
                tuples = tuple(tuple(int(cell) - 1 for cell in part.split("-")) for part in self.cells.split("/"))
            except ValueError:
                raise AgentError(f"trainer ntuple: cells={self.cells} is not a list such as 1-2-3/4-5-6") from None
        elif self.tuples:
            tuples = random_walks(game, self.tuples, self.length, Stream(derive(seed, "tuples")))
        else:
            tuples = shapes(game)
        memory = memory_entries(game) if self.memory and game.gravity else 0
        return Layout(game, tuples, self.threats and game.gravity, memory)

    def how(self, game: Game, alpha: float, epsilon: float) -> Settings:
        """Return the settings as kernels read them, with these rates."""
        return Settings(
            alpha=alpha,
            epsilon=epsilon,
            gamma=float(self.gamma),
            lam=float(self.lam),
            opening_share=float(self.opening_share),
            longest_opening=self.opening_plies or game.cells // 5,
            coherent=self.coherence > 0,
            final=self.final,
        )

    def learner(
        self, game: Game, seed: int, episodes: int, workers: int | None = None, pool: Executor | None = None
    ) -> NTupleLearner:
        return NTupleLearner(self, game, seed, episodes, workers, pool)


class _Workspace:
    """Buffers for playing matches and logging positions to learn from."""

    def __init__(self, network: Network, positions: int) -> None:
        self.work = network.work(positions)
        self.log = Log(self.work.index, np.zeros(positions), np.zeros(positions, np.int64))
        self.rows = 0
        """Positions logged."""

    def copy(self, shape: tuple[int, int]) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int64]]:
        """Return a copy of the log; ``shape`` is the offset of the indices and their number per row."""
        begin, width = shape
        index, targets, sides = self.log
        return index[begin : begin + self.rows * width].copy(), targets[: self.rows].copy(), sides[: self.rows].copy()

    def append(self, shape: tuple[int, int], index: Any, targets: Any, sides: Any) -> None:
        """Append the log that `copy` returned in another process."""
        begin, width = shape
        end = self.rows + len(targets)
        self.log.index[begin + self.rows * width : begin + end * width] = index
        self.log.targets[self.rows : end] = targets
        self.log.sides[self.rows : end] = sides
        self.rows = end


Shard = tuple[int, int, int]
"""Its number, the episodes to play, and the state of its random stream."""


def play_shards(state: tuple[Any, ...], shards: list[Shard]) -> list[tuple[Any, ...]]:
    """Play shards of a batch in a worker, with a learner in this state.

    Return each shard's random state, tally and log.
    """
    settings, game, seed, rates, episodes, weights = state
    learner = _learner(settings, game, seed, rates.length)
    learner.rates, learner.episodes, learner._seen = rates, episodes, weights
    found: list[tuple[Any, ...]] = []
    for shard, count, random in shards:
        space, tally = learner._logs[shard], np.zeros(td.TALLY)
        space.rows, learner.random[shard, 0] = 0, random
        learner._play(shard, count, Stop(), tally)
        found.append((int(learner.random[shard, 0]), tally, *space.copy(learner._log_shape)))
    return found


@functools.lru_cache(maxsize=1)
def _learner(settings: NTuple, game: Game, seed: int, episodes: int) -> NTupleLearner:
    return NTupleLearner(settings, game, seed, episodes, workers=1)


class NTupleLearner(Learner):
    """Temporal-difference learning of an n-tuple network, on one or more threads.

    Without workers it learns after every match. With workers it learns in batches: the matches of a batch are played
    with a copy of the weights, while it learns from the batch before. A batch is divided into shards, each with its own
    random stream, so the result does not depend on the number of threads.

    Weights fluctuate during training, so the finished network has their running average over the last part of all
    rounds (``average``), as of the last full round, or the weights themselves if that part is less than a round.
    """

    kind = "ntuple"
    rates: Rates
    ROUND = 10_000
    """Episodes between two updates of the rates and of the averaged weights."""
    BATCH = 2_500
    """Episodes that workers play with the same copy of the weights; a round is a multiple of it."""
    SHARDS = 10
    """Parts of a batch that threads play independently of each other."""

    def __init__(
        self,
        settings: NTuple,
        game: Game,
        seed: int,
        episodes: int,
        workers: int | None = None,
        pool: Executor | None = None,
    ) -> None:
        self.settings = settings
        self.game = game
        self.seed = seed
        self.workers = workers = 1 if pool is not None else workers
        self.pool = pool
        """If set, plays the matches of a batch instead of threads of this process."""
        self.step = 1 if pool is None else self.BATCH
        self.network = Network(settings.layout(game, seed), gamma=settings.gamma, tactics=settings.tactics)
        self.average = self.network.weights.copy()
        self.traces = np.full((2, self.network.layout.size, 2), td.TINY, np.float32)
        levels = np.arange(td.STEP_LEVELS) / (td.STEP_LEVELS - 1)
        self.coherence = np.exp(settings.coherence * (levels - 1)).astype(np.float32)
        self.rates = Rates(as_schedule(settings.alpha), as_schedule(settings.epsilon), episodes)
        shards = 1 if workers is None else self.SHARDS
        self.random = np.array([[derive(seed, "ntuple", shard)] for shard in range(shards)])
        self.counts = np.zeros(td.TALLY)
        most = [1] if workers is None else [max(1, share) for share in self._shares(0, self.BATCH)]
        self._logs = [_Workspace(self.network, game.cells * share) for share in most]
        self._waiting = [] if workers is None else [_Workspace(self.network, game.cells * share) for share in most]
        self._renew()

    def set_rates(self, rates: Rates) -> None:
        self.rates = rates

    def _renew(self) -> None:
        """Play with the current weights (always the case without workers)."""
        self._seen = self.network.weights if self.workers is None else self.network.weights.copy()

    def run(self, stage: Stage, count: int, stop: Stop) -> int:
        if stage.opponents != ("self",):
            return self._meet(stage, count, stop)
        if self.log is not None and self.workers is not None:
            raise TrainingError("episodes can be logged only without workers; omit them")
        done = 0
        length = self.ROUND if self.workers is None else self.BATCH
        with ThreadPoolExecutor(self.workers or 1) as pool:
            while done < count and not stop.is_set():
                wanted = 1 if self.log is not None else min(count - done, length - self.episodes % length)
                before = self.counts.copy()
                played = self._play_and_learn(pool, wanted, stop)
                if played:
                    self._log_episode(before)
                self.episodes += played
                done += played
                if played < wanted:  # stopped: the shards may be unequal, so that the next batch would not fit the logs
                    self._catch_up()
                    break
                if self.workers is not None and self.episodes % self.BATCH == 0:
                    self._logs, self._waiting = self._waiting, self._logs
                    self._renew()
                if self.episodes % self.ROUND == 0:
                    self._blend()
        return done

    def _log_episode(self, before: NDArray[np.float64]) -> None:
        """Log the episode since the tally was ``before``, if episodes are logged."""
        if self.log is not None:
            sums = self.counts - before
            result = int(sums[td.FIRST_WINS] - sums[td.SECOND_WINS])
            self.log.add(result, result, int(sums[td.PLIES]))

    def _meet(self, stage: Stage, count: int, stop: Stop) -> int:
        """Learn from episodes against other agents, alternating seats or in the stage's seat."""
        self.seats = SEATS[stage.seat or "both"]
        done = 0
        while done < count and not stop.is_set():
            number = self.episodes
            random = Stream(derive(self.seed, "episode", number))
            opponent = stage.agent(random.below(len(stage.opponents)))
            before = self.counts.copy()
            if opponent is not None:
                self._episode(opponent, self.seats[number % len(self.seats)], random)
            elif not self._play(0, 1, stop, self.counts):
                break
            self._log_episode(before)
            done += 1
            self.episodes = number + 1
            if self.episodes % self.ROUND == 0:
                self._blend()
        return done

    def _episode(self, opponent: Agent, seat: Player, random: Stream) -> None:
        """Play a match against an agent and learn from it."""
        epsilon = self._rates_now()[1]
        position, cells = Position.start(self.game), list[int]()
        own = NTupleMind(self.network, random)
        other = opponent.mind(self.game, seat.other, derive(self.seed, "opponent", self.episodes))
        try:
            while position.outcome() is None:
                if position.to_move is seat:
                    explores = random.uniform() < epsilon
                    move = random.choice(position.legal_moves()) if explores else own.decide(position).move
                else:
                    move = other.decide(position).move
                try:
                    after = position.play(move)
                except IllegalMove as error:
                    raise TrainingError(f"the opponent {opponent.spec} can't play on: {error}") from None
                cells.append(after.occupied ^ position.occupied)
                position = after
        finally:
            other.close()
        space = self._logs[0]
        td.learn_match(
            self._net(), space.work, space.log, *self._how_to_learn(), np.array(cells), int(seat), self.counts
        )

    def _shares(self, begin: int, end: int) -> list[int]:
        """Return the number of episodes from ``begin`` to ``end`` of a batch in each shard."""
        bounds = [self.BATCH * shard // self.SHARDS for shard in range(self.SHARDS + 1)]
        return [max(0, min(end, last) - max(begin, first)) for first, last in itertools.pairwise(bounds)]

    def _play_and_learn(self, pool: ThreadPoolExecutor, episodes: int, stop: Stop) -> int:
        """Play the next episodes; return how many were played."""
        if self.workers is None:
            return self._play(0, episodes, stop, self.counts)
        begin = self.episodes % self.BATCH
        shares = self._shares(begin, begin + episodes)
        tallies = np.zeros((self.SHARDS, td.TALLY))
        learnt = pool.submit(self._learn, self._waiting)
        if self.pool is not None:
            played = self._play_away(self.pool, shares, tallies)
        else:
            jobs = [pool.submit(self._play, shard, shares[shard], stop, tallies[shard]) for shard in range(self.SHARDS)]
            played = sum(job.result() for job in jobs)
        self.counts += tallies.sum(axis=0)
        self.counts[td.ERRORS] += learnt.result()
        return played

    def _rates_now(self) -> list[float]:
        rates = self.rates
        done = max(0, self.episodes // self.ROUND * self.ROUND - rates.episodes)
        return [rate_now(schedule.array(rates.length), done) for schedule in (rates.alpha, rates.epsilon)]

    def _play(self, shard: int, count: int, stop: Stop, tally: NDArray[np.float64]) -> int:
        space = self._logs[shard]
        played, space.rows = td.self_play(
            self._net(), space.work, space.log, *self._how_to_learn(), self.random[shard], count, space.rows, stop.flag,
            tally,
        )  # fmt: skip
        return played

    def _play_away(self, pool: Executor, shares: list[int], tallies: NDArray[np.float64]) -> int:
        """Play the next episodes on other machines and append their logs; return how many were played."""
        state = self.settings, self.game, self.seed, self.rates, self.episodes, self._seen
        groups = [range(first, self.SHARDS, pool.size) for first in range(min(pool.size, self.SHARDS))]
        shards = [[(shard, shares[shard], int(self.random[shard, 0])) for shard in group] for group in groups]
        results = list(pool.map(play_shards, itertools.repeat(state), shards))  # a whole batch or nothing
        for group, found in zip(groups, results, strict=True):
            for shard, (self.random[shard, 0], tallies[shard], *log) in zip(group, found, strict=True):
                self._logs[shard].append(self._log_shape, *log)
        return sum(shares)

    @property
    def _log_shape(self) -> tuple[int, int]:
        """Offset of the rows of a log, and their length."""
        layout = self.network.layout
        width = layout.features + layout.wide_features
        return layout.features + width, width

    def _how_to_learn(self) -> tuple[Coherence, Settings]:
        """Return the settings of episodes as kernels read them; workers play without learning."""
        traces = self.traces.reshape(-1) if self.workers is None else _NO_TRACES
        return Coherence(traces, self.coherence), self.settings.how(self.game, *self._rates_now())

    def _net(self) -> Net:
        return self.network.net._replace(weights=self._seen.reshape(-1))

    def _learn(self, logs: list[_Workspace]) -> float:
        """Learn from the log and clear it; return the sum of absolute errors."""
        layout, alpha = self.network.layout, self._rates_now()[0]
        coherence = Coherence(self.traces.reshape(-1), self.coherence)
        errors = 0.0
        for space in logs:
            errors += td.adapt(
                self.network.weights.reshape(-1), coherence, space.log, *self._log_shape, space.rows, alpha,
                self.settings.coherence > 0, layout.memory > 0,
            )  # fmt: skip
            space.rows = 0
        return errors

    def _catch_up(self) -> None:
        """Learn from all episodes played."""
        if self.workers is not None:
            self.counts[td.ERRORS] += self._learn([*self._waiting, *self._logs])
            self._renew()

    def _is_averaged(self, rounds: int) -> bool:
        """Return True if the part of the rounds that is averaged over is at least one round."""
        return rounds * self.settings.average >= 1

    def _blend(self) -> None:
        """Include the weights at the end of a round in their average, which begins as a copy of them."""
        rounds = self.episodes // self.ROUND
        if not self._is_averaged(rounds):
            return
        if self._is_averaged(rounds - 1):
            part = 1 / (rounds * self.settings.average)
            td.blend(self.average.reshape(-1), self.network.weights.reshape(-1), part)
        else:
            self.average[:] = self.network.weights

    @property
    def played(self) -> Network:
        """The network that plays: the average of the latest weights."""
        self._catch_up()
        network = self.network
        if not self._is_averaged(self.episodes // self.ROUND):
            return network
        return Network(network.layout, gamma=network.gamma, tactics=network.tactics, weights=self.average)

    def tally(self) -> dict[str, float]:
        counts = self.counts
        games = max(1.0, counts[: td.PLIES].sum())
        found = {
            "wins": int(counts[td.FIRST_WINS]),
            "draws": int(counts[td.DRAWS]),
            "losses": int(counts[td.SECOND_WINS]),
            "plies": float(counts[td.PLIES] / games),
            "reward": float((counts[td.FIRST_WINS] - counts[td.SECOND_WINS]) / games),
            "error": float(counts[td.ERRORS] / max(1.0, counts[td.UPDATES])),
        }
        counts[:] = 0
        return found

    def size(self) -> dict[str, int]:
        weights = self.network.weights
        return {"entries": int(np.count_nonzero(weights)), "bytes": weights.nbytes}

    def mind(self, seed: int) -> Mind:
        return NTupleMind(self.played, Stream(seed))

    def header(self) -> dict[str, Any]:
        return self.network.header()

    def arrays(self, slim: bool = False) -> dict[str, NDArray[Any]]:
        played = self.played
        if slim:
            return {"half": half_weights(played, self.traces)}
        latest = {} if played is self.network else {"latest": self.network.weights}
        state = np.array([self.episodes, *self.random[:, 0]])
        return {"weights": played.weights, **latest, "traces": self.traces, "state": state, "counts": self.counts}

    def restore(self, file: ModelFile) -> None:
        network = read_network(file, self.game)
        # Traces and logs have the size of the plan's network; another one would be indexed out of bounds.
        if network.header() != self.network.header():
            raise ModelError(f"{file.path}: its network does not match its settings; it can't be resumed")
        average = network.weights.copy()
        if file.has("latest"):
            network.weights = read_weights(file, "latest", network.layout)
        traces = file.array("traces", np.float32, self.traces.shape, most=2 * MAX_ARRAY)
        state = file.array("state", np.int64, (1 + len(self.random),))
        sums = file.array("counts", np.float64, (td.TALLY,))
        net, gross = np.abs(traces[..., td.NET]), traces[..., td.GROSS]
        # Kernels look up rates by net / gross without bounds checks.
        sound = (gross > 0).all() and (net <= gross).all() and np.isfinite(gross).all() and (state >= 0).all()
        if not (sound and state[0] == file.header["episodes"] and np.isfinite(sums).all()):
            raise ModelError(f"{file.path}: the state of its training is damaged; start again without --resume")
        self.network, self.average, self.traces = network, average, traces
        self.episodes = int(state[0])
        self.random[:, 0] = state[1:]
        self.counts[:] = sums
        self._renew()
