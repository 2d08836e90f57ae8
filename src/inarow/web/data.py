"""The choices that the pages offer (agents, lineups, puzzles), and the data files of the engine in the browser."""

from __future__ import annotations

import functools
import gzip
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

import inarow
from inarow import __version__
from inarow.agents.evaluators import EvaluatorKind, Learned, Lines, Windows, Zero
from inarow.agents.parameters import Choice, Configured, Kind, Number, Switch
from inarow.agents.qlearning import QLearningAgent
from inarow.agents.registry import agent_class, agent_names
from inarow.errors import InarowError
from inarow.formatting import capitalised
from inarow.frontend import board_data, match_template, packed_book
from inarow.kernels.wasm import modules
from inarow.ladder import known_ratings
from inarow.models.network import Network
from inarow.models.qtable import QTable
from inarow.paths import write_bytes
from inarow.play.insight import shipped_puzzles
from inarow.play.setup import HUMAN, PERSON, USUAL, Lineup
from inarow.rules import CONNECT4, TICTACTOE, Game, game
from inarow.solver.analysis import Verdict
from inarow.solver.book import VERDICTS
from inarow.teaching import exam_tree
from inarow.tracing.trace import RESULTS, SIGNS, Detail, EventKind, Said
from inarow.training.ntuple import NTuple, NTupleLearner
from inarow.truth.positions import SolvedPositions, quick_ply, random_positions

AGENTS = ("random", "rules", "greedy", "minimax", "alphabeta", "mcts", "qlearning", "ntuple", "best", "perfect")
"""Agents that run in the browser."""
NETWORKS = (TICTACTOE, CONNECT4)
"""Games with a shipped network and Q-table."""
CERTIFICATE = Path(inarow.__file__).parent / "data" / "certificates" / "connect4.json"
"""Proof that the first player wins, written by ``inarow solve connect4 --certificate connect4.json``."""
WATCH_EXAMPLE = Path(inarow.__file__).parent / "data" / "watch" / "example.json"
"""A small tournament, written by ``python scripts/make_watch_example.py``."""
SAMPLE = 150
"""Number of positions that measure a learner."""
ANY_BOARD = "6x5x4"
"""A board without shipped models; its lineups are offered on all other boards, too."""


@dataclass(frozen=True)
class ParameterInfo:
    """A parameter of an agent, as the registry describes it."""

    name: str
    kind: Literal["integer", "number", "choice", "switch", "text"]
    default: str
    help: str
    wanted: str
    options: Sequence[str] = ()
    low: float | None = None
    high: float | None = None
    none: str | None = None

    @classmethod
    def of(cls, kind: Kind) -> ParameterInfo:
        """Describe a parameter."""
        found = cls(kind.name, "text", kind.format(kind.default), kind.help, kind.wanted)
        if isinstance(kind, Switch):
            return replace(found, kind="switch")
        if isinstance(kind, Number):
            return replace(
                found, kind="integer" if kind.whole else "number", low=kind.low, high=kind.high, none=kind.none
            )
        if isinstance(kind, Choice):
            return replace(found, kind="choice", options=kind.options)
        if isinstance(kind, EvaluatorKind) and kind.learnt:
            return replace(found, kind="choice", options=kind.names)
        return found


@dataclass(frozen=True)
class AgentInfo:
    """An agent or an evaluator that can be chosen."""

    name: str
    summary: str
    parameters: Sequence[ParameterInfo] = ()

    @classmethod
    def of(cls, kind: type[Configured]) -> AgentInfo:
        """Describe an agent or an evaluator. Parameters that name files are omitted: a page can't set them."""
        shown = [one for one in kind.parameters() if not one.hidden and type(one) is not Kind]
        return cls(kind.name, kind.summary, [ParameterInfo.of(one) for one in shown])


@dataclass(frozen=True)
class LevelInfo:
    """A named opponent."""

    label: str
    spec: str
    about: str
    """Its style of play, in one line."""
    strength: str
    """Its strength, in a few words."""
    elo: int | None = None
    """Its rating on the ladder."""


@dataclass(frozen=True)
class ModeInfo:
    """A choice of both players, as specs."""

    label: str
    title: str
    """The title shown during play."""
    about: str
    one: str
    two: str


@dataclass(frozen=True)
class LineupInfo:
    """Opponents and modes under one title; the first lineup is inarow's own."""

    name: str
    title: str
    about: str
    levels: Sequence[LevelInfo]
    modes: Sequence[ModeInfo]


def lineup_infos(board: Game, offered: Sequence[Lineup]) -> list[LineupInfo]:
    """Describe the opponents and modes of a game; a lineup without opponents is omitted."""
    known = {spec: round(elo.estimate) for spec, elo in known_ratings(board).items()}
    answer = []
    for one in offered:
        specs = {level.label: player.spec for level in one.levels if (player := level.agent(board)) is not None}
        levels = [
            LevelInfo(level.label, spec, level.about, level.strength, known.get(spec))
            for level in one.levels
            if (spec := specs.get(level.label))
        ]
        seats = {HUMAN: PERSON.spec, **specs}
        modes = [
            ModeInfo(mode.label, one.mode_title(mode.seats), mode.about, *(seats[seat] for seat in mode.seats))
            for mode in one.modes
            if set(mode.seats) <= set(seats)
        ]
        if levels:
            answer.append(LineupInfo(one.name, one.title, one.about, levels, modes))
    return answer


def lab_data() -> dict[str, Any]:
    """Return the agents, evaluators, lineups and puzzles of the page."""
    boards = {"tictactoe": TICTACTOE, "connect4": CONNECT4, "": game(ANY_BOARD), "variant": game(f"{ANY_BOARD}-misere")}
    return {
        "version": __version__,
        "agents": [asdict(AgentInfo.of(agent_class(name))) for name in AGENTS],
        "variants": [name for name in AGENTS if agent_class(name).variants],
        "served": [name for name in agent_names() if name not in AGENTS],
        "models": [f"{kind}-{board.name}" for kind in ("ntuple", "qlearning") for board in NETWORKS],
        "evaluators": [asdict(AgentInfo.of(kind)) for kind in (Zero, Windows, Lines)],
        "lineups": {name: list(map(asdict, lineup_infos(board, (USUAL,)))) for name, board in boards.items()},
        "puzzles": [
            {"moves": one.moves, "answer": one.answer, "length": one.length, "level": one.level}
            for one in shipped_puzzles()
        ],
    }


def trace_data() -> dict[str, Any]:
    """Return the kinds of the events of a recorded search, and the parts of their sentences."""
    return {
        "kinds": {kind.name.lower(): int(kind) for kind in EventKind},
        "details": {detail.name.lower(): int(detail) for detail in Detail},
        "said": {one.name.lower(): int(one) for one in Said},
        "signs": [SIGNS.get(one, "") for one in Said],
        "results": RESULTS,
    }


def exam_data() -> dict[str, Any]:
    """Return the parts of exam pages and pictures, the shapes of random trees, and the tasks."""
    shapes = {
        f"{level} {one}": exam_tree.shape_of(level, one)._asdict()
        for level in exam_tree.DIFFICULTIES
        for one in exam_tree.Algorithm
    }
    return {
        "parts": exam_tree.parts(),
        "shapes": {
            key: {name: np.asarray(value).tolist() for name, value in one.items()} for key, one in shapes.items()
        },
        "tasks": exam_tree.TASKS,
        "labels": {one: capitalised(one.label) for one in exam_tree.Algorithm},
        "steps": exam_tree.STEPS,
        "sizes": (exam_tree.STEP, exam_tree.LEVEL, exam_tree.SIZE),
        "scale": exam_tree.MIN_SCALE,
    }


def known_positions(board: Game) -> list[tuple[str, str, list[int]]]:
    """Return the positions that measure a learner: both players' stones, and the moves that keep the verdict."""
    solved = SolvedPositions(board)
    found = []
    for position in random_positions(solved, SAMPLE, 1, quick_ply(board)):
        scores = solved.scores(position) or {}
        top = Verdict.of(max(scores.values()))
        kept = [move for move, score in scores.items() if Verdict.of(score) == top]
        found.append((str(position.first), str(position.second), kept))
    return found


def packed_network(network: Network) -> bytes:
    """Return a network in the browser's format: the numbers of fields, table entries, weights and features, gamma,
    the fields of the rules, the cells of every feature, the tables, and the weights at half precision."""
    weights = network.weights.astype(np.float16)
    struct = network.rules.__struct__  # type: ignore[attr-defined]
    fields = [int(getattr(network.rules, name)) for name, *_ in struct.fields]
    bits, layout = network.game.cell_bits, network.layout
    cells = [sum(bits[cell] for cell in image) for image in layout.images]
    header = np.array([len(fields), layout.tables.size, weights.size, len(cells)], "<u4")
    parts = header, np.array(network.gamma), np.array(fields), np.array(cells), layout.tables, weights
    return gzip.compress(b"".join(part.tobytes() for part in parts), 9, mtime=0)


def learning_data() -> dict[str, Any]:
    """Return the positions that measure a learner in the browser, and the settings of a network's training."""
    plan = NTuple()
    return {
        "positions": {board.name: known_positions(board) for board in NETWORKS},
        "settings": plan.how(TICTACTOE, 0.0, 0.0)._asdict(),
        "network": {"coherence": plan.coherence, "average": plan.average, "round": NTupleLearner.ROUND},
    }


def packed_table(table: QTable) -> bytes:
    """Return a Q-table in the browser's format: the numbers of rows and moves, the share of a guide, the value of
    an untried move, and the keys and values of all rows."""
    header = np.array([table.table.rows, table.game.moves], "<u4").tobytes()
    parts = header, np.array([table.share, table.start]).tobytes(), table.keys.tobytes(), table.values.tobytes()
    return gzip.compress(b"".join(parts), 9, mtime=0)


def _json(data: dict[str, Any]) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


_modules = functools.cache(modules)
_board = functools.cache(board_data)


def _part(files: Callable[[], dict[str, bytes]], name: str) -> bytes:
    return files()[name]


def _shipped_table(board: Game) -> bytes:
    return packed_table(QLearningAgent().held(board))


def _shipped_network(board: Game) -> bytes:
    return packed_network(Learned().network(board))


FILES: dict[str, Callable[[], bytes]] = {
    **{name: partial(_part, _board, name) for name in ("rules.wasm", "kernels.json", "sentences.json")},
    **{name: partial(_part, _board, name) for name in ("solver.wasm", "books/connect4.scores")},
    "lab.json": lambda: _json(lab_data()),
    **{
        f"{name}.wasm": partial(_part, _modules, f"{name}.wasm")
        for name in ("search", "network", "learning", "exam", "trace")
    },
    "books/connect4.verdicts": lambda: packed_book(VERDICTS),
    "trace.json": lambda: _json(trace_data()),
    "exam.json": lambda: _json(exam_data()),
    "match.html": lambda: match_template().encode(),
    "certificates/connect4.json": CERTIFICATE.read_bytes,
    "watch.json": WATCH_EXAMPLE.read_bytes,
    "learn.json": lambda: _json(learning_data()),
    **{f"models/qlearning-{board.name}": partial(_shipped_table, board) for board in NETWORKS},
    **{f"models/ntuple-{board.name}": partial(_shipped_network, board) for board in NETWORKS},
}
"""How each data file of the page is made; those of the first view come first."""


def local_data() -> dict[str, bytes]:
    """Return the data files of the page, by name."""
    return {name: make() for name, make in FILES.items()}


if __name__ == "__main__":  # for a server, whose own process stays small
    for file, make_content in FILES.items():
        target = Path(sys.argv[1]) / file
        target.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(target, make_content(), InarowError, durable=False)
