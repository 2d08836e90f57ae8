"""Keys and clicks that come before the server has answered: none is lost, and no late answer shows what is past."""

from __future__ import annotations

import json

from playwright.sync_api import Request, WebSocketRoute, expect

from support.screen import Screen, hold, wait_for
from support.web_server import RunningServer


def test_moves_are_analysed_in_the_order_of_the_keys(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/analyse/tictactoe")
    expect(page.locator("#truth")).to_contain_text("draw")
    release = hold(page, "**/position")
    for key in ("1", "2", "ArrowLeft", "3"):
        page.keyboard.press(key)
    release()
    expect(page).to_have_url(f"{server.address}/#/analyse/tictactoe/13")
    expect(page.locator(".movelist .step")).to_have_text(["1", "2", "3"])  # 3 is a variation


def test_a_move_is_held_against_the_position_that_the_one_before_leads_to(
    server: RunningServer, screen: Screen
) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/minds/tictactoe")
    expect(page.locator("#says")).to_contain_text("X to move")
    release = hold(page, "**/position")
    for key in ("1", "1", "2"):  # the second 1 is no legal move
        page.keyboard.press(key)
    release()
    expect(page).to_have_url(f"{server.address}/#/minds/tictactoe/12")
    expect(page.locator("#banner")).to_be_hidden()
    page.goto(f"{server.address}/#/learn")
    expect(page.locator("#says")).to_contain_text("see what it has learnt")
    release = hold(page, "**/position")
    for key in ("3", "4"):
        page.keyboard.press(key)
    release()
    expect(page.locator(".letter")).to_have_count(2)


def test_every_press_of_pause_changes_a_training_also_before_old_frames_have_come(
    server: RunningServer, screen: Screen
) -> None:
    page = screen.page
    held: list[str | bytes] = []
    told: list[bool] = []
    sockets: list[WebSocketRoute] = []

    def pass_on(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        learner = socket.connect_to_server()
        learner.on_message(lambda frame: held.append(frame) if told else socket.send(frame))

        def command(text: str | bytes) -> None:
            told.extend([message["paused"]] if "paused" in (message := json.loads(text)) else [])
            learner.send(text)

        socket.on_message(command)

    def press(count: int) -> None:
        wanted = len(told) + count
        for _ in range(count):
            page.keyboard.press("p")
        wait_for(page, lambda: len(told) == wanted, "the presses")

    page.route_web_socket("**/learn/live", pass_on)
    page.goto(f"{server.address}/#/learn")
    page.locator("#start").click()
    expect(page.locator("#pause")).to_be_enabled()
    press(2)
    wait_for(page, lambda: any(json.loads(frame)["paused"] for frame in held), "the answer to the first press")
    old = json.loads(held[0]) | {"paused": False}  # what the learner said before it had heard of the first press
    sockets[0].send(json.dumps(old))
    sockets[0].send(json.dumps(old | {"paused": True, "episodes": 987_654}))
    expect(page.locator("#facts")).to_contain_text("987,654")
    press(1)
    expect(page.locator("#pause")).to_contain_text("Go on")
    assert told == [True, False, True]


def test_two_presses_of_pause_are_two_in_a_match(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    session = server.client.start("connect4", one="random", two="random", delay=10)
    page.goto(f"{server.address}/#/play/{session.state.id}")
    expect(page.locator("#pause")).to_contain_text("Pause")
    told: list[object] = []

    def finished(request: Request) -> None:
        told.extend([request.post_data_json] if request.url.endswith("/pace") else [])

    page.on("requestfinished", finished)
    release = hold(page, "**/pace")
    page.keyboard.press("p")
    page.keyboard.press("p")
    release()
    wait_for(page, lambda: len(told) == 2, "both answers")
    assert told == [{"paused": True}, {"paused": False}]


def test_a_match_that_was_left_does_not_come_back_by_a_late_answer(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/play")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#setup")).to_be_visible()
    release = hold(page, "**/new")
    page.keyboard.press("n")
    page.locator("#setup").click()
    expect(page.get_by_role("heading", name="New match")).to_be_visible()
    with page.expect_response("**/new"):
        release()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_focused()
    expect(page.get_by_role("heading", name="New match")).to_be_visible()


def test_matches_are_gone_through_before_they_are_loaded(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    release = hold(page, "**/watch/0/matches?*")  # the list comes after the match
    page.goto(f"{server.address}/#/watch/0")
    expect(page.locator("#move")).to_contain_text("wins")
    page.keyboard.press("n")
    page.keyboard.press("n")
    release()
    expect(page.locator(".match").nth(2)).to_have_attribute("aria-current", "true")


def test_the_truth_of_a_node_is_found_when_playing_stops_at_it(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/trees/tictactoe/159/alphabeta:depth=3,root=carried")
    expect(page.locator("#where")).to_contain_text("step 1 of")
    page.locator("#pace").select_option("1")
    page.locator("#play").click()
    expect(page.locator("#node dd").first).not_to_have_text("the root")  # it is played, and the panel follows
    page.locator("#play").click()
    expect(page.locator("#play")).to_have_text("▶")
    expect(page.locator("#truth")).not_to_have_text("solving …")


def test_a_review_that_was_left_does_not_come_back(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    session = server.client.start("tictactoe", one="human", two="human")
    for move in (0, 1, 8, 4, 7, 6, 2, 5, 3):  # both give something away
        if session.refresh().ending is None:
            session.move(move)
    page.goto(f"{server.address}/#/play/{session.state.id}")
    page.locator("#learn").click()
    expect(page.get_by_text("Mistake 1 of")).to_be_visible()
    release = hold(page, "**/position")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    expect(page.locator("#again")).to_be_visible()
    with page.expect_response("**/position"):
        release()
    page.keyboard.press("u")  # not a key of the review
    expect(page.locator("#redo")).to_be_enabled()
