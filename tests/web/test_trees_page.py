"""The page Trees in a real browser: steps by mouse and by keys, nodes, guesses, a picture to save, sizes, themes."""

from __future__ import annotations

import math
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from inarow.agents import agent
from inarow.rules import Position, game, parse_moves
from inarow.tracing import EventKind, Trace, trace
from inarow.tracing.trace import words
from support.screen import Screen, check_in_all_shapes
from support.web_server import RunningServer

SEARCH = "connect4/4455/alphabeta:depth=3,root=carried"
SIMULATIONS = "connect4/4455/mcts:simulations=150"
GUIDED = "connect4/4453/mcts:simulations=40,prior=ntuple,leaf=ntuple"


def show(page: Page, server: RunningServer, path: str) -> Trace:
    """Open a search; the same one, recorded here."""
    page.goto(f"{server.address}/#/trees/{path}")
    name, moves, spec = path.split("/")
    board = game(name)
    found = trace(Position.start(board, parse_moves(board, moves)), agent(spec))
    expect(page.locator("#where")).to_have_text(f"step 1 of {len(found):,}", timeout=30_000)
    return found


def go(page: Page, step: int) -> None:
    """Drag the slider to a step."""
    page.locator("#step").fill(str(step))


@pytest.mark.parametrize(
    "path",
    [SEARCH, SIMULATIONS, GUIDED, "tictactoe/1592/alphabeta:depth=5,iterative_deepening=on,tt=on"],
)
def test_the_page_says_what_python_says_at_every_step(server: RunningServer, screen: Screen, path: str) -> None:
    page = screen.page
    found = show(page, server, path)
    for step in (len(found) - 1, len(found) // 2, 1, len(found) // 3, 7):
        go(page, step)
        expect(page.locator("#said")).to_have_text(words(found, step))
    if path != SIMULATIONS:
        return
    assert found.decision is not None
    go(page, len(found) - 1)
    visits = [found.decision.by_move["visits"][found.record.moves[node]] for node in range(1, 8)]
    expect(page.locator(".t-under")).to_have_text([re.compile(rf"\b{count}$") for count in (150, *visits)])


def test_a_search_is_stepped_through_by_keys_alone(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    found = show(page, server, SEARCH)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#said")).to_have_text(words(found, 1))
    expect(page.locator("#live")).to_contain_text(words(found, 1))
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#where")).to_contain_text("step 1 of")
    page.keyboard.press("c")
    cut = next(i for i, event in enumerate(found) if event.kind is EventKind.CUT and event.moves)
    expect(page.locator("#said")).to_have_text(words(found, cut))
    expect(page.locator(".t-box.t-cut")).to_have_count(len(found[cut].moves))
    page.keyboard.press("ArrowUp")
    expect(page.locator("#node")).to_contain_text("nodes below")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("]")
    expect(page.locator("#live")).to_contain_text("is to move")
    page.keyboard.press("End")
    expect(page.locator("#said")).to_have_text(words(found, len(found) - 1))
    page.keyboard.press("Home")
    page.locator("#pace").select_option("300")
    page.locator("#pace").blur()
    page.keyboard.press(" ")
    expect(page.locator("#said")).to_have_text(words(found, len(found) - 1))
    expect(page.locator("#play")).to_have_text("▶")


def test_a_node_shows_its_position_its_numbers_and_the_truth(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    found = show(page, server, "tictactoe/1592/alphabeta:depth=3,root=carried")
    go(page, len(found) - 1)
    expect(page.locator("#said")).to_have_text(words(found, len(found) - 1))
    child = page.locator("[data-node]").nth(2)
    node = int(child.get_attribute("data-node") or 0)
    child.click()
    move = found.path(node)[0]
    expect(page.locator("#node")).to_contain_text(f"node{move + 1}to move")
    expect(page.locator("#truth")).to_have_text(re.compile(r"wins|draw"))
    expect(page.locator(".label.best").first).to_be_visible()
    page.locator(".board .move[aria-disabled='false']").first.click()
    expect(page).to_have_url(re.compile(r"#/trees/tictactoe/1592\d\d/alphabeta"))
    expect(page.locator("#note")).to_contain_text("It plays")


def test_the_next_step_can_be_guessed(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    for path in (SEARCH, SIMULATIONS):
        show(page, server, path)
        page.keyboard.press("g")
        expect(page.locator("#question")).to_be_visible()
        for asked in range(1, 6):
            page.keyboard.press("1")
            expect(page.locator("#verdict")).to_have_text(re.compile(r"Right\.|No: "))
            expect(page.locator("#score")).to_contain_text(f"of {asked} right")
            page.keyboard.press("ArrowRight")
            expect(page.locator("#question")).to_be_visible()
        page.locator(".guess button").last.click()
        expect(page.locator("#score")).to_contain_text("of 6 right")
        page.keyboard.press("g")
        expect(page.locator(".guess")).to_have_count(0)


def test_the_tree_is_saved_as_a_picture(server: RunningServer, screen: Screen, tmp_path: Path) -> None:
    page = screen.page
    found = show(page, server, SEARCH)
    go(page, 40)
    expect(page.locator("#said")).to_have_text(words(found, 40))
    with page.expect_download() as download:
        page.locator("#save").click()
    path = tmp_path / "tree.svg"
    download.value.save_as(path)
    text = path.read_text(encoding="utf-8")
    drawing = ElementTree.fromstring(text)
    shown = {element.get("data-node") for element in drawing.iter() if element.get("data-node")}
    assert str(found[40].node) in shown
    assert words(found, 40) in text
    assert "http" not in text.replace("http://www.w3.org", "")


def test_another_search_is_chosen_and_nonsense_gets_a_sentence(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    screen.may_be_refused = True
    page.goto(f"{server.address}/#/trees")
    expect(page.locator("#note")).to_contain_text("It plays")
    page.get_by_label("Agent", exact=True).select_option("minimax")
    page.get_by_label("depth", exact=True).fill("9")
    page.get_by_label("Moves to the position").fill("")
    page.locator("#record").click()
    expect(page.locator("#note")).to_contain_text("Truncated after 10,000 events; the search continues.")
    expect(page.locator("#note")).to_contain_text("The agent itself, not shown, plays")
    page.get_by_label("depth", exact=True).fill("0")
    page.locator("#record").click()
    expect(page.locator("#banner")).to_contain_text("depth")
    page.goto("about:blank")
    page.goto(f"{server.address}/#/trees/connect4/44/perfect")
    expect(page.locator("#banner")).to_contain_text("it does not search a tree")


def test_it_fits_the_screen_and_everybody_can_use_it(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    found = show(page, server, SEARCH)
    cut = next(i for i, event in enumerate(found) if event.kind is EventKind.CUT and event.moves)
    go(page, cut)
    expect(page.locator("#said")).to_have_text(words(found, cut))
    expect(page.locator(".label.best").first).to_be_visible()
    page.keyboard.press("g")
    expect(page.locator("#question")).to_be_visible()
    check_in_all_shapes(page)


def test_the_first_visit_shows_a_whole_finished_tree(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/trees")
    expect(page.locator("#said")).to_have_text("The search is over. MAX plays 2.")
    nodes = page.locator(".tree-picture [data-node]")
    expect(nodes).to_have_count(20)
    expect(page.locator(".tree-picture .t-stoneX").first).to_be_attached()
    expect(page.locator(".tree-picture .t-stoneO + .t-hole").first).to_be_attached()  # a ring, also without colours
    page.locator("#nearer").click()
    before = page.locator(".tree-picture").get_attribute("viewBox")
    page.locator("#fit").click()
    expect(page.locator(".tree-picture")).not_to_have_attribute("viewBox", before or "")
    child = nodes.nth(1)
    child.dblclick()
    expect(page.locator(".t-fold")).to_have_count(1)
    page.keyboard.press("w")
    expect(page.locator("#path")).to_have_attribute("aria-pressed", "true")
    check_in_all_shapes(page)


def test_a_node_of_a_simulated_tree_shows_the_terms_of_its_bounds(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    found = show(page, server, SIMULATIONS)
    go(page, len(found) - 1)
    rows = page.locator(".confidence tbody tr")
    expect(rows).to_have_count(7)
    assert found.decision is not None
    visits = found.decision.by_move["visits"]
    for index in range(7):
        move, count, _, bound = rows.nth(index).locator("th, td").all_inner_texts()[:4]
        assert int(count) == visits[int(move) - 1]
        won = (1 + found.decision.values[int(move) - 1]) / 2
        explored = math.sqrt(2) * math.sqrt(math.log(150) / int(count))
        if abs(found.decision.values[int(move) - 1]) < 1:  # proven ones are shown as what they are
            assert float(bound) == pytest.approx(won + explored, abs=0.011)
