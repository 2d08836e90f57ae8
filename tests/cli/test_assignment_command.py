"""inarow assignment makes a folder, and refuses what can't be one in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import inarow


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--game", "connect4"], "has 42 cells; an assignment needs a board of at most 12"),
        (["--game", "chess"], "chess"),
        (["--seed", "many"], "--seed"),
    ],
)
def test_wrong_input_is_one_line(arguments: list[str], words: str, tmp_path: Path) -> None:
    done = inarow("assignment", str(tmp_path / "new"), *arguments, code=2)
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "new").exists()


def test_a_file_in_the_way_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "new").write_text("mine", encoding="utf-8")
    assert "is not empty" in inarow("assignment", str(tmp_path / "new"), code=2).stderr
    assert (tmp_path / "new").read_text(encoding="utf-8") == "mine"
