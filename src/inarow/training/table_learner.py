"""Tabular Q-learning: episodes in the compiled kernel, against compiled opponents or any agent."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.agents import Mind
from inarow.agents.evaluators import Zero, write_evaluator, write_game
from inarow.agents.qlearning import QLearning, QMind
from inarow.kernels.common import search_layout
from inarow.kernels.qlearning import opponents, qgraph, qlearn, qtable
from inarow.models.files import ModelFile
from inarow.models.graph import Graph, list_graph
from inarow.models.qtable import QTable, read_qtable
from inarow.randomness import Stream, derive
from inarow.rules import Game, IllegalMove, Player, Position
from inarow.stopping import Stop
from inarow.training.learner import Learner, TrainingError
from inarow.training.opponents import Stage


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
        self.rewards = np.zeros(qtable.SETTINGS)
        self.rewards[:] = (
            settings.gamma, settings.initial, settings.win, settings.draw, settings.loss, settings.move,
            0.0 if isinstance(settings.reward, Zero) else settings.scale / search_layout.POINTS,
            settings.centre, settings.share,
        )  # fmt: skip
        self.setup = np.zeros(search_layout.SIZE, np.int64)
        write_game(self.setup, game)
        write_evaluator(self.setup, game, settings.reward)
        self.seat = {"first": 0, "second": 1, "both": qlearn.BOTH_SEATS}[settings.seat]
        self.counters = np.zeros(2, np.int64)
        self.random = np.array([derive(seed, "qlearning")])
        self.counts = np.zeros(qlearn.TALLY)
        self.graph_is_new = False
        """Whether the graph holds what the table does."""

    def run(self, stage: Stage, count: int, stop: Stop) -> int:
        graph = self.graph if stage.opponents == ("self",) else None
        done = 0
        if graph is not None:
            done = self._rehearse(graph, count, stop)
        else:
            self.graph_is_new = False
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

    @cached_property
    def graph(self) -> Graph | None:
        """The game as a graph, if it is small and the settings are those that graphs are for."""
        settings = self.settings
        plain = settings.seats == "together" and settings.features == "full" and not settings.centre
        return list_graph(self.table) if plain and self.table.guide == "none" else None

    def _rehearse(self, graph: Graph, count: int, stop: Stop) -> int:
        """Episodes of self-play on a graph; the table then takes what was learnt."""
        if not self.graph_is_new:
            graph.read(self.table)
            self.graph_is_new = True
        path = np.zeros(2 * self.game.cells, np.int32)
        done = qgraph.episodes(
            graph.values.reshape(-1), graph.visits.reshape(-1), graph.legal, graph.choices,
            graph.choice_of_move.reshape(-1), graph.following.reshape(-1), path, self._rules, self.rewards,
            self.alpha, self.epsilon, self.counters, self.random, count, stop.flag, self.counts,
        )  # fmt: skip
        graph.write(self.table)
        return done

    @property
    def _rules(self) -> NDArray[np.int64]:
        settings = self.settings
        return self.table.rules(
            together=settings.seats == "together", backward=settings.sweep == "backward", opening=settings.openings
        )

    def _episodes(
        self, opponents: list[int], line: NDArray[np.int64], given: int, count: int, flag: NDArray[np.int64]
    ) -> int:
        table, folding = self.table, self.table.folding
        return qlearn.episodes(
            table.keys, table.values, table.visits, table.used, self._rules, self.rewards, self.alpha, self.epsilon,
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
            self._episodes([opponents.SELF], line, 0, 1, never)
            return
        seat = number & 1 if self.seat == qlearn.BOTH_SEATS else self.seat
        mind = opponent.mind(self.game, Player(1 - seat), derive(self.seed, "episode", number, "opponent"))
        position = Position.start(self.game)
        given = 0
        try:
            while (found := self._episodes([opponents.OUTSIDE], line, given, 1, never)) < 0:
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
        self.graph_is_new = False
        state = file.array("state", np.int64, (3,))
        self.counters[:], self.random[:] = state[:2], state[2:]
        self.counts[:] = file.array("counts", np.float64, (qlearn.TALLY,))
        self.episodes = int(self.counters[0])
