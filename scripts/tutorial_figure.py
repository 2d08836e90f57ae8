"""Run the tutorial's tournament and store its figure: ``python scripts/tutorial_figure.py``."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
FIGURE = "connect4-elo.svg"


def main() -> None:
    """Write the agents of the tutorial, play its tournament, and copy the figure of its report."""
    text = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    commands = re.findall(r"^\$ inarow ((?:tournament|report) .*)$", text, re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        for name, source in re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            Path(folder, name).write_text(source, encoding="utf-8")
        for command in commands:
            subprocess.run([sys.executable, "-m", "inarow", *command.split()], cwd=folder, check=True)
        shutil.copy(Path(folder, "league-report", "figures", FIGURE), DOCS / "images" / "tutorial-elo.svg")


if __name__ == "__main__":
    main()
