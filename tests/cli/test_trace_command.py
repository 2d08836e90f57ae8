"""``inarow trace`` writes the steps of a search as JSON lines."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from inarow.tracing import EventKind
from support.commands import inarow

PAGE = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8").partition("`inarow trace`")[2]
SEARCH = ["trace", "connect4", "44", "alphabeta:depth=4,tt=on,tt_mb=1"]
MCTS = ["trace", "tictactoe", "1592", "mcts:simulations=80"]


def test_the_lines_have_the_keys_that_are_documented_and_no_others() -> None:
    def documented(row: str) -> set[str]:
        found = re.search(rf"^\| {row} \| (.*) \|$", PAGE, re.MULTILINE)
        assert found is not None, row
        return set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", found[1])))

    seen = set()
    for command in (SEARCH, MCTS):
        first, *events = [json.loads(line) for line in inarow(*command).stdout.splitlines()]
        assert set(first) == documented("the first line")
        for event in events:
            kind = event["event"]
            row = f"`{kind}`, MCTS" if command is MCTS and kind in ("begin", "known", "decide") else f"`{kind}`"
            assert set(event) == documented("every event") | documented(row)
            seen.add(kind)
    assert seen == {kind.name.lower() for kind in EventKind}


def test_the_lines_go_to_a_file_and_a_limit_is_told(tmp_path: Path) -> None:
    path = tmp_path / "steps.jsonl"
    done = inarow("trace", "connect4", "alphabeta:depth=6", "--limit", "30", "--out", str(path))
    assert "30 events of alphabeta:depth=6" in done.stdout
    assert "truncated after 30 events" in done.stderr
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 31
    assert json.loads(lines[0])["truncated"] == "30 events"
    assert "exists" in inarow("trace", "connect4", "minimax", "--out", str(path), code=2).stderr


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["connect4", "44", "file:{tmp}/mine.py"], "its code is not inarow's"),
        (["connect4", "perfect"], "does not search a tree"),
        (["connect4", "48", "minimax"], "not a column"),
        (["connect4", "4", "4", "minimax"], "expected [MOVES] AGENT"),
        (["connect4", "minimx"], "did you mean minimax"),
    ],
)
def test_bad_input_is_a_sentence(arguments: list[str], reason: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def agent(observation, configuration):\n    return 0\n", encoding="utf-8")
    assert reason in inarow("trace", *(one.format(tmp=tmp_path) for one in arguments), code=2).stderr
