"""The board on the screen: where its cells are, what is under the pointer, and how it is drawn."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import pygame

from inarow.drawing import board as geo
from inarow.drawing.board import WHITE, Colour, dimmed, landing_cell, mixed, stones
from inarow.play.desktop import paint
from inarow.play.desktop.paint import Pen, text_width
from inarow.rules import Game, Player, Position

_GRAVITY = 60.0  # cells per second squared
_BOUNCE = 0.28  # the share of its speed that a stone keeps when it hits the one below
_GROWTH = 0.16  # seconds for a stone to appear without gravity


@dataclass(frozen=True)
class Note:
    """A label of a move: a few letters next to a player's stone."""

    text: str
    colour: Colour
    player: Player | None = None


@dataclass(frozen=True)
class Marks:
    """Marks drawn in addition to the stones. Moves and cells count from 0."""

    preview: int | None = None
    """The move under the pointer or the cursor, if it may be played."""
    last: int | None = None
    """The cell of the last stone."""
    hint: Collection[int] = ()
    """Recommended moves."""
    notes: Mapping[int, Note] = field(default_factory=dict)
    """Labels over columns, or in cells."""
    wrong: int | None = None
    """A mistake."""


def fall_time(height: float) -> float:
    """Return the seconds that a stone takes to fall from a height in cells, including bounces."""
    return math.sqrt(2 * height / _GRAVITY) * (1 + 2 * _BOUNCE + 2 * _BOUNCE**2)


def height_above(height: float, seconds: float) -> float:
    """Return a stone's height above its place, in cells, some seconds after it was dropped from a height."""
    first = math.sqrt(2 * height / _GRAVITY)
    if seconds < first:
        return height - _GRAVITY * seconds**2 / 2
    seconds -= first
    for flight in (2 * first * _BOUNCE, 2 * first * _BOUNCE**2):  # up again, twice
        if seconds < flight:
            return _GRAVITY * seconds * (flight - seconds) / 2
        seconds -= flight
    return 0.0


class BoardView:
    """Draws positions of one game inside a rectangle."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.cell = 1
        self.rect = pygame.Rect(0, 0, 1, 1)
        """The cells."""
        self._arriving: dict[int, float] = {}

    # Geometry.

    def layout(self, area: pygame.Rect) -> None:
        """Place the largest board that fits into an area, with room for a stone above it and numbers below."""
        above, below = (1.45, 0.6) if self.game.gravity else (0.3, 0.3)
        rows = self.game.rows + above + below
        self.cell = max(8, int(min(area.width / (self.game.columns + 0.6), area.height / rows)))
        self.rect = pygame.Rect(0, 0, self.cell * self.game.columns, self.cell * self.game.rows)
        self.rect.centerx = area.centerx
        self.rect.top = area.top + (area.height - round(self.cell * rows)) // 2 + round(self.cell * above)

    def centre(self, cell: int) -> tuple[int, int]:
        """Return the middle of a cell (row by row from the top left)."""
        row, column = divmod(cell, self.game.columns)
        half = self.cell // 2
        return self.rect.left + column * self.cell + half, self.rect.top + row * self.cell + half

    def move_at(self, place: tuple[int, int]) -> int | None:
        """Return the move of a click: anywhere in a column or above it, or a cell."""
        column = (place[0] - self.rect.left) // self.cell
        row = (place[1] - self.rect.top) // self.cell
        if not 0 <= column < self.game.columns or row >= self.game.rows:
            return None
        if self.game.gravity:
            return int(column) if row >= -2 else None
        return int(row * self.game.columns + column) if row >= 0 else None

    # Falling stones.

    def drop(self, cell: int, now: float) -> None:
        """Start the animation of a cell's stone."""
        self._arriving[cell] = now

    def settle(self) -> None:
        """Put all stones in their places."""
        self._arriving.clear()

    def moving(self, now: float) -> bool:
        """Return True if a stone is still moving."""
        self._arriving = {cell: begun for cell, begun in self._arriving.items() if now - begun < self._duration(cell)}
        return bool(self._arriving)

    def _duration(self, cell: int) -> float:
        return fall_time(self._height(cell)) if self.game.gravity else _GROWTH

    def _height(self, cell: int) -> float:
        return cell // self.game.columns + 1.1

    # Drawing.

    def draw(self, pen: Pen, position: Position, marks: Marks) -> None:
        """Draw a position."""
        self.moving(pen.now)
        draw = self._draw_columns if self.game.gravity else self._draw_cells
        draw(pen, position, marks)

    def _draw_columns(self, pen: Pen, position: Position, marks: Marks) -> None:
        theme, size, line = pen.theme, self.cell, set(position.winning_cells())
        pad = max(4, geo.pixels(size, geo.FRAME))
        pen.box(self.rect.inflate(2 * pad, 2 * pad), theme.board, 2 * pad)
        pen.surface.fill(theme.hole, self.rect)
        diameter = round(size * geo.STONE)
        with pen.clipped(pygame.Rect(self.rect.left, 0, self.rect.width, self.rect.bottom)):
            for cell, player in stones(position):
                age = pen.now - self._arriving.get(cell, -math.inf)
                x, y = self.centre(cell)
                colour = theme.stone(player) if not line or cell in line else dimmed(theme.stone(player), theme.hole)
                pen.put(paint.disc(diameter, colour, player), (x, y - size * height_above(self._height(cell), age)))
        for cell in range(self.game.cells):
            lit = cell % self.game.columns == marks.preview
            colour = mixed(theme.board, WHITE, 0.17) if lit else theme.board
            x, y = self.centre(cell)
            pen.put(paint.tile(size, colour, theme.board_edge), (x - size // 2, y - size // 2), "topleft")
        if marks.preview is not None:
            ghost = paint.disc(diameter, theme.stone(position.to_move), position.to_move, 150)
            pen.put(ghost, (self.centre(marks.preview)[0], self.rect.top - pad - size * 0.84))
        for cell in line:
            pen.put(paint.ring(round(size * geo.LINE_RING), WHITE, size * geo.LINE_RING_WIDTH), self.centre(cell))
        if marks.last is not None and marks.last not in line and marks.last not in self._arriving:
            pen.put(paint.dot(max(5, geo.pixels(size, geo.LAST_DOT)), WHITE), self.centre(marks.last))
        self._mark_moves(pen, position, marks)
        for column in range(self.game.columns):
            x = self.centre(column)[0]
            below = (x, self.rect.bottom + pad + size * geo.NUMBER_BELOW)
            shade = theme.text if column == marks.preview else theme.faint
            pen.write(str(column + 1), below, round(size * geo.NUMBER_TEXT), shade, "center")
            if (note := marks.notes.get(column)) is not None:
                above = (x, self.rect.top - pad - size * geo.LABEL_ABOVE)
                self._write_note(pen, note, above, round(size * geo.LABEL_TEXT))

    def _mark_moves(self, pen: Pen, position: Position, marks: Marks) -> None:
        """Ring the cells of recommended moves and of a mistake."""
        size, legal = self.cell, position.legal_moves()
        colours = dict.fromkeys(marks.hint, pen.theme.good)
        if marks.wrong is not None:
            colours[marks.wrong] = pen.theme.bad
        for move, colour in colours.items():
            cell = landing_cell(position, move) if move in legal else None
            if cell is not None:
                ring = paint.ring(round(size * geo.HINT_RING), colour, size * geo.HINT_RING_WIDTH)
                pen.put(ring, self.centre(cell))
                if move == marks.wrong:
                    pen.write("?", self.centre(cell), round(size * 0.6), colour, "center")

    def _write_note(self, pen: Pen, note: Note, place: tuple[float, float], height: int) -> None:
        """Write a label around a place: the stone, then the letters."""
        stone = 0 if note.player is None else round(height * 0.8)
        gap = height // 5 if stone and note.text else 0
        width = min(text_width(note.text, height) if note.text else 0, round(self.cell * 0.9) - stone - gap)
        left = place[0] - (stone + gap + width) / 2
        if note.player is not None:
            pen.put(paint.disc(stone, pen.theme.stone(note.player), note.player), (left + stone / 2, place[1]))
        pen.write(note.text, (left + stone + gap, place[1]), height, note.colour, "midleft", max(1, width))

    def _draw_cells(self, pen: Pen, position: Position, marks: Marks) -> None:
        theme, size, line, held = pen.theme, self.cell, set(position.winning_cells()), dict(stones(position))
        side, legal = size - max(2, geo.pixels(size, geo.BOX_GAP)), position.legal_moves()
        for cell in range(self.game.cells):
            x, y = self.centre(cell)
            edge = theme.line
            if cell == marks.wrong or cell in marks.hint or cell in line:
                edge = theme.bad if cell == marks.wrong else theme.good if cell in marks.hint else theme.accent
            colour = mixed(theme.panel, theme.accent, 0.22) if cell == marks.preview or cell in line else theme.panel
            thick = max(1, geo.pixels(size, geo.BOX_EDGE) + (edge != theme.line))
            square = pygame.Rect(x - side // 2, y - side // 2, side, side)
            pen.box(square, colour, max(4, geo.pixels(size, geo.BOX_CORNER)), edge, thick)
            if cell == marks.wrong:
                pen.write("?", (x, y), round(size * 0.5), theme.bad, "center")
            elif cell in held:
                self._draw_letter(pen, cell, held[cell], marks, line)
            elif cell in legal:
                note = marks.notes.get(cell)
                if note is not None:
                    self._write_note(pen, note, (x, y), round(size * geo.BOX_LABEL))
                if cell == marks.preview:
                    player = position.to_move
                    pen.put(paint.letter(round(size * geo.STONE), theme.stone(player), player, 110), (x, y))
                elif note is None:
                    corner = (x - size * geo.BOX_NUMBER_LEFT, y - size * geo.BOX_NUMBER_UP)
                    pen.write(str(cell + 1), corner, max(11, round(size * geo.BOX_NUMBER)), theme.faint)

    def _draw_letter(self, pen: Pen, cell: int, player: int, marks: Marks, line: set[int]) -> None:
        theme, size, (x, y) = pen.theme, self.cell, self.centre(cell)
        age = min(1.0, (pen.now - self._arriving.get(cell, -math.inf)) / _GROWTH)
        colour = theme.stone(player) if not line or cell in line else dimmed(theme.stone(player), theme.panel)
        pen.put(paint.letter(max(4, round(size * geo.STONE * (1 - (1 - age) ** 3))), colour, player), (x, y))
        if cell == marks.last and not line:
            dot = paint.dot(max(5, geo.pixels(size, geo.BOX_LAST_DOT)), theme.text)
            pen.put(dot, (x + size * geo.BOX_LAST_OFF, y - size * geo.BOX_LAST_OFF))
