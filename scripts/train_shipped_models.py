"""The recipe of the models that ship with inarow: python scripts/train_shipped_models.py [NAME …]

Each line is one training, as `inarow train` would run it, and how the result is cut; without names all are made.
The Connect 4 network takes about ten minutes on one core, the rest a few minutes together.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

MODELS = Path(__file__).parents[1] / "src" / "inarow" / "data" / "models"

# Name of the shipped file: agent, game, options of `inarow train`, options of `inarow model slim`.
RECIPES: dict[str, tuple[str, str, list[str], list[str]]] = {
    "qlearning-tictactoe": ("qlearning", "tictactoe", ["--episodes", "50000", "--eval-every", "5000"], []),
    "ntuple-tictactoe": (
        "ntuple:tuples=8,length=6,plies=8",
        "tictactoe",
        ["--episodes", "50000", "--eval-every", "5000"],
        [],
    ),
}


def main(names: list[str]) -> None:
    """Make the models of these names."""
    MODELS.mkdir(parents=True, exist_ok=True)
    for name in names or RECIPES:
        agent, game, training, slimming = RECIPES[name]
        with tempfile.TemporaryDirectory() as folder:
            full = str(Path(folder, "model.npz"))
            _inarow("train", agent, game, "--seed", "1", "--out", full, *training)
            _inarow("model", "slim", full, str(MODELS / f"{name}.npz"), "--force", *slimming)


def _inarow(*words: str) -> None:
    sys.stderr.write(f"inarow {' '.join(words)}\n")
    subprocess.run([sys.executable, "-m", "inarow", *words], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
