"""Install packages into empty environments, and try what a newcomer would.

python scripts/check_wheel.py [--full] [PACKAGE …]    # by default both wheels, built first

Checked: the commands run; data files (models, book, truth set, templates) are inside; a missing extra is named with
the command that installs it; the wheel with compiled kernels is used without llvmlite and compiles nothing; nothing
but the documented folders is left after uninstalling. ``--full`` also serves the page and runs the comparison.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
import venv
from collections.abc import Callable
from pathlib import Path

PROJECT = Path(__file__).parents[1]


class Installed:
    """A package in an environment of its own, with a home of its own."""

    def __init__(self, folder: Path, package: Path) -> None:
        self.folder, self.package = folder, package
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        venv.create(folder / "venv", with_pip=True)
        self.programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        dropped = ("PYTHONPATH", "DISPLAY", "SDL_VIDEODRIVER", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")
        self.environment = {k: v for k, v in os.environ.items() if k not in dropped and not k.startswith("INAROW_")}
        self.environment |= {"HOME": str(self.home), "MPLBACKEND": "agg"}
        self.pip("install", str(package))

    def pip(self, *arguments: str) -> None:
        """Run pip, with the usual home: it starts other programs, which leave files of their own."""
        command = [str(self.programs / "python"), "-m", "pip", "--quiet", *arguments]
        subprocess.run(command, env={**self.environment, "HOME": str(Path.home())}, check=True)

    def inarow(self, *arguments: str, stdin: str = "", code: int = 0) -> str:
        """Run a command, and return what it printed."""
        done: subprocess.CompletedProcess[str] = subprocess.run(
            [str(self.programs / "inarow"), *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=self.environment,
            check=False,
        )
        if done.returncode != code or "Traceback" in done.stderr:
            raise SystemExit(f"inarow {' '.join(arguments)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        sys.stdout.write(f"  inarow {' '.join(arguments)}: as expected\n")
        return done.stdout + done.stderr

    def left(self) -> set[str]:
        """Return the folders below the home that hold files."""
        files = (path.relative_to(self.home) for path in self.home.rglob("*") if path.is_file())
        return {"/".join(path.parts[:2]) for path in files}


def try_commands(one: Installed) -> None:
    """Try what works without extras."""
    one.inarow("--version")
    for agent in ("alphabeta", "mcts", "qlearning", "ntuple", "perfect"):
        one.inarow("decide", "connect4", "4455", agent)
    one.inarow("solve", "connect4", "4455")
    one.inarow("play", "tictactoe", stdin="5\nq\n")
    one.inarow("match", "tictactoe", "rules", "random", "-n", "4")
    one.inarow("study", "pruning", "--out", "study")
    one.inarow("site", "--out", "site")
    extras = json.loads(one.inarow("doctor", "--json"))["extras"]
    assert extras["desktop"]["missing"], "the environment should have no extras"
    said = one.inarow("play", "--ui", "desktop", code=2)
    assert 'pip install "inarow[desktop]"' in said, said


def check_prebuilt(one: Installed) -> None:
    """Check that the wheel with kernels needs no compiler, and says so where it does."""
    state = json.loads(one.inarow("doctor", "--json"))
    assert state["versions"]["llvmlite"] is None, "the wheel with compiled kernels depends on llvmlite"
    assert state["kernels"]["all_compiled"], state["kernels"]
    assert not state["kernels"]["in_the_cache"], "something was compiled"
    own = one.folder / "own.py"
    own.write_text(OWN_KERNEL, encoding="utf-8")
    done = subprocess.run(
        [str(one.programs / "python"), str(own)], env=one.environment, capture_output=True, text=True, check=False
    )
    assert 'needs llvmlite: pip install "inarow[compile]"' in done.stderr, done.stderr


OWN_KERNEL = """
from inarow.kernels.lang.jit import kernel

@kernel
def double(number: int) -> int:
    return 2 * number

double(2)
"""


def try_comparison(one: Installed) -> None:
    """Run the main study, which takes minutes."""
    one.inarow("study", "compare", "--out", "compare")


def try_serving(one: Installed) -> None:
    """Install the extra, serve the page, and ask for it."""
    one.pip("install", f"{one.package}[web]")
    command = [str(one.programs / "inarow"), "serve", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=one.environment)
    try:
        assert server.stdout is not None
        address = next(filter(None, (re.search(r"http://[\d.:]+", line) for line in server.stdout)))[0]
        with urllib.request.urlopen(address, timeout=60) as answer:
            assert b"<title>" in answer.read(), "no page"
    finally:
        server.terminate()
        server.wait(60)
    sys.stdout.write("  inarow serve: as expected\n")


def check_leftovers(one: Installed) -> None:
    """Uninstall, and check that only the documented folders are left."""
    one.pip("uninstall", "--yes", "inarow")
    site = [path.name for path in one.programs.parent.rglob("*inarow*")]
    assert not site, f"uninstalling leaves {site}"
    known = {".cache/inarow", ".config/inarow", ".cache/matplotlib", ".config/matplotlib", ".cache/fontconfig"}
    assert one.left() <= known, f"files are left in {one.left() - known}"
    sys.stdout.write(f"  pip uninstall: leaves {', '.join(sorted(one.left())) or 'nothing'}\n")


def check(package: Path, full: bool) -> None:
    """Install a package and try it; raises if anything is not as it should be."""
    sys.stdout.write(f"{package.name}\n")
    steps: list[Callable[[Installed], None]] = [try_commands]
    if "manylinux" in package.name:
        steps.append(check_prebuilt)
    if full:
        steps += [try_comparison, try_serving]
    with tempfile.TemporaryDirectory() as folder:
        one = Installed(Path(folder), package)
        for step in (*steps, check_leftovers):
            step(one)


def main() -> None:
    """Check packages."""
    full = "--full" in sys.argv
    packages = [Path(name).absolute() for name in sys.argv[1:] if name != "--full"]
    with tempfile.TemporaryDirectory() as folder:
        if not packages:
            subprocess.run([sys.executable, PROJECT / "scripts" / "build_wheel.py", folder], check=True)
            packages = sorted(Path(folder).glob("*.whl"))
        for package in packages:
            check(package, full)


if __name__ == "__main__":
    main()
