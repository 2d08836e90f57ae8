"""What minimax and alphabeta share: their parameters, and the mind that runs the compiled search."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.agents.base import Decision, Mind
from inarow.agents.evaluators import Evaluator, Windows, evaluator_field, value_of, write_evaluator, write_game
from inarow.agents.move_order import move_masks, ordered_moves
from inarow.agents.parameters import AgentError, Number, choice, faults_field, integer, number, switch
from inarow.agents.presets import PresetAgent, preset_field
from inarow.agents.search_presets import FULL, PRESETS
from inarow.agents.search_setup import write_masks, write_symmetries
from inarow.agents.ties import centre_first, pick, ties_field
from inarow.bits import MAX_BITS
from inarow.kernels.alphabeta import counting, evaluated, search, transposition
from inarow.kernels.common import search_layout
from inarow.limits import Limit
from inarow.randomness import Stream
from inarow.rules import FIRST, Game, Player, Position
from inarow.stopping import Stop

ENDS = {
    "scored": search_layout.SCORED,
    "evaluated": search_layout.EVALUATED,
    "points": search_layout.BY_POINTS,
}
UNLIMITED = 1 << 60
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class DepthKind(Number):
    """A number of plies; ``full`` looks to the end of the game."""

    @property
    def wanted(self) -> str:
        return "a whole number from 1, full, or auto"

    def read(self, text: str) -> Any:
        return FULL if text == "full" else super().read(text)

    def format(self, value: Any) -> str:
        return "full" if value == FULL else super().format(value)


def depth_field(usual: int) -> Any:
    """A field for the depth of a search."""
    text = f"plies to look ahead; auto: {usual}, or as many as nodes or seconds allow when one of them is given"
    kind = {"help": text, "low": 1, "high": FULL, "none": "auto"}
    return field(default=None, metadata={"kind": (DepthKind, kind), "usual": usual})


FAULTS = {
    "wins-for-x": "a win counts for X, whoever searches",
    "extra-ply": "a limit of d looks d + 1 plies ahead",
    "full-is-zero": "with ends=points a full board is worth 0, also when its last stone wins",
    "score-as-move": "the score is played as a move",
}


@dataclass(frozen=True)
class Searcher(PresetAgent):
    """Looks ahead to a depth, and evaluates where it stops."""

    presets = PRESETS
    preset: str = preset_field(PRESETS)
    depth: int | None = depth_field(4)
    nodes: int | None = integer(None, "most nodes a decision, deepening ply by ply", low=1, none="any")
    seconds: float | None = number(
        None, "most seconds a decision, deepening ply by ply", low=0.001, high=86400, none="any"
    )
    eval: Evaluator = evaluator_field(Windows(), "what a position is worth where the search stops")  # noqa: RUF009
    view: str = choice(
        "searcher",
        ("searcher", "mover", "first", "second", "own"),
        "for whom a leaf is evaluated: who searches; who is to move there; or who is to move there, but counted for "
        "the first (or second) player, or for who searches, whoever that is, as two of the reports' programs did",
    )
    win: float | None = number(
        1_000_000, "units for a win; open: as many as there are moves left, plus one", low=1, high=10**14, none="open"
    )
    loss: float | None = number(None, "units off for a loss", low=1, high=10**14, none="as-win")
    sooner: bool = switch(True, "whether a win counts a unit less for every stone on the board")
    sooner_from: str = choice(
        "board",
        ("board", "root"),
        "sooner counts the stones on the board, or the plies after the root's own move",
        True,
    )
    ends: str = choice(
        "scored",
        tuple(ENDS),
        "how a finished game is scored: by win and loss; by its evaluation, like a leaf; or, with points, lines are "
        "not looked for, and only an evaluation above the limit over ends a line of play",
        hidden=True,
    )
    over: float = number(
        100, "with ends=points: units, for either side, above which a line of play ends", low=0, high=10**9, hidden=True
    )
    ties: str = ties_field("first", tried=True)
    letter: str = choice(
        "seat",
        ("seat", "x", "o"),
        "who searches plays X or O, where a report's program treats them differently; seat: X moves first",
        hidden=True,
    )
    counting: str = choice("below", ("below", "root"), "nodes are counted below the root, or with it", hidden=True)
    faults: tuple[str, ...] = faults_field(FAULTS)

    @property
    def plies(self) -> int | None:
        """How deep it looks; None for as deep as the other limits allow."""
        depth = self.depth
        if depth is None and self.nodes is None and self.seconds is None:
            depth = type(self).__dataclass_fields__["depth"].metadata["usual"]
        return depth + 1 if depth is not None and "extra-ply" in self.faults else depth

    def check_settings(self, game: Game) -> None:
        self.eval.check(game)
        if self.win is None and self.loss is not None:
            raise AgentError(f"agent {self.name}: loss={self.loss:g} contradicts win=open, which scores both alike")
        for name, value in (("win", self.win), ("loss", self.loss)):
            if self.sooner and value is not None and value <= game.cells:
                raise AgentError(
                    f"agent {self.name}: {name}={value:g} is too little with sooner=on, which takes off one for "
                    f"each of the {game.cells} cells of {game}; give more, or sooner=off"
                )

    def settled_mind(self, game: Game, player: Player, seed: int) -> Mind:
        return SearchMind(self, game, Stream(seed))

    @property
    def deepens(self) -> bool:
        """Whether it searches 1, 2, … plies deep even when only the depth is limited."""
        return False

    @property
    def table_entries(self) -> int:
        """The size of the table that a mind keeps; a power of two."""
        return 1

    @property
    def proves(self) -> str:
        """Which root moves get an exact value (see `search_layout.ROOT`): full, proven or carried."""
        return "full"

    @property
    @abstractmethod
    def order(self) -> str:
        """The order in which the root's moves, and those of others where nothing is known, are tried."""

    @abstractmethod
    def write_switches(self, setup: Ints) -> None:
        """Put the switches of this kind of search where the kernel looks for them."""

    def write_setup(self, game: Game, searcher: Player, ply: int) -> Ints:
        """All that the kernel reads, for a decision of this player with this number of stones on the board."""
        setup = np.zeros(search_layout.SIZE, dtype=np.int64)
        write_game(setup, game)
        write_evaluator(setup, game, self.eval)
        write_masks(setup, move_masks(game, self.order))
        write_symmetries(setup, game)
        self._write_ends(setup, searcher, ply)
        player_x = {"x": searcher, "o": searcher.other}.get(self.letter, FIRST)
        counted_for = {"first": player_x, "second": player_x.other}.get(self.view, searcher)
        for seat in Player:
            setup[search_layout.SWAP + seat] = self.view == "searcher" and seat is not searcher
            setup[search_layout.SIGN + seat] = 1 if self.view == "mover" or seat is counted_for else -1
        if "wins-for-x" in self.faults and searcher is not player_x:
            setup[search_layout.WIN : search_layout.WIN + 2] *= -1
            setup[search_layout.SOONER] *= -1
        self.write_switches(setup)
        return setup

    def _write_ends(self, setup: Ints, searcher: Player, ply: int) -> None:
        """What the end of a game is worth."""
        win, loss = self.win or 0, self.loss or self.win or 0
        sooner = search_layout.POINTS if self.sooner else 0
        ahead = sooner * (ply + 1) if self.sooner_from == "root" and self.win is not None else 0
        setup[search_layout.SOONER] = sooner
        for seat in Player:
            setup[search_layout.WIN + seat] = round((win if seat is searcher else loss) * search_layout.POINTS) + ahead
        setup[search_layout.ENDS] = ENDS[self.ends]
        setup[search_layout.OVER] = round(self.over * search_layout.POINTS)
        setup[search_layout.FULL_IS_ZERO] = "full-is-zero" in self.faults


@dataclass
class RootResult:
    """The best known of the root moves at one depth."""

    depth: int
    """Plies that all moves were searched to; the moves in ``points`` may be one ply further."""
    points: dict[int, int]
    """By move, those whose points are exact."""
    best: list[int]
    """The moves with the most points, in the order of the search."""
    lines: dict[int, tuple[int, ...]]


class SearchMind(Mind):
    """The search at work: arrays that the kernel reads and writes, and a random stream for ties."""

    def __init__(self, agent: Searcher, game: Game, stream: Stream) -> None:
        (search if agent.ends == "scored" else evaluated).warm()
        self.agent = agent
        self.game = game
        self.stream = stream
        self.generation = 0
        self.setups: dict[tuple[Player, int], Ints] = {}
        self.work = np.zeros(search.SIZE, dtype=np.int64)
        self.table = np.zeros(agent.table_entries * transposition.WORDS, dtype=np.int64)

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        agent = self.agent
        limit = Limit(depth=agent.plies, nodes=agent.nodes, seconds=agent.seconds).tightened(limit)
        deepest = min(limit.depth or FULL, self.game.cells - position.ply)
        deepens = agent.deepens or limit.nodes is not None or limit.seconds is not None
        work = self.work
        work[: search.LINES] = 0
        work[counting.LIMIT] = limit.nodes or UNLIMITED
        self.generation += 1
        work[search.GENERATION] = self.generation
        own_stop = Stop(within=stop)
        begun = self.clock.now()
        found = None
        with self.clock.alarm(limit.seconds, own_stop):
            for depth in range(1 if deepens else deepest, deepest + 1):
                found = self._search(position, depth, own_stop, found)
                late = limit.seconds is not None and self.clock.now() >= begun + limit.seconds
                if late or work[counting.STOPPED]:
                    break
        return self._decision(position, found)

    def _search(self, position: Position, depth: int, stop: Stop, before: RootResult | None) -> RootResult | None:
        """Search to one depth, the best of the depth before first; if stopped, the best of what is known."""
        moves = ordered_moves(position, self.agent.order)
        if before is not None and (self.agent.deepens or not self._first_tried):
            moves.sort(key=lambda move: move not in before.best)
        cells = np.array([position.stone(move) for move in moves], dtype=np.int64)
        values = np.empty(len(moves), dtype=np.int64)
        lines = np.empty((len(moves), MAX_BITS + 1), dtype=np.int64)
        root = position.mover, position.waiter, depth, position.ply, self._setup(position), self.work
        if self.agent.ends == "scored":
            finished = search.search_root(*root, self.table, stop.flag, cells, values, lines)
        else:
            finished = evaluated.search_root(*root, stop.flag, cells, values, lines)
        if finished == 0:
            return before
        values = values[:finished]
        points = {move: int(v) for move, v, sure in zip(moves, values, self._exact(values), strict=False) if sure}
        most = max(points.values())
        best = [move for move, value in points.items() if value == most]
        return RootResult(
            depth=depth if finished == len(moves) else depth - 1,
            points=points,
            best=best,
            lines={moves[i]: self._line(lines[i]) for i in range(finished)},
        )

    @property
    def _first_tried(self) -> bool:
        """Whether the first of equal moves in the order of the search is played, so that a limit must not change it."""
        return self.agent.proves == "carried" or self.agent.ties == "order"

    def _exact(self, values: Ints) -> NDArray[np.bool_]:
        """Which of the values of root moves, in the order of the search, are exact; the others are bounds."""
        if self.agent.proves == "full":
            return np.ones(len(values), dtype=np.bool_)
        most = np.maximum.accumulate(values)
        if self.agent.proves == "proven":
            return np.equal(values, most)
        return np.append(True, most[1:] > most[:-1])

    def _setup(self, position: Position) -> Ints:
        """What the kernel reads; it depends on the number of stones only where wins are counted from the root."""
        ply = position.ply if self.agent.sooner_from == "root" else 0
        key = position.to_move, ply
        if key not in self.setups:
            self.setups[key] = self.agent.write_setup(self.game, *key)
        return self.setups[key]

    def _line(self, bits: Ints) -> tuple[int, ...]:
        moves = []
        for bit in bits.tolist():
            if bit < 0:
                break
            moves.append(self.game.move_of_bit(bit))
        return tuple(moves)

    def _decision(self, position: Position, found: RootResult | None) -> Decision:
        work, agent = self.work, self.agent
        nodes = int(work[counting.NODES]) + (agent.counting == "root")
        if found is None:  # stopped before it could look at a single move
            return Decision(centre_first(self.game, position.legal_moves())[0], nodes=nodes, depth=0)
        best = sorted(found.best)
        move = found.best[0] if agent.ties == "order" else pick(self.game, best, agent.ties, self.stream)
        visits = work[counting.VISITS + 1 : counting.VISITS + 64]
        points = dict(sorted(found.points.items()))
        return Decision(
            points[move] // search_layout.POINTS if "score-as-move" in agent.faults else move,
            value=self._value(points[move]),
            points=points[move],
            values={m: self._value(p) for m, p in points.items()},
            by_move={"points": points},
            nodes=nodes,
            depth=found.depth,
            line=found.lines[move],
            details={
                "leaves": int(work[counting.LEAVES]),
                "cutoffs": int(work[counting.CUTOFFS]),
                "visits_by_ply": visits[: int(np.count_nonzero(visits))].tolist(),
                "best": [m + 1 for m in best],
            },
        )

    def _value(self, points: int) -> float:
        """Points as a value: ±1 from the least win on."""
        agent = self.agent
        if agent.ends == "scored" and agent.win is not None:
            size = agent.win if points > 0 or agent.loss is None else agent.loss
            if abs(points) >= (size - self.game.cells if agent.sooner else size) * search_layout.POINTS:
                return 1.0 if points > 0 else -1.0
        return value_of(points)
