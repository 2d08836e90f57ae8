"""Tables at 80 columns: no agent's name is cut, no word is broken, no figure is lost."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from inarow.cli.common import print_table, say, tables
from inarow.cli.main import leave
from support.commands import inarow

LONG = "alphabeta:depth=10,ordering=threats,tt=on"


def lines(head: list[str], rows: list[list[str]], width: int, numbers: bool = True) -> list[str]:
    out = io.StringIO()
    for table in tables(head, rows, width, numbers=numbers):
        Console(file=out, width=width).print(table)
    return out.getvalue().splitlines()


@pytest.mark.parametrize("width", [60, 80, 120, 160])
def test_every_cell_is_whole_at_any_width(width: int) -> None:
    head = ["agent", *(f"figure {n}" for n in range(8))]
    rows = [[name, *(f"{n} % ({n}–{n + 10})" for n in range(10, 18))] for name in (LONG, "random")]
    shown = lines(head, rows, width)
    text = "\n".join(shown)
    assert max(map(len, shown)) <= width
    assert "…" not in text
    for cell in (*head, *rows[0][1:], *rows[1]):
        assert cell in text
    for part in ("alphabeta:depth=10,", "ordering=threats,", "tt=on"):
        assert part in text


def test_a_name_is_only_parted_after_commas_and_spaces() -> None:
    rows = [[f"{LONG} – {LONG}", *["12 / 34 / 56"] * 5]]
    first = [line[:40].rstrip() for line in lines(["pairing", *"abcde"], rows, 80)]
    for part in ("alphabeta:depth=10,", "ordering=threats,", "tt=on"):
        assert any(part in line for line in first)


def test_prose_is_wrapped_at_words() -> None:
    words = "nobody breaks a word such as incomprehensibilities in the middle of it, not even where it would fit"
    shown = lines(["name", "what it does"], [["random", words]], 40, numbers=False)
    assert words in " ".join(
        " ".join(line.split()[1:] if line.strip().startswith("random") else line.split()) for line in shown
    )


def test_a_name_that_looks_like_markup_is_shown_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a[").mkdir()
    (tmp_path / "a[" / "b]:x:.py").write_text("def agent(observation): return 0\n", encoding="utf-8")
    name = "file:a[/b]:x:.py"
    for command in (("match", "-n", "2"), ("tournament", "--pairs", "1", "--workers", "1")):
        shown = inarow(command[0], "connect4", name, "random", *command[1:], terminal=100)
        assert name in shown.stdout
        assert name in shown.stderr  # beside the progress bar


def test_what_a_file_says_moves_no_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("a\x1b[2Jb", ["c\x07"], [["d\u202ee"]])
    say("f\x9bg\nh")
    assert not {*"\x1b\x07\u202e\x9b"} & {*capsys.readouterr().out}
    with pytest.raises(SystemExit):
        leave("i\x1b[31m\udc80", 2)
    assert capsys.readouterr().err == "i\ufffd[31m\ufffd.\n"


def test_a_match_on_a_narrow_screen_names_its_agents_in_full() -> None:
    spec = "rules:style=centre"
    shown = inarow("match", "connect4", spec, "mcts:simulations=10,c=0.75", "-n", "4", terminal=80).stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert f" {spec} " in shown
    assert "mcts:simulations=10," in shown
    assert "…" not in shown


def test_agents_is_a_short_list_and_a_name_gives_the_details() -> None:
    listed = inarow("agents", terminal=80).stdout
    assert max(map(len, listed.splitlines())) <= 80
    assert len(listed.partition("Players of")[0].splitlines()) <= 24
    assert "simulations" not in listed.replace("simulates", "")
    details = inarow("agents", "mcts", terminal=80).stdout
    assert max(map(len, details.splitlines())) <= 80
    assert "simulations=auto" in details
