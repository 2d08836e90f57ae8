"""The desktop window off screen: whole games by mouse and keyboard, at several sizes, seen by their colours."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pygame
import pytest

from inarow.agents import Agent, Decision, Limit, Mind, agent
from inarow.drawing.board import DARK
from inarow.play import PERSON, Setup
from inarow.play.desktop.cards import HelpCard
from inarow.play.desktop.menu import Choices, Menu
from inarow.play.saved import saved_matches
from inarow.rules import CONNECT4, FIRST, SECOND, TICTACTOE, Game, Player, Position, game
from inarow.stopping import Stop
from support.desktop_doubles import PEOPLE, Window, open_windows, people
from support.play_doubles import Scripted

SIZES = [(480, 400), (1000, 760), (700, 1100)]


@pytest.fixture
def windows() -> Iterator[list[Window]]:
    """Windows to be closed after the test."""
    yield from open_windows()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_a_game_of_connect4_by_clicks(windows: list[Window], size: tuple[int, int], theme: str) -> None:
    window = people(windows, "connect4", size, theme)
    board = window.game.board
    for number, column in enumerate([3, 3, 4, 4, 2, 2]):
        x, y = board.centre(column)
        above = y - board.cell
        inside = board.centre(column + 7 * (number % 6))[1]
        window.click((x, above if number % 2 else inside))
        window.frame(seconds=5.0)
    assert window.seen().count(FIRST) == 3
    assert window.seen().count(SECOND) == 3
    flat = [stone for row in window.game.session.position.grid() for stone in row]
    assert window.seen() == flat
    window.click(board.centre(5))
    window.frame(seconds=5.0)
    assert window.game.status() == "Human 1 wins"
    line = window.game.session.position.winning_cells()
    assert [cell for cell in range(42) if window.stone_at(cell) is FIRST] == list(line)
    for cell in line:  # a white ring is around each stone of the line
        x, y = board.centre(cell)
        assert min(window.colour_at((x + board.cell * 0.42, y))) > 200


@pytest.mark.parametrize("size", SIZES)
def test_a_game_of_tic_tac_toe_by_clicks(windows: list[Window], size: tuple[int, int]) -> None:
    window = people(windows, "tictactoe", size)
    for cell in [4, 0, 2, 6, 3, 5, 1, 7]:
        window.click(window.game.board.centre(cell))
        window.frame(seconds=5.0)
    flat = [stone for row in window.game.session.position.grid() for stone in row]
    assert window.seen() == flat
    window.click(window.game.board.centre(8))
    window.frame(seconds=5.0)
    assert window.game.status() == "A draw"
    assert window.game.session.tally == (0, 0, 1)


def test_a_click_beside_the_board_or_on_a_taken_cell_does_nothing_but_say_so(windows: list[Window]) -> None:
    window = people(windows, "tictactoe")
    window.click((2, 2))
    assert window.game.session.position.ply == 0
    window.click(window.game.board.centre(4))
    window.click(window.game.board.centre(4))
    assert "cell 5 is taken" in window.game.message
    shown = window.game.status_lines(DARK)[1][0]
    assert shown[0].isupper()
    assert shown[1:] == window.game.message[1:]
    assert window.game.session.position.ply == 1


def test_keys_play_digits_and_arrows_with_enter(windows: list[Window]) -> None:
    window = people(windows, "connect4")
    window.key(pygame.K_4)
    window.key(pygame.K_KP7)
    window.key(pygame.K_8)
    assert "columns 1 to 7" in window.game.message
    window.key(pygame.K_LEFT)
    window.key(pygame.K_LEFT)
    window.key(pygame.K_RETURN)
    assert window.game.session.moves[:2] == (3, 6)
    assert window.game.session.moves[2] == 2
    window = people(windows, "tictactoe")
    for key in (pygame.K_UP, pygame.K_LEFT, pygame.K_DOWN, pygame.K_RIGHT, pygame.K_RETURN):
        window.key(key)
    assert window.game.session.moves == (4,)


def test_the_column_under_the_pointer_is_lit_and_a_stone_previewed(windows: list[Window]) -> None:
    window = people(windows, "connect4")
    board = window.game.board
    corner = (board.rect.left + 5 * board.cell + 2, board.rect.top + 2)
    other = (board.rect.left + 2, board.rect.top + 2)
    preview = (board.centre(5)[0] + board.cell * 0.3, board.rect.top - board.cell)
    plain, empty = window.colour_at(corner), window.colour_at(preview)
    window.hover(board.centre(5))
    assert window.colour_at(corner) != plain
    assert window.colour_at(other) == plain
    assert window.colour_at(preview) != empty
    window.frame(pygame.Event(pygame.WINDOWLEAVE))
    assert window.colour_at(corner) == plain


def test_a_stone_falls_and_bounces_and_is_on_its_way_in_the_next_frame(windows: list[Window]) -> None:
    window = people(windows, "connect4")
    window.key(pygame.K_4)
    cell = window.game.session.setup.game.cells - 4
    assert window.app.moving()
    assert window.stone_at(cell) is None
    board = window.game.board
    above = (board.centre(3)[0] + board.cell * 0.26, board.rect.top - 0.6 * board.cell)
    assert window.colour_at(above) == window.app.theme.first
    heights = []
    for _ in range(120):
        window.frame(seconds=1 / 60)
        heights.append(window.stone_at(cell) is FIRST)
    assert True in heights
    assert False in heights[heights.index(True) :], "it leaves its cell again: it bounces"
    assert heights[-1]
    assert not window.app.moving()


def test_buttons_clear_undo_hint_menu_and_quit(windows: list[Window]) -> None:
    window = people(windows, "connect4")
    assert not window.widget("undo").enabled
    window.click("undo")
    for key in (pygame.K_1, pygame.K_2, pygame.K_3):
        window.key(key)
    window.click("undo")
    assert window.game.session.moves == (0, 1)
    window.key(pygame.K_y)
    assert window.game.session.position.ply == 3
    window.click("hint")
    window.until(lambda: window.game.message == "Hint: 7 looks best to a search.")
    window.click("clear")
    window.click("yes")
    assert window.game.session.position.ply == 0
    assert not any(window.seen())
    window.click("menu")
    assert isinstance(window.app.screen, Menu)
    window.play("connect4")
    window.click("quit")
    assert not window.app.running


@pytest.mark.parametrize("key", [pygame.K_m, pygame.K_ESCAPE])
def test_keys_restart_undo_hint_menu_full_screen_help_and_quit(windows: list[Window], key: int) -> None:
    window = people(windows, "tictactoe")
    window.key(pygame.K_5)
    window.key(pygame.K_u)
    assert window.game.session.position.ply == 0
    window.key(pygame.K_u)
    assert "no move to undo" in window.game.message
    window.key(pygame.K_h)
    window.until(lambda: window.game.message == "Hint: 9 looks best to a search.")
    window.key(pygame.K_5)
    window.key(pygame.K_r)
    window.key(pygame.K_r)
    assert window.game.session.position.ply == 0
    window.key(pygame.K_QUESTION, "?")
    assert isinstance(window.game.card, HelpCard)
    window.key(pygame.K_5)
    assert window.game.card is None
    assert window.game.session.position.ply == 0, "the key that ends the help is not a move"
    window.key(pygame.K_f)
    window.key(pygame.K_f)
    window.key(key)
    assert isinstance(window.app.screen, Menu)
    window.play("tictactoe")
    window.key(pygame.K_q)
    assert not window.app.running


@dataclass(frozen=True)
class Patient(Agent):
    """Thinks until it is stopped."""

    name = "patient"
    summary = "for tests"

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return PatientMind()


class PatientMind(Mind):
    thinking = 0

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        assert stop is not None
        PatientMind.thinking += 1
        while not stop.is_set():
            threading.Event().wait(0.002)
        PatientMind.thinking -= 1
        return Decision(position.legal_moves()[0])


def thinking_window(windows: list[Window]) -> Window:
    windows.append(Window(Choices()))
    window = windows[-1]
    window.begin(Setup(CONNECT4, (PERSON, Patient())))
    window.key(pygame.K_4)
    window.until(lambda: PatientMind.thinking == 1)
    return window


def test_undo_new_match_menu_and_quit_while_an_agent_thinks(windows: list[Window]) -> None:
    window = thinking_window(windows)
    assert window.game.status() == "Two is thinking"
    assert window.app.moving()
    window.key(pygame.K_5)
    assert "turn" in window.game.message
    window.click("undo")
    assert window.game.session.position.ply == 0
    window.until(lambda: PatientMind.thinking == 0)
    window.frame(seconds=10)
    assert window.game.session.position.ply == 0, "no stale move"
    window.key(pygame.K_4)
    window.click("clear")
    window.click("yes")
    window.until(lambda: PatientMind.thinking == 0)
    assert window.game.session.position.ply == 0
    window.key(pygame.K_4)
    window.click("menu")
    window.begin(Setup(CONNECT4, (PERSON, Patient())))
    window.until(lambda: PatientMind.thinking == 0)
    window.key(pygame.K_4)
    window.frame(pygame.Event(pygame.QUIT))
    assert not window.app.running
    window.app.close()
    windows.clear()
    assert PatientMind.thinking == 0
    assert not [one for one in threading.enumerate() if one.name == "inarow-thinking"]


def test_the_spinner_turns_while_an_agent_thinks(windows: list[Window]) -> None:
    window = thinking_window(windows)
    window.frame(seconds=5.0)
    before = pygame.image.tobytes(window.app.window.get_surface(), "RGB")
    window.frame(seconds=0.2)
    assert pygame.image.tobytes(window.app.window.get_surface(), "RGB") != before


def test_a_fault_of_an_agent_is_shown_and_survived(windows: list[Window]) -> None:
    windows.append(Window(Choices()))
    window = windows[-1]
    window.begin(Setup(TICTACTOE, (PERSON, Scripted("crash")), matches=2, delay=0.0, pause=1.0))
    window.key(pygame.K_5)
    window.until(lambda: window.game.session.ending is not None, seconds=0.01)
    assert "Two failed: RuntimeError: the mind has gone blank" in window.game.trouble
    assert window.game.status() == "One wins (exception)"
    window.settle()
    assert window.game.session.number == 2
    assert window.game.session.awaits_person
    assert not window.game.trouble


def test_a_series_of_a_hundred_fast_games(windows: list[Window]) -> None:
    windows.append(Window(Choices()))
    window = windows[-1]
    fast = Setup(TICTACTOE, (agent("random"), agent("rules")), matches=100, delay=0.0, pause=0.0)
    window.begin(fast, ("Easy", "Medium"))
    session = window.game.session
    for _ in range(20_000):
        if session.series_over:
            break
        session.wait(1.0)
        window.frame(seconds=0.01)
    assert session.series_over
    assert sum(session.tally) == 100
    assert session.tally.two > session.tally.one
    assert len(session.records()) == 100


def test_watched_agents_can_be_paused(windows: list[Window]) -> None:
    windows.append(Window(Choices()))
    window = windows[-1]
    window.begin(Setup(CONNECT4, (agent("random"), agent("random"))))
    window.key(pygame.K_SPACE)
    assert window.game.session.paused
    window.frame(seconds=10)
    assert window.game.session.position.ply == 0
    window.key(pygame.K_SPACE)
    window.settle()
    assert window.game.session.series_over


def test_other_boards_are_played_the_same_way(windows: list[Window]) -> None:
    window = people(windows, "board")
    assert window.game.session.setup.game == game("5x4x4")
    for column in (0, 1, 0, 1, 0, 1, 0):
        window.click(window.game.board.centre(column))
        window.frame(seconds=5)
    assert window.game.status() == "Human 1 wins"


def test_the_truth_is_shown_over_each_move_and_in_the_bar(windows: list[Window]) -> None:
    window = people(windows, "tictactoe")
    for key in (pygame.K_1, pygame.K_2, pygame.K_5):
        window.key(key)
    window.click("truth")
    window.until(lambda: window.game.truth() is not None)
    window.frame(seconds=5)
    notes = window.game.marks((-1, -1), window.clock.now()).notes
    assert notes[8].text == "2"
    assert {note.text for note in notes.values()} == {"1", "2"}
    assert {note.player for note in notes.values()} == {FIRST}, "the label's stone says who wins"
    assert window.game.evaluation() == "Human 1 wins in 2 moves with best play"
    bar = window.game.bar
    assert window.colour_at((bar.centerx, bar.bottom - bar.height // 4)) == window.app.theme.first
    assert window.colour_at((bar.centerx, bar.top + bar.height // 4)) == window.app.theme.first
    assert window.colour_at((bar.centerx, bar.top + bar.width)) == window.app.theme.second
    window.key(pygame.K_e)
    assert window.game.truth() is None


def test_without_a_judge_the_evaluation_is_said_to_be_missing(windows: list[Window]) -> None:
    windows.append(Window(Choices(seats=PEOPLE)))
    window = windows[-1]
    window.play("connect4")
    assert not window.widget("truth").enabled
    assert not window.widget("review").enabled
    window.key(pygame.K_e)
    assert "no exact evaluation" in window.game.message
    window.key(pygame.K_v)
    assert "no exact evaluation" in window.game.message


def test_a_picture_of_the_window_is_saved_during_and_after_a_match(windows: list[Window]) -> None:
    window = people(windows, "tictactoe")
    saved = []
    for moves in ([1, 4], [2, 5, 3]):
        for move in moves:
            window.key(getattr(pygame, f"K_{move}"))
        window.settle()
        window.key(pygame.K_i)
        assert window.game.message.startswith("picture saved as ")
        saved.append(pygame.image.load(window.game.message.removeprefix("picture saved as ")))
    assert saved[0].get_size() == window.app.window.get_surface().get_size()
    assert saved[0].get_buffer().raw != saved[1].get_buffer().raw
    assert saved_matches() == [], "pictures are not matches"
