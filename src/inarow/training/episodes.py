"""The log of a training: the result, the reward and the length of every episode."""

from __future__ import annotations

import csv
from array import array
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from inarow.models.files import ModelError, ModelFile

RESULTS = {1: "win", 0: "draw", -1: "loss", 2: "none"}
"""Of the learner, in self-play of the first player; none: the episode was broken off."""


class EpisodeLog:
    """Episodes in order, from ``first`` on, which is above 1 if those before it were not logged."""

    def __init__(self, first: int = 1) -> None:
        self.first = first
        self.results, self.rewards, self.plies = array("b"), array("f"), array("h")

    def __len__(self) -> int:
        return len(self.results)

    def add(self, result: int, reward: float, plies: int) -> None:
        """Add an episode."""
        self.results.append(result)
        self.rewards.append(reward)
        self.plies.append(plies)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what a model file keeps."""
        return {
            "log_first": np.array([self.first]),
            "log_results": np.array(self.results, np.int8),
            "log_rewards": np.array(self.rewards, np.float32),
            "log_plies": np.array(self.plies, np.int16),
        }

    def write(self, out: IO[str]) -> None:
        """Write one row for each episode as CSV."""
        writer = csv.writer(out)
        writer.writerow(["episode", "result", "reward", "plies"])
        rows = zip(self.results, self.rewards, self.plies, strict=True)
        for number, (result, reward, plies) in enumerate(rows, self.first):
            writer.writerow([number, RESULTS[result], f"{reward:.6g}", plies])


def read_log(file: ModelFile) -> EpisodeLog | None:
    """Return the log in a model file, or None if it has none."""
    if not file.has("log_results"):
        return None
    log = EpisodeLog(int(file.array("log_first", np.int64, (1,))[0]))
    results = file.array("log_results", np.int8, (None,))
    rewards, plies = (
        file.array(name, kind, results.shape) for name, kind in (("log_rewards", np.float32), ("log_plies", np.int16))
    )
    known = np.isin(results, list(RESULTS)).all() and np.isfinite(rewards).all() and (plies >= 0).all()
    if not known or log.first < 1 or log.first - 1 + len(results) > file.header["episodes"]:
        raise ModelError(f"{file.path}: its log of episodes is damaged")
    log.results, log.rewards, log.plies = (
        array(kind, values.tolist()) for kind, values in (("b", results), ("f", rewards), ("h", plies))
    )
    return log
