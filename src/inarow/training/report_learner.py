"""The learners of four reports, as their programs learn; with their errors if asked for.

One episode is one match. What its turns teach, and when, is in `report_programs`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.agents import Agent, Mind, agent
from inarow.agents.evaluators import new_setup
from inarow.agents.qlearning import QLearning
from inarow.agents.report_learners import ReportMind, choose
from inarow.agents.schedules import Schedule
from inarow.kernels.common.evaluate import points_of
from inarow.kernels.common.setup import POINTS
from inarow.kernels.qlearning.rates import rate_now
from inarow.models.files import ModelError, ModelFile
from inarow.models.report_table import ReportTable, read_report_table
from inarow.randomness import Stream, derive
from inarow.rules import Game, IllegalMove, Outcome, Player, Position
from inarow.stopping import Stop
from inarow.training.learner import Learner, Rates
from inarow.training.opponents import SEATS, Stage, TrainingError
from inarow.training.report_programs import PROGRAMS, Program

ALONE = ("r1", "r3")
"""Whose learners play against themselves, too."""


class ReportLearner(Learner):
    """Tabular Q-learning as one of the reports has it."""

    kind = "qlearning"
    rates: Rates

    def __init__(self, report: str, settings: QLearning, game: Game, seed: int, episodes: int) -> None:
        self.report, self.settings, self.game, self.seed = report, settings, game, seed
        share = settings.share if settings.guide == "threats" else 0.0
        reduced = settings.features == "reduced"
        self.table = ReportTable(game, report, reduced=reduced, share=share, faults=settings.faults)
        self.stream = Stream(derive(seed, "report", report))
        self.set_rates(Rates(settings.alpha, settings.epsilon, episodes))
        self.seats = SEATS.get(settings.seat, (Player.FIRST, Player.SECOND))
        self.seat = settings.seat
        self._setup = new_setup(game, settings.reward)
        self.program = PROGRAMS[report](self)
        self.counts = dict.fromkeys(_COUNTED, 0.0)
        self._agents: dict[str, Agent] = {}
        self.opponent_seconds = 0.0

    def set_rates(self, rates: Rates) -> None:
        self.rates = rates
        self._alpha, self._epsilon = (one.array(rates.length) for one in (rates.alpha, rates.epsilon))
        self._alpha[4] = self._epsilon[4] = 0  # what is counted is handed in
        self.alpha = self._now(rates.alpha, self._alpha)

    def _now(self, schedule: Schedule, rate: NDArray[np.float64]) -> float:
        rates = self.rates
        done = self.moves - rates.moves if schedule.by_move else self.episodes - rates.episodes
        return float(rate_now(rate, done))

    @property
    def epsilon(self) -> float:
        """The chance to explore now."""
        rate = self._now(self.rates.epsilon, self._epsilon)
        return int(10 * rate + 1e-9) / 10 if "tenths" in self.settings.faults else rate

    def points(self, position: Position) -> float:
        """What an evaluator adds to the reward of the side to move."""
        found = int(points_of(self._setup, position.mover, position.waiter))
        return self.settings.scale * found / POINTS

    def run(self, stage: Stage, count: int, stop: Stop) -> int:
        self.seat = stage.seat or self.settings.seat
        self.seats = SEATS.get(self.seat, (Player.FIRST, Player.SECOND))
        done = 0
        while done < count and not stop.is_set():
            index = self.stream.below(len(stage.opponents)) if len(stage.opponents) > 1 else 0
            self.episode(stage.opponents[index])
            done += 1
        return done

    def episode(self, opponent: str) -> Outcome | None:
        """One match against an opponent; None if an error of the report's ended it early."""
        if opponent == "self" and self.report not in ALONE:
            raise TrainingError(
                f"qlearning:preset={self.report} learns against an opponent, not from self-play; give --opponent, or "
                "qlearning without a preset"
            )
        self.alpha = self._now(self.rates.alpha, self._alpha)
        self.program.gained = 0.0
        self.program.begin()
        outcome = self._against_itself() if opponent == "self" else self._against(opponent)
        self.episodes += 1
        return outcome

    def _against(self, opponent: str) -> Outcome | None:
        if opponent not in self._agents:
            self._agents[opponent] = agent(opponent)
        other = self._agents[opponent]
        seat, program = self._seat(), self.program
        mind = other.mind(self.game, seat.other, derive(self.seed, "episode", self.episodes))
        position = Position.start(self.game)
        if seat and program.opens_at_random:
            position = position.play(self.stream.choice(position.legal_moves()))
        try:
            while (outcome := position.outcome()) is None:
                if position.to_move is seat:
                    position = self._turn(program, position)
                    continue
                decision = mind.decide(position)
                move = decision.move
                self.opponent_seconds += decision.seconds
                begun = position.ply > seat  # the learner has made a move to learn
                if move == 0 and program.ends_at_column_0 and begun:
                    program.answered(position, ended=True)
                    self._count(None, seat, position)
                    return None
                position = position.play(move)
                if position.outcome() is None and begun:
                    program.answered(position)
        except IllegalMove as error:
            raise TrainingError(f"the opponent {opponent} can't play on: {error}") from None
        finally:
            mind.close()
        program.over(outcome, seat, position)
        self._count(outcome, seat, position)
        return outcome

    def _against_itself(self) -> Outcome:
        """Both seats learn: each from its own turns, or one program from all."""
        if self.program.learns_alone:
            return self._alone()
        programs = [PROGRAMS[self.report](self) for _ in Player]
        for program in programs:
            program.begin()
        position = Position.start(self.game)
        position = position.play(self.stream.choice(position.legal_moves()))
        while (outcome := position.outcome()) is None:
            position = self._turn(programs[position.to_move], position)
        for player in Player:
            programs[player].over(outcome, player, position)
        self._count(outcome, Player.FIRST, position)
        return outcome

    def _alone(self) -> Outcome:
        position = Position.start(self.game)
        while (outcome := position.outcome()) is None:
            position = self._turn(self.program, position)
            self.program.alone(position)
        self._count(outcome, Player.FIRST, position)
        return outcome

    def _turn(self, program: Program, position: Position) -> Position:
        choice = choose(self.table, self.settings, position, self.stream, self.epsilon)
        program.played(position, choice.move, choice.rule)
        self.moves += not choice.rule
        return position.play(choice.move)

    def _seat(self) -> Player:
        seats = {"first": 0, "second": 1, "both": self.episodes & 1}
        return Player(seats[self.seat] if self.seat in seats else self.stream.below(2))

    def _count(self, outcome: Outcome | None, seat: Player, last: Position) -> None:
        score = None if outcome is None else outcome.score(seat)
        names = {1.0: "wins", 0.5: "draws", 0.0: "losses", None: "cut_short"}
        self.counts[names[score]] += 1
        self.counts["plies"] += last.ply
        reward = 0.0 if outcome is None else self.program.result(outcome, seat)
        self.counts["rewards"] += reward
        if self.log is not None:
            self.log.add(2 if score is None else int(2 * score - 1), self.program.gained + reward, last.ply)

    def tally(self) -> dict[str, float]:
        counts, self.counts = self.counts, dict.fromkeys(_COUNTED, 0.0)
        episodes = max(1.0, sum(counts[name] for name in _COUNTED[:4]))
        found: dict[str, float] = {name: int(counts[name]) for name in _COUNTED[:3]}
        found |= {"plies": counts["plies"] / episodes, "reward": counts["rewards"] / episodes}
        return found | {"error": counts["errors"] / max(1.0, counts["updates"])}

    def size(self) -> dict[str, int]:
        return {"entries": len(self.table), "bytes": self.table.nbytes}

    def mind(self, seed: int) -> Mind:
        return ReportMind(self.table, self.settings, Stream(seed))

    def header(self) -> dict[str, Any]:
        return self.table.header()

    def arrays(self, slim: bool = False) -> dict[str, NDArray[Any]]:
        arrays = self.table.arrays(slim)
        if slim:
            return arrays
        (first, second), move = self.program.last or ((0, 0), -1)
        state = [self.episodes, self.moves, self.stream.state, first, second, move]
        return {**arrays, "state": np.array(state), "counts": np.array(list(self.counts.values()))}

    def restore(self, file: ModelFile) -> None:
        table = read_report_table(file, self.game)
        if table.header() != self.table.header():
            raise ModelError(f"{file.path}: its table is not the one that its settings describe; it can't be resumed")
        state = file.array("state", np.int64, (6,)).tolist()
        counts = file.array("counts", np.float64, (len(_COUNTED),))
        if min(state[:5]) < 0 or state[0] != file.header["episodes"] or not np.isfinite(counts).all():
            raise ModelError(f"{file.path}: the state of its training is damaged; start again without --resume")
        self.table = self.program.table = table
        self.episodes, self.moves, self.stream.state = state[:3]
        self.program.last = ((state[3], state[4]), state[5]) if state[5] >= 0 else None
        self.counts = dict(zip(_COUNTED, counts.tolist(), strict=True))


_COUNTED = ("wins", "draws", "losses", "cut_short", "plies", "rewards", "errors", "updates")
