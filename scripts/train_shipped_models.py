"""The recipe of the models that ship with inarow: python scripts/train_shipped_models.py [NAME …]

Each line is one training, as `inarow train` would run it, and how the result is cut; without names all are made.
The Connect 4 network takes about twelve minutes on two cores, the rest a few minutes together.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

MODELS = Path(__file__).parents[1] / "src" / "inarow" / "data" / "models"
REPORTS = MODELS.parents[1] / "reproductions"

# Name of the shipped file: agent, game, options of `inarow train`, options of `inarow model slim`.
RECIPES: dict[str, tuple[str, str, list[str], list[str]]] = {
    "qlearning-tictactoe": ("qlearning", "tictactoe", ["--episodes", "50000", "--eval-every", "5000"], []),
    "qlearning-connect4": (
        "qlearning:guide=heuristic,share=0.1,seats=apart,alpha=0.05,gamma=1,epsilon=0.1,openings=0",
        "connect4",
        ["--opponent", "rules", "--episodes", "300000", "--eval-every", "50000"],
        ["--visits", "10"],
    ),
    "ntuple-tictactoe": (
        "ntuple:tuples=8,length=6,plies=8",
        "tictactoe",
        ["--episodes", "50000", "--eval-every", "5000"],
        [],
    ),
    "ntuple-connect4": (
        "ntuple",
        "connect4",
        ["--episodes", "8000000", "--workers", "2", "--eval-every", "1000000", "--eval-opponent", "rules"],
        [],
    ),
}
# Those of the reports, with their own settings, opponents and numbers of episodes, are in the reports' packages.
REPORTED = ("r1", "r2", "r3", "r4")
for _report in REPORTED:
    for _game, _visits in (("tictactoe", "0"), ("connect4", "30" if _report == "r3" else "5")):
        RECIPES[f"{_report}-{_game}"] = (f"{_report}-qlearning", _game, [], ["--visits", _visits])


def main(names: list[str]) -> None:
    """Make the models of these names."""
    MODELS.mkdir(parents=True, exist_ok=True)
    for name in names or RECIPES:
        agent, game, training, slimming = RECIPES[name]
        with tempfile.TemporaryDirectory() as folder:
            full = str(Path(folder, "model.npz"))
            _inarow("train", game, agent, "--seed", "1", "--out", full, *training)
            report, _, rest = name.partition("-")
            target = REPORTS / report / "models" / f"{rest}.npz" if report in REPORTED else MODELS / f"{name}.npz"
            _inarow("model", "slim", full, str(target), "--force", *slimming)


def _inarow(*words: str) -> None:
    sys.stderr.write(f"inarow {' '.join(words)}\n")
    subprocess.run([sys.executable, "-m", "inarow", *words], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
