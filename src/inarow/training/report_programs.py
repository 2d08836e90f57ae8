"""What an episode's turns teach the learners of four reports, and when: a class for each report."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from inarow.models.report_table import Key
from inarow.rules import Outcome, Player, Position

if TYPE_CHECKING:
    from inarow.training.report_learner import ReportLearner

Pair = tuple[Key, int]


class Program:
    """How one report's learner learns from its turns. A subclass completes it."""

    opens_at_random: ClassVar[bool] = False
    """Whether its opponent's first stone is random when it sits second."""
    learns_alone: ClassVar[bool] = False
    """Whether, without an opponent, one program moves both sides."""

    def __init__(self, learner: ReportLearner) -> None:
        self.learner, self.table, self.settings = learner, learner.table, learner.settings
        self.ends_at_column_0 = False
        self.last: Pair | None = None
        """What R2 keeps between turns, and with an error also between matches."""
        self.gained = 0.0
        """Rewards of this match before its end."""

    def begin(self) -> None:
        """A match begins."""

    def played(self, position: Position, move: int, rule: str) -> None:
        """It moved; ``rule``: by which rule, if by one."""

    def answered(self, after: Position, ended: bool = False) -> None:
        """The opponent replied, and it is its turn again; ``ended``: the episode breaks off here."""

    def over(self, outcome: Outcome, player: Player, last: Position) -> None:
        """The match ended; ``player``: its seat, ``last``: the final position."""

    def alone(self, after: Position) -> None:
        """It moved for the side that was to move, and learns from that at once: self-play with one table."""

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
    """One update for each own turn, after the reply; in Tic Tac Toe of eight symmetric pairs.

    Alone, one update for each move of either side. The value of the next position is that for the other side, negated;
    by an error not negated.
    """

    opens_at_random = True
    learns_alone = True

    def __init__(self, learner: ReportLearner) -> None:
        super().__init__(learner)
        self.turn: tuple[Position, int] | None = None
        self.images: dict[Key, list[Key]] = {}
        board = learner.game
        maps = board.cell_symmetries if self.settings.symmetries else board.cell_symmetries[:1]
        self.maps = list(maps)
        self.boards = list(range(len(maps)))
        """Which symmetry of the board each symmetry of the move is paired with."""
        if "eighth-symmetry" in self.settings.faults and len(maps) > 1:
            corner, last = board.columns - 1, board.cells - 1  # a reflection at a diagonal keeps its two corners
            main = next(n for n, m in enumerate(maps) if m[0] == 0 and m[1] == board.columns)
            other = next(n for n, m in enumerate(maps) if m[corner] == corner and m[0] == last)
            self.boards[other] = main
        self.ends_at_column_0 = "column-0" in self.settings.faults

    def played(self, position: Position, move: int, rule: str) -> None:
        self.turn = position, move

    def answered(self, after: Position, ended: bool = False) -> None:
        self.gained += self.settings.move
        self._update(self.settings.move + self.settings.gamma * (0.0 if ended else self.table.best(after)))

    def over(self, outcome: Outcome, player: Player, last: Position) -> None:
        self._update(self.result(outcome, player))

    def alone(self, after: Position) -> None:
        outcome = after.outcome()
        if outcome is not None:
            self._update(self.result(outcome, after.to_move.other))
            return
        self.gained += self.settings.move
        sign = 1 if "same-sign" in self.settings.faults else -1
        self._update(self.settings.move + sign * self.settings.gamma * self.table.best(after))

    def _update(self, target: float) -> None:
        assert self.turn is not None
        position, move = self.turn
        if len(self.maps) == 1:
            self.learn((self.table.key(position), move), target)
            return
        key = self.table.key(position)
        if key not in self.images:
            images = [self.table.key(image) for image in position.symmetries()]
            self.images[key] = [images[board] for board in self.boards]
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
            reward = self.learner.points(position)
            self.gained += reward
            self.update(reward + self.settings.gamma * max(row.values()))
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
    """All turns are learnt when the match is over, the last first."""

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
