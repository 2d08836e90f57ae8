"""Temporal-difference learning of an n-tuple network in self-play, on one or more threads."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.agents import Mind
from inarow.agents.ntuple import NTuple, NTupleMind
from inarow.kernels import merging, self_play
from inarow.kernels.rates import rate_now
from inarow.models.files import ModelFile
from inarow.models.network import TINY, Network, read_network
from inarow.models.slimming import half_weights
from inarow.randomness import Stream, derive
from inarow.rules import Game
from inarow.stopping import Stop
from inarow.training.learner import Learner, TrainingError
from inarow.training.opponents import Stage


class NTupleLearner(Learner):
    """Temporal-difference learning of an n-tuple network in self-play, on one or more threads."""

    kind = "ntuple"
    CHUNK = 10_000
    """Rates are set anew after so many episodes of the only thread."""
    SHARE = 20_000
    """Each of several threads plays so many episodes on a copy of the network before the copies are merged."""

    def __init__(self, settings: NTuple, game: Game, seed: int, episodes: int, workers: int = 1) -> None:
        self.settings = settings
        self.game = game
        self.seed = seed
        self.network = Network(settings.layout(game, seed), gamma=settings.gamma, tactics=settings.tactics)
        self.traces = np.full((2, self.network.layout.size, 2), TINY, np.float32)
        levels = np.arange(self_play.STEP_LEVELS) / (self_play.STEP_LEVELS - 1)
        self.rates = np.exp(settings.coherence * (levels - 1)).astype(np.float32)
        self.alpha = settings.alpha.array(episodes)
        self.epsilon = settings.epsilon.array(episodes)
        self.random = np.array([[derive(seed, "ntuple", worker)] for worker in range(workers)])
        self.room = [self.network.room(game.cells) for _ in range(workers)]
        self.counts = np.zeros(self_play.TALLY)
        self.workers = workers
        self._copy()

    @property
    def _round(self) -> int:
        """How many episodes are played at the same rates and, by several threads, before their copies are merged."""
        return self.CHUNK if self.workers == 1 else self.SHARE * self.workers

    def _copy(self) -> None:
        """Give each of several threads a copy of what is learnt; the only one learns in place."""
        weights, traces = self.network.weights.reshape(-1), self.traces.reshape(-1)
        if self.workers == 1:
            self.copies, self.pasts = weights[np.newaxis], traces[np.newaxis]
        else:
            self.copies, self.pasts = (np.tile(array, (self.workers, 1)) for array in (weights, traces))

    def run(self, stage: Stage, count: int, stop: Stop) -> int:
        if stage.opponents != ("self",):
            raise TrainingError(f"ntuple learns from self-play; --opponent {stage} is for qlearning")
        done = 0
        length = self._round
        with ThreadPoolExecutor(self.workers) as pool:
            while done < count and not stop.is_set():
                episodes = min(count - done, length - self.episodes % length)
                played = self._play_shares(pool, episodes, stop)
                self.episodes += played
                done += played
                if self.episodes % length == 0:
                    self._merge()
        return done

    def _play_shares(self, pool: ThreadPoolExecutor, episodes: int, stop: Stop) -> int:
        """Let every thread play its share of the next episodes; how many were played. The shares of a round add up to
        the same, however it is cut up."""
        workers = range(self.workers)
        before = self.episodes
        shares = [(before + episodes + w) // self.workers - (before + w) // self.workers for w in workers]
        # The first adds to the counts at once: their sums then don't depend on how a run is cut up.
        tallies = [self.counts, *np.zeros((self.workers - 1, self_play.TALLY))]
        jobs = [pool.submit(self._play, worker, shares[worker], stop, tallies[worker]) for worker in workers]
        played = sum(job.result() for job in jobs)
        for tally in tallies[1:]:
            self.counts += tally
        return played

    def _merge(self) -> None:
        """Bring together what several threads have learnt on their copies."""
        if self.workers == 1:
            return
        weights, traces = self.network.weights.reshape(-1), self.traces.reshape(-1)
        ends = [weights.size * part // self.workers for part in range(self.workers + 1)]
        with ThreadPoolExecutor(self.workers) as pool:
            for job in [
                pool.submit(merging.merge, weights, traces, self.copies, self.pasts, begin, end)
                for begin, end in itertools.pairwise(ends)
            ]:
                job.result()

    def _play(self, worker: int, count: int, stop: Stop, tally: NDArray[np.float64]) -> int:
        settings, network = self.settings, self.network
        since = self.episodes // self._round * self._round
        rates = [rate_now(schedule, since) for schedule in (self.alpha, self.epsilon)]
        opening = settings.longest_opening(self.game)
        switches = (settings.coherence > 0, settings.openings, opening, settings.final)
        steps = np.array([*rates, settings.gamma, settings.trace, *switches])
        return self_play.self_play(
            self.copies[worker], network.layout.tables, network.rules, *self.room[worker],
            self.pasts[worker], self.rates, steps, self.random[worker], count, stop.flag, tally,
        )  # fmt: skip

    def tally(self) -> dict[str, float]:
        counts = self.counts
        games = max(1.0, counts[: self_play.PLIES].sum())
        found = {
            "wins": int(counts[self_play.FIRST_WINS]),
            "draws": int(counts[self_play.DRAWS]),
            "losses": int(counts[self_play.SECOND_WINS]),
            "plies": float(counts[self_play.PLIES] / games),
            "reward": float((counts[self_play.FIRST_WINS] - counts[self_play.SECOND_WINS]) / games),
            "error": float(counts[self_play.ERRORS] / max(1.0, counts[self_play.LEARNT])),
        }
        counts[:] = 0
        return found

    def size(self) -> dict[str, int]:
        weights = self.network.weights
        return {"entries": int(np.count_nonzero(weights)), "bytes": weights.nbytes}

    def mind(self, seed: int) -> Mind:
        self._merge()
        return NTupleMind(self.network, Stream(seed))

    def header(self) -> dict[str, Any]:
        return self.network.header()

    def arrays(self, slim: bool = False) -> dict[str, NDArray[Any]]:
        self._merge()
        if slim:
            return {"half": half_weights(self.network, self.traces)}
        state = np.array([self.episodes, *self.random[:, 0]])
        return {"weights": self.network.weights, "traces": self.traces, "state": state, "counts": self.counts}

    def restore(self, file: ModelFile) -> None:
        self.network = read_network(file, self.game)
        self.traces = file.array("traces", np.float32, self.traces.shape)
        state = file.array("state", np.int64, (1 + self.workers,))
        self.episodes = int(state[0])
        self.random[:, 0] = state[1:]
        self.counts[:] = file.array("counts", np.float64, (self_play.TALLY,))
        self._copy()
