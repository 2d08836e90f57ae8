"""The menu off screen: every item can be used, what was chosen is remembered, what can't be is explained."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pygame
import pytest

from inarow.agents import agent
from inarow.api import play_series
from inarow.errors import Unsupported
from inarow.kernels import warm
from inarow.play import PERSON, desktop
from inarow.play.desktop import menu
from inarow.play.desktop.app import Warming
from inarow.play.desktop.game import GameScreen
from inarow.play.desktop.menu import (
    DELAYS,
    MATCHES,
    OTHER,
    SIZES,
    STARTS,
    Choices,
    Menu,
    OpponentLine,
    remember,
    remembered,
    settings_file,
    titles,
)
from inarow.play.desktop.widgets import Field
from inarow.play.setup import HUMAN, USUAL, Level, Lineup, Mode, SetupError, Starts
from inarow.rules import CONNECT4, TICTACTOE, game
from support.desktop_doubles import Window, naive_judge

WINDOW_SIZES = [(480, 400), (1000, 760), (700, 1100), (3840, 2160)]


@pytest.fixture
def window() -> Iterator[Window]:
    opened = Window()
    yield opened
    opened.app.close()


def test_every_choice_of_a_seat_can_be_made(window: Window) -> None:
    for index in (0, 1):
        for seat in (HUMAN, *(level.label for level in USUAL.levels)):
            window.click(f"seat {index} {seat}")
            assert window.app.choices.seats[index] == seat
            field = window.widget(f"spec {index}")
            assert isinstance(field, Field)
            assert field.text == (window.app.choices.spec(index) or "human"), "the field says who plays"
    window.click("row Easy")
    assert window.app.choices.seats == ("Perfect", "Easy"), "a row's words stand for player two"


def test_opponents_stand_in_one_column_with_a_line_each(window: Window) -> None:
    lines = [window.widget(f"row {seat}") for seat in (HUMAN, *(level.label for level in USUAL.levels), OTHER)]
    assert len({line.rect.left for line in lines}) == 1
    assert [line.rect.top for line in lines] == sorted(line.rect.top for line in lines)
    for level in USUAL.levels:
        line = window.widget(f"row {level.label}")
        assert isinstance(line, OpponentLine)
        assert (line.about, line.strength) == (level.about, level.strength)
        assert level.about
        assert level.strength


def test_what_the_levels_are_said_to_be_is_what_plays() -> None:
    """Figures in the texts are those of the specs, and Medium beats Easy."""
    by_label = {level.label: level for level in USUAL.levels}
    minimax, mcts = by_label["Hard – minimax"], by_label["Hard – MCTS"]
    assert f"{agent(minimax.specs[0]).depth} plies" in minimax.about  # type: ignore[attr-defined]
    assert f"{agent(mcts.specs[0]).simulations:,} matches" in mcts.about  # type: ignore[attr-defined]
    table = by_label["Hard – Q-learning"]
    specs = [player.spec for board in (TICTACTOE, CONNECT4) if (player := table.agent(board)) is not None]
    assert specs == ["qlearning", "qlearning:guide=heuristic"]
    assert "in Connect 4 guided Q-learning" in table.about
    assert [titles("human", spec)[1] for spec in specs] == [table.label] * 2
    easy, medium = by_label["Easy"].agent(CONNECT4), by_label["Medium"].agent(CONNECT4)
    assert easy is not None
    assert medium is not None
    score = play_series(CONNECT4, medium, easy, matches=20, seed=1).sides[0].score
    assert score is not None
    assert score.estimate > 0.7


@pytest.mark.parametrize("mode", USUAL.modes, ids=lambda mode: mode.label)
def test_each_mode_is_two_clicks_away_explained_and_shown_during_play(window: Window, mode: Mode) -> None:
    window.click(f"mode {mode.label}")
    assert window.app.choices.seats == mode.seats
    assert mode.about
    if "semi" in mode.label:
        assert "semi-intelligent" in mode.about
    window.play("tictactoe")
    people = sum(one is PERSON for one in window.game.session.setup.participants)
    assert people == mode.seats.count(HUMAN)
    assert window.game.session.setup.mode == mode.label


CLUB = Lineup(
    "club",
    "The club",
    "two of its players",
    (Level("Novice", ("random",), "moves at random"), Level("Captain", ("rules",), "wins or blocks", "a beginner")),
    (Mode("Watch", ("Captain", "Novice"), "both of them"), Mode("Join", (HUMAN, "Captain"), "you and the captain")),
)


def test_another_lineup_brings_its_players_and_modes(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(menu, "lineups", lambda: (USUAL, CLUB))
    monkeypatch.setattr(menu, "lineup", lambda name: CLUB if name == "club" else USUAL)
    window.app.menu()
    window.frame()
    window.click("lineup", left=False)
    assert window.app.choices.seats == (HUMAN, "Captain")
    with pytest.raises(KeyError):
        window.widget("row Perfect")
    window.click("mode Watch")
    window.play("connect4")
    setup = window.game.session.setup
    assert [one.spec for one in setup.participants] == ["rules", "random"]
    assert setup.mode == "The club: Watch"
    assert CLUB.mode_title((HUMAN, "Novice")) == "The club"
    assert USUAL.mode_title((HUMAN, "Easy")) == ""
    remember(window.app.choices)
    assert remembered().seats == ("Captain", "Novice")


def test_choices_of_a_lineup_that_is_gone_are_forgotten() -> None:
    settings_file().parent.mkdir(parents=True, exist_ok=True)
    settings_file().write_text(json.dumps({"lineup": "club", "seats": ["Captain", "Novice"]}))
    assert remembered() == Choices()


def test_every_option_steps_through_its_values(window: Window) -> None:
    options: list[tuple[str, tuple[object, ...], str]] = [
        ("starts", STARTS, "starts"),
        ("delay", DELAYS, "delay"),
        ("matches", MATCHES, "matches"),
        ("theme", ("dark", "light"), "theme"),
    ]
    for name, values, key in options:
        for _ in values:
            window.click(name, left=True)
        for value in values:
            assert getattr(window.app.choices, key) == value
            window.click(name, left=False)
        assert getattr(window.app.choices, key) == values[-1]


def test_the_window_size_is_chosen_and_followed(window: Window) -> None:
    for _ in SIZES:
        window.click("size", left=True)
    window.frame(*pygame.event.get())
    assert window.app.window.size == SIZES[0]
    assert (window.app.choices.width, window.app.choices.height) == SIZES[0]
    window.app.window.size = (777, 555)
    window.frame(*pygame.event.get())
    assert (window.app.choices.width, window.app.choices.height) == (777, 555)


@pytest.mark.parametrize("size", WINDOW_SIZES)
def test_nothing_overlaps_or_leaves_the_window(size: tuple[int, int]) -> None:
    window = Window(Choices(width=size[0], height=size[1]))
    for play in (None, "connect4", "tictactoe"):
        if play is not None:
            if not isinstance(window.app.screen, Menu):
                window.click("menu")
                window.frame()
            window.play(play)
        group = window.menu.group if play is None else window.game.group
        rects = [widget.rect for widget in group.widgets.values() if widget.visible]
        if play is not None:
            rects.append(window.game.board.rect)
        whole = pygame.Rect((0, 0), size)
        for number, rect in enumerate(rects):
            assert whole.contains(rect)
            assert rect.collidelist(rects[number + 1 :]) == -1
    window.app.close()


@pytest.mark.parametrize("size", WINDOW_SIZES)
def test_the_opponents_are_within_their_card_and_other_words_are_not(size: tuple[int, int]) -> None:
    window = Window(Choices(width=size[0], height=size[1]))
    menu = window.menu
    for name, widget in window.menu.group.widgets.items():
        opponent = name.startswith(("row ", "seat "))
        assert menu.list_card.contains(widget.rect) if opponent else not menu.list_card.colliderect(widget.rect), name
    for word, (spot, _) in menu.words.items():
        assert menu.list_card.collidepoint(spot) == (word in ("One", "Two")), word
    window.app.close()


def test_a_spec_is_typed(window: Window) -> None:
    window.click("spec 1")
    window.key(pygame.K_BACKSPACE, mod=pygame.KMOD_CTRL)
    window.type("rand")
    window.type("omx")
    window.key(pygame.K_BACKSPACE)
    assert window.app.choices.seats[1] == OTHER
    window.play("connect4")
    assert window.game.session.setup.participants == (PERSON, agent("random"))
    assert window.game.names == ("You", "random")


def test_a_wrong_spec_a_wrong_board_and_an_agent_that_does_not_fit_are_explained(window: Window) -> None:
    def message() -> str:
        window.until(lambda: bool(window.menu.message))
        return window.menu.message

    window.click("spec 1")
    window.type("zzz")
    window.click("play connect4")
    assert "rulezzz" in message() or "ruleszzz" in message()
    window.app.choices = replace(window.app.choices, specs=("random", "rules:style=corners"))
    window.click("play connect4")
    window.until(lambda: "has gravity" in window.menu.message)
    window.click("board")
    window.type("x9")
    window.click("play board")
    assert "unknown game" in window.menu.message
    assert isinstance(window.app.screen, Menu)


def test_the_keyboard_alone_will_do(window: Window) -> None:
    for _ in range(200):
        focus = window.menu.group.focus
        if focus is not None and focus.name == "starts":
            break
        window.key(pygame.K_TAB)
    window.key(pygame.K_RIGHT)
    assert window.app.choices.starts == STARTS[1]
    window.key(pygame.K_TAB, mod=pygame.KMOD_SHIFT)
    focus = window.menu.group.focus
    assert focus is not None
    assert focus.name == "pick 1"
    while window.menu.group.focus is not window.widget("play tictactoe"):
        window.key(pygame.K_TAB)
    window.key(pygame.K_RETURN)
    window.until(lambda: isinstance(window.app.screen, GameScreen))
    assert window.game.session.setup.game == TICTACTOE
    assert window.game.session.setup.starts is Starts.TWO


def test_enter_starts_a_board_that_was_typed_and_q_leaves(window: Window) -> None:
    window.click("board")
    window.key(pygame.K_BACKSPACE, mod=pygame.KMOD_CTRL)
    window.type("4x4x3-free")
    window.key(pygame.K_RETURN)
    window.until(lambda: isinstance(window.app.screen, GameScreen))
    assert window.game.session.setup.game == game("4x4x3-free")
    window.key(pygame.K_m)
    window.key(pygame.K_f)
    window.key(pygame.K_q)
    assert not window.app.running


def test_the_last_settings_are_remembered(window: Window) -> None:
    window.click(f"mode {USUAL.modes[0].label}")
    window.click("matches", left=False)
    window.click("theme", left=False)
    window.app.close()
    assert remembered() == window.app.choices
    assert remembered().matches == MATCHES[1]
    assert remembered().theme == "light"
    window.app = Window(remembered()).app


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"seats": ["Nobody", "Human"]}',
        '{"matches": "many"}',
        '{"delay": -3}',
        '{"board": "9x9"}',
        '{"x": 1}',
    ],
)
def test_settings_that_cannot_be_read_are_replaced_by_the_usual_ones(text: str) -> None:
    settings_file().write_text(text, encoding="utf-8")
    assert remembered() == Choices()


def test_settings_survive_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarow.play.desktop.menu.settings_file", lambda: tmp_path / "missing" / "x.json")
    remember(Choices())
    assert remembered() == Choices()
    settings_file().write_text(json.dumps({"delay": 1}), encoding="utf-8")


def test_a_level_that_cannot_play_a_game_says_so() -> None:
    with pytest.raises(SetupError, match="there is no Hard – Q-learning for"):
        Choices(seats=(HUMAN, "Hard – Q-learning")).setup(game("8x6x5-free"), 0)
    assert Choices(seats=(OTHER, "Easy")).names() == ("rules:style=centre", "Easy")
    assert Choices(seats=("Easy", "Easy")).names() == ("Easy 1", "Easy 2")
    assert Choices(seats=(HUMAN, "Easy")).names() == ("You", "Easy")
    assert Choices(seats=(HUMAN, "Easy")).setup(CONNECT4, 0).pause == 2.0


# What takes long is done elsewhere.


def sleeper() -> subprocess.Popen[bytes]:
    """A child that has compiled one module of four, and takes long for the next."""
    code = "import time; print(1, 4, flush=True); time.sleep(600)"
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)


def test_the_window_is_drawn_while_kernels_compile_and_keys_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    child = sleeper()
    monkeypatch.setattr(warm, "start_warming", lambda stdout: child)
    window = Window(Choices(seats=(HUMAN, "Hard – minimax")), warming=Warming())
    window.click("play connect4")
    for _ in range(20):
        window.frame(seconds=0.05)
        assert window.app.moving()
    window.key(pygame.K_4)
    assert isinstance(window.app.screen, Menu)
    child.kill()
    window.until(lambda: isinstance(window.app.screen, GameScreen))
    assert window.game.session.moves[0] == 3
    window.app.close()


@pytest.mark.parametrize("opponent", [HUMAN, "Easy", "Medium"])
def test_who_needs_no_kernels_can_be_played_while_they_compile(opponent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    child = sleeper()
    monkeypatch.setattr(warm, "start_warming", lambda stdout: child)
    window = Window(Choices(seats=(HUMAN, opponent)), warming=Warming())
    window.click("play connect4")
    window.until(lambda: isinstance(window.app.screen, GameScreen))
    window.key(pygame.K_4)
    assert window.game.session.moves[0] == 3
    assert child.poll() is None
    window.app.close()


def test_how_far_compiling_is_can_be_seen_where_an_evaluation_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    child = sleeper()
    monkeypatch.setattr(warm, "start_warming", lambda stdout: child)
    window = Window(Choices(seats=(HUMAN, HUMAN), evaluation=True), judge=naive_judge, warming=Warming())
    window.until(lambda: window.app.compiling == "compiling for this machine, once: 25 %")
    window.play("tictactoe")
    assert window.game.evaluation() == "The evaluation follows (compiling for this machine, once: 25 %)"
    child.kill()
    window.until(lambda: window.game.truth() is not None)
    assert window.app.compiling == ""
    window.app.close()


def test_waiting_can_be_given_up_and_closing_ends_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    child = sleeper()
    monkeypatch.setattr(warm, "start_warming", lambda stdout: child)
    warming = Warming()
    window = Window(warming=warming)
    window.click("play connect4")
    window.key(pygame.K_ESCAPE)
    assert not window.app.moving()
    assert window.app.running
    while warming._child is None:
        time.sleep(0.01)
    window.app.close()
    assert child.poll() is not None
    assert warming.done


# Without a screen, or without the library.


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(Unsupported, match=r'pip install "inarow\[desktop\]"; or play in the terminal'):
        desktop.run()


def test_the_other_pygame_is_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pygame, "IS_CE", False)
    with pytest.raises(Unsupported, match="pygame-ce"):
        desktop.run()


@pytest.mark.parametrize("environment", [{}, {"SDL_VIDEODRIVER": "nonsense"}, {"DISPLAY": ":987"}])
def test_without_a_display_it_says_what_to_use_instead(environment: dict[str, str]) -> None:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    rest = {key: value for key, value in os.environ.items() if key not in hidden}
    done = subprocess.run(
        [sys.executable, "-m", "inarow.cli.main", "play", "--ui", "desktop"],
        env={**rest, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 2
    assert "no window can be opened" in done.stderr
    assert "inarow play" in done.stderr
    assert "Traceback" not in done.stderr
