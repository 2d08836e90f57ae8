"""The core knows nothing of the reports, and works without them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import inarow
from inarow.agents import agent_class
from test_imports import imports, modules

ROOT = Path(inarow.__file__).parent
CORE = ("agents", "kernels", "training", "models", "match", "play", "web")
REPORTS = re.compile(r"\br[1-5]\b|preset", re.IGNORECASE)


def test_the_core_names_no_report() -> None:
    found = {
        f"{path.relative_to(ROOT)}:{number}": line.strip()
        for package in CORE
        for path in sorted((ROOT / package).rglob("*"))
        if path.suffix in (".py", ".js", ".html", ".css")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if REPORTS.search(line)
    }
    assert found == {}


def test_nothing_outside_imports_the_reproductions() -> None:
    users = {
        str(path.relative_to(ROOT))
        for path in modules()
        if path.relative_to(ROOT).parts[0] != "reproductions"
        and any(name.startswith("inarow.reproductions") for name in imports(path))
    }
    assert users == set()


def test_alphabeta_has_at_most_twelve_parameters() -> None:
    assert len(agent_class("alphabeta").parameters()) <= 12


def test_the_product_works_without_the_reproductions(tmp_path: Path) -> None:
    source = tmp_path / "src"
    shutil.copytree(ROOT, source / "inarow", ignore=shutil.ignore_patterns("reproductions", "__pycache__"))
    info = source / "inarow.egg-info"  # found before the installed one, which names the entry points of the reports
    info.mkdir()
    (info / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: inarow\nVersion: 0.1.0\n")
    script = (
        "from inarow.agents import agent_names\n"
        "from inarow.studies import study_names\n"
        "from support.commands import inarow\n"
        "assert not [name for name in (*agent_names(), *study_names()) if name[:2] in ('r1', 'r2', 'r3', 'r4', 'r5')]\n"
        "assert 'R1' not in inarow('agents').stdout + inarow('study').stdout\n"
        "assert 'rules' in inarow('match', 'connect4', 'rules', 'alphabeta:depth=2', '-n', '2').stdout\n"
        "inarow('train', 'tictactoe', 'qlearning', '--episodes', '50', '--eval-matches', '1', '--out', 'm.npz')\n"
        "assert 'qlearning' in inarow('model', 'show', 'm.npz').stdout\n"
    )
    paths = os.pathsep.join([str(source), str(Path(__file__).parent)])
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
