"""The end of a match and its review, the labels of the evaluation, and the list of moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pygame
import pytest

from inarow.agents import Agent, Decision, Limit, Mind
from inarow.drawing.board import DARK
from inarow.play import PERSON, Setup
from inarow.play.desktop.cards import KEYS, LABELS, HelpCard
from inarow.play.desktop.game import notes as notes_of
from inarow.play.desktop.game import share_of_first, standing, thought, verb
from inarow.play.desktop.menu import Choices
from inarow.play.insight import MoveBounds
from inarow.rules import CONNECT4, FIRST, SECOND, TICTACTOE, Game, Player, Position, game
from inarow.solver import Bounds
from inarow.stopping import Stop
from support.desktop_doubles import PEOPLE, Window, naive_judge, open_windows, people


@pytest.fixture
def windows() -> Iterator[list[Window]]:
    """Windows to be closed after the test."""
    yield from open_windows()


def finished(windows: list[Window], size: tuple[int, int] = (1000, 760)) -> Window:
    """A match of two people that is over; its second and its fourth move were mistakes, with the evaluation off."""
    window = people(windows, "tictactoe", size)
    for key in (pygame.K_1, pygame.K_2, pygame.K_3, pygame.K_4, pygame.K_7, pygame.K_5, pygame.K_9, pygame.K_6):
        window.key(key)
    window.frame(seconds=5)
    assert window.game.session.series_over
    assert not window.app.choices.evaluation
    return window


def reviewed(window: Window) -> None:
    window.click("review")
    insight = window.game.insight
    assert insight is not None
    window.until(lambda: not insight.busy)
    window.frame()


@pytest.mark.parametrize("size", [(480, 400), (1000, 760), (700, 1100), (3840, 2160)])
def test_two_large_buttons_stand_at_the_end_and_only_there(windows: list[Window], size: tuple[int, int]) -> None:
    window = finished(windows, size)
    again, review = window.widget("again"), window.widget("review")
    small = window.widget("undo").rect.height
    for button in (again, review):
        assert button.usable
        assert button.rect.height > 1.1 * small
    window.click("again")
    assert window.game.session.position.ply == 0
    assert not again.visible
    assert not review.visible
    place = review.rect.center
    window.click(place)
    assert not window.game.review.on, "a button that is not there can't be clicked"


def test_mistakes_are_reviewed_with_the_evaluation_off(windows: list[Window]) -> None:
    window = finished(windows)
    reviewed(window)
    texts = [row.text for row in window.game.rows.rows]
    assert len(texts) > 1
    assert texts[0] == "2. Human 2 gave up a draw: better 5"
    assert any("gave up a win: better" in text for text in texts)
    assert window.game.review.index == 0, "the first one is looked at"
    assert window.game.shown.ply == 1
    assert window.stone_at(0) is FIRST
    assert window.stone_at(4) is None


def test_a_person_alone_is_you() -> None:
    position = Position.start(CONNECT4)
    truth = {move: Bounds(5, 5) for move in range(7)}
    assert standing(position, truth, ("You", "Medium")).startswith("You win in ")
    assert standing(position, truth, ("Medium", "You")).startswith("Medium wins in ")
    assert verb("You", "win") == "You win"


def test_mistakes_are_clicked_scrolled_and_stepped(windows: list[Window]) -> None:
    window = finished(windows, (480, 400))
    reviewed(window)
    game, rows = window.game, window.game.rows
    count = len(rows.rows)
    assert len(rows.shown) < count, "the small window shows some of them"
    for index in range(1, count):
        window.key(pygame.K_RIGHT if index % 2 else pygame.K_DOWN)
        window.frame()
        assert game.review.index == index
        assert index in rows.shown, "the list follows"
    window.key(pygame.K_RIGHT)
    assert game.review.index is None
    assert game.shown == game.session.position, "beyond the last mistake is the end of the match"
    window.key(pygame.K_LEFT)
    assert game.review.index == count - 1
    window.wheel(20)
    assert rows.shown[0] == 0
    window.click(rows._places[0][0].center)
    assert game.review.index == 0
    window.wheel(-20)
    assert rows.shown[-1] == count - 1
    window.key(pygame.K_5)
    assert game.session.position.ply == 8, "a key doesn't play into a match that is over"
    window.key(pygame.K_v)
    assert not game.review.on
    assert game.rows.rows[0].text == "1. cell 1"


def test_the_next_match_of_a_series_waits_for_the_review(windows: list[Window]) -> None:
    windows.append(Window(Choices(seats=PEOPLE, matches=2), naive_judge))
    window = windows[-1]
    window.play("tictactoe")
    window.key(pygame.K_v)
    assert "after the match" in window.game.message
    for key in (pygame.K_1, pygame.K_4, pygame.K_2, pygame.K_5, pygame.K_3):
        window.key(key)
    window.key(pygame.K_v)
    window.frame(seconds=60)
    assert window.game.session.number == 1
    window.key(pygame.K_v)
    window.frame(seconds=60)
    window.frame()
    assert window.game.session.number == 2


# Labels.


def test_labels_say_who_wins_and_how_soon() -> None:
    position = Position.start(CONNECT4)
    truth: MoveBounds = {
        0: Bounds(5, 5),
        1: Bounds(-5, -5),
        2: Bounds(0, 0),
        3: Bounds(1, 9),
        4: Bounds(-9, -1),
        5: Bounds(-3, 3),
        6: Bounds(0, 3),
    }
    notes = notes_of(position, truth, DARK)
    assert [notes[move].player for move in range(7)] == [FIRST, SECOND, None, FIRST, SECOND, None, None]
    assert notes[0].text.isdigit()
    assert [notes[move].text for move in range(2, 7)] == ["=", "", "", "?", "?"]
    assert notes[0].colour == DARK.good
    assert notes[1].colour == DARK.bad


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0, 0, "a draw with best play"),
        (1, 5, "Ann wins with best play"),
        (-5, -1, "You win with best play"),
        (0, 5, "not solved within 2 seconds: Ann can at least draw"),
        (-5, 0, "not solved within 2 seconds: you can at least draw"),
        (-5, 5, "not solved within 2 seconds"),
    ],
)
def test_what_is_not_solved_says_what_is_known(low: int, high: int, words: str) -> None:
    truth = {0: Bounds(low, high), 1: Bounds(-20, low)}
    assert standing(Position.start(CONNECT4), truth, ("Ann", "You")) == words
    known = share_of_first(Position.start(CONNECT4), truth)
    assert (known is None) == (words.startswith("not solved"))
    assert known is None or (known > 0.5) == (low > 0)


def test_a_board_that_takes_too_long_says_so_and_stays_clear(windows: list[Window]) -> None:
    def unsure(position: Position, stop: Stop) -> MoveBounds:
        return dict.fromkeys(position.legal_moves(), Bounds(-20, 20))

    windows.append(Window(Choices(seats=PEOPLE, board="8x6x4-free", evaluation=True), unsure))
    window = windows[-1]
    window.play("board")
    window.until(lambda: window.game.truth() is not None)
    assert window.game.evaluation() == "Not solved within 2 seconds"
    assert not window.game.marks((-1, -1), 99.0).notes
    assert window.game.session.setup.game == game("8x6x4-free")


def test_labels_wait_until_a_stone_has_landed(windows: list[Window]) -> None:
    windows.append(Window(Choices(seats=PEOPLE, board="4x4x3", evaluation=True), sure))
    window = windows[-1]
    window.play("board")
    window.until(lambda: window.game.truth() is not None)
    assert window.game.marks((-1, -1), window.clock.now()).notes
    window.key(pygame.K_1)
    window.until(lambda: window.game.truth() is not None)
    assert window.game.board.moving(window.clock.now())
    assert not window.game.marks((-1, -1), window.clock.now()).notes
    window.frame(seconds=5)
    assert window.game.marks((-1, -1), window.clock.now()).notes
    assert not window.app.moving()


def sure(position: Position, stop: Stop) -> MoveBounds:
    return dict.fromkeys(position.legal_moves(), Bounds(1, 1))


def test_the_help_explains_the_labels(windows: list[Window]) -> None:
    assert "the player who wins" in LABELS
    assert "?" in LABELS
    assert {"S", "V", "M, Esc", "Q"} <= {key for key, _ in KEYS}
    for size in ((480, 400), (1000, 760)):
        window = people(windows, "tictactoe", size)
        window.click("help")
        assert isinstance(window.game.card, HelpCard)
        window.key(pygame.K_SPACE)
        assert window.game.card is None


# The list of moves.


@dataclass(frozen=True)
class Thinker(Agent):
    """Says what it thinks of its move."""

    name = "thinker"
    summary = "for tests"

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return ThinkerMind()


class ThinkerMind(Mind):
    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        return Decision(position.legal_moves()[0], value=-0.42, depth=7, nodes=1234)


def test_the_moves_are_listed_with_what_the_agent_thought(windows: list[Window]) -> None:
    windows.append(Window(Choices()))
    window = windows[-1]
    window.begin(Setup(CONNECT4, (PERSON, Thinker()), delay=0.0), ("You", "Thinker"))
    for key in (pygame.K_4, pygame.K_4):
        window.key(key)
        window.until(lambda: window.game.session.awaits_person, seconds=0.1)
        window.frame(seconds=5)
    rows = window.game.rows.rows
    assert [row.text for row in rows] == ["1. column 4", "2. column 1", "3. column 4", "4. column 1"]
    assert [row.player for row in rows] == [FIRST, SECOND, FIRST, SECOND]
    assert rows[0].note == ""
    assert rows[1].note == "expects −0.42, 7 plies, 1,234 nodes"
    assert window.game.rows.shown[-1] == 3, "the newest move is seen"
    assert thought(Decision(0)) == ""


def test_the_winner_is_told_in_the_second_person(windows: list[Window]) -> None:
    windows.append(Window(Choices()))
    window = windows[-1]
    window.begin(Setup(TICTACTOE, (PERSON, Thinker()), delay=0.0), ("You", "Thinker"))
    for key in (pygame.K_7, pygame.K_8, pygame.K_9):
        window.key(key)
        window.until(lambda: window.game.session.awaits_person or window.game.session.series_over, seconds=0.1)
    assert window.game.status() == "You win"


@pytest.mark.parametrize(("unsolved", "said"), [(1, "1 position is unsolved"), (2, "2 positions are unsolved")])
def test_unsolved_positions_are_counted_in_words(
    windows: list[Window], monkeypatch: pytest.MonkeyPatch, unsolved: int, said: str
) -> None:
    review = finished(windows).game.review
    monkeypatch.setattr(type(review), "mistakes", [])
    left = review.wanted()[:unsolved]
    monkeypatch.setattr("inarow.play.desktop.game._solved", lambda insight, position: position not in left)
    review.begin()
    assert review.summary() == f"no mistake proven; {said}"
