"""The panel beside the board: title, players and score, what goes on, blunders, buttons; the bar; the help."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pygame

from inarow.drawing.palette import Theme, mixed
from inarow.match import Termination
from inarow.play.desktop import shapes
from inarow.play.desktop.board import BoardView
from inarow.play.desktop.lettering import text_width, wrapped, write
from inarow.play.desktop.widgets import Group
from inarow.play.insight import describe, final_score
from inarow.play.setup import Person
from inarow.rules import FIRST, Player, format_move

if TYPE_CHECKING:
    from inarow.play.desktop.game import GameScreen

HELP = (
    ("click, 1–9, arrows + Enter", "play"),
    ("R", "restart, or the next game"),
    ("U / Y", "undo / redo"),
    ("H", "hint"),
    ("E", "evaluation on / off"),
    ("Space", "pause agents"),
    ("M", "menu"),
    ("F", "full screen"),
    ("Q, Esc", "quit"),
    ("arrows, after the game", "step through blunders"),
)


def split(size: tuple[int, int]) -> tuple[pygame.Rect, pygame.Rect]:
    """The panel's place and the board's: beside each other in a wide window, else one above the other."""
    width, height = size
    margin = max(8, min(size) // 50)
    if width >= height * 1.1:
        side = max(210, min(420, round(width * 0.3)))
        panel = pygame.Rect(width - side - margin, margin, side, height - 2 * margin)
        return panel, pygame.Rect(margin, margin, panel.left - 2 * margin, height - 2 * margin)
    tall = max(200, round(height * 0.36))
    panel = pygame.Rect(margin, height - tall - margin, width - 2 * margin, tall)
    return panel, pygame.Rect(margin, margin, width - 2 * margin, panel.top - 2 * margin)


def bar_place(area: pygame.Rect, board: BoardView) -> pygame.Rect:
    """Lay the board out in its area, with the evaluation bar beside it; the bar's place."""
    width = max(12, min(26, area.width // 32))
    gap = width // 2
    board.layout(area.inflate(-2 * (width + gap), 0))
    frame = max(4, board.cell // 7)
    return pygame.Rect(board.rect.left - frame - gap - width, board.rect.top, width, board.rect.height)


def _text_height(place: pygame.Rect) -> int:
    beside = place.height > place.width
    return max(15, min(round(place.height / (23 if beside else 13)), round(place.width / 11), 34))


def place_buttons(place: pygame.Rect, group: Group) -> None:
    """Put the buttons at the bottom of the panel: two in a row beside the board, all of them below it."""
    across = 2 if place.height > place.width else 6 if place.width >= 560 else 3
    height = max(26, round(_text_height(place) * 1.65))
    gap = max(5, height // 6)
    pad = gap * 2
    names = list(group.widgets)
    rows = -(-len(names) // across)
    width = (place.width - 2 * pad - (across - 1) * gap) // across
    top = place.bottom - pad - rows * height - (rows - 1) * gap
    for number, name in enumerate(names):
        column, row = number % across, number // across
        left = place.left + pad + column * (width + gap)
        group[name].rect = pygame.Rect(left, top + row * (height + gap), width, height)


def draw(surface: pygame.Surface, place: pygame.Rect, screen: GameScreen, theme: Theme, now: float) -> None:
    """Draw all but the buttons."""
    shapes.blit(surface, shapes.panel(place.width, place.height, theme.panel, 14), place.topleft)
    session = screen.session
    unit = _text_height(place)
    pad = unit * 0.8
    beside = place.height > place.width
    left, top, room = place.left + pad, place.top + pad, place.width - 2 * pad
    if not beside:  # players to the left, what goes on to the right
        room = room / 2 - pad / 2
    write(surface, session.setup.game.title, (left, top), round(unit * 1.6), theme.text, width=room * 0.66)
    if session.setup.matches > 1:
        text = f"{session.number} of {max(session.setup.matches, session.number)}"
        write(surface, text, (left + room, top + unit * 0.3), unit, theme.faint, "topright")
    top += unit * 1.7
    for player in Player:
        top = _draw_seat(surface, screen, theme, player, pygame.Rect(left, top, room, unit * 1.7), now)
    if session.tally.draws:
        write(surface, f"drawn: {session.tally.draws}", (left + room, top), round(unit * 0.85), theme.faint, "topright")
        top += unit * 0.3
    top += unit * 0.5
    if not beside:
        left, top = left + room + pad, place.top + pad
    for text, colour in _lines(screen, theme):
        height = round(unit * (1.15 if colour == theme.text else 0.9))
        for line in wrapped(text, height, int(room))[:5]:
            write(surface, line, (left, top), height, colour, width=room)
            top += height * 0.9
        top += unit * 0.25
    bottom = min(widget.rect.top for widget in screen.group.widgets.values())
    _draw_blunders(surface, screen, theme, pygame.Rect(left, top, room, max(0, bottom - top - unit * 0.4)), unit)


def _draw_seat(
    surface: pygame.Surface, screen: GameScreen, theme: Theme, player: Player, box: pygame.Rect, now: float
) -> float:
    """One player: stone, name, games won; marked when it is to move. Returns where the next thing begins."""
    session = screen.session
    to_move = session.ending is None and session.position.to_move is player
    if to_move:
        size = box.inflate(box.height // 2, 0)
        colour = mixed(theme.panel, theme.accent, 0.2)
        shapes.blit(surface, shapes.panel(size.width, size.height, colour, size.height // 3), size.topleft)
    stone = shapes.disc(round(box.height * 0.7), theme.stone(player), player)
    shapes.blit_centre(surface, stone, (box.left + box.height * 0.42, box.centery))
    unit = round(box.height / 1.7)
    won = str((session.tally.one, session.tally.two)[session.index(player)])
    place = (box.right - 2, box.centery)
    write(surface, won, place, round(unit * 1.15), theme.text, "midright")
    spinning = session.thinking is player
    room = box.width - box.height * (2.2 if spinning else 1.6)
    where = (box.left + box.height, box.centery)
    write(surface, screen.names[player], where, unit, theme.text, "midleft", room)
    if spinning:
        shapes.spinner(surface, (box.right - box.height, box.centery), box.height * 0.26, theme.accent, now)
    return box.bottom + unit * 0.25


def _lines(screen: GameScreen, theme: Theme) -> list[tuple[str, tuple[int, int, int]]]:
    """What is said about the state of things, with its colour."""
    session = screen.session
    lines = [(status(screen), theme.text)]
    if screen.trouble:
        lines.append((screen.trouble, theme.bad))
    if screen.message:
        lines.append((screen.message, theme.faint))
    elif session.series_over:
        lines.append(("press R to play again", theme.faint))
    if screen.shows_truth and screen.insight is not None:
        lines.append((_truth_text(screen), theme.faint))
    return lines


def status(screen: GameScreen) -> str:
    """Whose turn it is, or how the game ended."""
    session = screen.session
    if session.ending is not None:
        winner = session.ending.outcome.winner
        if winner is None:
            return "A draw"
        how = session.ending.termination
        return f"{screen.names[winner]} wins" + ("" if how is Termination.LINE else f" ({how.value})")
    player = session.position.to_move
    if session.thinking is not None:
        return f"{screen.names[player]} is thinking …" if not session.paused else "paused"
    people = sum(isinstance(one, Person) for one in session.setup.participants)
    return "Your turn" if people == 1 else f"{screen.names[player]}: your turn"


def _truth_text(screen: GameScreen) -> str:
    assert screen.insight is not None
    blunder = screen.blunder
    if blunder is not None:
        before, after = (describe(blunder.position, score) for score in (blunder.before, blunder.after))
        best = ", ".join(format_move(move) for move in blunder.best[:4])
        return f"{before} became {after}; better: {best}"
    if screen.session.ending is not None:
        count = len(screen.blunders)
        more = " so far …" if screen.insight.busy else ""
        return f"{count or 'no'} blunder{'' if count == 1 else 's'}{more}" + ("; arrow keys step" if count else "")
    scores = screen.scores()
    if scores:
        return f"in truth: {describe(screen.shown, max(scores.values()))}"
    return "too deep to know yet" if screen.insight.failed(screen.shown) else "finding out the truth …"


def _draw_blunders(surface: pygame.Surface, screen: GameScreen, theme: Theme, box: pygame.Rect, unit: int) -> None:
    """The list of blunders, with the one that is looked at marked."""
    found = screen.blunders
    height = round(unit * 1.15)
    rows = box.height // height
    if not found or rows < 1:
        return
    at = 0 if screen.blunder is None else found.index(screen.blunder)
    start = max(0, min(at - rows // 2, len(found) - rows))
    for number, blunder in enumerate(found[start : start + rows]):
        top = box.top + number * height
        if blunder is screen.blunder or blunder == screen.blunder:
            mark = shapes.panel(box.width + unit, height, mixed(theme.panel, theme.accent, 0.25), height // 3)
            shapes.blit(surface, mark, (box.left - unit // 2, top))
        player = blunder.position.to_move
        stone = shapes.disc(round(height * 0.7), theme.stone(player), player)
        shapes.blit_centre(surface, stone, (box.left + height * 0.4, top + height * 0.5))
        change = f"{_word(blunder.before)} to {_word(blunder.after)}"
        text = f"move {blunder.position.ply + 1}: {format_move(blunder.move)} – {change}"
        place = (box.left + height, top + height * 0.5)
        write(surface, text, place, round(unit * 0.85), theme.text, "midleft", box.width - height)


def _word(score: int) -> str:
    return "win" if score > 0 else "loss" if score < 0 else "draw"


def draw_bar(surface: pygame.Surface, place: pygame.Rect, screen: GameScreen, theme: Theme) -> None:
    """How the game stands for the first player: its colour fills the bar from below."""
    position = screen.shown
    outcome = position.outcome()
    scores = screen.scores()
    share = 0.5
    if outcome is not None:
        share = (1 + final_score(position, outcome)) / 2
    elif scores:
        score = max(scores.values())
        score = score if position.to_move is FIRST else -score
        most = max(1, position.game.cells // 2)
        share = 0.5 if score == 0 else 0.5 + (0.3 + 0.2 * min(1, abs(score) / most)) * (1 if score > 0 else -1)
    known = outcome is not None or scores is not None
    radius = place.width // 2
    second = theme.second if known else mixed(theme.second, theme.back, 0.6)
    first = theme.first if known else mixed(theme.first, theme.back, 0.6)
    shapes.blit(surface, shapes.panel(place.width, place.height, second, radius), place.topleft)
    filled = round(place.height * share)
    before = surface.get_clip()
    surface.set_clip(pygame.Rect(place.left, place.bottom - filled, place.width, filled))
    shapes.blit(surface, shapes.panel(place.width, place.height, first, radius), place.topleft)
    surface.set_clip(before)
    pygame.draw.line(surface, theme.back, (place.left, place.centery), (place.right - 1, place.centery), 2)


def draw_help(surface: pygame.Surface, theme: Theme) -> None:
    """The keys, over everything."""
    width, height = surface.get_size()
    veil = pygame.Surface((width, height), pygame.SRCALPHA)
    veil.fill((*theme.back, 200))
    surface.blit(veil, (0, 0))
    unit = max(14, min(width // 30, height // 22))
    keys = max(text_width(key, unit) for key, _ in HELP)
    card = pygame.Rect(0, 0, round(keys + unit * 15), round(unit * (len(HELP) * 1.35 + 3.4)))
    card.center = (width // 2, height // 2)
    box = shapes.panel(card.width, card.height, theme.panel, unit // 2, theme.line)
    shapes.blit(surface, box, card.topleft)
    left, top = card.left + unit * 1.5, card.top + unit
    write(surface, "Keys", (left, top), round(unit * 1.5), theme.text)
    for number, (key, meaning) in enumerate(HELP):
        y = top + unit * (2 + number * 1.35)
        write(surface, key, (left, y), unit, theme.accent)
        write(surface, meaning, (left + keys + unit, y), unit, theme.text)
