"""Machine code on disk: sound or not used, bounded, shared by processes, and not needed."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from inarow.kernels import cache
from inarow.kernels.lang import loader

RUN = """
import numpy as np
from inarow.kernels import ntuple
print(ntuple.settled(1, 2, 4, 7, (1 << 49) - 1, 1, True, np.zeros(64, np.int64)))
"""


def start(folder: Path, before: str = "") -> subprocess.Popen[str]:
    environment = {**os.environ, "INAROW_CACHE": str(folder), "INAROW_QUIET_COMPILE": ""}
    return subprocess.Popen(
        [sys.executable, "-c", before + RUN],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def run(folder: Path, before: str = "") -> tuple[str, str]:
    process = start(folder, before)
    out, err = process.communicate()
    assert process.returncode == 0, err
    return out, err


def test_a_damaged_entry_is_not_run_but_made_again(tmp_path: Path) -> None:
    wanted, said = run(tmp_path)
    assert "compiling" in said
    assert run(tmp_path) == (wanted, "")
    (entry,) = (tmp_path / "compiled").glob("*.o")
    sound = entry.read_bytes()
    for damaged in (sound[:-100], sound[:400] + bytes(100) + sound[500:], b""):
        entry.write_bytes(damaged)
        answer, said = run(tmp_path)
        assert answer == wanted
        assert "compiling" in said
        assert entry.read_bytes() == sound


def test_it_is_known_beforehand_whether_a_call_compiles(tmp_path: Path) -> None:
    ask = "print(jit.runs_at_once(ntuple.settled, *arguments), jit.State.has_compiled)\n"
    program = (
        "import gc\nimport numpy as np\nfrom inarow.kernels import ntuple\n"
        "from inarow.kernels.lang import jit\n"
        "arguments = 1, 2, 4, 7, (1 << 49) - 1, 1, True, np.zeros(64, np.int64)\n"
        f"{ask}ntuple.settled(*arguments)\n{ask}assert gc.isenabled()\nraise SystemExit\n"
    )
    assert run(tmp_path, program)[0].splitlines() == ["False False", "True True"]
    assert run(tmp_path, program)[0].splitlines() == ["True False", "True False"]


def test_two_processes_may_compile_at_once(tmp_path: Path) -> None:
    first, second = start(tmp_path), start(tmp_path)
    answers = {process.communicate()[0] for process in (first, second)}
    assert len(answers) == 1
    assert first.returncode == second.returncode == 0
    assert len(list((tmp_path / "compiled").iterdir())) == 1


def test_a_full_disk_is_said_and_does_not_matter(tmp_path: Path) -> None:
    full = (
        "import errno, pathlib\n"
        "def full(*args, **kwargs): raise OSError(errno.ENOSPC, 'No space left on device')\n"
        "pathlib.Path.write_bytes = full\n"
    )
    answer, said = run(tmp_path, full)
    assert answer.startswith("(")
    assert "can't be kept ([Errno 28] No space left on device); they are compiled again" in said


def test_old_entries_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "folder", lambda: tmp_path)
    (tmp_path / "a-left.part").touch()
    os.utime(tmp_path / "a-left.part", (0, 0))
    for number in range(cache.KEPT + 5):
        cache.write("a", f"{number:02}", b"code")
        os.utime(tmp_path / f"a-{number:02}.o", (number, number))
    cache.write("b", "other", b"code")
    assert cache.read("a", f"{cache.KEPT + 4:02}") == b"code"
    assert cache.read("a", "00") is None
    names = {path.name for path in tmp_path.iterdir()}
    assert "b-other.o" in names
    assert "a-left.part" not in names
    assert len(names) <= cache.KEPT + 2


def test_code_inside_the_package_is_used_if_the_processor_can_run_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "SHIPPED", tmp_path)
    for target in (loader.X86_64_V3, loader.X86_64):
        (tmp_path / f"a-{cache.key_of('content', target)}.o").write_bytes(cache.sealed(target.processor.encode()))
    monkeypatch.setattr(loader, "machine", lambda: "x86_64")
    for flags, wanted in (("abm avx2 bmi1 bmi2 f16c fma movbe popcnt sse4_2 sse", b"x86-64-v3"), ("sse", b"x86-64")):
        monkeypatch.setattr(loader, "_facts", lambda flags=flags: {"flags": flags})
        assert cache.read_shipped("a", "content", loader.targets()) == wanted
        assert cache.read_shipped("a", "other content", loader.targets()) is None
    monkeypatch.setattr(loader, "machine", lambda: "")
    assert cache.read_shipped("a", "content", loader.targets()) is None


def test_code_of_another_version_of_llvmlite_is_not_used() -> None:
    assert f"llvmlite {version('llvmlite')}" in loader.here()


def test_compiled_code_needs_no_compiler_and_a_missing_one_is_named(tmp_path: Path) -> None:
    wanted, _ = run(tmp_path)
    without = "import sys; sys.modules['llvmlite'] = None\n"
    assert run(tmp_path, without) == (wanted, "")
    process = start(tmp_path / "empty", without)
    _, said = process.communicate()
    assert process.returncode
    assert 'must be compiled, which needs llvmlite: pip install "inarow[compile]"' in said


def test_python_ends_while_a_daemon_thread_runs_a_kernel() -> None:
    program = (
        "import threading, time\nfrom inarow import solve\nsolve('connect4', '4455')\n"
        "thread = threading.Thread(target=solve, args=('6x6x4', '1'), daemon=True)\n"
        "thread.start()\ntime.sleep(0.2)\nassert thread.is_alive()\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
