"""The page that shows several agents on one position, in a real browser."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from inarow.agents import agent
from inarow.rules import CONNECT4, Position
from support.screen import Screen, check_in_all_shapes
from support.web_server import RunningServer

MIDDLE = "444444333333"


def test_agents_think_side_by_side_and_are_held_against_the_truth(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/minds/connect4/{MIDDLE}")
    page.locator("#seconds").select_option("1")
    expect(page.locator(".mind:not(.truth)")).to_have_count(5)
    expect(page.locator(".badge.right, .badge.wrong")).to_have_count(5)
    expect(page.locator("#says")).not_to_contain_text("thinking")
    expect(page.get_by_role("region", name="The truth")).to_contain_text("exact")
    expect(page.get_by_role("region", name="mcts:seconds=1")).to_contain_text("simulations")
    expect(page.locator(".depths").first).to_contain_text("Cut-offs")
    for card in page.locator(".mind:has(.depths)").all():
        last = card.locator(".depths tr").last.locator("td").all_inner_texts()
        assert f"plays {last[1]} · value {last[2]}" in card.locator(".facts").inner_text()
    page.locator(".line .step").nth(1).hover()
    expect(page.locator(".ghost")).to_have_count(2)
    page.get_by_label("Move to explain").select_option("0")
    page.locator(".part", has_text="tuple").first.hover()
    expect(page.locator(".framed").first).to_be_visible()
    check_in_all_shapes(page)


def test_values_of_the_depth_before_the_choice_are_grey(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.add_init_script('localStorage.inarow = JSON.stringify({ minds: { specs: ["minimax:nodes=100000"] } })')
    page.goto(f"{server.address}/#/minds/connect4/44")
    card = page.get_by_role("region", name="minimax:nodes=100000")
    expect(card.locator(".facts")).to_contain_text("plays 4 · value +0.38 · depth 5 and a part of 6")
    expect(card.locator(".value-text.earlier")).to_have_text(["+0.38"] * 3)
    expect(card.locator(".value-text.plus")).to_have_text(["+0.29", "+0.29", "+0.26", "+0.38"])
    expect(card.get_by_role("img")).to_have_accessible_name(re.compile(r"4: \+0\.38, 5: \+0\.38 at depth 5"))
    expect(card).to_contain_text("In grey: values at depth 5, of moves that depth 6 did not reach.")


def test_positions_are_chosen_by_keys_and_agents_by_mouse(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    screen.may_be_refused = True
    page.goto(f"{server.address}/#/minds/tictactoe")
    expect(page.locator("#says")).to_contain_text("X to move")
    page.keyboard.press("5")
    expect(page.locator("#says")).to_contain_text("O to move")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#says")).to_contain_text("X to move")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#says")).to_contain_text("O to move")
    expect(page).to_have_url(f"{server.address}/#/minds/tictactoe/5")
    for _ in range(4):
        page.get_by_role("button", name="Remove").first.click()
    expect(page.locator(".mind:not(.truth)")).to_have_count(1)
    page.get_by_text("Position and agents").click()
    page.locator("#add").click()
    expect(page.get_by_role("region", name="greedy")).to_contain_text("plays 1")
    page.keyboard.press("s")
    page.get_by_label("Moves or a board to open").fill("99")
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.locator("#banner")).to_contain_text("9")


def test_an_agent_that_exists_only_in_python_shows_its_decision(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.add_init_script(
        "localStorage.inarow = JSON.stringify({ minds: { specs: ['r4-minimax:depth=2'], seconds: 1 } })"
    )
    page.goto(f"{server.address}/#/minds/connect4/{MIDDLE}")
    position = Position.start(CONNECT4, [int(digit) - 1 for digit in MIDDLE])
    decision = agent("r4-minimax:depth=2").start(CONNECT4, position.to_move, 0).decide(position)
    card = page.get_by_role("region", name="r4-minimax:depth=2")
    expect(card).to_contain_text(f"plays {decision.move + 1}")
    expect(card.locator(".badge.right, .badge.wrong")).to_have_count(1)


HIDE = """hidden => {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_agents_stop_thinking_while_the_page_is_hidden(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.add_init_script('localStorage.inarow = JSON.stringify({ minds: { specs: ["mcts:seconds=20"] } })')
    page.goto(f"{server.address}/#/minds/connect4/44")
    expect(page.locator("#says")).to_contain_text("thinking")
    page.evaluate(HIDE, True)
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#says")).not_to_contain_text("thinking")
    page.evaluate(HIDE, False)
    expect(page.locator("#says")).to_contain_text("thinking")
