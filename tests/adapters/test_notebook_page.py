"""The board of a notebook in a browser: what is drawn can be clicked, and Python answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from inarow.adapters.notebook import BoardWidget

HOST = """
const redraw = [];
window.view = %s;
const model = {
  get: () => window.view,
  on: (name, call) => redraw.push(call),
  send: async (message) => {
    window.view = JSON.parse(await tellPython(JSON.stringify(message)));
    redraw.forEach((draw) => draw());
  },
};
const module = await import("data:text/javascript;base64," + btoa(unescape(encodeURIComponent(%s))));
module.default.render({ model, el: document.getElementById("here") });
"""


def shown(browser: Browser, board: BoardWidget) -> Page:
    """The board on a page, with a stand-in for the notebook between the page and Python."""
    page = browser.new_page()

    def tell_python(text: str) -> str:
        board._handle_custom_msg(json.loads(text), [])
        return json.dumps(board.view)

    page.expose_function("tellPython", tell_python)
    script = HOST % (json.dumps(board.view), json.dumps(board._esm))
    page.set_content(f"<style>{board._css}</style><div id=here></div>")
    page.evaluate(f"(async () => {{ {script} }})()")
    return page


def test_clicks_play_and_the_truth_is_shown(browser: Browser) -> None:
    board = BoardWidget("tictactoe", opponent="perfect:ties=first")
    page = shown(browser, board)
    page.get_by_label("cell 1, empty").click()
    expect(page.get_by_label("cell 1, first player")).to_be_disabled()
    expect(page.get_by_label("cell 5, second player")).to_have_count(1)
    assert board.moves == "15"
    page.get_by_role("button", name="Show the truth").click()
    expect(page.locator(".score")).to_have_count(7)
    expect(page.get_by_role("button", name="Hide the truth")).to_be_focused()  # it is the same button, drawn anew
    page.get_by_role("button", name="Take back").click()
    expect(page.get_by_role("button", name="Take back")).to_be_disabled()
    assert board.moves == ""
    page.close()


def test_a_column_fills_and_a_win_ends_it(browser: Browser) -> None:
    board = BoardWidget("connect4", moves="12121")
    page = shown(browser, board)
    page.get_by_label("column 2, empty").first.click()  # anywhere in the column
    expect(page.get_by_label("column 2, second player")).to_have_count(3)
    page.get_by_label("column 1, empty").first.click()
    expect(page.get_by_role("status")).to_have_text("First player has won")
    expect(page.locator(".won")).to_have_count(4)
    expect(page.locator(".cell:enabled")).to_have_count(0)
    place = page.locator(".cell").first.bounding_box()
    assert place is not None
    assert place["width"] == pytest.approx(place["height"])
    assert place["width"] > 20
    page.get_by_role("button", name="New").click()
    expect(page.locator(".cell:enabled")).to_have_count(42)
    page.close()


def test_an_illegal_click_is_refused_by_python_too(browser: Browser) -> None:
    board: Any = BoardWidget("connect4", moves="444444")
    page = shown(browser, board)
    full = page.get_by_label("column 4, first player").first
    expect(full).to_be_disabled()
    full.evaluate("(button) => { button.disabled = false; button.click(); }")
    expect(page.get_by_role("status")).to_contain_text("column 4 is full")
    assert board.moves == "444444"
    page.close()
