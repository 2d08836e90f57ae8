"""Go through the release check-list, all but the upload: ``make release-check``.

Each step prints one line. The first that fails ends the check with exit code 1 and says what to do. The packages are
left in ``dist``. It takes about half an hour, and needs the package registry.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

import build_wheel
import check_wheel

import inarow

PROJECT = Path(__file__).parents[1]
MAX_CHANGES = 60
"""Lines of the changelog for one version."""
MAX_WHEEL, MAX_CLONE = 12e6, 60e6
"""Bytes of a wheel, and of a clone with its history."""


def fail(reason: str) -> None:
    """End the check."""
    raise SystemExit(f"release check: {reason}")


def done(step: str) -> None:
    """Report a step that passed."""
    sys.stdout.write(f"{step}\n")
    sys.stdout.flush()


def check_texts() -> None:
    """Compare the version in every place, and the length of the changelog."""
    cited = re.search(r"^version: (\S+)$", (PROJECT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    if cited is None or cited[1] != inarow.__version__:
        fail(f"CITATION.cff does not name version {inarow.__version__}")
    changes = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1]
    if inarow.__version__ not in changes.partition("\n")[0]:
        fail(f"the first section of CHANGELOG.md is not about {inarow.__version__}")
    if (lines := changes.count("\n")) > MAX_CHANGES:
        fail(f"CHANGELOG.md has {lines} lines for this version; at most {MAX_CHANGES}")
    done(f"version {inarow.__version__}: in the package, CITATION.cff and CHANGELOG.md ({lines} lines)")


def clone(folder: Path) -> Path:
    """Return a fresh clone, once all is committed and small enough."""
    if subprocess.run(["git", "status", "--porcelain"], capture_output=True, text=True, check=True).stdout:
        fail("there are uncommitted changes; commit them first")
    tree = folder / "tree"
    command = ["git", "clone", "--quiet", "--single-branch", PROJECT.as_uri(), str(tree)]
    subprocess.run(command, check=True)
    size = sum(path.lstat().st_size for path in tree.rglob("*") if path.is_file())
    if size > MAX_CLONE:
        fail(f"a clone has {size / 1e6:.1f} MB; at most {MAX_CLONE / 1e6:.0f}")
    done(f"all is committed; a clone has {size / 1e6:.1f} MB")
    return tree


def check_packages(tree: Path, folder: Path) -> list[Path]:
    """Build twice and compare; returns the packages."""
    first, second = (build_wheel.build(tree, folder / name) for name in ("first", "second"))
    for a, b in zip(first, second, strict=True):
        if a.read_bytes() != b.read_bytes():
            fail(f"{a.name} is not reproducible: two builds of the same commit differ")
        if a.suffix == ".whl" and a.stat().st_size > MAX_WHEEL:
            fail(f"{a.name} has {a.stat().st_size / 1e6:.1f} MB; at most {MAX_WHEEL / 1e6:.0f}")
        done(f"{a.name}: {a.stat().st_size / 1e6:.1f} MB, two builds have the same bytes")
    shutil.rmtree(PROJECT / "dist", ignore_errors=True)
    shutil.copytree(folder / "first", PROJECT / "dist")
    return first


def check_installers(package: Path, folder: Path) -> None:
    """Install a package from its file by pipx and by uv, and run it."""
    venv.create(folder / "installers", with_pip=True)
    programs = folder / "installers" / "bin"
    subprocess.run([programs / "pip", "install", "--quiet", "pipx", "uv"], check=True)
    bins = {"pipx": folder / "pipx-bin", "uv": folder / "uv-bin"}
    homes = {"PIPX_HOME": folder / "pipx", "PIPX_BIN_DIR": bins["pipx"], "PIPX_MAN_DIR": folder / "man"}
    homes |= {"UV_TOOL_DIR": folder / "uv", "UV_TOOL_BIN_DIR": bins["uv"], "HOME": folder / "home"}
    environment = {**os.environ, **{name: str(path) for name, path in homes.items()}}
    environment.pop("PYTHONPATH", None)
    for name, command in (("pipx", ["install", "--quiet"]), ("uv", ["tool", "install", "--quiet"])):
        install = [str(programs / name), *command, "--python", sys.executable, str(package)]
        subprocess.run(install, env=environment, check=True, capture_output=True)
        solve = [str(bins[name] / "inarow"), "solve", "connect4", "4455"]
        subprocess.run(solve, env=environment, check=True, capture_output=True)
        done(f"{package.name}: installed by {name} and run")


def check_targets() -> None:
    """Check the object files for other systems, and run those for 64-bit ARM if qemu is there."""
    script = str(PROJECT / "scripts" / "check_targets.py")
    subprocess.run([sys.executable, script], check=True)
    if shutil.which("qemu-aarch64") and shutil.which("apt-get"):
        subprocess.run([sys.executable, script, "aarch64"], check=True)
    else:
        done("skipped: qemu-aarch64 (Debian: qemu-user) runs the kernels for 64-bit ARM")


def check_certificate() -> None:
    """Check the certificate of Connect 4 that the page has; it takes minutes."""
    path = PROJECT / "src" / "inarow" / "data" / "certificates" / "connect4.json"
    subprocess.run([sys.executable, "-m", "inarow", "verify", str(path)], check=True)


def remind() -> None:
    """List what only the publisher can do."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if "urls" not in project:
        done("left to you: the addresses of the project, [project.urls] in pyproject.toml")
    versions = ", ".join(re.findall(r":: (3\.\d+)", "\n".join(project["classifiers"])))
    done(f"left to you: make test-fast with PYTHON=python3.x for each of {versions}")
    done(f"left to you: git tag v{inarow.__version__}, and the upload of the packages in dist")


def main() -> None:
    """Go through the list."""
    os.chdir(PROJECT)
    check_texts()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        packages = check_packages(clone(folder), folder)
        for package in packages:
            check_wheel.check(package, full=True)
        check_installers(next(package for package in packages if "manylinux" in package.name), folder)
    check_targets()
    check_certificate()
    remind()


if __name__ == "__main__":
    main()
