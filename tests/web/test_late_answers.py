"""Keys and clicks that come before the engine has answered: none is lost, and no late answer shows what is past."""

from __future__ import annotations

from playwright.sync_api import expect

from support.screen import Screen, hold, wait_for
from support.web_server import RunningServer, match_address

CAUGHT = """async () => {
  const script = document.querySelector('script[type="module"]').src;
  const { engine } = await import(new URL("engine.js", script));
  const caught = (window.caught = { held: false, frames: [], told: [], calls: 0 });
  for (const name of ["learn", "think"]) {
    const real = engine[name].bind(engine);
    engine[name] = (request, onFrame, onEnd) => {
      caught.calls++;
      let closed = false;
      caught.say = (frame) => closed || onFrame(frame);
      const hear = (frame) => {
        caught.frames.push(frame);
        if (!caught.held) onFrame(frame);
      };
      const work = real(request, hear, (...end) => caught.held || onEnd(...end));
      const send = (command) => {
        caught.told.push(command);
        if (caught.holdAfter in command) caught.held = true;
        work.send(command);
      };
      return { send, close: () => ((closed = true), work.close()) };
    };
  }
}"""
"""Notes what a learner or thinking agents say to the page, and may keep it from the page: what is said after a command
with `holdAfter`, or everything while `held` is set."""


def test_moves_are_analysed_in_the_order_of_the_keys(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/analyse/tictactoe")
    expect(page.locator("#truth")).to_contain_text("draw")
    release = hold(page, "position")
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
    release = hold(page, "position")
    for key in ("1", "1", "2"):  # the second 1 is no legal move
        page.keyboard.press(key)
    release()
    expect(page).to_have_url(f"{server.address}/#/minds/tictactoe/12")
    expect(page.locator("#banner")).to_be_hidden()
    page.goto(f"{server.address}/#/learn")
    expect(page.locator("#says")).to_contain_text("see what it has learned")
    release = hold(page, "position")
    for key in ("3", "4"):
        page.keyboard.press(key)
    release()
    expect(page.locator(".letter")).to_have_count(3)


def test_every_press_of_pause_changes_a_training_also_before_old_frames_have_come(
    server: RunningServer, screen: Screen
) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/learn")
    page.evaluate(CAUGHT)
    page.evaluate("window.caught.holdAfter = 'paused'")
    page.locator("#start").click()
    expect(page.locator("#pause")).to_be_enabled()
    page.keyboard.press("p")
    page.keyboard.press("p")
    held = "window.caught.frames.filter((one) => one.paused)"
    wait_for(page, lambda: bool(page.evaluate(f"{held}.length")), "the answer to the first press")
    say = "(frame) => window.caught.say(frame)"
    old = page.evaluate(f"{held}[0]")
    page.evaluate(say, old | {"paused": False})  # what the learner said before it had heard of the first press
    page.evaluate(say, old | {"paused": True, "episodes": 987_654})
    expect(page.locator("#facts")).to_contain_text("987,654")
    page.keyboard.press("p")
    expect(page.locator("#pause")).to_contain_text("Go on")
    told = "window.caught.told.filter((one) => 'paused' in one).map((one) => one.paused)"
    assert page.evaluate(told) == [True, False, True]


def test_two_presses_of_pause_are_two_in_a_match(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(match_address(server, "connect4", one="random", two="random", delay=10))
    expect(page.locator("#pause")).to_contain_text("Pause")
    release = hold(page, "pace", times=2)
    page.keyboard.press("p")
    page.keyboard.press("p")
    expect(page.locator("#pause")).to_contain_text("Go on")  # the match says so, the first answer is late
    release()
    expect(page.locator("#pause")).to_contain_text("Pause")


def test_a_match_that_was_left_does_not_come_back_by_a_late_answer(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/play")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#setup")).to_be_visible()
    release = hold(page, "command")
    page.keyboard.press("n")
    page.locator("#setup").click()
    expect(page.get_by_role("heading", name="New match")).to_be_visible()
    release()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_focused()
    expect(page.get_by_role("heading", name="New match")).to_be_visible()


def test_a_match_that_was_left_does_not_end_the_next_by_a_late_refusal(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    screen.may_be_refused = True
    shared = server.client.share("connect4")
    page.route_web_socket("**/live", lambda socket: None)
    page.goto(f"{server.address}/#/play/{shared.id}")
    expect(page.locator(".status")).to_contain_text("to move")
    release = hold(page, "command")
    shared.end()
    page.keyboard.press("n")
    wait_for(page, lambda: bool(page.evaluate("window.held.count")), "the refusal")
    page.locator("#setup").click()
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".players")).to_be_visible()
    page.keyboard.press("1")
    release()
    expect(page.locator(".scoresheet .ply").first).to_contain_text("1")
    expect(page.locator("#banner")).to_be_hidden()


def test_matches_are_gone_through_before_they_are_loaded(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(server.address)
    release = hold(page, "storedMatches")  # the list comes after the match
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
    moves = [0, 1, 8, 4, 7, 6, 2, 5, 3]  # both give something away
    page.goto(match_address(server, "tictactoe", one="human", two="human", moves=moves))
    page.locator("#learn").click()
    expect(page.get_by_text("Mistake 1 of")).to_be_visible()
    release = hold(page, "position")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    expect(page.locator("#again")).to_be_visible()
    release()
    page.keyboard.press("u")  # not a key of the review
    expect(page.locator("#redo")).to_be_enabled()


def test_a_button_that_is_drawn_anew_while_it_is_pressed_is_pressed(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    session = server.client.share("connect4")
    session.move(3)
    page.goto(f"{server.address}/#/play/{session.id}")
    expect(page.locator("#undo")).to_be_enabled()
    stones, moves = page.locator(".board .stone"), page.locator(".scoresheet .ply")
    page.locator("#undo").hover()
    page.mouse.down()
    session.refresh()
    session.move(2)
    expect(stones).to_have_count(2)
    page.mouse.up()
    expect(moves).to_have_text(["X 4"])
    page.locator("#undo").focus()
    page.keyboard.down("Space")
    session.refresh()
    session.move(1)
    expect(stones).to_have_count(2)
    page.keyboard.up("Space")
    expect(moves).to_have_text(["X 4"])
    page.locator("#setup").hover()
    page.mouse.down()
    session.refresh()
    session.move(0)
    expect(stones).to_have_count(2)
    page.mouse.up()
    expect(page.get_by_role("heading", name="New match")).to_be_visible()


def test_a_move_after_undo_is_not_a_second_click(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    session = server.client.share("tictactoe")
    page.goto(f"{server.address}/#/play/{session.id}")
    expect(page.locator(".status")).to_contain_text("to move")
    page.route_web_socket("**/live", lambda socket: None)  # only the answers tell what happened
    page.reload()
    expect(page.locator(".status")).to_contain_text("to move")
    release = hold(page, "move")
    for key in ("1", "u", "2"):
        page.keyboard.press(key)
    release()
    expect(page.locator(".scoresheet .ply")).to_have_text(["X 2"])


def test_a_page_that_was_left_says_and_opens_nothing(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/play")
    release = hold(page, "startMatch")
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("link", name="Analyse").click()
    expect(page.locator("#truth")).to_be_visible()
    release()
    wait_for(page, lambda: bool(page.evaluate("JSON.parse(localStorage.inarow).session")), "the match")
    refuse = hold(page, "position")
    page.goto(f"{server.address}/#/analyse/connect4/99")
    page.get_by_role("link", name="Play", exact=True).click()
    expect(page.locator(".status")).to_contain_text("Your move")
    refuse()
    page.keyboard.press("4")
    expect(page.locator(".scoresheet .ply")).to_have_count(2)
    expect(page.locator("#banner")).to_be_hidden()


def test_the_form_that_was_left_does_not_clear_the_board(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(match_address(server, "connect4", one="human", two="human", moves=[3]))
    expect(page.locator("#undo")).to_be_enabled()
    release = hold(page, "lineups")
    page.locator("#setup").click()
    page.keyboard.press("Escape")
    expect(page.locator("#undo")).to_be_enabled()
    release()
    expect(page.locator(".board .stone")).to_have_count(1)


def test_the_file_before_is_watched_until_another_one_is_there(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/watch/0")
    expect(page.locator(".match")).to_have_count(24)
    expect(page.locator("#move")).to_contain_text("(")
    release = hold(page, "store")
    page.get_by_label("File", exact=True).select_option("study")
    page.keyboard.press("Escape")
    page.locator(".match").nth(2).click()
    expect(page.locator(".match").nth(2)).to_have_attribute("aria-current", "true")
    page.locator(".cross-cell").first.click()
    expect(page.locator(".match")).to_have_count(8)
    release()
    expect(page.locator("#count")).to_have_text("4 matches")
    expect(page.locator(".match")).to_have_count(4)
    expect(page.locator(".match").first).to_have_attribute("aria-current", "true")
    expect(page.locator("#banner")).to_be_hidden()


def test_the_updates_of_the_episode_before_a_step_are_not_its_answer(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/learn")
    page.evaluate(CAUGHT)
    page.evaluate("window.caught.holdAfter = 'step'")
    page.locator("#start").click()
    rows = page.locator(".updates tbody tr")
    expect(rows.first).to_be_visible()
    page.keyboard.press("p")
    wait_for(page, lambda: bool(page.evaluate("window.caught.frames.at(-1).paused")), "the pause")
    last = page.evaluate("window.caught.frames.at(-1)")
    expect(rows).to_have_count(len(last["updates"]))
    for _ in range(len(last["updates"]) + 1):
        page.keyboard.press("u")
    wait_for(page, lambda: bool(page.evaluate("window.caught.held")), "the step")
    say = "(frame) => window.caught.say(frame)"
    page.evaluate(say, last | {"entries": 987_654})  # what was said before the step was made
    expect(page.locator("#facts")).to_contain_text("987,654")
    expect(rows).to_have_count(0)
    page.evaluate(say, last | {"episodes": last["episodes"] + 1, "updates": last["updates"][:2]})
    expect(rows).to_have_count(2)


def test_a_learner_moves_in_the_position_that_the_key_before_leads_to(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/learn")
    page.locator("#start").click()
    expect(page.locator("#pause")).to_be_enabled()
    page.keyboard.press("r")
    release = hold(page, "position")
    page.keyboard.press("1")
    page.keyboard.press("m")
    release()
    expect(page.locator(".letter")).to_have_count(2)


def test_a_training_can_be_paused_and_played_against_from_its_first_position_on(
    server: RunningServer, screen: Screen
) -> None:
    page = screen.page
    page.goto(server.address)
    release = hold(page, "positionOf")
    page.goto(f"{server.address}/#/learn")
    page.locator("#start").click()
    for button in ("#pause", "#answer", "#back"):
        expect(page.locator(button)).to_be_disabled()
    page.keyboard.press("1")
    release()
    expect(page.locator(".letter")).not_to_have_count(0)
    expect(page.locator("#pause")).to_be_enabled()


def test_stones_that_are_typed_stay_when_a_cell_is_clicked_before_the_answer(
    server: RunningServer, screen: Screen
) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/analyse/tictactoe")
    page.get_by_text("Position, link, files").click()
    page.get_by_role("button", name="Set up stones").click()
    page.get_by_text("As text").click()
    expect(page.locator("#apply")).to_be_enabled()
    hold(page, "position", times=99)  # and never let one through
    page.locator("#rows").fill("...\nO..\n..X")
    page.locator(".editor .stones button").first.click()
    expect(page.locator("#rows")).to_have_value("X..\nO..\n..X")
    expect(page.locator("#apply")).to_be_disabled()


def test_what_is_typed_and_chosen_in_minds_outlives_what_comes(server: RunningServer, screen: Screen) -> None:
    page = screen.page
    page.goto(server.address)
    page.evaluate(CAUGHT)
    page.evaluate("window.caught.held = true")  # only what the test says is heard
    page.goto(f"{server.address}/#/minds/tictactoe")
    wait_for(page, lambda: bool(page.evaluate("window.caught.calls === 1")), "the first thoughts")
    page.get_by_text("Position and agents").click()
    page.get_by_label("Moves or a board to open").fill("12")
    say = "(frame) => window.caught.say(frame)"
    page.evaluate(say, {"finished": True, "mind": None, "judgement": None, "truth": None, "problem": ""})
    expect(page.locator("#says")).not_to_contain_text("thinking")
    expect(page.get_by_label("Moves or a board to open")).to_have_value("12")
    page.locator("#again").click()
    wait_for(page, lambda: bool(page.evaluate("window.caught.calls === 2")), "more thoughts")
    release = hold(page, "position")
    page.get_by_role("button", name="Open", exact=True).click()
    page.get_by_role("button", name="Remove").last.click()
    page.evaluate(say, {"problem": "This agent is gone.", "agent": 4, "finished": False})
    release()
    expect(page).to_have_url(f"{server.address}/#/minds/tictactoe/12")
    expect(page.locator(".mind:not(.truth)")).to_have_count(4)
    expect(page.get_by_text("This agent is gone.")).to_have_count(0)
