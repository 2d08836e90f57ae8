"""A kernel's cache entry depends on the sources that it is made of, and on no others."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import inarow

SCRIPT = """
import json
from inarow.kernels.alphabeta import deepen
from inarow.kernels.lang.jit import source_of
from inarow.kernels.cache import sources_digest
from inarow.kernels.mcts import expected_line, simulate
from inarow.kernels.solver.solve import solve
kernels = (deepen, simulate, expected_line, solve)
print(json.dumps({kernel.__name__: sources_digest(source_of(kernel)) for kernel in kernels}))
"""


def test_an_edit_changes_what_is_made_of_it_and_nothing_else(tmp_path: Path) -> None:
    copy = tmp_path / "inarow"
    shutil.copytree(Path(inarow.__file__).parent, copy, ignore=shutil.ignore_patterns("data", "__pycache__"))

    def digests() -> dict[str, str]:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, check=True, env=environment)
        return dict(json.loads(done.stdout))

    before = digests()
    assert before == digests()
    for source, changed in {
        "kernels/mcts.py": {"simulate", "expected_line"},
        "kernels/evaluate.py": {"deepen", "simulate"},
        "kernels/solver/solve.py": {"solve"},
        "bits.py": {"deepen", "simulate", "solve"},
        "kernels/lang/entry.py": set(before),
    }.items():
        with (copy / source).open("a") as file:
            file.write("\n# edited\n")
        after = digests()
        assert {name for name in before if before[name] != after[name]} == changed, source
        before = after
