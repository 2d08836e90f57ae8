"""The learners of four reports as their programs learn, with their errors where they are asked for.

One episode is one match. What an episode's turns teach, and when, is a class for each report.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from inarow.agents import Agent, Mind, agent
from inarow.agents.evaluators import write_evaluator, write_game
from inarow.agents.qlearning import QLearning
from inarow.agents.report_learners import ReportMind, choose
from inarow.kernels.common import search_layout
from inarow.kernels.common.evaluate import points_of
from inarow.kernels.qlearning.rates import rate_now
from inarow.models.files import ModelError, ModelFile
from inarow.models.report_table import Key, ReportTable, read_report_table
from inarow.randomness import Stream, derive
from inarow.rules import Game, IllegalMove, Outcome, Player, Position
from inarow.stopping import Stop
from inarow.training.learner import Learner, TrainingError
from inarow.training.opponents import Stage

Pair = tuple[Key, int]


class Program:
    """How one report's learner learns from its turns. A subclass completes it."""

    opens_at_random: ClassVar[bool] = False
    """Whether the first stone against it, in the second seat, is any."""

    def __init__(self, learner: ReportLearner) -> None:
        self.learner, self.table, self.settings = learner, learner.table, learner.settings
        self.ends_at_column_0 = False
        self.last: Pair | None = None
        """What R2 keeps between turns, and with an error between games."""

    def begin(self) -> None:
        """A game begins."""

    def played(self, position: Position, move: int, rule: str) -> None:
        """It moved; ``rule``: by which rule, if by one."""

    def answered(self, after: Position, ended: bool = False) -> None:
        """The opponent replied, and it is its turn again; ``ended``: the episode breaks off here."""

    def over(self, outcome: Outcome, player: Player, last: Position) -> None:
        """The game ended; ``player``: its seat, ``last``: the final position."""

    def result(self, outcome: Outcome, player: Player) -> float:
        """The reward of an ending."""
        settings = self.settings
        return settings.draw if outcome.winner is None else settings.win if outcome.winner is player else settings.loss

    def learn(self, pair: Pair, target: float) -> None:
        """Move a pair's value towards a target."""
        error = self.table.move_towards(*pair, target, self.learner.alpha)
        self.learner.counts["errors"] += abs(error)
        self.learner.counts["updates"] += 1


class R1(Program):
    """One update for each own turn, after the reply; in Tic Tac Toe of eight symmetric pairs."""

    opens_at_random = True

    def __init__(self, learner: ReportLearner) -> None:
        super().__init__(learner)
        self.turn: tuple[Position, int] | None = None
        self.images: dict[Key, list[Key]] = {}
        board = learner.game
        maps = board.cell_symmetries if self.settings.symmetries else board.cell_symmetries[:1]
        self.maps = list(maps)
        if "eighth-symmetry" in self.settings.faults:
            transposed = next(m for m in maps if m[0] == 0 and m[1] == board.columns)
            corner = board.columns - 1  # stays where it is when boards are reflected at the other diagonal
            self.maps = [transposed if m[corner] == corner and m[0] == board.cells - 1 else m for m in maps]
        self.ends_at_column_0 = "column-0" in self.settings.faults

    def played(self, position: Position, move: int, rule: str) -> None:
        self.turn = position, move

    def answered(self, after: Position, ended: bool = False) -> None:
        self._update(self.settings.move + self.settings.gamma * (0.0 if ended else self.table.best(after)))

    def over(self, outcome: Outcome, player: Player, last: Position) -> None:
        self._update(self.result(outcome, player))

    def _update(self, target: float) -> None:
        assert self.turn is not None
        position, move = self.turn
        if len(self.maps) == 1:
            self.learn((self.table.key(position), move), target)
            return
        key = self.table.key(position)
        if key not in self.images:
            self.images[key] = [self.table.key(image) for image in position.symmetries()]
        for image, cells in zip(self.images[key], self.maps, strict=True):
            self.learn((image, cells[move]), target)


class R2(Program):
    """A pair is updated at its next turn; in Connect 4 by an evaluation of the board that it finds then."""

    def begin(self) -> None:
        if "no-end" not in self.settings.faults:
            self.last = None

    def played(self, position: Position, move: int, rule: str) -> None:
        faults = self.settings.faults
        key = self.table.key(position)
        row = self.table.rows.setdefault(key, {})
        for legal in position.legal_moves():
            row.setdefault(legal, 0.0)
        if rule and "outright" in faults:
            row[move] = {"win": 100.0, "block": 80.0}[rule]
        if not (rule and "skips" in faults):
            self.update(self.learner.points(position) + self.settings.gamma * max(row.values()))
        self.last = key, move

    def over(self, outcome: Outcome, player: Player, last: Position) -> None:
        if "no-end" not in self.settings.faults:
            self.update(self.result(outcome, player))
            self.last = None

    def update(self, target: float) -> None:
        """Learn the pair of its turn before."""
        if self.last is not None and not (self.last[1] == 0 and "column-0" in self.settings.faults):
            self.learn(self.last, target)


class R3(Program):
    """All turns are learnt when the game is over, the last first."""

    opens_at_random = True

    def begin(self) -> None:
        self.pairs: list[Pair] = []

    def played(self, position: Position, move: int, rule: str) -> None:
        self.pairs.append((self.table.key(position), move))

    def over(self, outcome: Outcome, player: Player, last: Position) -> None:
        later = self.result(outcome, player)
        for key, move in reversed(self.pairs):
            self.learn((key, move), self.settings.gamma * later)
            later = max(self.table.rows[key].values())


class R4(R3):
    """As R3, but the last turn's target is the result itself; with an error all others are learnt as ended with 0."""

    opens_at_random = False

    def over(self, outcome: Outcome, player: Player, last: Position) -> None:
        target = self.result(outcome, player)
        for key, move in reversed(self.pairs):
            self.learn((key, move), target)
            ended = "terminal" in self.settings.faults
            target = 0.0 if ended else self.settings.gamma * max(self.table.rows[key].values())


PROGRAMS: dict[str, type[Program]] = {"r1": R1, "r2": R2, "r3": R3, "r4": R4}


class ReportLearner(Learner):
    """Tabular Q-learning as one of the reports has it."""

    kind = "qlearning"

    def __init__(self, report: str, settings: QLearning, game: Game, seed: int, episodes: int) -> None:
        self.report, self.settings, self.game, self.seed = report, settings, game, seed
        share = settings.share if settings.guide == "threats" else 0.0
        reduced = settings.features == "reduced"
        self.table = ReportTable(game, report, reduced=reduced, share=share, faults=settings.faults)
        self.stream = Stream(derive(seed, "report", report))
        self.episodes = self.moves = 0
        self.alpha = settings.alpha.start
        self._epsilon = settings.epsilon.array(episodes)
        self._by_move = bool(self._epsilon[4])
        self._epsilon[4] = 0  # what is counted is handed in
        self._setup = np.zeros(search_layout.SIZE, np.int64)
        write_game(self._setup, game)
        write_evaluator(self._setup, game, settings.reward)
        self.program = PROGRAMS[report](self)
        self.counts = dict.fromkeys(_COUNTED, 0.0)
        self._agents: dict[str, Agent] = {}
        self.opponent_seconds = 0.0

    @property
    def epsilon(self) -> float:
        """The chance to explore now."""
        rate = float(rate_now(self._epsilon, self.moves if self._by_move else self.episodes))
        return int(10 * rate + 1e-9) / 10 if "tenths" in self.settings.faults else rate

    def points(self, position: Position) -> float:
        """What an evaluator adds to the reward of the side to move."""
        found = int(points_of(self._setup, position.mover, position.waiter))
        return self.settings.scale * found / search_layout.POINTS

    def run(self, stage: Stage, count: int, stop: Stop) -> int:
        done = 0
        while done < count and not stop.is_set():
            index = self.stream.below(len(stage.opponents)) if len(stage.opponents) > 1 else 0
            self.episode(stage.opponents[index])
            done += 1
        return done

    def episode(self, opponent: str) -> Outcome | None:
        """One match against an opponent; None if an error of the report's ended it early."""
        if opponent == "self" and self.report != "r3":
            raise TrainingError(
                f"qlearning:preset={self.report} learns against an opponent, not from self-play; give --opponent, or "
                "qlearning without a preset"
            )
        self.program.begin()
        outcome = self._against_itself() if opponent == "self" else self._against(opponent)
        self.episodes += 1
        return outcome

    def _against(self, opponent: str) -> Outcome | None:
        if opponent not in self._agents:
            self._agents[opponent] = agent(opponent)
        sitting = self._agents[opponent]
        seat, program = self._seat(), self.program
        mind = sitting.mind(self.game, seat.other, derive(self.seed, "episode", self.episodes))
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
        """Both seats learn, each from its own turns."""
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

    def _turn(self, program: Program, position: Position) -> Position:
        choice = choose(self.table, self.settings, position, self.stream, self.epsilon)
        program.played(position, choice.move, choice.rule)
        self.moves += not choice.rule
        return position.play(choice.move)

    def _seat(self) -> Player:
        seats = {"first": 0, "second": 1, "both": self.episodes & 1}
        return Player(seats[self.settings.seat] if self.settings.seat in seats else self.stream.below(2))

    def _count(self, outcome: Outcome | None, seat: Player, last: Position) -> None:
        score = None if outcome is None else outcome.score(seat)
        names = {1.0: "wins", 0.5: "draws", 0.0: "losses", None: "cut_short"}
        self.counts[names[score]] += 1
        self.counts["plies"] += last.ply
        self.counts["rewards"] += 0.0 if outcome is None else self.program.result(outcome, seat)

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
