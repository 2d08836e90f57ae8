"""The card of an agent's settings: all agents and files, fields and choices, and nothing that only training needs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pygame
import pytest

from inarow.agents import agent_class, agent_names
from inarow.play.desktop.cards import Picker, editor
from inarow.play.desktop.menu import OTHER
from inarow.play.desktop.widgets import Field, Stepper
from support.desktop_doubles import Window


@pytest.fixture
def window() -> Iterator[Window]:
    opened = Window()
    yield opened
    opened.app.close()


def open_picker(window: Window, name: str) -> Picker:
    window.click(name)
    window.until(lambda: window.menu.active is not window.menu.group)
    window.frame()
    assert isinstance(window.menu.card, Picker)
    return window.menu.card


def pick(window: Window, name: str) -> None:
    """Click an agent in the list, which is scrolled to it."""
    picker = window.menu.card
    assert isinstance(picker, Picker)
    index = list(picker.agents).index(name)
    window.wheel(100)
    while index not in picker.list.shown:
        window.wheel(-1)
    window.click(next(rect.center for rect, at in picker.list._places if at == index))


def test_every_agent_can_be_picked_with_its_parameters(window: Window) -> None:
    picker = open_picker(window, f"seat 0 {OTHER}")
    for name in agent_names():
        pick(window, name)
        assert picker.spec == name
        assert picker.error() == ""
    pick(window, "rules")
    window.click("parameter style", left=False)
    window.click("use")
    assert window.app.choices.seats[0] == OTHER
    assert window.app.choices.specs[0] == "rules:style=centre"
    field = window.widget("spec 0")
    assert isinstance(field, Field)
    assert field.text == "rules:style=centre"


def test_settings_are_offered_only_where_an_agent_has_some(window: Window) -> None:
    assert not window.widget("pick 0").enabled, "a person has none"
    window.until(lambda: window.widget("pick 1").enabled)
    window.click("seat 1 Easy")
    window.until(lambda: not window.widget("pick 1").enabled)


def test_what_counts_in_training_only_is_not_offered(window: Window) -> None:
    picker = open_picker(window, f"seat 1 {OTHER}")
    offered = {"qlearning": {"model", "second", "use_table", "guide", "noise"}, "ntuple": {"model", "noise"}}
    for name, wanted in offered.items():
        pick(window, name)
        assert {one.name for one in picker.parameters} == wanted
    pick(window, "alphabeta")
    shown = {one.name for one in picker.parameters}
    assert "depth" in shown


def type_into(window: Window, name: str, text: str) -> None:
    window.click(name)
    window.key(pygame.K_BACKSPACE, mod=pygame.KMOD_CTRL)
    window.type(text)


def test_numbers_are_typed_and_choices_are_stepped(window: Window) -> None:
    window.click("seat 1 Hard – minimax")
    picker = open_picker(window, "pick 1")
    assert picker.spec == "alphabeta:depth=10,ordering=threats,tt=on", "it opens with the agent of the seat"
    type_into(window, "parameter depth", "0")
    assert "depth" in picker.error()
    type_into(window, "parameter depth", "6")
    assert picker.error() == ""
    window.click("parameter tt", left=True)
    assert picker.spec == "alphabeta:depth=6,ordering=threats"
    window.hover(window.widget("parameter depth").rect.center)
    assert "plies" in picker.explained()
    window.click("use")
    assert window.app.choices.specs[1] == "alphabeta:depth=6,ordering=threats"


@pytest.mark.parametrize("name", agent_names())
def test_every_default_is_shown(name: str) -> None:
    for kind in agent_class(name).playing_parameters():
        text = kind.format(kind.default)
        widget = editor(kind, text, lambda text: None, lambda: None)
        assert isinstance(widget, Field | Stepper)
        assert (widget.text if isinstance(widget, Field) else widget.values[widget.index]) == text


def test_a_number_that_was_typed_in_the_menu_is_shown(window: Window) -> None:
    type_into(window, "spec 1", "mcts:simulations=1234")
    window.until(lambda: window.widget("pick 1").enabled)
    picker = open_picker(window, "pick 1")
    field = window.widget("parameter simulations")
    assert isinstance(field, Field)
    assert field.text == "1234"
    assert picker.spec == "mcts:simulations=1234"


def test_an_agent_in_a_file_is_picked_and_a_missing_one_explained(window: Window, tmp_path: Path) -> None:
    picker = open_picker(window, f"seat 1 {OTHER}")
    pick(window, "file")
    window.click("parameter path")
    window.type(str(tmp_path / "mine.py"))
    assert "does not exist" in picker.error()
    window.click("use")
    assert window.menu.card is picker
    (tmp_path / "mine.py").write_text("def agent(observation, configuration):\n    return 0\n", encoding="utf-8")
    window.click("use")
    assert window.app.choices.spec(1) == f"file:{tmp_path / 'mine.py'}"
    assert open_picker(window, "pick 1").spec == window.app.choices.spec(1)


def test_the_picker_can_be_left(window: Window) -> None:
    for by_key in (True, False):
        open_picker(window, "pick 1")
        if by_key:
            window.key(pygame.K_ESCAPE)
        else:
            window.click("cancel")
        assert window.menu.active is window.menu.group
    assert window.app.choices.seats[1] == "Medium"
