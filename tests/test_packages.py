"""Packages: kernels for other systems, the wheel with kernels inside, reproducible archives, and the lock file."""

from __future__ import annotations

import base64
import hashlib
import importlib
import re
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from inarow.kernels.lang import loader, native
from inarow.kernels.lang.jit import Compiled
from inarow.kernels.lang.kinds import INT

PROJECT = Path(__file__).parents[1]


def triple(number: int) -> int:
    return 3 * number


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import a script by its name."""
    monkeypatch.syspath_prepend(PROJECT / "scripts")
    return importlib.import_module


def test_a_kernel_is_emitted_for_every_system(script: Any) -> None:
    checks = script("check_targets")
    assert len(checks.TARGETS) == 6
    assert list(checks.inspect(Compiled(triple), (INT,))) == []


def test_llvm_places_code_where_ours_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    code = native.build(Compiled(triple), (INT,), checked=False)
    assert loader.load_code(code, triple)[0](14) == 42
    monkeypatch.setattr(loader, "machine", lambda: "")
    assert loader.load_code(code, triple)[0](14) == 42


def test_the_wheel_with_kernels_has_a_true_record_and_no_llvmlite(script: Any, tmp_path: Path) -> None:
    plain = tmp_path / "inarow-0-py3-none-any.whl"
    with zipfile.ZipFile(plain, "w") as archive:
        archive.writestr("inarow/__init__.py", "")
        needs = 'Requires-Dist: llvmlite>=0.46\nRequires-Dist: llvmlite>=0.46; extra == "compile"\n'
        archive.writestr("inarow-0.dist-info/METADATA", f"Name: inarow\n{needs}")
        archive.writestr("inarow-0.dist-info/WHEEL", "Root-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("inarow-0.dist-info/RECORD", "old")
    with zipfile.ZipFile(script("build_wheel").with_kernels(plain, {"a.o": b"code"})) as made:
        assert made.read("inarow/data/kernels/a.o") == b"code"
        assert made.read("inarow-0.dist-info/METADATA").decode().count("llvmlite") == 1
        assert b"Purelib: false\nTag: py3-none-manylinux" in made.read("inarow-0.dist-info/WHEEL")
        record = [line.split(",") for line in made.read("inarow-0.dist-info/RECORD").decode().splitlines()]
        assert sorted(name for name, _, _ in record) == sorted(made.namelist())
        for name, digest, size in record[:-1]:
            content = made.read(name)
            hashed = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
            assert (digest, int(size)) == (f"sha256={hashed}", len(content))


def test_a_source_distribution_does_not_depend_on_when_and_by_whom_it_was_packed(script: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("content", encoding="utf-8")
    packed = []
    for date, owner in ((1, "a"), (2, "b")):
        path = tmp_path / f"{owner}.tar.gz"
        with tarfile.open(path, "w:gz") as archive:
            entry = archive.gettarinfo(tmp_path / "file", "file")
            entry.mtime, entry.uname = date, owner
            with (tmp_path / "file").open("rb") as file:
                archive.addfile(entry, file)
        script("build_wheel").normalized(path, 315532800)
        packed.append(path.read_bytes())
    assert packed[0] == packed[1]


def test_no_placeholder_is_an_address_of_the_project() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [address for address in project.get("urls", {}).values() if "example" in address] == []


def test_the_lock_file_has_every_dependency_and_no_address() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    groups = [project["project"]["dependencies"], *(extras[name] for name in extras if name != "torch")]
    groups += project["dependency-groups"].values()
    wanted = {
        re.split(r"[<>=]", one)[0].lower().replace("_", "-") for all_ in groups for one in all_ if type(one) is str
    }
    lock = (PROJECT / "requirements.lock").read_text(encoding="utf-8")
    assert wanted - set(re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)) == set()
    assert "://" not in lock
