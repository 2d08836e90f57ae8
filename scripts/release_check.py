"""Go through the release check-list, all but the upload: ``make release-check``.

Each step prints one line. The first that fails ends the check with exit code 1 and says what to do.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import inarow

PROJECT = Path(__file__).parents[1]
MOST_CHANGES = 60
"""Lines of the changelog for one version."""
MOST_WHEEL, MOST_FILES = 12e6, 60e6
"""Bytes of the wheel, and of the files under version control."""
BUILD = "import sys; from setuptools import build_meta as b; b.build_sdist(sys.argv[1]); b.build_wheel(sys.argv[1])"


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
    if (lines := changes.count("\n")) > MOST_CHANGES:
        fail(f"CHANGELOG.md has {lines} lines for this version; at most {MOST_CHANGES}")
    done(f"version {inarow.__version__}: in the package, CITATION.cff and CHANGELOG.md ({lines} lines)")


def check_files() -> None:
    """Check that all is committed, and small enough."""
    if subprocess.run(["git", "status", "--porcelain"], capture_output=True, text=True, check=True).stdout:
        fail("there are uncommitted changes; commit them first")
    names = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True).stdout.split("\0")
    size = sum((PROJECT / name).lstat().st_size for name in names if name)
    if size > MOST_FILES:
        fail(f"the files under version control have {size / 1e6:.1f} MB; at most {MOST_FILES / 1e6:.0f}")
    done(f"{len(names) - 1:,} files, {size / 1e6:.1f} MB, all committed")


def build(folder: Path) -> list[Path]:
    """Build the source distribution and the wheel from a fresh checkout."""
    tree = folder / "tree"
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", PROJECT.as_uri(), tree], check=True)
    made = ["git", "log", "-1", "--format=%ct"]
    date = subprocess.run(made, capture_output=True, text=True, check=True, cwd=tree).stdout.strip()
    environment = {**os.environ, "SOURCE_DATE_EPOCH": date, "PYTHONHASHSEED": "0"}
    command = [sys.executable, "-c", BUILD, str(folder)]
    subprocess.run(command, check=True, cwd=tree, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return sorted(path for path in folder.iterdir() if path.suffix in (".whl", ".gz"))


def content(path: Path) -> str:
    """Return a hash of a wheel, or of the members of an archive: gzip keeps the time of packing."""
    if path.suffix != ".gz":
        return hashlib.sha256(path.read_bytes()).hexdigest()
    found = hashlib.sha256()
    with tarfile.open(path) as archive:
        for member in sorted(archive.getmembers(), key=lambda one: one.name):
            data = archive.extractfile(member)
            found.update(f"{member.name} {member.mode}\n".encode() + (data.read() if data else b""))
    return found.hexdigest()


def check_packages() -> None:
    """Build twice and compare, then install each package into an empty environment and try it."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        first, second = build(Path(one)), build(Path(two))
        for a, b in zip(first, second, strict=True):
            if content(a) != content(b):
                fail(f"{a.name} is not reproducible: two builds of the same commit differ")
        for path in first:
            if path.stat().st_size > MOST_WHEEL:
                fail(f"{path.name} has {path.stat().st_size / 1e6:.1f} MB; at most {MOST_WHEEL / 1e6:.0f}")
            done(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB, two builds are the same")
            subprocess.run([sys.executable, PROJECT / "scripts" / "check_wheel.py", path], check=True)
            done(f"{path.name}: works in an empty environment")


def check_addresses() -> None:
    """Remind of the addresses, which only the publisher knows."""
    if "example.org" in (PROJECT / "pyproject.toml").read_text(encoding="utf-8"):
        done("left to you: set the addresses in [project.urls] of pyproject.toml")


def main() -> None:
    """Go through the list."""
    os.chdir(PROJECT)
    check_texts()
    check_files()
    check_packages()
    check_addresses()
    done(f"left to you: git tag v{inarow.__version__}, and the upload of both packages")


if __name__ == "__main__":
    main()
