"""The page in a real browser: whole games by mouse and by keyboard, analysis, links, reloads, sizes, both themes."""

from __future__ import annotations

import os
import re
import signal
import socket
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from inarow.play.insight import shipped_puzzles
from inarow.rules import CONNECT4, Position
from inarow.solver import Oracle
from support.screen import Screen, check_in_all_shapes, check_page, play_to_the_end
from support.web_server import RunningServer, match_address, running_server, thinking_worker

MIDDLE = "444444333333"
"""A position of Connect 4 that is solved in no time."""


def start(page: Page, address: str, game: str = "connect4", opponent: str = "", depth: str = "") -> None:
    """Open the page and start a match against an agent, with the mouse."""
    page.goto(f"{address}/#/play")
    page.get_by_label("Game", exact=True).select_option(game)
    if opponent:
        page.locator("#more summary").click()
        seat = page.get_by_role("group", name="Player two")
        seat.get_by_label("Player two").select_option("other")
        seat.get_by_label("Agent", exact=True).select_option(opponent)
        if depth:
            seat.get_by_text("Settings", exact=True).click()
            seat.get_by_label("depth", exact=True).fill(depth)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#setup")).to_be_visible()


@pytest.mark.parametrize(
    ("game", "opponent", "depth"),
    [("connect4", "", ""), ("tictactoe", "minimax", ""), ("tictactoe", "perfect", ""), ("connect4", "alphabeta", "3")],
)
def test_a_whole_game_by_mouse(server: RunningServer, screen: Screen, game: str, opponent: str, depth: str) -> None:
    page = screen.page
    start(page, server.address, game, opponent, depth)
    if depth:
        expect(page.locator(".players")).to_contain_text("alphabeta:depth=3")
    ended = play_to_the_end(page, lambda move: page.locator(f'.move[data-move="{move}"]').click())
    assert "win" in ended or "draw" in ended
    expect(page.get_by_role("button", name="Rematch")).to_be_visible()


def test_a_mode_chooses_both_players_and_is_shown_during_play(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/play")
    page.locator("#more summary").click()
    page.get_by_label("Mode", exact=True).select_option("Human – human")
    page.get_by_label("Game", exact=True).select_option("tictactoe")
    expect(page.get_by_label("Mode", exact=True)).to_have_value("Human – human")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#mode")).to_have_text("Human – human")
    for ply, move in enumerate("1425", 1):
        page.keyboard.press(move)
        expect(page.locator(f"#ply-{ply}")).to_be_visible()
    with page.expect_download() as during:
        page.keyboard.press("i")
    page.keyboard.press("3")
    expect(page.locator("#again")).to_be_visible()
    with page.expect_download() as after:
        page.locator("#picture").click()
    pictures = [Path(one.value.path()).read_text(encoding="utf-8") for one in (during, after)]
    assert all(picture.startswith("<svg") for picture in pictures)
    assert pictures[0] != pictures[1]


def test_a_whole_game_by_keyboard_alone(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/play")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#setup")).to_be_visible()
    page.keyboard.press("h")
    expect(page.locator(".panel")).to_contain_text("Hint: ")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("4")
    expect(page.locator(".scoresheet .ply")).to_have_count(2)
    page.keyboard.press("u")
    expect(page.locator(".scoresheet")).to_have_count(0)
    play_to_the_end(page, lambda move: page.keyboard.press(str(move + 1)))
    page.keyboard.press("r")
    expect(page.get_by_role("heading", name="Review mistakes")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    expect(page.locator(".status")).to_contain_text("Your move")


def test_a_new_match_abandons_a_running_one_only_after_a_question(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    start(page, server.address)
    page.keyboard.press("n")  # nothing is lost yet
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("4")
    moves = page.locator(".scoresheet .ply")
    expect(moves).to_have_count(2)
    for key in ("Enter", "Escape"):
        page.keyboard.press("n")
        expect(page.get_by_role("dialog")).to_contain_text("not over")
        page.keyboard.press(key)
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(moves).to_have_count(2)
    check_page(page)
    page.locator("#new").click()
    page.get_by_role("dialog").get_by_role("button", name="New match").click()
    expect(moves).to_have_count(0)
    expect(page.locator(".status")).to_contain_text("Your move")


def test_the_skip_link_stays_on_the_page(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/analyse/connect4/{MIDDLE}")
    expect(page.locator(".board")).to_be_visible()
    page.locator("#skip").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#view")).to_be_focused()
    assert page.url.endswith(f"#/analyse/connect4/{MIDDLE}")
    expect(page).to_have_title("Analyse – inarow")


@pytest.mark.parametrize("name", ["constructor", "toString", "nothing"])
def test_a_page_that_does_not_exist_is_the_first_one(server: RunningServer, screen: Screen, name: str) -> None:
    screen.page.goto(f"{server.address}/#/{name}")
    expect(screen.page.get_by_role("link", name="Play a match")).to_be_visible()
    expect(screen.page.locator("#banner")).to_be_hidden()


def test_the_front_page_shows_the_exact_value_of_every_move(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(server.address)
    labels = page.locator(".board .label")
    expect(labels).to_have_text(["−13", "+14", "=", "−4", "−2", "−4", "="])
    page.locator('.move[data-move="4"]').hover()
    expect(page.locator(".truth-line")).to_have_text("Column 5: a loss in 2 moves for X.")
    page.keyboard.press("2")
    expect(page.locator(".truth-line")).to_contain_text("O to move. O loses in 13 moves")
    check_page(page)
    check_in_all_shapes(page)
    page.get_by_role("link", name="Play a match").click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_enabled()


def test_opponents_have_names_and_the_moves_can_be_looked_at_again(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/play")
    page.get_by_role("radio", name=re.compile("^Easy")).check()
    page.get_by_role("radio", name="Second").check()
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".players")).to_contain_text("Easy")
    expect(page.locator(".players")).to_contain_text("You")
    expect(page.locator(".scoresheet .ply")).to_have_count(1)
    page.keyboard.press("4")
    expect(page.locator(".scoresheet .ply")).to_have_count(3)
    stones = page.locator(".board .stone")
    page.keyboard.press("[")
    page.keyboard.press("[")
    expect(stones).to_have_count(1)
    page.keyboard.press("4")  # an earlier position is looked at: nothing is played
    page.locator("#ply-2").click()
    expect(stones).to_have_count(2)
    page.locator("#last").click()
    expect(stones).to_have_count(3)
    expect(page.locator(".scoresheet .ply")).to_have_count(3)


def test_on_a_phone_the_board_and_the_buttons_stay_on_the_screen(server: RunningServer, browser: Browser) -> None:
    screen = Screen(browser, has_touch=True, reduced_motion="reduce")
    page = screen.page
    page.set_viewport_size({"width": 390, "height": 844})
    moves = [3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2]
    page.goto(match_address(server, "connect4", one="human", two="human", moves=moves))
    page.locator('.move[data-move="6"]').tap()
    expect(page.locator("#ply-13")).to_be_in_viewport(ratio=0.9)
    for name in ("undo", "hint", "earlier"):
        expect(page.locator(f"#{name}")).to_be_in_viewport(ratio=1)
    assert page.evaluate("window.scrollY") == 0
    screen.context.close()
    assert screen.problems == []


def test_a_friend_plays_by_a_link_and_each_moves_only_one_side(server: RunningServer, screen: Screen) -> None:
    page, friend = screen.page, screen.open()
    page.goto(f"{server.address}/#/play")
    page.get_by_role("radio", name=re.compile("^A friend")).check()
    page.locator("#more summary").click()
    page.get_by_label("Your name").fill("Ada")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".players")).to_contain_text("Ada")
    page.locator("#invite").click()
    expect(page.locator("#banner")).to_contain_text("plays O")
    friend.goto(page.url.removesuffix("/x") + "/o")
    expect(friend.locator(".status")).to_have_text("Your friend is to move.")
    friend.keyboard.press("4")
    page.keyboard.press("3")
    expect(friend.locator(".status")).to_have_text("Your move (O).")
    expect(friend.locator(".scoresheet .ply")).to_have_text(["X 3"])
    page.keyboard.press("3")
    friend.keyboard.press("5")
    expect(page.locator(".scoresheet .ply")).to_have_text(["X 3", "O 5"])
    third = screen.open()
    third.goto(friend.url.removesuffix("/o"))
    expect(third.locator(".scoresheet .ply")).to_have_text(["X 3", "O 5"])
    expect(third.locator(".players")).to_contain_text("Ada")
    page.keyboard.press("h")
    expect(page.locator(".panel")).to_contain_text("Hint: ")
    page.keyboard.press("2")
    expect(third.locator(".scoresheet .ply")).to_have_count(3)
    expect(third.locator(".panel")).not_to_contain_text("Hint: ")


def test_a_match_can_be_played_from_a_position(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/analyse/connect4/{MIDDLE}")
    page.get_by_role("link", name="Play from here").click()
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".scoresheet .ply")).to_have_count(len(MIDDLE))
    expect(page.locator(".status")).to_have_text("Your move (X).")
    expect(page.locator("#undo")).to_be_disabled()


def test_a_puzzle_is_solved_missed_and_comes_back(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    first, second = [one for one in shipped_puzzles() if one.level == 1][:2]
    page.goto(f"{server.address}/#/puzzles")
    expect(page.locator("#task")).to_contain_text("Only one move wins (in 2 moves).")
    wrong = next(move for move in first.position.legal_moves() if move != first.answer)
    page.keyboard.press(str(wrong + 1))
    expect(page.locator("#result")).to_have_text(f"{wrong + 1} does not win. Try again.")
    page.keyboard.press(str(first.answer + 1))
    expect(page.locator("#result")).to_have_text(f"Yes: {first.answer + 1}.")
    expect(page.locator(".label.win")).to_have_count(1)
    check_page(page)
    page.keyboard.press("n")
    expect(page.locator("#result")).to_have_count(0)
    expect(page.locator(".tiles")).to_contain_text("0solved")  # the first one was missed
    page.keyboard.press(str(second.answer + 1))
    expect(page.locator("#result")).to_have_text(f"Yes: {second.answer + 1}.")
    expect(page.locator(".tiles")).to_contain_text("1solved1in a row")
    with page.expect_download() as saved:
        page.get_by_text("Export").click()
        page.locator("#anki").click()
    lines = saved.value.path().read_text(encoding="utf-8").splitlines()
    assert lines[:2] == ["#separator:tab", "#columns:Position\tAnswer"]
    assert len(lines) == 2 + sum(one.level == 1 for one in shipped_puzzles())


def test_a_move_of_perfect_that_is_not_proven_is_marked(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(match_address(server, "9x6x4", one="human", two="perfect:nodes=2000", delay=0))
    expect(page.locator(".panel")).to_contain_text("Your move")  # keys before that are lost
    page.keyboard.press("5")
    expect(page.locator(".panel")).to_contain_text("This move is not proven")


def test_moves_are_chosen_with_arrows_and_enter(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    start(page, server.address, "tictactoe")
    expect(page.locator('.move[data-move="4"]')).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.locator(".scoresheet .ply").first).to_contain_text("1")
    expect(page.locator("#live")).to_contain_text("You played 1.")


def test_agents_play_each_other_at_the_speed_that_is_chosen(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.add_init_script("localStorage.inarow = JSON.stringify({ setup: { delay: 10 } })")  # slow until it is paused
    page.goto(f"{server.address}/#/play")
    page.locator("#more summary").click()
    page.get_by_label("Player one", exact=True).select_option("random")
    page.get_by_role("button", name="Play", exact=True).click()
    page.locator("#pause").click()
    expect(page.locator(".status")).to_have_text("Paused.")
    page.locator("#speed").fill("2")
    page.keyboard.press("p")
    expect(page.locator(".status.over")).to_be_visible()


def test_mistakes_are_learnt_from_with_the_answer_hidden(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(match_address(server, "tictactoe", one="human", two="human", moves=[0, 1, 4, 8, 3, 6, 5]))
    page.get_by_role("button", name="Review").click()
    expect(page.locator(".panel")).to_contain_text("Find a better move")
    expect(page.locator(".hint")).to_have_count(0)
    page.keyboard.press("v")
    expect(page.locator(".good")).to_contain_text("Better: ")
    expect(page.locator(".hint").first).to_be_visible()


def test_a_reload_in_mid_game_resumes_it(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    start(page, server.address)
    page.keyboard.press("4")
    expect(page.locator(".scoresheet .ply")).to_have_count(2)
    before = page.locator(".scoresheet").text_content() or ""
    page.reload()
    expect(page.locator(".scoresheet")).to_have_text(before)
    expect(page.locator(".status")).to_contain_text("Your move")
    page.keyboard.press("4")
    expect(page.locator(".scoresheet .ply")).to_have_count(4)


def test_the_truth_of_every_move_stands_on_the_board(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/analyse/connect4/{MIDDLE}")
    exact = Oracle(CONNECT4).scores(Position.start(CONNECT4, [int(digit) - 1 for digit in MIDDLE]))
    expect(page.locator(".label.best").first).to_be_visible()
    for move, score in exact.items():
        sign = "+" if score > 0 else "−" if score < 0 else "="
        expect(page.locator(f'.move[data-move="{move}"] .label')).to_contain_text(sign)
    expect(page.locator("#truth")).to_contain_text("with best play")
    page.locator(".line .step").nth(2).hover()
    expect(page.locator(".ghost")).to_have_count(3)
    page.keyboard.press("e")
    expect(page.locator("#truth")).to_contain_text("The evaluation is hidden")
    expect(page.locator(".label").first).to_have_text("")
    page.keyboard.press("e")
    page.keyboard.press("t")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".step.here")).to_have_attribute("aria-label", "Move 11: X 3")
    page.keyboard.press("1")
    expect(page.locator(".variation")).to_have_count(1)
    page.keyboard.press("c")
    expect(page.locator(".accuracy")).to_contain_text("Moves that kept the result")


def test_a_link_opens_the_same_position_in_a_second_page(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/analyse")
    for count in (1, 2):
        expect(page.locator('.move[data-move="3"]')).to_be_enabled()
        page.keyboard.press("4")
        expect(page.locator(".tree .step")).to_have_count(count)
    expect(page).to_have_url(f"{server.address}/#/analyse/connect4/44")
    second = screen.open()
    second.goto(page.url)
    expect(second.locator(".tree .step")).to_have_count(2)
    expect(second.locator("#board-text")).to_have_text(page.locator("#board-text").inner_text())


@pytest.mark.parametrize(
    "text",
    ["33", "https://connect4.gamesolver.org/?pos=33", "0,6,0", "......./......./......./......./...O.../...X..."],
)
def test_other_notations_can_be_pasted(server: RunningServer, screen: Screen, text: str) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/analyse")
    page.get_by_text("Position, link, files").click()
    page.get_by_label("Moves or a board to open").fill(text)
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.locator(".tree .step")).to_have_count(3 if "," in text else 2)


def test_arrows_go_through_the_moves_also_from_the_board(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/analyse/connect4/{MIDDLE}")
    expect(page.locator(".board .move:focus")).to_have_count(1)
    page.keyboard.press("1")
    expect(page.locator(".tree .step")).to_have_count(13)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".step.here")).to_have_attribute("aria-label", "Move 12: O 3")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".tree .step")).to_have_count(14)


def test_stones_can_be_set_up_and_nonsense_gets_a_sentence(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    screen.may_be_refused = True
    page.goto(f"{server.address}/#/analyse/tictactoe")
    page.get_by_text("Position, link, files").click()
    page.get_by_role("button", name="Set up stones").click()
    page.get_by_label("column 1, row 3: empty").click()
    page.get_by_label("Set O, the second player").click()
    page.get_by_label("column 2, row 2: empty").click()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("column 3, row 2: empty")).to_be_focused()
    page.keyboard.press("x")
    page.get_by_role("button", name="Show this position").click()
    expect(page.locator("#truth")).to_contain_text("O to move")
    expect(page).to_have_url(re.compile("#/analyse/tictactoe/(156|651)$"))
    page.get_by_role("button", name="Set up stones").click()
    page.get_by_text("As text").click()
    page.locator("#rows").fill("XXX\nO..\n...")
    expect(page.get_by_role("button", name="Show this position")).to_be_disabled()
    expect(page.locator(".editor .problem")).to_contain_text("3 stones of the first player")
    page.locator("#rows").fill("XX.\nO..\n...")
    page.get_by_role("button", name="Show this position").click()
    expect(page).to_have_url(re.compile("#/analyse/tictactoe/(142|241)$"))
    page.goto(f"{server.address}/#/analyse/connect4/99")
    expect(page.locator("#banner")).to_contain_text("This link can't be opened")


@pytest.mark.parametrize(
    ("link", "usable"),
    [("play/from/connect4/8888", ".opponents"), ("watch/77/0/1-1-1", "#move"), ("minds/x", ".minds")],
)
def test_a_broken_link_gets_a_sentence_and_a_way_on(
    server: RunningServer, screen: Screen, link: str, usable: str
) -> None:
    screen.may_be_refused = True
    screen.page.goto(f"{server.address}/#/{link}")
    expect(screen.page.locator("#banner")).to_contain_text("This link can't be opened")
    expect(screen.page.locator(usable)).to_be_visible()


def test_a_link_that_is_no_text_opens_its_page_all_the_same(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    screen.may_be_refused = True
    for link, shown in (("analyse", "#truth"), ("minds", "#says"), ("trees", "#said")):
        page.goto(f"{server.address}/#/{link}/connect4/%")
        expect(page.locator("#banner")).to_contain_text("'%'")
        expect(page.locator(shown)).to_be_visible()


def test_a_worker_that_dies_is_said_and_can_be_asked_again(server: RunningServer, screen: Screen) -> None:
    spec = "r4-minimax:depth=30"
    screen.may_be_refused = True
    page = screen.page
    page.goto(match_address(server, "connect4", one="human", two=spec, delay=0))
    expect(page.locator(".status")).to_contain_text("Your move")
    page.keyboard.press("4")
    expect(page.locator(".status")).to_contain_text("thinking")
    os.kill(thinking_worker(server, spec), signal.SIGKILL)
    expect(page.locator(".problem")).to_contain_text("the worker process has died")
    page.get_by_role("button", name="Try again").click()
    thinking_worker(server, spec)  # it thinks again
    page.get_by_role("button", name="New match").click()  # and is asked to stop


def test_a_match_goes_on_after_the_server_was_started_again(browser: Browser) -> None:
    screen = Screen(browser)
    page = screen.page
    with socket.create_server(("127.0.0.1", 0)) as listener:  # so that nobody else takes the port meanwhile
        with running_server(listener=listener) as first:
            page.goto(match_address(first, "connect4", one="human", two="human", moves=[3, 3]))
            page.locator("#invite").click()
            expect(page.locator("#banner")).to_contain_text("plays O")
            before = page.locator(".scoresheet").inner_text()
            other = screen.open()
            other.goto(first.address)
            expect(other.locator(".label")).to_have_count(7)
        expect(page.locator("#banner")).to_contain_text("Connection lost")
        screen.context.set_offline(True)
        other.get_by_role("link", name="Puzzles", exact=True).click()
        expect(other.locator("#banner")).to_have_text("The server does not answer. Try again in a moment.")
        other.locator("#reopen").click()
        with running_server(listener=listener):
            screen.context.set_offline(False)
            other.locator("#reopen").click()
            expect(other.locator("#task")).to_contain_text("Only one move wins")
            expect(other.locator("#banner")).to_be_hidden()
            expect(page.locator("#banner")).to_contain_text("resumed from the moves that this page has")
            expect(page.locator(".status")).to_have_text("Your move (X).")
            assert page.locator(".scoresheet").inner_text() == before
            page.keyboard.press("u")
            expect(page.locator(".scoresheet .ply")).to_have_count(1)
            screen.context.close()


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1920, 1080)])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_the_screen_and_everybody_can_use_it(
    server: RunningServer, browser: Browser, width: int, height: int, theme: str
) -> None:
    screen = Screen(browser, color_scheme=theme, reduced_motion="reduce")
    page = screen.page
    page.set_viewport_size({"width": width, "height": height})
    session = server.client.share("connect4", played=[[3]])
    for path, ready in (
        ("#/analyse/connect4/" + MIDDLE, ".label.best"),
        (f"#/play/{session.id}", ".scoresheet"),
        ("#/play", "#setup"),
    ):
        page.goto(f"{server.address}/{path}")
        page.locator(ready).first.wait_for()
        check_page(page)
    screen.context.close()
    assert screen.problems == []


def test_the_page_is_small_and_loads_nothing_from_elsewhere(server: RunningServer, screen: Screen) -> None:
    answers: dict[str, Response] = {}
    screen.page.on("response", lambda answer: answers.update({answer.url: answer}))
    screen.page.goto(f"{server.address}/#/play")
    expect(screen.page.get_by_role("button", name="Play", exact=True)).to_be_enabled()
    screen.page.wait_for_load_state("networkidle")
    assert len(answers) > 10
    assert all(url.startswith(server.address) for url in answers)
    assert sum(one.request.sizes()["responseBodySize"] for one in answers.values()) < 150_000
