"""A file is written whole or not at all, and nothing is left of an attempt that failed."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from unittest import mock

import pytest

from inarow.errors import InarowError
from inarow.paths import binary_writer, is_alive, text_writer, write_bytes, write_text

FULL = Path("/dev/full")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_is_written_is_there_and_nothing_else(tmp_path: Path) -> None:
    write_text(tmp_path / "a.txt", "grün\r\n")
    write_bytes(tmp_path / "b", b"\x00\xff", durable=False)
    assert (tmp_path / "a.txt").read_bytes() == "grün\r\n".encode()
    assert (tmp_path / "b").read_bytes() == b"\x00\xff"
    assert names(tmp_path) == ["a.txt", "b"]


def test_a_failure_keeps_what_was_there_before(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_text(path, "before")
    with (
        pytest.raises(InarowError, match=r"a\.txt can't be written: No space left.*file is unchanged"),
        text_writer(path),
    ):
        raise OSError(28, "No space left on device")
    with pytest.raises(KeyboardInterrupt), text_writer(path) as out:
        raise KeyboardInterrupt(out.write("half"))
    assert path.read_text() == "before"
    assert names(tmp_path) == ["a.txt"]


def test_a_folder_that_is_not_there_or_a_name_too_long_is_said(tmp_path: Path) -> None:
    with pytest.raises(InarowError, match="can't be written: No such file"):
        write_text(tmp_path / "none" / "a.txt", "x")
    with pytest.raises(InarowError, match="can't be written: File name too long"):
        write_text(tmp_path / ("ä" * 200), "x")
    with pytest.raises(InarowError, match="can't be written: Is a directory"):
        write_text(tmp_path, "x")
    longest = tmp_path / ("x" * 255)
    write_text(longest, "x")
    assert names(tmp_path) == [longest.name]


@pytest.mark.skipif(not FULL.exists(), reason="needs Linux's full device")
def test_a_full_device_is_said_and_stays_a_device(tmp_path: Path) -> None:
    with pytest.raises(InarowError, match="/dev/full can't be written: No space left on device"):
        write_text(FULL, "x")
    write_bytes(Path("/dev/null"), b"x")
    assert FULL.is_char_device()
    assert Path("/dev/null").is_char_device()


def test_a_link_and_the_mode_of_a_file_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("before")
    real.chmod(0o640)
    link.symlink_to(real)
    write_text(link, "after")
    assert link.is_symlink()
    assert (real.read_text(), real.stat().st_mode & 0o777) == ("after", 0o640)


def test_the_part_of_a_killed_process_is_removed_by_the_next_write_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    script = f"""
        import os, signal
        from pathlib import Path
        from inarow.paths import text_writer
        with text_writer(Path({str(path)!r})) as out:
            out.write("half")
            out.flush()
            os.kill(os.getpid(), signal.SIGKILL)
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], env=environment, check=False)
    (left,) = names(tmp_path)
    assert left.startswith(".a.txt.")
    mine = tmp_path / ".mine.part"
    mine.write_text("not of inarow")
    with binary_writer(path) as out, text_writer(path):  # neither takes the other's part for a dead one
        out.write(b"whole")
    assert names(tmp_path) == [".mine.part", "a.txt"]
    assert path.read_bytes() == b"whole"


@pytest.mark.parametrize(
    ("handle", "error", "waited", "alive"),
    [(7, 0, 0x102, True), (7, 0, 0, False), (0, 87, 0, False), (0, 5, 0, True)],
    ids=["running", "ended", "no such process", "not ours"],
)
def test_windows_is_asked_without_a_signal(
    monkeypatch: pytest.MonkeyPatch, handle: int, error: int, waited: int, alive: bool
) -> None:
    kernel32 = mock.Mock()
    kernel32.OpenProcess.return_value = handle
    kernel32.WaitForSingleObject.return_value = waited
    monkeypatch.setattr("ctypes.WinDLL", lambda name, use_last_error: kernel32, raising=False)
    monkeypatch.setattr("ctypes.get_last_error", lambda: error, raising=False)
    monkeypatch.setattr("inarow.paths.WINDOWS", True)
    monkeypatch.setattr("os.kill", mock.Mock(side_effect=AssertionError("0 is Ctrl-C there")))
    assert is_alive(1234) is alive
    assert kernel32.CloseHandle.called == bool(handle)


def test_a_text_with_the_name_of_any_file_can_be_written(tmp_path: Path) -> None:
    write_text(tmp_path / "a.txt", os.fsdecode(b"x\xff"))
    assert (tmp_path / "a.txt").read_bytes() == b"x\\udcff"
