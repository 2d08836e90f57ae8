"""inarow bench: a kernel that computes something else shows."""

from __future__ import annotations

import json
from pathlib import Path

from support.commands import inarow

FILE = Path(__file__).parents[1] / "data" / "bench.json"


def test_every_kernel_computes_what_it_did() -> None:
    """If a change is deliberate: ``inarow bench --json``, and write its ``kernels`` to the file."""
    assert json.loads(inarow("bench", "--json").stdout)["kernels"] == json.loads(FILE.read_text())
