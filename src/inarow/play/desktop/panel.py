"""The panel beside the board: title, players and score, what goes on, the large buttons at the end, a list, buttons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pygame

from inarow.drawing.palette import Colour, Theme, mixed
from inarow.formatting import capitalised
from inarow.match import Termination
from inarow.play.desktop import shapes
from inarow.play.desktop.board import BoardView
from inarow.play.desktop.choices import YOU
from inarow.play.desktop.labels import share_of_first, standing, verb
from inarow.play.desktop.lettering import wrapped, write
from inarow.play.desktop.widgets import Widget
from inarow.rules import Player

if TYPE_CHECKING:
    from inarow.play.desktop.game import GameScreen


def split(size: tuple[int, int]) -> tuple[pygame.Rect, pygame.Rect]:
    """The panel's place and the board's: beside each other in a wide window, else one above the other."""
    width, height = size
    margin = max(6, min(size) // 50)
    if width >= height * 1.1:
        side = max(200, min(round(width * 0.3), round(height * 0.56)))
        panel = pygame.Rect(width - side - margin, margin, side, height - 2 * margin)
        return panel, pygame.Rect(margin, margin, panel.left - 2 * margin, height - 2 * margin)
    tall = max(200, round(height * 0.36))
    panel = pygame.Rect(margin, height - tall - margin, width - 2 * margin, tall)
    return panel, pygame.Rect(margin, margin, width - 2 * margin, panel.top - 2 * margin)


def bar_place(area: pygame.Rect, board: BoardView) -> pygame.Rect:
    """Lay the board out in its area, with the evaluation bar beside it; the bar's place."""
    width = max(10, area.width // 32)
    gap = width // 2
    board.layout(area.inflate(-2 * (width + gap), 0))
    frame = max(4, board.cell // 7)
    return pygame.Rect(board.rect.left - frame - gap - width, board.rect.top, width, board.rect.height)


def _beside(place: pygame.Rect) -> bool:
    return place.height > place.width


def text_height(place: pygame.Rect) -> int:
    """The height of the text in a panel."""
    return max(14, min(round(place.height / (24 if _beside(place) else 15)), round(place.width / 12)))


def place_buttons(place: pygame.Rect, buttons: list[Widget]) -> int:
    """Put the buttons at the bottom of the panel, two in a row beside the board, more below it; where they begin."""
    unit = text_height(place)
    across = 2 if _beside(place) else 8 if place.width >= 700 else 4
    height = round(unit * (1.55 if _beside(place) else 1.7))
    gap = max(4, height // 7)
    pad = round(unit * 0.6)
    rows = -(-len(buttons) // across)
    width = (place.width - 2 * pad - (across - 1) * gap) // across
    top = place.bottom - pad - rows * height - (rows - 1) * gap
    for number, button in enumerate(buttons):
        column, row = number % across, number // across
        left = place.left + pad + column * (width + gap)
        button.rect = pygame.Rect(left, top + row * (height + gap), width, height)
    return top


def draw(surface: pygame.Surface, place: pygame.Rect, screen: GameScreen, theme: Theme, now: float) -> None:
    """Draw all but the widgets, which find their places here."""
    unit = text_height(place)
    shapes.blit(surface, shapes.panel(place.width, place.height, theme.panel, unit // 2), place.topleft)
    session = screen.session
    pad = round(unit * 0.8)
    left, top, room = place.left + pad, place.top + pad, place.width - 2 * pad
    if not _beside(place):  # players to the left, what goes on to the right
        room = round(room / 2 - pad / 2)
    write(surface, session.setup.game.title, (left, top), round(unit * 1.5), theme.text, width=room * 0.66)
    if session.setup.matches > 1:
        text = f"{session.number} of {max(session.setup.matches, session.number)}"
        write(surface, text, (left + room, top + unit * 0.3), unit, theme.faint, "topright")
    y = top + unit * 1.6
    if session.setup.mode:
        write(surface, session.setup.mode, (left, y), unit, theme.faint, width=room)
        y += unit * 1.1
    for player in Player:
        y = _draw_seat(surface, screen, theme, player, pygame.Rect(left, y, room, unit * 1.6), now)
    if session.tally.draws:
        write(surface, f"drawn: {session.tally.draws}", (left + room, y), round(unit * 0.85), theme.faint, "topright")
        y += unit * 0.3
    y += unit * 0.3
    if not _beside(place):
        left, y = left + room + pad, top
    bottom = screen.buttons_top - unit * 0.4
    ends = _place_ends(screen, pygame.Rect(left, y, room, max(0, bottom - y)), unit)
    for text, colour in lines(screen, theme):
        height = round(unit * (1.15 if colour == theme.text else 0.9))
        for line in wrapped(text, height, room)[:3]:
            if y + height > bottom - ends:
                break
            write(surface, line, (left, y), height, colour, width=room)
            y += height * 0.95
        y += unit * 0.2
    y = _move_ends(screen, round(y + unit * 0.1), unit) + unit * 0.3
    screen.rows.place(pygame.Rect(left, round(y), room, max(0, round(bottom - y))), round(unit * 0.88))


def _place_ends(screen: GameScreen, box: pygame.Rect, unit: int) -> int:
    """Give the two large buttons their size; the height that they take."""
    ends = [screen.group[name] for name in ("again", "review")]
    if not ends[0].visible:
        return 0
    height, gap = round(unit * 2), max(4, unit // 3)
    if not screen.review.on:  # one above the other; in a review the list needs the room
        for number, end in enumerate(ends):
            end.rect = pygame.Rect(box.left, box.top + number * (height + gap), box.width, height)
        return 2 * height + gap
    wide = (box.width - gap) // 2
    for number, end in enumerate(ends):
        end.rect = pygame.Rect(box.left + number * (wide + gap), box.top, wide, height)
    return height


def _move_ends(screen: GameScreen, top: int, unit: int) -> int:
    """Put the two large buttons below what is written; where they end."""
    ends = [screen.group[name] for name in ("again", "review")]
    if not ends[0].visible:
        return top
    down = top - ends[0].rect.top
    for end in ends:
        end.rect.top += down
    return ends[-1].rect.bottom


def _draw_seat(
    surface: pygame.Surface, screen: GameScreen, theme: Theme, player: Player, box: pygame.Rect, now: float
) -> float:
    """One player: stone, name, matches won; marked when it is to move. Returns where the next thing begins."""
    session = screen.session
    to_move = session.ending is None and session.position.to_move is player
    if to_move:
        size = box.inflate(box.height // 2, 0)
        colour = mixed(theme.panel, theme.accent, 0.2)
        shapes.blit(surface, shapes.panel(size.width, size.height, colour, size.height // 3), size.topleft)
    stone = shapes.disc(round(box.height * 0.7), theme.stone(player), player)
    shapes.blit_centre(surface, stone, (box.left + box.height * 0.42, box.centery))
    unit = round(box.height / 1.6)
    won = str((session.tally.one, session.tally.two)[session.index(player)])
    place = (box.right - 2, box.centery)
    write(surface, won, place, round(unit * 1.15), theme.text, "midright")
    spinning = session.thinking is player
    room = box.width - box.height * (2.2 if spinning else 1.6)
    where = (box.left + box.height, box.centery)
    write(surface, screen.names[player], where, unit, theme.text, "midleft", room)
    if spinning:
        shapes.spinner(surface, (box.right - box.height, box.centery), box.height * 0.26, theme.accent, now)
    return box.bottom + unit * 0.2


def lines(screen: GameScreen, theme: Theme) -> list[tuple[str, Colour]]:
    """What is said about the state of things, with its colour."""
    found = [(status(screen), theme.text)]
    if screen.trouble:
        found.append((screen.trouble, theme.bad))
    if screen.message:
        found.append((capitalised(screen.message), theme.faint))
    if screen.review.on and screen.session.ending is not None:
        found.append((screen.review.summary(), theme.faint))
    elif screen.shows_truth and screen.session.ending is None:
        found.append((truth_text(screen), theme.faint))
    return found


def status(screen: GameScreen) -> str:
    """Whose turn it is, or how the match ended."""
    session, names = screen.session, screen.names
    if session.ending is not None:
        winner = session.ending.outcome.winner
        if winner is None:
            return "A draw"
        how = session.ending.termination
        return verb(names[winner], "win") + ("" if how is Termination.LINE else f" ({how.value})")
    name = names[session.position.to_move]
    if session.thinking is not None:
        return "paused" if session.paused else f"{name} is thinking"
    return "Your turn" if name == YOU else f"{name}: your turn"


def truth_text(screen: GameScreen) -> str:
    """How the match on the board stands, or that this is not known."""
    assert screen.insight is not None
    truth = screen.truth()
    if truth:
        text = standing(screen.shown, truth, screen.names)
        return text[:1].upper() + text[1:]
    if screen.insight.failed(screen.shown):
        return "No evaluation of this position"
    return f"The evaluation follows ({screen.compiling})" if screen.compiling else "Evaluating …"


def draw_bar(surface: pygame.Surface, place: pygame.Rect, screen: GameScreen, theme: Theme) -> None:
    """How the match stands for the first player: its colour fills the bar from below."""
    known = share_of_first(screen.shown, screen.truth())
    share = 0.5 if known is None else known
    radius = place.width // 2
    second = theme.second if known is not None else mixed(theme.second, theme.back, 0.6)
    first = theme.first if known is not None else mixed(theme.first, theme.back, 0.6)
    shapes.blit(surface, shapes.panel(place.width, place.height, second, radius), place.topleft)
    filled = round(place.height * share)
    before = surface.get_clip()
    surface.set_clip(pygame.Rect(place.left, place.bottom - filled, place.width, filled))
    shapes.blit(surface, shapes.panel(place.width, place.height, first, radius), place.topleft)
    surface.set_clip(before)
    pygame.draw.line(surface, theme.back, (place.left, place.centery), (place.right - 1, place.centery), 2)
