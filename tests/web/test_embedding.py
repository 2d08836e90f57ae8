"""Pages with a board of their own (saved matches, annotated files, reports, leagues) show exact values from a disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from inarow.frontend import match_page, match_template, replay_of
from inarow.match.record import read_records
from inarow.report.page import Page as Report
from inarow.report.page import Section, to_page
from inarow.rules import CONNECT4
from inarow.solver import Oracle
from inarow.truth.accuracy import review
from support.commands import inarow
from support.league_doubles import ANY_FREE, FIRST_FREE, hand_in, hold
from support.screen import Screen, asked_for, check_in_all_shapes, expect_values, signs
from support.web_server import RunningServer

MOVES = (6, 6, 6, 3, 4, 0, 3, 0, 5, 2, 5, 6, 5, 5, 5, 3, 4, 4)
"""The position after them has a move that wins, one that draws, and five that lose."""
MAX_GROWTH = 450_000
"""Bytes by which a page may grow through the board."""


def opened(screen: Screen, path: Path) -> list[str]:
    """Open a file; return what it asks for."""
    asked = asked_for(screen.page)
    screen.page.goto(path.as_uri())
    return asked


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_saved_match_shows_values_review_and_variations_with_nothing_beside_it(
    screen: Screen, tmp_path: Path
) -> None:
    found = review(CONNECT4, MOVES, Oracle(CONNECT4).scores, 12)
    match = {"game": "connect4", "moves": MOVES, "first": "Ann", "second": "</script>", "review": found}
    path = write(tmp_path / "match.html", match_page("Ann & <Bob>", [match]))
    assert path.stat().st_size <= MAX_GROWTH
    asked, page = opened(screen, path), screen.page
    expect(page.get_by_role("heading", level=1)).to_have_text("Ann & <Bob>")
    expect(page.get_by_text("Ann against </script>")).to_be_visible()
    expect_values(page, "connect4", MOVES)
    expect(page.get_by_text("Moves that kept the result")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect_values(page, "connect4", MOVES[:-1])
    other = next(move for move in signs("connect4", MOVES[:-1]) if move != MOVES[-1])
    page.keyboard.press(str(other + 1))
    expect_values(page, "connect4", (*MOVES[:-1], other))
    expect(page.locator(".variation")).to_have_count(1)
    assert asked == [path.as_uri()]
    check_in_all_shapes(page)


def test_a_match_saved_by_the_page_is_that_page(server: RunningServer, screen: Screen, tmp_path: Path) -> None:
    page = screen.page
    page.goto(f"{server.address}/#/analyse/connect4/{''.join(str(move + 1) for move in MOVES)}")
    page.get_by_text("Position, link, files").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a page").click()
    path = tmp_path / "match.html"
    download.value.save_as(path)
    assert "<svg" in path.read_text(encoding="utf-8")  # for a browser without scripts
    asked = opened(screen, path)
    expect_values(page, "connect4", MOVES)
    assert asked == [path.as_uri()]


def test_annotated_matches_are_a_page_with_the_review_inside(screen: Screen, tmp_path: Path) -> None:
    records, page = tmp_path / "some.jsonl", tmp_path / "some.html"
    inarow("match", "tictactoe", "random", "rules", "-n", "4", "--out", str(records))
    said = inarow("annotate", str(records), "--out", str(page)).stdout
    assert str(page) in said
    assert "exists; give another name" in inarow("annotate", str(records), "--out", str(page), code=2).stderr
    assert "expected .html" in inarow("annotate", str(records), "--out", str(tmp_path / "x.txt"), code=2).stderr
    last = list(read_records(records))[-1]
    opened(screen, page)
    screen.page.get_by_label("Match").select_option(index=3)
    expect_values(screen.page, "tictactoe", last.opening)
    expect(screen.page.get_by_text("Moves that kept the result")).to_be_visible()


def test_a_report_replays_matches_in_a_frame(screen: Screen, tmp_path: Path) -> None:
    def made(matches: tuple[dict[str, Any], ...]) -> str:
        return to_page(
            Report("A study", "A lead.", ("It is a.",), (Section("Results", ("None.",)),), (), matches=matches)
        )

    match = {"game": "connect4", "moves": MOVES, "at": 14, "said": "a draw"}
    plain, path = made(()), write(tmp_path / "report.html", made((match, match)))
    assert path.stat().st_size - len(plain.encode()) <= MAX_GROWTH
    assert '<section id="replays">' not in plain
    asked = opened(screen, path)
    screen.page.get_by_role("button", name="Show the board").click()
    expect_values(screen.page.frame_locator("iframe"), "connect4", MOVES[:14])
    assert asked[0] == path.as_uri()
    assert all(address == "about:srcdoc" for address in asked[1:])


def test_a_league_replays_matches_from_a_disk(screen: Screen, tmp_path: Path) -> None:
    hold(hand_in(tmp_path / "in", ann=FIRST_FREE, bob=ANY_FREE), tmp_path / "out")
    site = tmp_path / "out" / "site"
    assert sum(path.stat().st_size for path in site.rglob("board.html")) <= MAX_GROWTH
    entrant = next((site / "entrants").glob("ann*.html"))
    asked, page = opened(screen, entrant), screen.page
    page.locator("summary").click()
    button = page.locator("button[data-match]").last
    match = json.loads(button.get_attribute("data-match") or "")
    button.click()
    expect_values(page.frame_locator("#replay iframe"), "tictactoe", tuple(match["moves"][: match["at"]]))
    page.get_by_role("button", name="close").click()
    expect(page.locator("#replay")).to_be_hidden()
    assert all(address.startswith(site.as_uri()) for address in asked)


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace('id="program">', 'id="program">AAAA', 1),
        lambda text: text.replace("DecompressionStream", "NoSuchStream", 1),
    ],
    ids=["damaged", "old browser"],
)
def test_a_page_whose_program_can_not_run_says_so(damage: Callable[[str], str], screen: Screen, tmp_path: Path) -> None:
    opened(screen, write(tmp_path / "match.html", damage(match_page("A match", []))))
    expect(screen.page.get_by_role("alert")).to_have_text("This browser can't show the board: use a current one.")


def test_a_link_without_a_match_says_so(screen: Screen, tmp_path: Path) -> None:
    path = write(tmp_path / "board.html", match_page("Replay", []))
    for link in ("", "#nonsense", "#[]", "#%7B%7D", "#%E0%A4%A"):
        screen.page.goto("about:blank")
        screen.page.goto(path.as_uri() + link)
        expect(screen.page.get_by_role("alert")).to_have_text("There is no match in this link.")


def test_an_impossible_match_says_what_is_wrong(screen: Screen, tmp_path: Path) -> None:
    match = {"game": "connect4", "moves": [3] * 9}
    opened(screen, write(tmp_path / "match.html", match_page("A match", [match])))
    expect(screen.page.get_by_role("alert")).to_contain_text("full")


def test_a_replay_starts_after_the_opening_and_uses_labels(tmp_path: Path) -> None:
    records = tmp_path / "some.jsonl"
    inarow("match", "tictactoe", "random", "rules", "-n", "2", "--openings", "random:2", "--out", str(records))
    one = replay_of(next(iter(read_records(records))), {"rules": "R"})
    assert (one["at"], {one["first"], one["second"]}) == (2, {"random", "R"})


def test_templates_are_the_same_each_time() -> None:
    first = match_template()
    match_template.cache_clear()
    assert match_template() == first
