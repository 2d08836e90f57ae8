"""The documentation site builds without a warning, and every page of docs/ is in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_site_builds_without_warnings(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    missing = [
        page.name
        for page in (ROOT / "docs").rglob("*.md")
        if not (tmp_path / page.relative_to(ROOT / "docs")).with_suffix(".html").exists()
    ]
    assert not missing
