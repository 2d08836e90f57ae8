"""What was solved once is known the next time; a damaged line does no harm."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarow.rules import Position, game
from inarow.rules.notation import parse_position
from inarow.solver import Oracle, cache
from inarow.solver.cache import Cache, score_line
from support.damage import damaged

BOARD = game("connect4")
POSITION = parse_position(BOARD, "4444433333")


def test_a_solved_position_is_found_again_with_its_mirror_image(tmp_path: Path) -> None:
    path = tmp_path / "solved.txt"
    first = Oracle(BOARD, book=False, known=(Cache(BOARD, path, write=True),)).analyse(POSITION)
    assert first.source == "search"
    reader = Oracle(BOARD, book=False, known=(Cache(BOARD, path),))
    for position in (POSITION, POSITION.mirrored()):
        again = reader.analyse(position)
        assert (again.source, again.score) == ("cache", first.score)


def test_only_the_writer_writes_and_only_early_positions_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "solved.txt"
    Cache(BOARD, path).put(POSITION, 1)
    assert not path.exists()
    late = parse_position(BOARD, "44444433333322222")
    writer = Cache(BOARD, path, write=True)
    writer.put(late, 1)
    assert writer.get(late) is None
    assert not path.exists()


def test_bounds_of_a_weak_question_are_not_kept(tmp_path: Path) -> None:
    writer = Cache(BOARD, tmp_path / "solved.txt", write=True)
    Oracle(BOARD, book=False, known=(writer,)).verdict(POSITION)
    assert len(writer) == 0


def test_damaged_lines_are_left_out_and_a_full_cache_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "solved.txt"
    lines = [score_line(BOARD, key, score) for key, score in ((12, 3), (13, 2), (14, -2), (15, 1))]
    path.write_text(lines[0] + "hello\n9" + lines[1] + "9" * 5000 + " 1 0\n" + lines[2] + lines[3][:-1])
    store = Cache(BOARD, path, write=True)
    assert len(store) == 2
    monkeypatch.setattr(cache, "MAX_POSITIONS", 2)
    store.put(Position.start(BOARD), 1)
    assert len(store) == 2


def test_no_damage_makes_a_cache_tell_a_wrong_score(tmp_path: Path) -> None:
    path = tmp_path / "solved.txt"
    truth = {key * 977: key % 43 - 21 for key in range(300)}
    data = "".join(score_line(BOARD, key, score) for key, score in truth.items()).encode()
    for bad in damaged(data, 60, 3):
        path.write_bytes(bad)
        assert Cache(BOARD, path)._known.items() <= truth.items()


def test_a_cache_that_cannot_be_read_or_written_is_done_without(tmp_path: Path) -> None:
    folder = Cache(BOARD, tmp_path, write=True)
    full = Cache(BOARD, Path("/dev/full"), write=True)
    for store in (folder, full):
        store.put(POSITION, 2)
        assert store.get(POSITION) == 2
        assert not store.write
