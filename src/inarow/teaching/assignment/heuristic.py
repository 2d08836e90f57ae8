"""The assignment on heuristic search: its grader is a league on Connect 4."""

from __future__ import annotations

import secrets
import tempfile
from pathlib import Path
from string import Template

from inarow.rules import CONNECT4
from inarow.teaching.assignment.making import refuse_existing, template, write_files, zipped
from inarow.teaching.league.settings import Settings, read_settings

SECONDS = 1.0
"""For a move."""


def make_heuristic(folder: Path, seed: int | None = None) -> Settings:
    """Write the assignment on heuristic search, whose grader is a league; returns the league's settings."""
    refuse_existing(folder)
    public = _fill("league.toml", {"seconds": f"{SECONDS:g}"})
    secret = f'seed = "{secrets.token_hex(16) if seed is None else seed}"\n'
    private = public.replace('starter = "agent.py"', f'starter = "student/agent.py"\n{secret}'.rstrip())
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "league.toml"
        path.write_text(public.replace('starter = "agent.py"\n', ""), encoding="utf-8")
        settings = read_settings(path)
    scales = [(f"score against {rung.name}", rung.scale(CONNECT4)) for rung in settings.ladder]
    rows = [
        f"| {name} | {s.points:g} | {s.full:.0%} |" for name, s in (*scales, ("accuracy", settings.marking.accuracy))
    ]
    words = {"seconds": f"{SECONDS:g}", "rows_of_points": "\n".join(rows)}
    student = {
        "README.md": _fill("README.md", words).encode(),
        "agent.py": _fill("agent.py", {}).encode(),
        "league.toml": public.encode(),
    }
    files = {
        "README.md": _fill("teacher.md", {}).encode(),
        "league.toml": private.encode(),
        "reference.py": _fill("reference.py", {}).encode(),
        "student.zip": zipped(student),
        **{f"student/{name}": data for name, data in student.items()},
    }
    write_files(folder, files)
    return settings


def _fill(name: str, words: dict[str, str]) -> str:
    """Fill in a file of the assignment on heuristic search."""
    return Template(template(f"heuristic/{name}")).substitute(words)
