"""The page Strategy opens a certificate, answers as the agent does, and asks for the answers by cards."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from inarow.agents import agent
from inarow.randomness import Stream
from inarow.rules import Player, Position, game, parse_moves
from inarow.rules.notation import parse_position
from inarow.solver import Oracle
from inarow.solver.certificate import certificate
from support.screen import Screen, check_in_all_shapes
from support.web_server import RunningServer

READ = """async ([text, player, matches]) => {
  const main = document.querySelector("script[type=module]").src;
  const { readCertificate } = await import(new URL("certificate.js", main).href);
  const strategy = readCertificate(text).find((one) => one.player === player);
  return matches.map((moves) => strategy.answer(moves).move);
}"""


def write(path: Path, name: str, moves: str = "") -> Path:
    path.write_text(certificate(parse_position(game(name), moves), Oracle(game(name))), encoding="utf-8")
    return path


@pytest.mark.parametrize(("name", "opening", "player"), [("tictactoe", "", 1), ("5x4x4", "", 0), ("6x4x4", "12", 1)])
def test_the_page_answers_as_the_agent_does(
    name: str, opening: str, player: int, server: RunningServer, screen: Screen, tmp_path: Path
) -> None:
    board, path = game(name), write(tmp_path / "a", name, opening)
    one = agent(f"strategy:certificate={path}")
    asked, answers = [], []
    for number in range(12):
        mind, moves, stream = one.start(board, Player(player), 1), list(parse_moves(board, opening)), Stream(number)
        while (position := Position.start(board, moves)).outcome() is None:
            if position.to_move == player:
                asked.append(list(moves))
                answers.append(mind.decide(position).move)
                moves.append(answers[-1])
            else:
                moves.append(stream.choice(position.legal_moves()))
    screen.page.goto(f"{server.address}/#/strategy")
    assert screen.page.evaluate(READ, [path.read_text(encoding="utf-8"), player, asked]) == answers


def test_a_certificate_is_opened_played_against_and_learnt(
    server: RunningServer, screen: Screen, tmp_path: Path
) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/strategy")
    bad = tmp_path / "bad"
    bad.write_text("{}")
    page.locator("#shipped").click()
    expect(page.locator("#claim")).to_contain_text("Connect 4: X wins on 7x6x4. ")
    expect(page.locator("#says")).to_contain_text("X plays 4. This answer is in the certificate.")
    page.locator("#certificate").set_input_files(bad)
    expect(page.locator("#banner")).to_contain_text("This is not a certificate")
    page.locator("#certificate").set_input_files(write(tmp_path / "5x4x4.certificate", "5x4x4"))
    expect(page.locator("#claim")).to_contain_text("5x4x4.certificate: X at least draws on 5x4x4.")
    expect(page.locator("#says")).to_contain_text("This answer is in the certificate.")
    page.locator("#claim-1").click()
    expect(page.locator("#task")).to_have_text("Play any move of X.")
    for _ in range(2):
        before = page.locator("#board-text").text_content()
        page.keyboard.press("3")
        expect(page.locator("#board-text")).not_to_have_text(before or "")
    expect(page.locator("#rule")).to_contain_text("O follows up")
    check_in_all_shapes(page)
    page.keyboard.press("r")
    expect(page.locator("#rule")).to_have_count(0)
    page.locator("#learn").click()
    expect(page.locator("#task")).to_have_text("O to move: what does the strategy play?")
    page.keyboard.press("v")
    expect(page.locator("#says")).to_contain_text("The answer is ")
    answer = (page.locator("#says").text_content() or "").removesuffix(".").rsplit(" ", 1)[1]
    page.keyboard.press("n")
    expect(page.locator("#show")).to_be_visible()
    assert answer.isdigit()
