"""Training curves as a figure, where not every evaluation measured the same."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from inarow.training.curves import write_curves


def entry(episodes: int, opponent: str, truth: dict[str, float]) -> dict[str, Any]:
    counts = {"wins": 1, "draws": 0, "losses": 1}
    known = {"reward": 0.0, "error": 0.0, "entries": 1, "bytes": 1, "matches": {opponent: {"first": counts}}}
    return {"episodes": episodes, **counts, **known, "truth": truth}


def test_what_an_evaluation_did_not_measure_is_a_gap_not_zero(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Figure] = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *given, **more: drawn.append(figure))
    history = [entry(1, "random", {"keeps the verdict": 0.5}), entry(2, "rules", {"best score": 0.75})]
    write_curves({"history": history, "spec": "ntuple", "game": "connect4", "seed": 1}, tmp_path / "c.png")
    lines = {str(line.get_label()): line.get_ydata() for panel in drawn[0].axes for line in panel.get_lines()}
    for name, values in (
        ("random as first", [50, math.nan]),
        ("rules as first", [math.nan, 50]),
        ("keeps the verdict", [50, math.nan]),
        ("best score", [math.nan, 75]),
    ):
        assert np.asarray(lines[name]).tolist() == pytest.approx(values, nan_ok=True)
