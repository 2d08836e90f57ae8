"""The terminal: what is typed is obeyed or explained; pipes, missing colour, end of input and Ctrl-C do no harm."""

from __future__ import annotations

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from inarow.agents import agent
from inarow.agents.perfect import ADVISER
from inarow.cli.main import app
from inarow.match.record import read_records
from inarow.play import PERSON, Participant, Session, Setup
from inarow.play.desktop.menu import Choices
from inarow.play.saved import load_record, matches_folder, unfinished_match
from inarow.play.setup import DEFAULT_OPPONENT, HUMAN, USUAL, opponent
from inarow.play.terminal import Terminal
from inarow.rules import CONNECT4, TICTACTOE, Game, game
from support.play_doubles import Scripted


def play(
    lines: str,
    one: Participant = PERSON,
    two: Participant = PERSON,
    board: Game = TICTACTOE,
    games: int = 1,
    base: int = 1,
) -> tuple[str, Session]:
    """What the terminal shows to somebody who types these words, a line each (~ stands for a space)."""
    out = io.StringIO()
    typed: Iterator[str] = iter(lines.split())

    def read(prompt: str) -> str:
        out.write(prompt)
        line = next(typed, None)
        if line is None:
            raise EOFError
        line = line.replace("~", " ")
        out.write(line + "\n")
        return line

    setup = Setup(board, (one, two), matches=games, delay=0.0, pause=0.0, base=base)
    session = Session(setup, adviser=Scripted("highest"))
    Terminal(session, Console(file=out, width=300), read).run()
    return out.getvalue(), session


def test_two_people_play_to_a_win_and_the_line_is_marked() -> None:
    shown, session = play("1 4 2 5 3 q")
    assert "[X][X][X]" in shown
    assert "human 1 (X) wins." in shown
    assert session.closed


def test_a_draw_is_said() -> None:
    shown, _ = play("1 2 3 5 4 6 8 7 9")
    assert "A draw" in shown


def test_what_is_not_a_legal_move_is_explained_and_asked_again() -> None:
    shown, session = play("5 5 0 12 abc 1")
    assert "Cell 5 is taken; free: 1, 2, 3, 4, 6, 7, 8, 9" in shown
    assert "'0' is not a cell of tictactoe; give a number from 1 to 9" in shown
    assert "'12' is not" in shown
    assert "'abc' is not" in shown
    assert session.moves == (4, 0)


def test_columns_may_be_numbered_from_0() -> None:
    """In what is typed, drawn, announced and explained."""
    shown, session = play("7 0 h ? " + "0 " * 3 + "q", two=Scripted("lowest"), board=CONNECT4, base=0)
    assert " 0  1  2  3  4  5  6 " in shown
    assert "'7' is not a column of connect4; give a number from 0 to 6" in shown
    assert "scripted (O) plays 0 (" in shown
    assert "Column 0 is full; free: 1, 2, 3, 4, 5, 6" in shown
    assert re.search(r"  0–6 +play in this column", shown)
    assert "Hint: 6" in shown
    assert session.moves == (0,) * 6


def test_a_full_column_is_explained() -> None:
    shown, _ = play("1 " * 7, board=CONNECT4)
    assert "Column 1 is full; free: 2, 3, 4, 5, 6, 7" in shown


def test_undo_redo_hint_new_match_and_help() -> None:
    shown, session = play("? h 5 u r u u n 1", board=TICTACTOE)
    assert "Hint: 9 looks best to a search." in shown
    assert "Taken back." in shown
    assert "There is no move to undo" in shown
    assert "u, undo" in shown
    assert session.moves == (0,)


def test_the_score_is_shown_after_the_second_game() -> None:
    shown, _ = play("1 4 2 5 3 n 1 4 2 5 3 x")
    assert "Match 2: human 1 (X)" in shown
    assert "Score: human 1 2 – 0 human 2" in shown


def test_after_the_end_a_move_is_explained_and_undo_goes_on() -> None:
    shown, session = play("1 4 2 5 3 6 u 9")
    assert "The match is over; start a new one" in shown
    assert session.moves == (0, 3, 1, 4, 8)


def test_an_agent_is_answered_and_says_what_it_thought() -> None:
    shown, session = play("5", two=Scripted())
    assert "scripted (O) plays 1" in shown
    assert "value +0.25, 8 nodes" in shown
    assert session.moves == (4, 0)


def test_agents_among_themselves_play_their_series_and_leave() -> None:
    shown, session = play("", Scripted(), Scripted("highest"), games=3)
    assert "Match 3 of 3" in shown
    assert "Score: scripted 3 – 0 scripted:way=highest" in shown
    assert session.series_over


def test_a_fault_is_shown_and_the_person_wins() -> None:
    shown, _ = play("5", two=Scripted("crash"))
    assert "scripted (O) failed: RuntimeError: the mind has gone blank" in shown
    assert "human (X) wins: exception by scripted (O)." in shown


def test_saving_at_the_prompt(tmp_path: Path) -> None:
    name = tmp_path / "game.txt"
    shown, _ = play(f"s 5 s~{name} s~{name} q")
    assert "Give a file after s" in shown
    assert f"{name} exists" in shown.replace("\n", " ")
    assert [record.moves for record in read_records(name)] == [(4,)]


def test_free_boards_show_cell_numbers_and_boards_with_gravity_column_numbers() -> None:
    assert "1  2  3 " in play("")[0]
    assert " 1  2  3  4  5 " in play("", board=game("5x4x4"))[0]


def test_every_level_that_is_offered_can_play_its_game() -> None:
    for board in (CONNECT4, TICTACTOE, game("5x4x3-free")):
        for level in USUAL.levels:
            found = level.agent(board)
            if found is not None:
                found.check(board)
        opponent(board).check(board)


def test_one_default_opponent_in_terminal_window_and_page() -> None:
    level = USUAL.level(DEFAULT_OPPONENT)
    assert level is not None
    assert opponent(CONNECT4).spec == level.specs[0]
    assert Choices().seats == (HUMAN, DEFAULT_OPPONENT)
    page = (files("inarow") / "web" / "static" / "js" / "setup.js").read_text(encoding="utf-8")
    assert f'two: "{level.specs[0]}",' in page


def on_a_screen(
    typed: list[str], board: Game = CONNECT4, opening: tuple[int, ...] = (), two: Participant = PERSON, **screen: Any
) -> list[str]:
    """The frames that a terminal of 80 columns shows to somebody who types this; each starts with a cleared screen."""
    written = io.BytesIO()
    out = io.TextIOWrapper(written, encoding=screen.pop("encoding", "utf-8"), write_through=True)
    keys = iter(typed)

    def read(prompt: str) -> str:
        out.write(prompt)
        return next(keys, "quit")

    setup = Setup(board, (PERSON, two), opening=opening, delay=0.0, pause=0.0)
    console = Console(file=out, width=80, height=24, force_terminal=True, legacy_windows=False, **screen)
    Terminal(Session(setup, adviser=ADVISER), console, read).run()
    return written.getvalue().decode().split("\x1b[2J\x1b[H")[1:]


def typed_keys(
    keys: list[str], board: Game = CONNECT4, two: Participant = PERSON, **session: Any
) -> tuple[list[str], Session]:
    """The frames shown to somebody who presses these keys and then leaves, and the session."""
    out = io.StringIO()
    pressed = iter([*keys, "escape", "escape"])
    played = Session(Setup(board, (PERSON, two), delay=0.0, pause=0.0), adviser=Scripted("highest"))
    console = Console(file=out, width=80, height=24, force_terminal=True, legacy_windows=False)
    Terminal(
        played, console, keys=lambda: contextlib.nullcontext(lambda: next(pressed)), keep=session.get("keep", False)
    ).run()
    return out.getvalue().split("\x1b[2J\x1b[H")[1:], played


def test_arrow_keys_choose_a_move_and_enter_plays_it() -> None:
    frames, session = typed_keys(["left", "right", "right", "enter", "1", "enter"])
    assert session.moves == (5, 0), "the first key begins in the middle"
    assert plain(frames[3]).count("▲") == 1
    line = next(line for line in plain(frames[3]).splitlines() if "▲" in line)
    numbers = next(line for line in plain(frames[3]).splitlines() if " 4 " in line)
    assert numbers[line.index("▲")] == "6"
    assert "▲" not in plain(frames[4])
    _, session = typed_keys(["up", "left", "down", "right", "enter"], board=TICTACTOE)
    assert session.moves == (4,)


def test_escape_clears_what_was_typed_and_leaves_on_an_empty_line() -> None:
    _, session = typed_keys(["7", "escape", "1", "2", "backspace", "enter", "right", "escape", "3", "enter"])
    assert session.moves == (0, 2)
    assert session.closed


def test_a_match_that_is_left_is_kept_and_forgotten_when_it_is_over() -> None:
    frames, session = typed_keys(["4", "enter", "3", "enter"], keep=True)
    assert "The match is kept; inarow play --resume continues it." in plain(frames[-1])
    kept = unfinished_match()
    assert kept is not None
    assert kept.moves == session.moves == (3, 2)
    moves = [key for move in "14253" for key in (move, "enter")]
    frames, _ = typed_keys(moves, board=TICTACTOE, keep=True)
    assert "kept" not in plain(frames[-1])
    assert unfinished_match() is None


def test_a_new_match_moves_the_one_in_progress_to_the_saved_ones() -> None:
    frames, session = typed_keys(["4", "enter", "3", "enter", "n", "enter"], keep=True)
    assert "Your unfinished match was saved as connect4 1.txt." in plain(frames[-1])
    assert load_record(matches_folder() / "connect4 1.txt").moves == (3, 2)
    assert session.moves == ()
    assert unfinished_match() is None


def plain(frame: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", frame)


def test_a_screen_is_redrawn_in_place_with_discs_in_colour() -> None:
    first, second, third = on_a_screen(["4", "4"])
    assert "●" not in "".join(first.splitlines()[2:9])
    assert "\x1b[1;4;31m●" in second
    assert "(●)" in plain(second), "the last move is marked"
    assert "(○)" in plain(third)
    assert third.count("○") >= 1
    assert "4" in third


def test_letters_stand_where_a_terminal_has_no_discs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "(X)" in plain(on_a_screen(["4"], encoding="ascii")[1])
    monkeypatch.setenv("TERM", "linux")
    assert "(X)" in plain(on_a_screen(["4"])[1])


def test_the_board_stays_in_place_when_verdicts_come_below_it() -> None:
    frames = [plain(frame).splitlines() for frame in on_a_screen(["t", "hint"], opening=(3, 1, 4))]
    boards = [[line.rstrip() for line in frame[2:9]] for frame in frames]
    assert boards[0] == boards[1] == boards[2]


def test_t_shows_the_verdict_of_every_move() -> None:
    shown = plain(on_a_screen(["t"], opening=(3, 1, 4))[1])
    assert shown.count("loss") == 6
    assert shown.count("best") == 1
    assert "Exact value: draw for human 2 (○)" in shown
    shown, _ = play("1 2 3 5 4 6 8 7 9 t q")
    assert "The match is over; m shows the mistakes" in shown


def test_a_hint_says_why() -> None:
    for opening, words in (
        ((3, 1, 4), "6 draws"),
        ((0, 6, 0, 6, 0), "1 blocks, but loses in 17 moves."),
        ((0, 6, 0, 6, 0, 6), "1 wins now"),
    ):
        assert f"Hint: {words}" in plain(on_a_screen(["hint"], opening=opening)[-1])


def test_words_do_what_keys_do_in_any_case() -> None:
    shown, session = play("5 Undo REDO undo new 1 Help save exit 9")
    assert session.moves == (0,)
    assert shown.count("Taken back.") == 2
    assert "Give a file after s" in shown
    assert "h, hint" in shown


def test_the_mistakes_of_a_match_are_one_key_away() -> None:
    shown, _ = play("1 8 2 3 9 5 6 7 m q")
    assert "n new match, m mistakes, u undo, q quit:" in shown
    assert "Move 2, human 2 (O): 8 was a loss in 3 moves; 5 would have been a draw." in shown
    assert "Move 3, human 1 (X): 2 was a draw; 3, 5 and 7 would have been a win in 3 moves." in shown
    assert "No mistakes: no move gave away a win or a draw." in play("5 1 review q")[0]


def test_agents_have_short_names_where_those_tell_them_apart() -> None:
    shown, _ = play("5", two=agent("rules:style=centre"))
    assert "rules (O) plays" in shown
    assert shown.count("rules:style=centre") == 1, "said once, at the beginning"


def test_an_empty_line_asks_for_a_move() -> None:
    assert "Type a column number. Type ? for help." in plain(on_a_screen([""])[-1])


# The command.


def inarow(*arguments: str, typed: str = "") -> tuple[int, str]:
    result = CliRunner().invoke(app, ["play", *arguments], input=typed)
    return result.exit_code, result.output


def test_the_command_plays_in_a_pipe_and_keeps_the_record(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    code, shown = inarow("tictactoe", "human", "rules", "--seed", "3", "--out", str(path), typed="5\nq\n")
    assert code == 0
    assert "human (X), your move: 5" in shown
    assert "\x1b" not in shown
    (record,) = read_records(path)
    assert record.first == "human"
    assert record.moves[0] == 4
    code, again = inarow("tictactoe", "human", "rules", "--out", str(path))
    assert code == 2
    assert "--force" in again
    code, shown = inarow("--load", str(path), typed="q\n")
    assert code == 0
    assert " X " in shown


def test_an_unfinished_match_is_resumed_or_put_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    assert inarow("--resume")[0] == 2
    monkeypatch.setattr("inarow.cli.play._interactive", lambda: True)
    code, shown = inarow("tictactoe", "human", "human", typed="5\n1\nq\n")
    assert code == 0
    assert "inarow play --resume continues it" in shown
    code, shown = inarow(typed="y\n9\nq\n")
    assert "Resume your unfinished match of Tic Tac Toe (2 moves)? [Y/n]" in shown
    kept = unfinished_match()
    assert kept is not None
    assert kept.moves == (4, 0, 8)
    code, shown = inarow("--resume", typed="q\n")
    assert code == 0
    assert unfinished_match() == kept
    code, shown = inarow("connect4", typed="q\n")
    assert "saved as tictactoe 1.txt" in shown
    assert unfinished_match() is None
    assert load_record(matches_folder() / "tictactoe 1.txt").moves == (4, 0, 8)
    assert "takes the game and the players" in inarow("connect4", "--resume")[1]


def test_what_comes_through_a_pipe_is_not_kept() -> None:
    assert "kept" not in inarow("tictactoe", "human", "human", typed="5\nq\n")[1]
    assert unfinished_match() is None


def test_the_same_seed_gives_the_same_games() -> None:
    def lines() -> list[str]:
        _, shown = inarow(
            "connect4", "random", "random", "--seed", "4", "--delay", "0", "--matches", "2", "--starts", "random"
        )
        return [line.partition("(0")[0] for line in shown.splitlines()]

    assert lines() == lines()
    assert any("Score" in line for line in lines())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["conect4"], "did you mean connect4"),
        (["tictactoe", "nobody"], "unknown agent"),
        (["tictactoe", "--starts", "me"], "unknown order of play"),
        (["tictactoe", "--delay", "-1"], "delay must be from 0"),
        (["tictactoe", "--opening", "55"], "cell 5 is taken"),
        (["tictactoe", "--load", "missing.txt"], "can't be read"),
        (["tictactoe", "--seconds", "0"], "seconds must be a positive number up to 2,592,000, got 0.0"),
    ],
)
def test_bad_input_is_one_clear_message(arguments: list[str], words: str) -> None:
    code, shown = inarow(*arguments)
    assert code == 2
    assert words in shown
    assert "Traceback" not in shown


def test_load_takes_the_players_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    inarow("tictactoe", "human", "human", "--out", str(path), typed="5\n")
    code, shown = inarow("tictactoe", "--load", str(path))
    assert code == 2
    assert "remove them" in shown


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal is needed")
def test_ctrl_c_at_the_prompt_leaves_cleanly_and_colour_obeys_no_color(tmp_path: Path) -> None:
    import pty

    def session_in_a_terminal(**environment: str) -> tuple[int, str]:
        main, child = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "inarow.cli.main", "play", "connect4", "human", "random", "--opening", "4"],
            stdin=child,
            stdout=child,
            stderr=child,
            env={"TERM": "xterm-256color", **{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, **environment},
            start_new_session=True,
        )
        os.close(child)
        shown = b""
        left = threading.Event()

        def press() -> None:  # again and again: one that comes just before Python reads is seen with the next key only
            while not left.wait(0.5):
                process.send_signal(signal.SIGINT)

        presser = threading.Thread(target=press)
        try:
            while b"your move" not in shown:
                shown += os.read(main, 4096)
            presser.start()
            while chunk := os.read(main, 4096):
                shown += chunk
        except OSError:  # the terminal closes with its process
            pass
        finally:
            code = process.wait(60)
            left.set()
            presser.join()
            os.close(main)
        return code, shown.decode()

    code, shown = session_in_a_terminal()
    assert code == 130
    assert "Traceback" not in shown
    assert "interrupted" in shown
    assert "\x1b[1;31m●" in shown or "\x1b[1;4;31m●" in shown
    assert "\x1b[2J" in shown
    code, shown = session_in_a_terminal(NO_COLOR="1")
    assert code == 130
    assert "31m" not in shown
