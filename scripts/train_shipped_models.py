"""Make the models that ship with inarow: python scripts/train_shipped_models.py [--cards] [NAME …]

Each is trained and cut by the commands of its card (`data/models/cards.json`), those of the reports by the settings in
their packages; without names all are made. The Connect 4 network takes about twelve minutes on two cores, the rest a
few minutes together. Then, or with ``--cards`` only, the cards get each file's hash and its accuracy.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import inarow
from inarow.agents import agent
from inarow.models.files import ModelFile
from inarow.models.loading import SHIPPED
from inarow.rules import CONNECT4, Game, game
from inarow.truth import Accuracy, SolvedPositions, grade_move
from inarow.truth.grading import decision_of
from inarow.truth.positions import all_positions, position_classes

CARDS = SHIPPED / "cards.json"
REPORTS = Path(inarow.__file__).parent / "reproductions"
REPORTED = {
    f"{report}-{board}": (
        f"inarow train {board} {report}-qlearning --seed 1 --out full.npz",
        f"inarow model slim full.npz --visits {visits} --out {board}.npz",
    )
    for report in ("r1", "r2", "r3", "r4")
    for board, visits in (("tictactoe", 0), ("connect4", 30 if report == "r3" else 5))
}
"""The commands for the models of the reports."""


def make(name: str, commands: tuple[str, str]) -> None:
    """Train a model and put it where it ships."""
    target = SHIPPED / f"{name}.npz"
    if name in REPORTED:
        report, board = name.split("-")
        target = REPORTS / report / "models" / f"{board}.npz"
    with tempfile.TemporaryDirectory() as folder:
        for command in commands:
            sys.stderr.write(f"{command}\n")
            words = [sys.executable, "-m", *shlex.split(command)]
            subprocess.run(words, check=True, cwd=folder, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        (Path(folder) / target.name).replace(target)


def graded(spec: str, board: Game) -> Accuracy:
    """Grade an agent in all positions of Tic Tac Toe, or in the classes of Connect 4."""
    player, found = agent(spec), Accuracy()
    if board == CONNECT4:
        known = [(one.position, one.scores) for positions in position_classes().values() for one in positions]
    else:
        solved = SolvedPositions(board)
        known = [(position, solved.scores(position) or {}) for position in all_positions(board) or ()]
    for position, scores in known:
        found.add(grade_move(position, decision_of(player, position, 0).move, scores))
    return found


def complete_cards() -> None:
    """Write each model's hash and accuracy into its card."""
    from inarow.paths import fingerprint

    cards = json.loads(CARDS.read_text(encoding="utf-8"))
    for name, card in cards.items():
        with ModelFile(SHIPPED / f"{name}.npz") as file:
            kind, board = file.header["kind"], game(file.header["game"])
            guide = file.header["model"].get("guide", "none")
        card["sha256"], card["graded"] = fingerprint(SHIPPED / f"{name}.npz"), {}
        for spec in (kind, *([] if guide == "none" else [f"{kind}:guide={guide}"])):
            found = graded(spec, board)
            card["graded"][spec] = {"positions": found.moves, "kept": found.kept, "perfect": found.perfect}
    CARDS.write_text(json.dumps(cards, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main(words: list[str]) -> None:
    """Make the models of these names."""
    if "--cards" not in words:
        cards = json.loads(CARDS.read_text(encoding="utf-8"))
        recipes = {name: (card["train"], card["slim"]) for name, card in cards.items()} | REPORTED
        for name in words or recipes:
            make(name, recipes[name])
    complete_cards()


if __name__ == "__main__":
    main(sys.argv[1:])
