"""The page by keyboard, touch and screen reader: nothing is lost, and every change is said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from support.screen import Screen, check_page, hold, play_to_the_end
from support.web_server import RunningServer, match_address

BOUNCE = """() => {
  const press = () => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "1", bubbles: true }));
  press();
  press();
}"""
OPPONENTS = ["random", "greedy", "mcts:simulations=200", "qlearning", "ntuple", "best:seconds=0.1"]


def open_match(page: Page, server: RunningServer, game: str, opponent: str) -> None:
    """Open the page on a match against an agent that replies at once."""
    page.goto(match_address(server, game, one="human", two=opponent, delay=0))
    expect(page.locator(".status")).to_contain_text("Your move")


def play_by_arrows(page: Page) -> None:
    """Play a match to its end with arrows and Enter only: the focus never leaves the board."""

    def act(move: int) -> None:
        assert page.evaluate("document.activeElement.className") == "move"
        keys = move - int(page.evaluate("document.activeElement.dataset.move"))
        for _ in range(abs(keys)):
            page.keyboard.press("ArrowRight" if keys > 0 else "ArrowLeft")
        page.keyboard.press("Enter")

    play_to_the_end(page, act)


@pytest.mark.parametrize("opponent", OPPONENTS)
def test_whole_matches_by_arrows_and_enter(server: RunningServer, screen: Screen, opponent: str) -> None:
    open_match(screen.page, server, "tictactoe", opponent)
    play_by_arrows(screen.page)


def test_an_agent_in_a_file_and_another_board(server: RunningServer, screen: Screen, agent_file: Path) -> None:
    open_match(screen.page, server, "5x4x3", f"file:{agent_file}")
    play_by_arrows(screen.page)


def test_a_move_counts_although_the_answer_to_the_one_before_is_late(server: RunningServer, screen: Screen) -> None:
    page, moves = screen.page, screen.page.locator(".scoresheet .ply")
    open_match(page, server, "connect4", "rules")
    release = hold(page, "move")
    page.evaluate(BOUNCE)  # a key that bounces is not a second move
    expect(moves).to_have_count(2)  # the live connection tells it, the answer has not come
    page.keyboard.press("2")
    release()
    expect(moves).to_have_count(4)
    expect(moves.nth(0)).to_contain_text("X 1")
    expect(moves.nth(2)).to_contain_text("X 2")
    expect(page.locator("#banner")).to_be_hidden()


def test_a_match_by_touch(server: RunningServer, browser: Browser) -> None:
    screen = Screen(browser, has_touch=True, is_mobile=True, reduced_motion="reduce")
    page = screen.page
    page.set_viewport_size({"width": 390, "height": 844})
    open_match(page, server, "tictactoe", "random")
    play_to_the_end(page, lambda move: page.locator(f'.move[data-move="{move}"]').tap())
    screen.context.close()
    assert screen.problems == []


def test_what_happens_is_said(server: RunningServer, screen: Screen) -> None:
    page, live = screen.page, screen.page.locator("#live")
    page.goto(match_address(server, "connect4", one="human", two="rules", delay=0, matches=2))
    expect(page.locator(".status")).to_contain_text("Your move")
    page.keyboard.press("4")
    expect(live).to_contain_text("Medium played")
    expect(page.locator('.move[data-move="3"]')).to_have_attribute("aria-label", re.compile("^Column 4, X"))
    page.locator("#undo").focus()
    page.keyboard.press("Enter")
    expect(live).to_contain_text("Taken back to move 0.")
    expect(page.locator(".board .move:focus")).to_have_count(1)
    page.keyboard.press("1")
    expect(page.locator(".scoresheet .ply")).to_have_count(2)
    page.keyboard.press("n")
    page.get_by_role("dialog").get_by_role("button", name="New match").click()
    expect(live).to_contain_text("New match: X is")


def test_every_part_of_the_page_can_be_used_by_everybody(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/play")
    page.locator("#more summary").click()
    seat = page.get_by_role("group", name="Player two")
    seat.get_by_label("Player two").select_option("other")
    seat.get_by_text("Settings", exact=True).click()
    expect(seat.get_by_label("eval", exact=True)).to_have_value("windows")
    page.locator("#help").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    check_page(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    check_page(page)
    page.goto(f"{server.address}/#/analyse/tictactoe/12")
    page.get_by_text("Position, link, files").click()
    page.get_by_role("button", name="Set up stones").click()
    expect(page.get_by_role("button", name="Show this position")).to_be_enabled()
    check_page(page)


def test_a_match_that_was_left_can_be_gone_back_to(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    open_match(page, server, "tictactoe", "random")
    page.get_by_role("button", name="Change players").click()
    page.get_by_role("button", name="Back to the match").wait_for()
    page.keyboard.press("Escape")
    expect(page.locator(".status")).to_contain_text("Your move")


def test_variations_outlive_a_reload_and_the_way_back(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/analyse/connect4/4455")
    expect(page.locator(".tree .step")).to_have_count(4)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".step.here")).to_have_attribute("aria-label", "Move 3: X 5")
    expect(page).to_have_url(f"{server.address}/#/analyse/connect4/4455/3")
    page.keyboard.press("1")
    expect(page).to_have_url(f"{server.address}/#/analyse/connect4/4451")
    page.reload()
    expect(page.locator(".variation")).to_have_count(1)
    expect(page.locator(".step.here")).to_have_attribute("aria-label", "Move 4: O 1")
    page.get_by_role("link", name="Minds").click()
    expect(page).to_have_url(f"{server.address}/#/minds/connect4/4451")
    page.go_back()
    expect(page.locator(".variation")).to_have_count(1)


def test_a_match_is_saved_opened_and_its_mistakes_are_gone_through(
    server: RunningServer, screen: Screen, tmp_path: Path
) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/analyse/tictactoe/129")
    expect(page.locator(".tree .step")).to_have_count(3)
    with page.expect_download() as download:
        page.keyboard.press("s")
    download.value.save_as(tmp_path / "match.txt")
    page.goto(f"{server.address}/#/analyse/connect4")
    expect(page.locator(".tree .step")).to_have_count(0)
    page.get_by_text("Position, link, files").click()
    page.locator("#load").set_input_files(tmp_path / "match.txt")
    expect(page.locator(".tree .step")).to_have_count(3)
    page.get_by_role("button", name="Check every move").click()
    page.get_by_role("button", name="Next mistake").click()
    expect(page.locator(".step.here")).to_have_attribute("aria-label", "Move 1: X 1")
    page.keyboard.press("t")
    expect(page.locator("#threat-words")).to_have_text("No player threatens to complete a line.")


def test_a_line_of_moves_is_one_tab_stop(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/analyse/connect4/444444333333")
    steps = page.locator(".line .step")
    expect(steps.nth(1)).to_be_visible()
    assert page.locator('.line .step[tabindex="0"]').count() == 1
    steps.first.focus()
    page.keyboard.press("ArrowDown")
    expect(steps.nth(1)).to_be_focused()
    moves = page.locator(".tree .step")
    assert page.locator('.tree .step[tabindex="0"]').count() == 1
    moves.nth(4).focus()
    page.keyboard.press("ArrowDown")
    expect(moves.nth(5)).to_be_focused()
