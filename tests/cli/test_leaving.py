"""A command ends with one line and a code, whatever a disk, a reader or Ctrl-C does."""

from __future__ import annotations

import errno
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from inarow.arena import Store, StoreError
from inarow.cli.main import Interrupts, exit_code, one_line_errors
from inarow.errors import InarowError
from inarow.match.record import read_records
from inarow.paths import text_writer
from support.commands import inarow

LONG = "x" * 300


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "inarow", *arguments]


@pytest.fixture
def _full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file that is written turns out not to fit."""

    def fail(number: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("inarow.paths.os.fsync", fail)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux's full device")
@pytest.mark.parametrize("arguments", [("games",), ("--help",), ("show", "connect4", "--json")])
def test_output_to_a_full_device_is_one_line_and_code_1(arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command(*arguments), stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "inarow: cannot write the output: No space left on device.\n"


@pytest.mark.usefixtures("_full_disk")
def test_what_was_played_is_printed_when_it_cannot_be_saved(tmp_path: Path) -> None:
    done = inarow("match", "tictactoe", "random", "rules", "-n", "4", "--out", str(tmp_path / "a.jsonl"), code=1)
    assert "4 matches" in done.stdout
    assert "a.jsonl can't be written: No space left on device" in done.stderr
    done = inarow("play", "tictactoe", "random", "random", "--delay", "0", "--out", str(tmp_path / "b.txt"), code=1)
    assert '[Game "tictactoe"]' in done.stdout
    assert "b.txt can't be written" in done.stderr
    assert list(tmp_path.glob("[ab.]*")) == []


@pytest.mark.usefixtures("_full_disk")
def test_a_training_whose_model_cannot_be_written_says_how_it_went(tmp_path: Path) -> None:
    arguments = ["tictactoe", "qlearning", "-n", "200", "--eval-matches", "2", "--out", str(tmp_path / "m.npz")]
    done = inarow("train", *arguments, code=1)
    assert "qlearning learns Tic Tac Toe" in done.stdout
    assert "m.npz can't be written: No space left on device" in done.stderr


def test_an_export_that_fails_leaves_the_file_of_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, export = tmp_path / "league.db", tmp_path / "league.csv"
    inarow("tournament", "tictactoe", "random", "rules", "--pairs", "2", "--workers", "1", "--out", str(store))
    inarow("results", str(store), "--out", str(export))
    before = export.read_bytes()

    def fail(number: int) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("inarow.paths.os.fsync", fail)
    done = inarow("results", str(store), "--out", str(export), "--force", code=2)
    assert "league.csv can't be written: Read-only file system; the existing file is unchanged" in done.stderr
    assert export.read_bytes() == before


def test_a_store_that_cannot_be_written_any_more_still_prints_what_was_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "league.db"
    real = Store.add

    def add(self: Store, pairs: object) -> None:
        real(self, pairs)  # type: ignore[arg-type]
        out.unlink(missing_ok=True)

    monkeypatch.setattr(Store, "add", add)
    done = inarow(
        "tournament", "tictactoe", "random", "rules", "--pairs", "60", "--workers", "1", "--out", str(out), code=1
    )
    assert "random" in done.stdout
    assert "was deleted, moved or replaced while it was in use" in done.stderr
    monkeypatch.undo()
    assert "matches" in inarow("results", str(out)).stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("match", "tictactoe", "random", "rules", "--out", LONG),
        ("tournament", "tictactoe", "random", "rules", "--out", LONG),
        ("tournament", "tictactoe", "random", "rules", "--out", LONG, "--resume"),
        ("tournament", "tictactoe", "random", "rules", "--openings", f"file:{LONG}"),
        ("results", LONG),
        ("study", "compare", "--out", LONG),
        ("report", LONG),
        ("match", "tictactoe", f"file:{LONG}", "random"),
        ("match", "tictactoe", f"qlearning:model={LONG}", "random"),
        ("tournament", "tictactoe", f"file:{LONG}", "random", "--out", "long.db"),
        ("match", "tictactoe", f"{LONG}/*.py", "random"),
        ("match", LONG, "random", "rules"),
        ("play", "--load", LONG),
        ("convert", LONG, "--to", "jsonl"),
    ],
)
def test_a_name_that_no_file_can_have_is_one_line(arguments: tuple[str, ...]) -> None:
    said = inarow(*arguments, code=2).stderr
    assert said.startswith("inarow: ")
    assert said.count("\n") == 1


def test_the_first_ctrl_c_raises_and_the_next_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    handler = Interrupts()
    with pytest.raises(KeyboardInterrupt):
        handler(signal.SIGINT, None)
    with pytest.raises(KeyboardInterrupt):  # only because this one did not really end
        handler(signal.SIGINT, None)
    assert ended == [130]


def test_nothing_is_imported_before_ctrl_c_is_watched() -> None:
    program = "import sys; before = {*sys.modules}; import inarow.__main__; print(*sorted({*sys.modules} - before))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["__future__", "inarow", "inarow.__main__"]


INTERRUPTED_AT_AN_IMPORT = """
import signal, sys
from inarow.__main__ import main
module = sys.argv[1]
sys.argv[1:] = ["solve", "tictactoe", "1"]
def interrupt(event, arguments):
    if event == "import" and arguments[0] == module:
        signal.raise_signal(signal.SIGINT)
sys.addaudithook(interrupt)
try:
    main()
finally:
    print("not interrupted")
"""


@pytest.mark.parametrize("module", ["gc", "inarow.cli.main", "typer", "inarow.cli.common", "numpy", "inarow.solver"])
def test_ctrl_c_while_the_command_starts_ends_it_without_a_word(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_AT_AN_IMPORT, module], capture_output=True, text=True, check=False
    )
    assert done.returncode == 130
    assert done.stdout == ""
    assert done.stderr in ("", "inarow: interrupted.\n")


def test_a_part_left_by_a_kill_is_gone_after_the_next_save(tmp_path: Path) -> None:
    target = tmp_path / "a.jsonl"
    with text_writer(target) as out:
        part = Path(out.name)
        name = part.name.replace(f"-{os.getpid()}-", "-4194303-")
    (tmp_path / name).write_text("half")
    inarow("match", "tictactoe", "random", "rules", "-n", "2", "--out", str(target), "--force")
    assert [path.name for path in tmp_path.iterdir() if path.name != "settings"] == ["a.jsonl"]
    assert len(list(read_records(target))) == 2


def test_ctrl_c_while_the_interpreter_ends_changes_no_exit_code() -> None:
    program = (
        "import os, signal, sys\n"
        "from inarow.cli.main import watch_interrupts\n"
        "watch_interrupts()\n"
        "class Last:\n"
        "    def __del__(self, kill=os.kill, own=os.getpid(), number=signal.SIGINT):\n"
        "        kill(own, number)\n"
        "last = Last()\n"
        "sys.exit(130)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], timeout=60, check=False).returncode == 130


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (OSError(errno.ENOSPC, "full"), 1),
        (OSError(errno.EDQUOT, "full"), 1),
        (OSError(errno.EACCES, "denied"), 2),
        (ValueError(), 2),
    ],
)
def test_only_a_mistake_in_the_input_has_code_2(error: Exception, code: int) -> None:
    said = InarowError("it can't be written")
    said.__context__ = error  # as after ``raise … from None`` where the error was caught
    assert exit_code(said) == code


def test_a_full_store_has_code_1(tmp_path: Path) -> None:
    with Store.create(tmp_path / "a.db") as store:
        store.database.execute("PRAGMA max_page_count=1")
        with pytest.raises(StoreError, match="the disk is full") as raised, store.writing():
            store.database.execute("INSERT INTO about VALUES (?, ?, 0)", ("key", "x" * 100_000))
    assert exit_code(raised.value) == 1


def test_an_error_of_no_file_is_not_one_of_the_output(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit), one_line_errors():
        raise OSError("Could not find/load shared object file 'libllvmlite.so'")
    assert capsys.readouterr().err == "inarow: Could not find/load shared object file 'libllvmlite.so'.\n"


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_as_good_as_the_null_device(closed: str, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    arguments = f"-m inarow match tictactoe random rules -n 2 --out {out}"
    done = subprocess.run(f"{sys.executable} {arguments} {closed}", shell=True, capture_output=True, check=False)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    assert len(list(read_records(out))) == 2


@pytest.mark.parametrize("name", ["results", "report"])
def test_a_file_that_can_not_be_opened_is_one_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"")

    def refuse(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("unable to open database file")

    monkeypatch.setattr("inarow.arena.store.sqlite3.connect", refuse)
    assert inarow(name, str(path), code=2).stderr == f"inarow: {path} can't be opened: unable to open database file.\n"


def test_a_store_whose_name_is_not_utf_8_is_reported(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"x\xff.db")
    inarow("tournament", "tictactoe", "random", "rules", "--pairs", "1", "--workers", "1", "--out", str(path))
    inarow("report", str(path), "--out", str(tmp_path / "page"))
    assert "x\ufffd: results" in (tmp_path / "page" / "report.html").read_text(encoding="utf-8")


def test_a_rating_interrupted_before_its_first_pair_has_code_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("inarow.ladder.Rating.run", interrupt)
    assert inarow("rate", "tictactoe", "rules", "--workers", "1", code=130).stderr == "inarow: interrupted.\n"
