"""The opening book holds exact scores, and a damaged or foreign one is refused by name."""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import random
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from inarow.match.openings import draw_openings
from inarow.randomness import Stream
from inarow.rules import Position, game
from inarow.solver import Oracle, oracle
from inarow.solver.book import SCORES, VERDICTS, BookError, folded_key, read_book, shipped_book, write_book
from inarow.solver.building import derive, early_positions, read_progress, solve_all
from inarow.solver.cache import score_line
from inarow.solver.engine import Engine
from inarow.stopping import Stop
from support.commands import inarow
from support.damage import crafted_number, damaged
from support.rival_solver import rival_score, rival_solver

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "solved.json").read_text())


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    board = game("5x4x4")
    folder = tmp_path_factory.mktemp("book")
    path = folder / "5x4x4.book"
    write_book(derive(board, 4, solve_all(board, 4, folder / "work", threads=2, tt_mb=4)), path)
    return path


def test_every_entry_agrees_with_a_solve_without_the_book(small: Path) -> None:
    board = game("5x4x4")
    book = read_book(small)
    alone = Oracle(board, book=False)
    for level in early_positions(board, 4):
        for position in level.values():
            if position.winning_moves():
                assert book.get(position) is None
            else:
                assert book.get(position) == book.get(position.mirrored()) == alone.score(position)


def test_books_that_are_there_narrow_the_search_and_change_nothing(
    small: Path, small_verdicts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    board, seeds = game("5x4x4"), [read_book(small), read_book(small_verdicts)]
    asked: list[tuple[int, int]] = []
    ask = Engine.narrow

    def narrow(self: Engine, *question: Any) -> tuple[int, int, int]:
        asked.append(question[2:4])
        return ask(self, *question)

    monkeypatch.setattr(Engine, "narrow", narrow)
    books = [derive(board, 5, solve_all(board, 5, tmp_path / "alone", tt_mb=4))]
    alone = len(asked)
    asked.clear()
    books.append(derive(board, 5, solve_all(board, 5, tmp_path / "seeded", seeds=seeds, tt_mb=4)))
    assert books[0] == books[1]
    assert len(asked) < alone
    assert all(low >= 0 or high <= 0 for low, high in asked), "the verdicts are known"


def test_a_smaller_book_can_be_written_while_a_larger_one_is_built(tmp_path: Path) -> None:
    board, stop = game("5x4x4"), Stop()

    def progress(ply: int, done: int, total: int) -> None:
        if (ply, done) == (4, 3):
            stop.set()

    known = solve_all(board, 4, tmp_path / "work", tt_mb=4, stop=stop, progress=progress)
    with pytest.raises(BookError, match="not solved yet"):
        derive(board, 4, known)
    alone = Oracle(board, book=False)
    smaller = derive(board, 3, known)
    assert all(smaller.get(one) == alone.score(one) for one in early_positions(board, 3)[3].values())


def test_scores_that_contradict_each_other_are_refused(small: Path) -> None:
    board, book = game("5x4x4"), read_book(small)
    known = {key: value - 128 for key, value in zip(book.keys, book.values, strict=True)}
    assert derive(board, 4, known) == book
    start = folded_key(Position.start(board))
    with pytest.raises(BookError, match=f"key {start} was solved as 3, but its moves give 0"):
        derive(board, 4, {**known, start: 3})


def test_positions_beyond_the_book_are_not_in_it(small: Path) -> None:
    assert read_book(small).get(Position.start(game("5x4x4"), (0, 0, 1, 1, 2))) is None


def test_the_solver_uses_its_book_and_goes_on_without_a_bad_one(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    board = game("5x4x4")
    start = Position.start(board)
    monkeypatch.setattr(oracle, "shipped_book", lambda game, holds: small if holds == SCORES else None)
    assert Oracle(board).analyse(start).source == "book"
    assert Oracle(board, book=False).analyse(start).source == "search"
    foreign = Oracle(game("4x4x4"))
    assert "is of 5x4x4, not of 4x4x4; continuing without the book" in foreign.notice
    assert foreign.analyse(Position.start(game("4x4x4"))).source == "search"


def spoilt(data: bytes, how: str) -> bytes:
    if how == "a byte changed":
        return data[:-5] + bytes([data[-5] ^ 1]) + data[-4:]
    if how == "cut short":
        return data[:-20]
    if how == "not a book":
        return b"hello\nworld"
    if how == "no plies":
        return data.replace(b'"plies"', b'"slips"')
    return data.replace(b'"version": 1', b'"version": 9')


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("a byte changed", "checksum"),
        ("cut short", "checksum"),
        ("not a book", "is not a book"),
        ("no plies", "has no 'plies', or it is invalid"),
        ("another version", "has version 9"),
    ],
)
def test_a_damaged_book_is_refused_by_name(small: Path, tmp_path: Path, how: str, message: str) -> None:
    bad = tmp_path / "bad.book"
    bad.write_bytes(spoilt(small.read_bytes(), how))
    with pytest.raises(BookError, match=message) as caught:
        read_book(bad)
    assert "bad.book" in str(caught.value)


def crafted(data: bytes, chance: random.Random) -> bytes:
    """A book with a number of its manifest or its body changed, and a checksum that fits."""
    line, _, body = data.partition(b"\n")
    manifest = json.loads(line)
    if chance.random() < 0.5:
        return crafted_number(line, chance) + b"\n" + body
    raw = next(damaged(lzma.decompress(body), 1, chance.getrandbits(30)))
    body = lzma.compress(raw) if chance.random() < 0.7 else next(damaged(body, 1, chance.getrandbits(30)))
    return json.dumps({**manifest, "sha256": hashlib.sha256(body).hexdigest()}).encode() + b"\n" + body


def test_a_mutated_book_is_read_or_refused_and_nothing_else(small: Path, tmp_path: Path) -> None:
    data, chance, path = small.read_bytes(), random.Random(1), tmp_path / "mutated.book"
    refused = 0
    for mutated in [*damaged(data, 200, 1), *(crafted(data, chance) for _ in range(200))]:
        path.write_bytes(mutated)
        try:
            read_book(path)
        except BookError as error:
            refused += "mutated.book" in str(error)
    assert refused > 350


def test_a_book_is_never_unpacked_beyond_what_its_manifest_says(small: Path, tmp_path: Path) -> None:
    line, _, _ = small.read_bytes().partition(b"\n")
    body = lzma.compress(bytes(50_000_000))
    path = tmp_path / "bomb.book"
    for claim in ({}, {"positions": 10**12}):
        manifest = {**json.loads(line), **claim, "sha256": hashlib.sha256(body).hexdigest()}
        path.write_bytes(json.dumps(manifest).encode() + b"\n" + body)
        tracemalloc.start()
        with pytest.raises(BookError, match=r"does not hold the positions|has positions"):
            read_book(path)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
        tracemalloc.stop()


def test_a_bad_progress_file_is_said_before_anything_is_solved(tmp_path: Path) -> None:
    command = ["book", "build", "connect4", "--out", str(tmp_path / "new.book"), "--plies", "12", "--work"]
    for bad in (tmp_path, tmp_path / "none" / "work", tmp_path / ("x" * 300)):
        assert "can't be used" in inarow(*command, str(bad), code=2).stderr
    assert "is too large for this machine" in inarow(*command[:-1], "--tt-mb", "99999999", code=2).stderr


def test_a_book_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BookError, match="can't be read"):
        read_book(tmp_path / "none.book")


def test_progress_that_is_no_progress_is_refused_and_an_unfinished_one_not_packed(tmp_path: Path) -> None:
    work, board = tmp_path / "work", game("5x4x4")
    work.write_text("12 3\nhello\n")
    with pytest.raises(BookError, match="is not a progress file of 5x4x4"):
        read_progress(work, board)
    work.write_text(score_line(board, 12, 3) + "13 4 00000000\n" + score_line(board, 14, 1)[:-3])
    assert read_progress(work, board) == ({12: 3}, 2)
    with pytest.raises(BookError, match="can't be used: Is a directory"):
        read_progress(tmp_path, board)
    with pytest.raises(BookError, match="not solved yet"):
        derive(game("5x4x4"), 2, {})


def test_the_shipped_book_gives_the_known_scores_of_the_first_moves() -> None:
    board = game("connect4")
    oracle = Oracle(board)
    start = Position.start(board)
    assert oracle.analyse(start).source == "book"
    assert oracle.score(start) == 1
    assert list(oracle.scores(start).values()) == GOLDEN["connect4"]["first_moves"]


def test_a_sample_of_the_shipped_book_agrees_with_a_solve_without_it() -> None:
    board, book = game("connect4"), read_book(the_shipped_book())
    alone = Oracle(board, book=False)
    quiet = [position for position in early_positions(board, book.plies)[-1].values() if not position.winning_moves()]
    stream = Stream(2)
    for _ in range(3):
        position = stream.choice(quiet)
        assert book.get(position) == alone.score(position)


def test_the_shipped_book_has_every_early_position_as_an_independent_book_has_it() -> None:
    board, book = game("connect4"), read_book(the_shipped_book())
    other = rival_solver(book=True)
    seen = 0
    for level in early_positions(board, min(book.plies, 6)):
        for position in level.values():
            if position.winning_moves():
                assert book.get(position) is None
            else:
                assert book.get(position) == rival_score(position, other)
                seen += 1
    assert seen == 10_501
    later = [one for level in early_positions(board, book.plies)[7:] for one in level.values()]
    Stream(4).shuffle(later)
    quiet = [one for one in later[:400] if not one.winning_moves()]
    assert all(book.get(position) == rival_score(position, other) for position in quiet)
    assert len(quiet) > 300


@pytest.mark.skipif(sys.platform != "linux", reason="threads have a priority of their own on Linux only")
def test_the_process_that_builds_a_book_keeps_its_priority(tmp_path: Path) -> None:
    before, threads = os.getpriority(os.PRIO_PROCESS, 0), set[int]()

    def progress(ply: int, done: int, total: int) -> None:
        threads.add(os.getpriority(os.PRIO_PROCESS, 0))

    solve_all(game("4x4x4"), 2, tmp_path / "work", tt_mb=4, progress=progress)
    assert os.getpriority(os.PRIO_PROCESS, 0) == before
    assert threads == {before, 19}


@pytest.fixture(scope="module")
def small_verdicts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verdicts")
    path = folder / "5x4x4.verdicts"
    inarow("book", "build", "5x4x4", "--out", str(path), "--plies", "5", "--verdicts", "--tt-mb", "4")
    return path


def test_a_book_of_verdicts_has_every_verdict_and_a_reply_that_keeps_it(small_verdicts: Path) -> None:
    board, book = game("5x4x4"), read_book(small_verdicts)
    alone = Oracle(board, book=False)
    assert (book.verdicts, book.plies, book.record.last_ply) == (True, 5, 6)
    levels = early_positions(board, 5)
    for level in levels:
        for position in level.values():
            if position.winning_moves():
                assert book.get(position) is None
            else:
                assert book.get(position) == book.get(position.mirrored()) == alone.verdict(position)
    for position in levels[-1].values():
        verdict = book.get(position)
        if verdict is not None and verdict >= 0:
            replies = [position.play(move) for move in position.legal_moves()]
            assert any(book.get(reply) == -verdict for reply in replies if reply.outcome() is None)


def test_scores_are_the_same_with_verdicts_and_take_fewer_nodes(
    small_verdicts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = game("5x4x4")
    monkeypatch.setattr(oracle, "shipped_book", lambda game, holds: small_verdicts if holds == VERDICTS else None)
    helped, alone = Oracle(board), Oracle(board, book=False)
    nodes = [0, 0]
    for position in early_positions(board, 5)[-1].values():
        for number, one in enumerate((helped, alone)):
            one.forget()
            nodes[number] += (found := one.analyse(position)).nodes
            if number == 0:
                scores = found.scores, found.score
        assert scores == (found.scores, found.score)
        assert helped.verdict(position) == alone.verdict(position)
        verdict = helped.analyse(position, moves=False, weak=True)
        assert (verdict.nodes > 0) == bool(position.winning_moves())
    assert nodes[0] < nodes[1]


def test_a_book_of_verdicts_is_finished_after_an_interruption(tmp_path: Path) -> None:
    board, path, stop = game("5x4x4"), tmp_path / "work", Stop()
    part = solve_all(
        board,
        4,
        path,
        verdicts=True,
        tt_mb=4,
        stop=stop,
        progress=lambda ply, done, total: stop.set() if done else None,
    )
    assert part == read_progress(path, board, verdicts=True)[0]
    with pytest.raises(BookError, match="not solved yet"):
        derive(board, 4, part, verdicts=True)
    whole = solve_all(board, 4, path, verdicts=True, tt_mb=4)
    assert part.items() <= whole.items()
    assert derive(board, 4, whole, verdicts=True).get(Position.start(board)) == 0


def test_verdicts_found_so_far_are_not_taken_for_scores_nor_the_other_way_round(tmp_path: Path) -> None:
    for first, second, kind in (([], ["--verdicts"], "verdicts"), (["--verdicts"], [], "scores")):
        path = tmp_path / f"{kind}.book"
        command = ["book", "build", "4x4x4", "--out", str(path), "--plies", "1", "--tt-mb", "4"]
        inarow(*command, *first)
        refused = inarow(*command, *second, "--force", code=2).stderr
        assert f"{kind}.book.work is not a progress file of 4x4x4 with {kind}; give another --work" in refused


def test_a_manifest_that_holds_something_else_is_refused(small_verdicts: Path, tmp_path: Path) -> None:
    line, body = small_verdicts.read_bytes().split(b"\n", 1)
    other = tmp_path / "other"
    other.write_bytes(line.replace(b'"verdicts"', b'"guesses"') + b"\n" + body)
    with pytest.raises(BookError, match="holds 'guesses', not scores or verdicts"):
        read_book(other)
    claimed = tmp_path / "claimed"
    claimed.write_bytes(the_shipped_book().read_bytes().replace(b'"holds": "scores"', b'"holds": "verdicts"', 1))
    with pytest.raises(BookError, match="scores that connect4 can't have"):
        read_book(claimed)


def test_a_sample_of_the_shipped_verdicts_agrees_with_an_independent_book() -> None:
    board, book = game("connect4"), read_book(the_shipped_book(VERDICTS))
    other = rival_solver(book=True)
    for plies in range(7, book.plies + 1):
        positions = [Position.start(board, line) for line in draw_openings(board, plies, 250, seed=3)]
        quiet = [position for position in positions if not position.winning_moves()]
        assert len(quiet) >= 150
        for position in quiet:
            score, verdict = rival_score(position, other), book.get(position)
            assert verdict == (score > 0) - (score < 0)
    assert all(book.get(position) is not None for position in early_positions(board, 3)[3].values())


def the_shipped_book(holds: str = SCORES) -> Path:
    path = shipped_book(game("connect4"), holds)
    assert path is not None
    return path
