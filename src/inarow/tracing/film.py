"""Animate traces (path to the current node, siblings, board and event of each step) and matches.

The page *Trees* draws the same in the browser, where it can be scrubbed.
"""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from inarow.drawing.animation import Animation, Frame, checked_theme
from inarow.drawing.board import Colour, Theme, mixed
from inarow.drawing.svg import Box, Shape, Stroke, Text, board_shapes, placed
from inarow.errors import InarowError
from inarow.kernels.alphabeta import INFINITE
from inarow.rules import Game, Position, format_move
from inarow.tracing.trace import NONE, RESULTS, SIGNS, EventKind, Trace, result_text, said, value_text, words

WIDTH, TREE_WIDTH, SIDE = 800, 570, 52
LEVEL, BOX, TOP = 84, 36, 62
MAX_ROWS = 7
NARROWEST = 38
MATCH_CELL = 44
FRAMES = 60
"""Default number of frames of an animation."""


class Replay:
    """The state of the tree after a step; `forward` applies the next event."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.step = -1
        self.children: defaultdict[int, list[int]] = defaultdict(list)
        self.cut: dict[int, tuple[int, ...]] = {}
        """Pruned moves by node."""
        self.values: dict[int, float] = {}
        """Points for MAX by node; for MCTS, proven results."""
        self.signs: dict[int, str] = {}
        """The sign before a value that is only a bound, by node."""
        self.windows: dict[int, tuple[float, float]] = {}
        self.visits: defaultdict[int, int] = defaultdict(int)
        self.totals: defaultdict[int, float] = defaultdict(float)
        self._made = 0

    @property
    def node(self) -> int:
        """Return the current node."""
        return self.trace.record.nodes[self.step]

    def forward(self) -> None:
        """Apply the next event."""
        self.step += 1
        record, event = self.trace.record, self.trace[self.step]
        until = event.low + event.value if event.kind is EventKind.EXPAND else event.node + 1
        while self._made < until:
            self.children[record.parents[self._made]].append(self._made)
            self._made += 1
        match event.kind:
            case EventKind.ENTER:
                self.windows[event.node] = (event.low, event.high)
            case EventKind.LEAF | EventKind.RETURN | EventKind.KNOWN if not self.trace.simulated:
                parent = record.parents[event.node]
                self.values[event.node], self.values[parent] = event.value, event.best
                self.signs[event.node] = SIGNS.get(said(self.trace, event), "")
                self.windows[parent] = (event.low, event.high)
            case EventKind.CUT:
                self.cut[event.node] = event.moves
            case EventKind.PROVE:
                self.values[event.node] = event.value
            case EventKind.BACKUP:
                for depth, node in enumerate(self.path(event.node)):
                    self.visits[node] += 1
                    self.totals[node] += 0 if depth == 0 else event.low if depth % 2 else event.high

    def path(self, node: int) -> list[int]:
        """Return the nodes from the root to a node."""
        found = [node]
        while (parent := self.trace.record.parents[found[0]]) != NONE:
            found.insert(0, parent)
        return found

    def mean(self, node: int, depth: int) -> float | None:
        """Return the mean result of a node's simulations for MAX, in [−1, 1]."""
        if not self.visits[node] or depth == 0:
            return None
        mean = self.totals[node] / self.visits[node] - 1
        return mean if depth % 2 else -mean


class _Item(NamedTuple):
    """One box of a row: a node or a pruned move."""

    node: int | None
    move: int


def film(trace: Trace, steps: range | None = None, theme: str = "light", seconds: float = 1.0) -> Animation:
    """Animate these steps of a trace, by default the first 60."""
    colours = checked_theme(theme, seconds)
    chosen = range(min(FRAMES, len(trace))) if steps is None else steps
    if not chosen or min(chosen) < 0 or max(chosen) >= len(trace):
        raise InarowError(f"{chosen} are not steps of this trace; it has 0 to {len(trace) - 1}")
    replay, drawn = Replay(trace), dict[int, tuple[list[Shape], int]]()
    for step in range(max(chosen) + 1):
        replay.forward()
        if step in chosen:
            drawn[step] = _Picture(replay, colours).draw()
    height = max(high for _, high in drawn.values())
    frames = [Frame(drawn[step][0], words(trace, step)) for step in chosen]
    where = (
        f"steps {min(chosen) + 1:,} to {max(chosen) + 1:,} of {len(trace):,}{' recorded' if trace.truncated else ''}"
    )
    title = f"{trace.agent} on {trace.position.describe()}: {where}"
    return Animation(title, frames, WIDTH, height, colours.back, seconds)


class _Picture:
    """The picture of one step."""

    def __init__(self, replay: Replay, theme: Theme) -> None:
        self.replay, self.trace, self.theme = replay, replay.trace, theme
        self.path = replay.path(replay.node)
        self.edges: list[Shape] = []
        self.boxes: list[Shape] = []

    def draw(self) -> tuple[list[Shape], int]:
        """Return the shapes and their height."""
        theme = self.theme
        above: tuple[float, float] | None = None
        first = max(0, len(self.path) + 1 - MAX_ROWS)
        y = float(TOP)
        for level in range(first, len(self.path) + 1):
            row = self._row(level)
            if not row:
                break
            self.boxes.append(Text(4, y + 23, "MIN" if level % 2 else "MAX", 12, theme.faint, "start", True))
            above = self._draw_row(row, level, y, above)
            y += LEVEL
            if above is None:
                break
        shapes = [*self.edges, *self.boxes, *self._caption(), *self._board()]
        if first:
            shapes.append(Text(4, TOP - 6, f"… {first} levels above", 11, theme.faint, "start"))
        return shapes, round(max(y, TOP + 240))

    def _row(self, level: int) -> list[_Item]:
        """Return the boxes of a level that fit, around the one on the path."""
        record = self.trace.record
        if level == 0:
            return [_Item(self.path[0], -1)]
        parent = self.path[level - 1]
        row = [_Item(node, record.moves[node]) for node in self.replay.children[parent]]
        row += [_Item(None, move) for move in self.replay.cut.get(parent, ())]
        most = (TREE_WIDTH - SIDE) // NARROWEST
        if len(row) <= most:
            return row
        on_path = self.path[level] if level < len(self.path) else None
        at = next((index for index, item in enumerate(row) if item.node == on_path), len(row))
        begin = min(max(0, at - most // 2), len(row) - most)
        return row[begin : begin + most]

    def _draw_row(
        self, row: Sequence[_Item], level: int, y: float, above: tuple[float, float] | None
    ) -> tuple[float, float] | None:
        """Draw a level; return where the edges to the next one begin."""
        size = min(72.0, (TREE_WIDTH - SIDE) / len(row))
        start = SIDE + (TREE_WIDTH - SIDE - size * len(row)) / 2
        below = None
        for index, item in enumerate(row):
            x = start + (index + 0.5) * size
            on_path = item.node is not None and level < len(self.path) and item.node == self.path[level]
            if above is not None:
                self._edge(item, level, above, (x, y), on_path)
            note = self._box(item, level, x, y, size - 5, on_path)
            if on_path:
                below = (x, y + BOX + (16 if note else 0))
        return below

    def _edge(self, item: _Item, level: int, a: tuple[float, float], b: tuple[float, float], on_path: bool) -> None:
        theme, colour, thickness = self.theme, self.theme.line, 1.3
        if on_path:
            colour, thickness = theme.accent, 2.5
        if self.trace.simulated and item.node is not None:
            parent = self.trace.record.parents[item.node]
            share = self.replay.visits[item.node] / max(1, self.replay.visits[parent])
            thickness = 0.8 + 8 * share**0.5
            colour = colour if on_path else self._tint(item.node, level, theme.line, 1.0)
        bends = [(a[0] + (b[0] - a[0]) * s * s * (3 - 2 * s), a[1] + (b[1] - a[1]) * s) for s in _PARTS]
        self.edges.append(Stroke(bends, colour, thickness, dashed=item.node is None))

    def _box(self, item: _Item, level: int, x: float, y: float, width: float, on_path: bool) -> str:
        """Draw a box; return the note below it."""
        theme = self.theme
        corner = 12 if level % 2 else 3
        if item.node is None:
            self.boxes += [
                Box(x - width / 2, y, width, BOX, corner, theme.back, theme.line, 1.2, dashed=True),
                Text(x, y + 15, format_move(item.move), 14, theme.faint, bold=True),
                Text(x, y + 30, "cut off", 10, theme.faint),
            ]
            return ""
        here = item.node == self.replay.node
        edge = theme.text if here else theme.accent if on_path else theme.line
        fill = self._tint(item.node, level, theme.panel, 0.4)
        value, note = self._value(item.node, level), self._note(item.node, on_path)
        name = "root" if level == 0 else format_move(item.move)
        self.boxes.append(Box(x - width / 2, y, width, BOX, corner, fill, edge, 3 if here else 2 if on_path else 1.3))
        self.boxes.append(Text(x, y + (15 if value else 23), name, 14, theme.text, bold=True))
        if value:
            self.boxes.append(Text(x, y + 30, value, 10.5, theme.text))
        if note:
            self.boxes.append(Text(x, y + BOX + 12, note, 10, theme.faint))
        return note

    def _value(self, node: int, level: int) -> str:
        replay = self.replay
        if self.trace.simulated:
            if node in replay.values:
                return result_text(replay.values[node])
            mean = replay.mean(node, level)
            return "" if mean is None else f"{round(mean, 2) or 0:+.2f}".replace("-", "−")
        if node not in replay.values:
            return ""
        points, sign = replay.values[node], replay.signs.get(node, "")
        if abs(points) >= self.trace.win:
            return sign + RESULTS[1 if points > 0 else -1]
        return sign + value_text(self.trace, points)

    def _note(self, node: int, on_path: bool) -> str:
        if self.trace.simulated:
            visits = self.replay.visits[node]
            return f"{visits:,}" if visits else ""
        low, high = self.replay.windows.get(node, (-INFINITE, INFINITE))
        if not on_path or (low <= -INFINITE and high >= INFINITE):
            return ""
        return f"α {self._end(low)}  β {self._end(high)}"

    def _end(self, points: float) -> str:
        text = value_text(self.trace, points)
        return "win" if text.startswith("a win for MAX") else "loss" if text.startswith("a win for MIN") else text

    def _tint(self, node: int, level: int, ground: Colour, most: float) -> Colour:
        """Return the colour of a node's value, between the colours of wins for MAX and for MIN."""
        replay = self.replay
        if self.trace.simulated:
            known = replay.values.get(node)
            value = replay.mean(node, level) if known is None else float(known)
        else:
            points = replay.values.get(node)
            value = None if points is None else points / (abs(points) + 2000)
        if value is None:
            return ground
        return mixed(ground, self.theme.good if value > 0 else self.theme.bad, most * min(1.0, abs(value)))

    def _caption(self) -> list[Shape]:
        lines = textwrap.wrap(words(self.trace, self.replay.step), 100)[:2]
        return [Text(12, 22 + 20 * at, line, 15, self.theme.text, "start") for at, line in enumerate(lines)]

    def _board(self) -> list[Shape]:
        """Return the position at the current node."""
        position = self.trace.position
        moves = self.trace.path(self.replay.node)
        for move in moves:
            position = position.play(move)
        game = position.game
        room = WIDTH - TREE_WIDTH - 24
        cell = min(room / game.columns, 220 / game.rows)
        left = TREE_WIDTH + 12 + (room - cell * game.columns) / 2
        last = moves[-1] if moves else None
        return list(placed(board_shapes(position, last=last, detail=False), left, TOP, cell, self.theme))


_PARTS = [part / 12 for part in range(13)]
"""Points of a curved edge, as fractions of its length."""


def match_film(game: Game, moves: Sequence[int], title: str, theme: str = "light", seconds: float = 1.0) -> Animation:
    """Animate a match, one frame for each position."""
    colours = checked_theme(theme, seconds)
    width, height = max(360, (game.columns + 1) * MATCH_CELL), (game.rows + 1) * MATCH_CELL + 50
    left = (width - game.columns * MATCH_CELL) / 2
    at, frames, caption = Position.start(game), list[Frame](), "the start"
    for index in range(len(moves) + 1):
        last = moves[index - 1] if index else None
        board = placed(board_shapes(at, last=last, detail=False), left, 44, MATCH_CELL, colours)
        frames.append(Frame([Text(width / 2, 26, caption, 16, colours.text), *board], caption))
        if index < len(moves):
            caption = f"move {index + 1}: {'XO'[at.to_move]} {format_move(moves[index])}"
            at = at.play(moves[index])
            caption += f", {at.result_text()}" if at.outcome() is not None else ""
    return Animation(title, frames, width, height, colours.back, seconds)
