"""Warming looks into all folders, and every module with kernels takes part."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

from inarow import kernels
from inarow.kernels import cache, warm
from inarow.kernels.lang import jit

KERNELS = Path(kernels.__file__).parent
MODULES = {
    ".".join(("inarow.kernels", *path.relative_to(KERNELS).with_suffix("").parts)): path
    for path in KERNELS.rglob("*.py")
    if path.parent.name != "lang" and path.name not in ("__init__.py", "cache.py", "warm.py")
}


def test_all_kernel_modules_are_warmed() -> None:
    own = [name for name in warm.kernel_modules() if name.startswith("inarow.kernels.")]
    assert sorted(own) == sorted(MODULES)


def test_marks_of_former_sources_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "folder", lambda: tmp_path)
    for number in range(cache.KEPT + 3):
        (tmp_path / f"all-{number:02}.done").touch()
        os.utime(tmp_path / f"all-{number:02}.done", (number, number))
    assert not warm.is_warm()
    warm.mark_as_warm({})
    assert warm.is_warm()
    assert len(list(tmp_path.glob("all-*.done"))) == cache.KEPT


def test_a_mark_is_for_its_sources_its_modules_and_its_mode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "folder", lambda: tmp_path)
    monkeypatch.setattr(cache, "DIGESTS", {})
    source = tmp_path / "source.py"
    source.write_text("SIZE = 1\n")
    warm.mark_as_warm({str(source): cache.digest_of(str(source))})
    assert warm.is_warm()
    with monkeypatch.context() as checking:
        checking.setattr(jit, "CHECKED", True)
        assert not warm.is_warm()
    modules = [*warm.kernel_modules(), "added"]
    with monkeypatch.context() as installing:
        installing.setattr(warm, "kernel_modules", lambda: modules)
        assert not warm.is_warm()
    assert warm.is_warm()
    source.write_text("SIZE = 2\n")
    cache.DIGESTS.clear()
    assert not warm.is_warm()


@pytest.mark.parametrize("path", MODULES.values(), ids=MODULES)
def test_every_module_with_kernels_can_be_warmed(path: Path) -> None:
    functions = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)]
    has_kernels = any(isinstance(d, ast.Name) and d.id == "kernel" for f in functions for d in f.decorator_list)
    assert not has_kernels or "warm" in [function.name for function in functions]
