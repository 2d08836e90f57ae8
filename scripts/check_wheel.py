"""Install a wheel into an empty environment without extras, and try what a newcomer would.

python scripts/check_wheel.py [WHEEL]    # by default one is built first

Checked: the commands run; data files (models, book, truth set, templates) are inside; a missing extra is named with
the command that installs it; kernels inside the wheel are used.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

PROJECT = Path(__file__).parents[1]


def check(folder: Path, wheel: Path) -> None:
    """Install and try; raises if anything is not as it should be."""
    venv.create(folder / "venv", with_pip=True)
    programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "DISPLAY", "SDL_VIDEODRIVER")}
    environment = {**kept, "INAROW_CACHE": str(folder / "cache"), "INAROW_CONFIG": str(folder / "settings")}

    subprocess.run([programs / "python", "-m", "pip", "install", "--quiet", str(wheel)], env=environment, check=True)

    def inarow(*arguments: str, stdin: str = "", code: int = 0) -> str:
        done = subprocess.run(
            [programs / "inarow", *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            cwd=folder,
            env=environment,
            check=False,
        )
        if done.returncode != code or "Traceback" in done.stderr:
            raise SystemExit(f"inarow {' '.join(arguments)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        sys.stdout.write(f"inarow {' '.join(arguments)}: as it should be\n")
        return done.stdout + done.stderr

    for agent in ("alphabeta", "mcts", "qlearning", "ntuple", "perfect"):
        inarow("decide", "connect4", "4455", agent)
    inarow("solve", "connect4", "4455")
    inarow("play", "tictactoe", stdin="5\nq\n")
    inarow("match", "tictactoe", "rules", "random", "-n", "4")
    inarow("study", "pruning", "--out", "study")
    extras = json.loads(inarow("doctor", "--json"))["extras"]
    assert extras["desktop"]["missing"], "the environment should have no extras"
    said = inarow("play", "--ui", "desktop", code=2)
    assert 'pip install "inarow[desktop]"' in said, said


def main() -> None:
    """Check a wheel."""
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) > 1:
            wheel = Path(sys.argv[1]).absolute()
        else:
            subprocess.run([sys.executable, PROJECT / "scripts" / "build_wheel.py", folder], check=True)
            (wheel,) = Path(folder).glob("*.whl")
        check(Path(folder), wheel)


if __name__ == "__main__":
    main()
