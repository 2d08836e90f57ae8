"""Build the packages: ``python scripts/build_wheel.py [FOLDER]`` (default: dist).

There are a source distribution and two wheels. One wheel is for every system and compiles kernels at their first use.
The other, for Linux on x86-64, is the same with compiled kernels inside, and does not depend on llvmlite. A second
build of the same commit gives the same bytes.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from inarow.kernels import cache, mcts, warm, wasm
from inarow.kernels.lang import jit, native
from inarow.kernels.lang.kinds import Signature, takes_function
from inarow.kernels.lang.loader import X86_64, X86_64_V3, Target
from inarow.kernels.lang.wasm import TRIPLE
from inarow.kernels.solver import analyse

PROJECT = Path(__file__).parents[1]
TAG = "manylinux_2_17_x86_64"
INSIDE = "inarow/data/kernels"
_MODE = 0o100644 << 16
_HOOKS = "import sys; from setuptools import build_meta as b; to = sys.argv[1]; b.build_sdist(to); b.build_wheel(to)"
_NOT_SOURCES = (".git", ".venv", "build", "dist", "results", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis")


def warm_everything() -> None:
    """Have every kernel loaded, and so the kinds of its arguments known; also those that few need."""
    warm.warm_here(warm.kernel_modules())
    mcts.warm_batches()
    analyse.warm_for(True, in_misere=True)
    if missing := sorted(kernel.name for kernel in jit.State.kernels if not kernel.versions):
        sys.exit(f"no warm() calls these kernels, so that they would not be in the package: {', '.join(missing)}")


def compiled(targets: Sequence[Target]) -> dict[str, bytes]:
    """Return the files that hold every kernel, compiled for these targets and for browsers, by their names."""
    warm_everything()
    _wanted[:] = [
        (kernel, kinds, target)
        for kernel in sorted(jit.State.kernels, key=lambda one: one.name)
        for kinds in kernel.versions
        if not takes_function(kinds)
        for target in targets
    ]
    with multiprocessing.get_context("fork").Pool(maxtasksperchild=1) as pool:
        codes = pool.map(_build, range(len(_wanted)), 1)
        files = pool.apply(_for_browsers)
    for (kernel, kinds, target), code in zip(_wanted, codes, strict=True):
        files[f"{kernel.name}-{cache.key_of(cache.content_of(kernel, kinds), target)}.o"] = cache.sealed(code)
    return dict(sorted(files.items())) | dict(warm.mark(warm.sources(), target) for target in targets)


_wanted: list[tuple[jit.Compiled, Signature, Target]] = []
"""What is compiled. Child processes inherit it: kinds of arguments are themselves only in one process."""


def _build(index: int) -> bytes:
    kernel, kinds, target = _wanted[index]
    return native.build(kernel, kinds, checked=False, target=target)


def _for_browsers() -> dict[str, bytes]:
    """Return the files with WebAssembly. In a process of its own: LLVM's machine code is another one afterwards."""
    made = wasm.built(from_cache=False)
    return {f"wasm.{name}-{cache.key_of(content, TRIPLE)}.o": cache.sealed(code) for name, content, code in made}


def with_kernels(wheel: Path, files: dict[str, bytes]) -> Path:
    """Write the wheel for Linux on x86-64 beside the one for all systems: with kernels, and without llvmlite."""
    out = wheel.with_name(wheel.name.replace("-any.whl", f"-{TAG}.whl"))
    with zipfile.ZipFile(wheel) as given:
        content = {entry.filename: given.read(entry) for entry in given.infolist()}
        date = min(entry.date_time for entry in given.infolist())
    record = next(name for name in content if name.endswith(".dist-info/RECORD"))
    metadata, about = record.replace("RECORD", "METADATA"), record.replace("RECORD", "WHEEL")
    content[metadata] = re.sub(rb"Requires-Dist: llvmlite[^;\n]*\n", b"", content[metadata])
    content[about] = (
        content[about].replace(b"Purelib: true", b"Purelib: false").replace(b"-none-any", f"-none-{TAG}".encode())
    )
    content |= {f"{INSIDE}/{name}": file for name, file in files.items()}
    del content[record]
    content[record] = "".join(f"{name},{_digest(file)},{len(file)}\n" for name, file in content.items()).encode()
    content[record] += f"{record},,\n".encode()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in content.items():
            entry = zipfile.ZipInfo(name, date)
            entry.external_attr, entry.compress_type = _MODE, zipfile.ZIP_DEFLATED
            archive.writestr(entry, file)
    return out


def _digest(content: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def commit_date(tree: Path) -> int:
    """Return when the commit of a checkout was made, in seconds; where there is none, the first date of archives."""
    command = ["git", "-C", str(tree), "log", "-1", "--format=%ct"]
    made = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return int(made or 315532800)


def normalized(archive: Path, date: int) -> None:
    """Write a source distribution again, so that only its files count: not who packed them, and when."""
    with tarfile.open(archive) as given:
        members = [(entry, given.extractfile(entry)) for entry in sorted(given.getmembers(), key=lambda one: one.name)]
        content = io.BytesIO()
        with tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as out:
            for entry, file in members:
                entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname, entry.pax_headers = date, 0, 0, "", "", {}
                entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
                out.addfile(entry, file)
    archive.write_bytes(gzip.compress(content.getvalue(), 9, mtime=0))


def build(tree: Path, out: Path) -> list[Path]:
    """Build the packages of a checkout into a folder."""
    date = commit_date(tree)
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(date)}
    with tempfile.TemporaryDirectory() as folder:
        copy, made = Path(folder) / "tree", Path(folder) / "made"
        shutil.copytree(tree, copy, ignore=shutil.ignore_patterns(*_NOT_SOURCES))
        made.mkdir()
        command = [sys.executable, "-c", _HOOKS, str(made)]
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"setuptools 77 or newer could not build the packages; make wheel installs it:\n{done.stderr}")
        (source,), (wheel,) = made.glob("*.tar.gz"), made.glob("*.whl")
        normalized(source, date)
        with_kernels(wheel, compiled([X86_64_V3, X86_64]))
        out.mkdir(parents=True, exist_ok=True)
        return sorted(Path(shutil.copy(path, out)) for path in made.iterdir())


def main() -> None:
    """Build the packages of this checkout."""
    for path in build(PROJECT, Path(sys.argv[1] if len(sys.argv) > 1 else PROJECT / "dist")):
        sys.stdout.write(f"{path}: {path.stat().st_size / 1e6:.1f} MB\n")


if __name__ == "__main__":
    main()
