"""The way in: a greeting, commands in groups, help pages that fit 80 columns and say every default."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys

import pytest

from inarow.cli.main import GROUPS, START_HERE, leave
from support.commands import inarow

NAMES = [name for names in GROUPS.values() for name in names]
PAGES = [
    *([name] for name in NAMES),
    ["book", "build"],
    ["table", "build"],
    ["table", "show"],
    ["model", "show"],
    ["model", "slim"],
    ["model", "export"],
    ["model", "curves"],
    ["reproduce"],
    ["cluster", "start"],
]


def test_bare_inarow_greets_and_shows_three_things_to_try() -> None:
    shown = inarow(terminal=80).stdout
    assert "Three things to try" in shown
    assert len(START_HERE) == 3
    for command, _ in START_HERE:
        assert command in shown
    assert "inarow --help" in shown


def test_what_is_to_be_tried_first_works() -> None:
    for command, _ in START_HERE:
        inarow(*command.split()[1:], stdin="q\n")
    solved = inarow("solve", "connect4", "425").stdout
    assert solved.count("best") == 1, "there is one saving move"


def test_commands_are_listed_in_groups_a_line_each() -> None:
    lines = inarow("--help", terminal=80).stdout.splitlines()
    headings = ["Start here", "Play", "Ask", "Compare", "Learn", "Study", "Tools", "Options"]
    assert [line for line in lines if line in headings] == headings
    for name in NAMES:
        (line,) = [line for line in lines if line.startswith(f"  {name} ")]
        assert line.endswith("."), line
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("page", PAGES, ids=" ".join)
def test_a_help_page_fits_80_columns_and_has_one_style(page: list[str]) -> None:
    shown = inarow(*page, "--help", terminal=80).stdout
    wide = inarow("help", *page, terminal=100).stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert shown.split() == wide.split(), "words are only moved, none is broken"
    assert "<" not in shown
    (usage,) = [line for line in shown.splitlines() if line.startswith("Usage:")]
    assert not re.search(r"^  --out ", shown, re.MULTILINE), "what is written is -o, --out everywhere"
    assert not re.search(r"\b(OUT|TARGET)\b", usage), "what is written is no argument"
    for word in usage.removeprefix(f"Usage: inarow {' '.join(page)} ").split():
        assert re.fullmatch(r"\[?[A-Z]+\]?(\.\.\.)?|--[a-z-]+", word), f"{word} is not in the style of the others"


def test_defaults_are_shown() -> None:
    shown = " ".join(inarow("train", "--help").stdout.split())
    for default in ("default: 50,000", "random and rules", "default: 50", "default: truth"):
        assert default in shown
    assert "--json Print" in shown, "a flag takes no value"


def test_help_describes_a_command_and_lists_all() -> None:
    assert inarow("help", "match").stdout.split() == inarow("match", "--help").stdout.split()
    assert inarow("help").stdout == inarow("--help").stdout
    assert "did you mean match" in inarow("help", "mach", code=2).stderr
    assert " reproduce," in inarow("help", "qqq", code=2).stderr
    assert "unknown command 'shw'" in inarow("help", "model", "shw", code=2).stderr


def test_bare_study_lists_the_studies_and_starts_none() -> None:
    shown = inarow("study").stdout
    assert "compare" in shown
    assert "seats" in shown
    assert inarow("study", "--list").stdout == shown


def test_an_error_is_a_sentence() -> None:
    for arguments in (
        ["show", "conect4"],
        ["show", "connect4", "48"],
        ["match", "connect4", "rules", "random", "--seats", "x"],
    ):
        assert inarow(*arguments, code=2).stderr.rstrip().endswith((".", "?"))


def test_values_have_the_words_that_other_pages_use() -> None:
    for page in PAGES:
        shown = inarow(*page, "--help").stdout
        assert not re.search(r"\b(TEXT|DIR|NEW)\b", shown), f"{page}: a value without a word of its own"
        assert not re.search(r"default: \d+\.0\]|[Pp]ort.*default: \d,", " ".join(shown.split())), page


@pytest.mark.parametrize(
    ("typed", "completed"),
    [("inarow ma", "match"), ("inarow match connect4 rules random --open", "--openings"), ("inarow model sl", "slim")],
)
def test_the_shell_completes_commands_and_options(typed: str, completed: str) -> None:
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1), "_INAROW_COMPLETE": "complete_bash"}
    done = subprocess.run(
        [sys.executable, "-m", "inarow"], env={**os.environ, **words}, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [completed]


def test_an_error_is_wrapped_at_words_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    monkeypatch.setattr(shown, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("COLUMNS", "40")
    with pytest.raises(SystemExit):
        leave("inarow: an error that is longer than one line of a narrow terminal", 2)
    assert max(map(len, shown.getvalue().splitlines())) <= 40
    assert " ".join(shown.getvalue().split()).endswith("one line of a narrow terminal.")
