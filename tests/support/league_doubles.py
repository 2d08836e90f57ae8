"""Small leagues on Tic Tac Toe for tests: files to hand in, and short ways to hold a league."""

from __future__ import annotations

import re
from pathlib import Path

from inarow.agents import agent
from inarow.rules import TICTACTOE
from inarow.teaching.league.entrants import read_entrants
from inarow.teaching.league.running import run_league
from inarow.teaching.league.settings import LeagueSettings, Marking, PointScale, Rung
from inarow.teaching.league.standings import EntrantResult

FIRST_FREE = """
def agent(observation, configuration):
    return [cell for cell, stone in enumerate(observation.board) if stone == 0][0]
"""
LAST_FREE = FIRST_FREE.replace("[0]", "[-1]")
ANY_FREE = """
import random

def agent(observation, configuration):
    return random.choice([cell for cell, stone in enumerate(observation.board) if stone == 0])
"""
CRASHES = """
def agent(observation, configuration):
    raise RuntimeError("no idea")
"""


def small_settings(among: int = 1, disqualify: float | None = 0.4, seed: int = 5) -> LeagueSettings:
    """Tic Tac Toe, one reference player, 5 pairs."""
    return LeagueSettings(
        boards=(TICTACTOE,),
        among=among,
        seed=seed,
        ladder=(Rung("random", agent("random"), 50, 0.0, 1.0),),
        marking=Marking(5, 5, disqualify=disqualify, accuracy=PointScale(50)),
    )


def hand_in(folder: Path, **sources: str) -> Path:
    """Put files into a folder, by the names of their authors."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
    return folder


def hold(
    folder: Path, out: Path, settings: LeagueSettings | None = None, workers: int = 1
) -> tuple[list[EntrantResult], dict[str, int]]:
    """Hold a league; the table, and how much there was to do in each step."""
    planned: dict[str, int] = {}
    table = run_league(
        read_entrants(folder),
        settings or small_settings(),
        out,
        workers=workers,
        watch=lambda what, done, total: planned.update({what: total}),
    )
    return table, planned


def written(out: Path) -> dict[str, bytes]:
    """All that a league wrote, but for its store and what depends on the clock."""
    return {
        str(path.relative_to(out)): re.sub(rb'"execution_time": [\d.]+', b"", path.read_bytes())
        for path in sorted(out.rglob("*"))
        if path.is_file() and not path.name.startswith("league.db") and path.name != "history.csv"
    }
