"""Folders: a cache that can't be used is replaced by one that nobody else can write to, because it holds code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inarow.kernels import cache
from inarow.paths import read_only_cache, read_text
from inarow.rules import CONNECT4, Position
from inarow.solver.cache import Cache

SCRIPT = "from inarow.paths import cache_folder; f = cache_folder('a', 'b'); print(f); assert f.is_dir()"


def folder_used(tmp_path: Path, **environment: str) -> tuple[Path, str]:
    """The cache folder of a process whose own one can't be written, and what it said."""
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    given = {**os.environ, "INAROW_CACHE": str(blocked), "TMPDIR": str(tmp_path), **environment}
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=given, check=False)
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip()), done.stderr


def test_a_cache_that_can_not_be_written_is_replaced_by_a_private_temporary_one(tmp_path: Path) -> None:
    used, said = folder_used(tmp_path)
    assert used == tmp_path / f"inarow-{os.getuid()}" / "a" / "b"
    assert used.parents[1].stat().st_mode & 0o777 == 0o700
    assert "can't write to" in said
    assert folder_used(tmp_path)[0] == used


@pytest.mark.parametrize("trap", ["open to others", "a link", "a file"])
def test_a_temporary_folder_that_others_could_write_to_is_refused(tmp_path: Path, trap: str) -> None:
    place = tmp_path / f"inarow-{os.getuid()}"
    if trap == "open to others":
        place.mkdir(mode=0o777)
        place.chmod(0o777)
    elif trap == "a link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        place.symlink_to(tmp_path / "elsewhere")
    else:
        place.write_text("")
    used, said = folder_used(tmp_path)
    assert place not in used.parents
    assert used.parent.parent.parent == tmp_path
    assert "is deleted when this program ends" in said
    assert not used.exists()


def test_without_a_home_nothing_is_made_where_the_program_was_started(tmp_path: Path) -> None:
    script = "import platformdirs; platformdirs.user_cache_dir = lambda *a, **k: '~/.cache/inarow'\n" + SCRIPT
    given = {key: value for key, value in os.environ.items() if key not in ("INAROW_CACHE", "HOME")}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env={**given, "TMPDIR": str(tmp_path)}, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.startswith(str(tmp_path / "inarow-"))
    assert not (tmp_path / "~").exists()


def test_a_cache_that_can_only_be_read_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared, own = tmp_path / "shared", tmp_path / "own"
    position = Position.start(CONNECT4, (3,))
    for folder, key in ((shared, "one"), (own, "two")):
        monkeypatch.setenv("INAROW_CACHE", str(folder))
        cache.folder.cache_clear()
        cache.write("kernel", key, key.encode())
    monkeypatch.setenv("INAROW_CACHE", str(shared))
    Cache(CONNECT4, write=True).put(position, -2)
    before = {path: path.read_bytes() for path in shared.rglob("*") if path.is_file()}

    def access(path: Path, wanted: int) -> bool:
        return not (wanted & os.W_OK and shared in (path, *Path(path).parents))

    monkeypatch.setattr("inarow.paths.os.access", access)
    monkeypatch.setattr("inarow.paths._fallback_folder", lambda base: own)
    cache.folder.cache_clear()
    try:
        assert read_only_cache("compiled") == shared / "compiled"
        assert [cache.read("kernel", key) for key in ("one", "two", "three")] == [b"one", b"two", None]
        known = Cache(CONNECT4, write=True)
        assert known.get(position) == -2
        known.put(Position.start(CONNECT4, (2,)), -1)
        assert Cache(CONNECT4).get(Position.start(CONNECT4, (2,))) == -1
        assert before == {path: path.read_bytes() for path in shared.rglob("*") if path.is_file()}
    finally:
        cache.folder.cache_clear()


def test_a_file_may_begin_with_the_mark_that_windows_writes(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\ufeff44\n", encoding="utf-8")
    assert read_text(tmp_path / "a.txt") == "44\n"
