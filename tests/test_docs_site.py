"""The documentation site builds without a warning and has every page of docs/, none replaced by one of Sphinx."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_site_builds_without_warnings(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-D", "html_theme=basic"]
    command += ["docs", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for page in (ROOT / "docs").rglob("*.md"):
        made = (tmp_path / page.relative_to(ROOT / "docs")).with_suffix(".html")
        source = made.relative_to(tmp_path).with_suffix(".md.txt")
        assert f"_sources/{source.as_posix()}" in made.read_text(encoding="utf-8"), f"{page.name} is not {made.name}"
