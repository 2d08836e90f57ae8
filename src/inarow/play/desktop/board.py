"""The board on the screen: where its cells are, what is under the pointer, and how it is drawn."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import pygame

from inarow.drawing import board as geo
from inarow.drawing.board import landing_cell, stones
from inarow.drawing.palette import WHITE, Colour, Theme, dimmed, mixed
from inarow.play.desktop import motion, shapes
from inarow.play.desktop.lettering import text_width, write
from inarow.rules import Game, Player, Position


@dataclass(frozen=True)
class Note:
    """What is written beside a move: a few letters, after the stone of the player they are about."""

    text: str
    colour: Colour
    player: Player | None = None


@dataclass(frozen=True)
class Marks:
    """What is drawn besides the stones. Moves and cells count from 0."""

    preview: int | None = None
    """The move under the pointer or the cursor, if it may be played."""
    last: int | None = None
    """The cell of the last stone."""
    hint: Collection[int] = ()
    """Moves that are advised."""
    notes: Mapping[int, Note] = field(default_factory=dict)
    """What is written over a column, or in a cell."""
    strength: float = 1.0
    """How much of the notes is seen, from 0 to 1."""
    wrong: int | None = None
    """A move to be shown as a mistake."""


class BoardView:
    """Draws positions of one game inside a rectangle."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.cell = 1
        self.rect = pygame.Rect(0, 0, 1, 1)
        """The cells."""
        self._moving: dict[int, float] = {}

    # Where things are.

    def layout(self, area: pygame.Rect) -> None:
        """Find the largest board that fits into an area, with room for a stone above it and numbers below."""
        above, below = (1.45, 0.6) if self.game.gravity else (0.3, 0.3)
        across = area.width / (self.game.columns + 0.6)
        down = area.height / (self.game.rows + above + below)
        self.cell = max(8, int(min(across, down)))
        self.rect = pygame.Rect(0, 0, self.cell * self.game.columns, self.cell * self.game.rows)
        self.rect.centerx = area.centerx
        free = area.height - round(self.cell * (self.game.rows + above + below))
        self.rect.top = area.top + free // 2 + round(self.cell * above)

    def centre(self, cell: int) -> tuple[int, int]:
        """The middle of a cell (row by row from the top left)."""
        row, column = divmod(cell, self.game.columns)
        return (
            self.rect.left + column * self.cell + self.cell // 2,
            self.rect.top + row * self.cell + self.cell // 2,
        )

    def move_at(self, place: tuple[int, int]) -> int | None:
        """The move that a click at this place means: anywhere in a column or above it, or a cell."""
        column = (place[0] - self.rect.left) // self.cell
        row = (place[1] - self.rect.top) // self.cell
        if not 0 <= column < self.game.columns or row >= self.game.rows:
            return None
        if self.game.gravity:
            return int(column) if row >= -2 else None
        return int(row * self.game.columns + column) if row >= 0 else None

    def landing(self, position: Position, move: int) -> int | None:
        """The cell that a move would fill; None if it can't be played."""
        return landing_cell(position, move) if move in position.legal_moves() else None

    def _frame(self) -> int:
        return max(4, geo.pixels(self.cell, geo.FRAME))

    # Stones on their way.

    def drop(self, cell: int, now: float) -> None:
        """Let the stone of a cell arrive from now on."""
        self._moving[cell] = now

    def settle(self) -> None:
        """Let all stones be where they belong."""
        self._moving.clear()

    def moving(self, now: float) -> bool:
        """Whether a stone is on its way."""
        self._moving = {cell: begun for cell, begun in self._moving.items() if now - begun < self._duration(cell)}
        return bool(self._moving)

    def _duration(self, cell: int) -> float:
        return motion.fall_time(self._height(cell)) if self.game.gravity else motion.growth_time()

    def _height(self, cell: int) -> float:
        return cell // self.game.columns + 1.1

    # Drawing.

    def draw(self, surface: pygame.Surface, theme: Theme, position: Position, marks: Marks, now: float) -> None:
        """Draw a position."""
        self.moving(now)
        if self.game.gravity:
            self._draw_columns(surface, theme, position, marks, now)
        else:
            self._draw_cells(surface, theme, position, marks, now)

    def _draw_columns(
        self, surface: pygame.Surface, theme: Theme, position: Position, marks: Marks, now: float
    ) -> None:
        size = self.cell
        pad = self._frame()
        frame = self.rect.inflate(2 * pad, 2 * pad)
        shapes.blit(surface, shapes.panel(frame.width, frame.height, theme.board, 2 * pad), frame.topleft)
        surface.fill(theme.hole, self.rect)
        diameter = round(size * geo.STONE)
        line = set(position.winning_cells())
        clip = surface.get_clip()
        surface.set_clip(pygame.Rect(self.rect.left, 0, self.rect.width, self.rect.bottom))
        for cell, player in stones(position):
            lift = motion.fallen(self._height(cell), now - self._moving[cell]) if cell in self._moving else 0.0
            x, y = self.centre(cell)
            colour = theme.stone(player) if not line or cell in line else dimmed(theme.stone(player), theme.hole)
            shapes.blit_centre(surface, shapes.disc(diameter, colour, player), (x, y - lift * size))
        surface.set_clip(clip)
        board_tile = shapes.tile(size, theme.board, theme.board_edge)
        bright = shapes.tile(size, mixed(theme.board, WHITE, 0.17), theme.board_edge)
        for cell in range(self.game.cells):
            row, column = divmod(cell, self.game.columns)
            place = (self.rect.left + column * size, self.rect.top + row * size)
            shapes.blit(surface, bright if column == marks.preview else board_tile, place)
        if marks.preview is not None:
            ghost = shapes.disc(diameter, theme.stone(position.to_move), position.to_move, 150)
            x = self.centre(marks.preview)[0]
            shapes.blit_centre(surface, ghost, (x, self.rect.top - pad - size * 0.84))
        self._mark_columns(surface, theme, position, marks, line)

    def _mark_columns(
        self, surface: pygame.Surface, theme: Theme, position: Position, marks: Marks, line: set[int]
    ) -> None:
        size, pad = self.cell, self._frame()
        for cell in line:
            ring = shapes.ring(round(size * geo.LINE_RING), WHITE, size * geo.LINE_RING_WIDTH)
            shapes.blit_centre(surface, ring, self.centre(cell))
        if marks.last is not None and marks.last not in line and marks.last not in self._moving:
            dot = shapes.dot(max(5, geo.pixels(size, geo.LAST_DOT)), WHITE)
            shapes.blit_centre(surface, dot, self.centre(marks.last))
        advised = [(move, theme.good) for move in marks.hint]
        for move, colour in advised if marks.wrong is None else [*advised, (marks.wrong, theme.bad)]:
            place = self.landing(position, move)
            if place is not None:
                ring = shapes.ring(round(size * geo.HINT_RING), colour, size * geo.HINT_RING_WIDTH)
                shapes.blit_centre(surface, ring, self.centre(place))
                if move == marks.wrong:
                    write(surface, "?", self.centre(place), round(size * 0.6), colour, "center")
        for column in range(self.game.columns):
            x = self.centre(column)[0]
            shade = theme.text if column == marks.preview else theme.faint
            under = (x, self.rect.bottom + pad + size * geo.NUMBER_BELOW)
            write(surface, str(column + 1), under, round(size * geo.NUMBER_TEXT), shade, "center")
            if (note := marks.notes.get(column)) is not None:
                over = (x, self.rect.top - pad - size * geo.LABEL_ABOVE)
                self._write_note(surface, theme, note, over, round(size * geo.LABEL_TEXT), marks.strength)

    def _write_note(
        self,
        surface: pygame.Surface,
        theme: Theme,
        note: Note,
        place: tuple[float, float],
        height: int,
        strength: float,
    ) -> None:
        """A note around a place: the stone, then the letters; as strong as told, in eighths."""
        strength = round(strength * 8) / 8
        if not strength:
            return
        stone = 0 if note.player is None else round(height * 0.8)
        gap = height // 5 if stone and note.text else 0
        width = min(text_width(note.text, height) if note.text else 0, round(self.cell * 0.9) - stone - gap)
        left = place[0] - (stone + gap + width) / 2
        if note.player is not None:
            disc = shapes.disc(stone, theme.stone(note.player), note.player, round(255 * strength))
            shapes.blit_centre(surface, disc, (left + stone / 2, place[1]))
        ground = theme.back if self.game.gravity else theme.panel
        colour = mixed(ground, note.colour, strength)
        write(surface, note.text, (left + stone + gap, place[1]), height, colour, "midleft", max(1, width))

    def _draw_cells(self, surface: pygame.Surface, theme: Theme, position: Position, marks: Marks, now: float) -> None:
        size = self.cell
        gap = max(2, geo.pixels(size, geo.BOX_GAP))
        line = set(position.winning_cells())
        legal = set(position.legal_moves())
        for cell in range(self.game.cells):
            x, y = self.centre(cell)
            colour = theme.panel
            edge = theme.line
            if cell == marks.preview or cell in line:
                colour = mixed(theme.panel, theme.accent, 0.22)
            if cell in marks.hint or cell in line or cell == marks.wrong:
                edge = theme.bad if cell == marks.wrong else theme.good if cell in marks.hint else theme.accent
            side = size - gap
            thick = max(1, geo.pixels(size, geo.BOX_EDGE) + (edge != theme.line))
            box = shapes.panel(side, side, colour, max(4, geo.pixels(size, geo.BOX_CORNER)), edge, thick)
            shapes.blit_centre(surface, box, (x, y))
            if cell == marks.wrong:
                write(surface, "?", (x, y), round(size * 0.5), theme.bad, "center")
            elif (note := marks.notes.get(cell)) is not None and cell in legal:
                self._write_note(surface, theme, note, (x, y), round(size * geo.BOX_LABEL), marks.strength)
            elif cell in legal and cell != marks.preview:
                corner = (x - size * geo.BOX_NUMBER_LEFT, y - size * geo.BOX_NUMBER_UP)
                write(surface, str(cell + 1), corner, max(11, round(size * geo.BOX_NUMBER)), theme.faint)
        for cell, player in stones(position):
            share = motion.grown(now - self._moving[cell]) if cell in self._moving else 1.0
            colour = theme.stone(player) if not line or cell in line else dimmed(theme.stone(player), theme.panel)
            letter = shapes.letter(max(4, round(size * geo.STONE * share)), colour, player)
            shapes.blit_centre(surface, letter, self.centre(cell))
            if cell == marks.last and not line:
                corner_x, corner_y = self.centre(cell)
                place = (corner_x + size * geo.BOX_LAST_OFF, corner_y - size * geo.BOX_LAST_OFF)
                shapes.blit_centre(surface, shapes.dot(max(5, geo.pixels(size, geo.BOX_LAST_DOT)), theme.text), place)
        if marks.preview is not None and marks.preview in legal:
            ghost = shapes.letter(round(size * geo.STONE), theme.stone(position.to_move), position.to_move, 110)
            shapes.blit_centre(surface, ghost, self.centre(marks.preview))
