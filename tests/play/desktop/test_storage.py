"""No match is lost in the window: leaving asks or keeps, the menu resumes, matches are saved and opened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pygame
import pytest

from inarow.agents import agent
from inarow.drawing.board import DARK
from inarow.play import PERSON, Setup, saved
from inarow.play.desktop import paint
from inarow.play.desktop.cards import FileCard
from inarow.play.desktop.game import GameScreen
from inarow.play.desktop.menu import Choices, Menu, settings_file, titles
from inarow.play.desktop.widgets import Field
from inarow.play.saved import load_record
from inarow.rules import CONNECT4, TICTACTOE
from support.desktop_doubles import Window, open_windows, people


@pytest.fixture
def windows() -> Iterator[list[Window]]:
    """Windows to be closed after the test."""
    yield from open_windows()


def test_q_in_the_middle_of_a_match_asks(windows: list[Window]) -> None:
    window = people(windows, "connect4")
    window.key(pygame.K_4)
    for stay in (pygame.K_ESCAPE, pygame.K_RETURN):
        window.key(pygame.K_q)
        assert window.app.running
        window.key(stay)
        assert window.app.running
        assert window.game.card is None
    window.click("quit")
    window.click("no")
    assert window.app.running
    window.key(pygame.K_q)
    window.key(pygame.K_5)
    assert window.game.session.moves == (3,), "a key for the question is not a move"
    window.key(pygame.K_q)
    assert not window.app.running


def test_escape_never_closes_the_window(windows: list[Window]) -> None:
    window = people(windows, "tictactoe")
    for key in (pygame.K_1, pygame.K_4, pygame.K_2, pygame.K_5, pygame.K_3):
        window.key(key)
    assert window.game.session.ending is not None
    for _ in range(3):
        window.key(pygame.K_ESCAPE)
    assert window.app.running
    assert window.menu.message == "Press Q to quit."


@pytest.mark.parametrize("key", [pygame.K_m, pygame.K_ESCAPE])
def test_menu_and_escape_keep_the_match_and_resume_continues_it(windows: list[Window], key: int) -> None:
    window = people(windows, "connect4")
    window.key(pygame.K_4)
    window.key(pygame.K_5)
    session = window.game.session
    window.key(key)
    assert window.menu.group["resume"].enabled
    window.click("resume")
    assert window.game.session is session
    assert session.moves == (3, 4)
    window.key(pygame.K_u)
    assert session.position.ply == 1
    window.key(key)
    window.key(pygame.K_ESCAPE)
    assert isinstance(window.app.screen, GameScreen), "Escape goes back and forth"


def test_a_watched_match_stands_still_while_the_menu_is_shown(windows: list[Window]) -> None:
    windows.append(Window(Choices()))
    window = windows[-1]
    window.begin(Setup(CONNECT4, (agent("random"), agent("random"))))
    session = window.game.session
    window.until(lambda: session.position.ply == 2, seconds=0.1)
    window.key(pygame.K_m)
    for _ in range(5):
        window.frame(seconds=1)
    assert session.position.ply == 2
    window.click("resume")
    window.settle()
    assert session.series_over


def test_a_match_survives_a_closed_window_and_is_resumed_next_time(windows: list[Window]) -> None:
    window = people(windows, "tictactoe")
    window.key(pygame.K_5)
    window.key(pygame.K_1)
    window.frame(pygame.Event(pygame.QUIT))
    window.app.close()
    windows[-1] = again = Window(Choices())
    assert again.menu.group["resume"].enabled
    again.click("resume")
    again.until(lambda: isinstance(again.app.screen, GameScreen))
    again.frame()
    assert again.game.session.moves == (4, 0)
    assert again.game.names == ("Human 1", "Human 2")
    for key in (pygame.K_2, pygame.K_3, pygame.K_8):
        again.key(key)
    assert again.game.session.series_over
    again.key(pygame.K_m)
    assert not again.menu.group["resume"].enabled, "a finished match is not resumed"


def test_a_new_match_puts_the_unfinished_one_aside(windows: list[Window]) -> None:
    window = people(windows, "connect4")
    window.key(pygame.K_4)
    window.key(pygame.K_m)
    window.play("tictactoe")
    assert "saved as connect4 1.txt" in window.game.message
    assert load_record(saved.matches_folder() / "connect4 1.txt").moves == (3,)
    window.key(pygame.K_m)
    assert not window.menu.group["resume"].enabled, "nothing was played yet"


def test_restarting_in_the_middle_of_a_match_asks(windows: list[Window]) -> None:
    window = people(windows, "connect4")
    window.key(pygame.K_r)
    assert window.game.card is None, "an empty board has nothing to lose"
    window.key(pygame.K_4)
    window.key(pygame.K_r)
    window.key(pygame.K_ESCAPE)
    assert window.game.session.position.ply == 1
    window.key(pygame.K_r)
    window.click("yes")
    assert window.game.session.position.ply == 0


def test_the_letter_of_a_shortcut_is_not_typed_into_the_field_that_it_opens(windows: list[Window]) -> None:
    window = people(windows, "connect4")
    window.key(pygame.K_4, "4")
    events = [
        pygame.Event(pygame.KEYDOWN, key=pygame.K_s, unicode="s", mod=0),
        pygame.Event(pygame.TEXTINPUT, text="s"),
    ]
    window.frame(*events)
    field = window.game.active.focus
    assert isinstance(field, Field)
    assert field.text == "connect4 1.txt"
    window.frame(*events)  # now it is meant
    assert field.text == "connect4 1.txts"
    window.key(pygame.K_ESCAPE)
    window.key(pygame.K_m, "m")
    window.frame(
        pygame.Event(pygame.KEYDOWN, key=pygame.K_o, unicode="o", mod=0), pygame.Event(pygame.TEXTINPUT, text="o")
    )
    field = window.menu.active.focus
    assert isinstance(field, Field)
    assert field.text == ""
    window.type("o")  # by an input method, without a key
    assert field.text == "o"


def test_a_match_is_saved_under_a_name_and_opened_again(windows: list[Window]) -> None:
    window = people(windows, "connect4")
    window.key(pygame.K_s)
    assert "nothing to save" in window.game.message
    for key in (pygame.K_4, pygame.K_4, pygame.K_3):
        window.key(key)
    window.click("save")
    window.click("use")
    assert window.game.message == "saved as connect4 1.txt"
    window.click("save")
    window.key(pygame.K_BACKSPACE, mod=pygame.KMOD_CTRL)
    window.type("connect4 1.txt")
    window.key(pygame.K_RETURN)
    card = window.game.card
    assert card is not None
    assert "exists" in getattr(card, "error", ""), "nothing is overwritten"
    window.key(pygame.K_ESCAPE)
    window.key(pygame.K_m)
    window.play("tictactoe")
    window.key(pygame.K_m)
    window.click("open")
    card = window.menu.card
    assert isinstance(card, FileCard)
    assert "connect4 1.txt" in [row.text for row in card.list.rows]
    at = [row.text for row in card.list.rows].index("connect4 1.txt")
    window.click(card.list._places[at][0].center)
    window.until(lambda: isinstance(window.app.screen, GameScreen))
    assert window.game.session.moves == (3, 3, 2)


def test_a_file_that_holds_no_match_is_refused_with_the_reason(windows: list[Window], tmp_path: Path) -> None:
    windows.append(Window(Choices()))
    window = windows[-1]
    window.key(pygame.K_o)
    card = window.menu.card
    assert isinstance(card, FileCard)
    for text in ("", str(tmp_path / "missing.txt")):
        window.key(pygame.K_BACKSPACE, mod=pygame.KMOD_CTRL)
        window.type(text)
        window.key(pygame.K_RETURN)
        assert card.error
    window.wheel(-1)
    window.click("cancel")
    assert window.menu.active is window.menu.group
    settings_file().with_name("unfinished.jsonl").write_text("nonsense", encoding="utf-8")
    assert saved.unfinished_match() is None
    assert saved.put_unfinished_aside() == ""


def test_a_folder_that_cannot_be_written_is_no_reason_to_stop(
    windows: list[Window], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(saved, "settings_folder", lambda: tmp_path / "a file" / "x")
    (tmp_path / "a file").write_text("", encoding="utf-8")
    window = people(windows, "tictactoe")
    window.key(pygame.K_5)
    assert window.game.session.moves == (4,)
    assert saved.saved_matches() == []


def test_people_and_levels_are_named(windows: list[Window]) -> None:
    assert titles("human", "rules") == ("You", "Medium")
    assert titles("mcts:seconds=1", "human") == ("mcts:seconds=1", "You")
    assert titles("human", "human") == ("Human 1", "Human 2")
    windows.append(Window(Choices()))
    window = windows[-1]
    window.begin(Setup(TICTACTOE, (PERSON, agent("rules"))), titles("human", "rules"))
    assert window.app.window.title == "inarow – Tic Tac Toe: You against Medium"
    window.key(pygame.K_m)
    assert isinstance(window.app.screen, Menu)
    assert window.app.window.title.startswith("inarow")
    assert window.app.window.title != "inarow", "what the program is stands in the title"


def test_the_window_has_an_icon_of_its_own(windows: list[Window], monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[pygame.Surface] = []
    draw = paint.icon
    monkeypatch.setattr(paint, "icon", lambda size: drawn.append(draw(size)) or drawn[-1])  # type: ignore[func-returns-value]
    windows.append(Window(Choices()))
    icon = drawn[0]
    colours = {tuple(icon.get_at((x, y)))[:3] for x in range(0, 64, 4) for y in range(0, 64, 4)}
    assert {DARK.first, DARK.second, DARK.board} <= colours
