"""Networks as small as they ship."""

from __future__ import annotations

import numpy as np
import pytest

from inarow.models import slimming
from inarow.models.network import Network
from inarow.models.ntuple import Layout
from inarow.rules import game


def test_of_large_tables_only_what_learnt_most_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slimming, "KEPT", 4)
    monkeypatch.setattr(slimming, "LARGE", 7)
    layout = Layout(game("4x4x3"), ((0,), (0, 1), (1,)), memory=8)
    assert layout.sizes == (4, 16, 4)
    network = Network(layout, weights=np.full((2, layout.size), 0.5, np.float32))
    traces = np.ones((2, layout.size, 2), np.float32)
    most = [(0, 4), (1, 19), (0, layout.size - 8), (1, layout.size - 1)]  # both ends of the large tables
    for place in most:
        traces[(*place, 1)] = 9
    half = slimming.half_weights(network, traces)
    assert half.dtype == np.float16
    large = [*range(4, 20), *range(layout.size - 8, layout.size)]
    assert [(side, place) for side in (0, 1) for place in large if half[side, place] == 0.5] == sorted(most)
    assert (np.delete(half, large, axis=1) == 0.5).all()
    assert (network.weights == 0.5).all()  # the network itself forgets nothing


def test_without_traces_or_large_tables_all_is_kept() -> None:
    layout = Layout(game("4x4x3"), ((0, 1, 2),), memory=4)
    network = Network(layout, weights=np.full((2, layout.size), 0.5, np.float32))
    traces = np.arange(4 * layout.size, dtype=np.float32).reshape(2, layout.size, 2)
    for given in (None, traces):
        assert (slimming.half_weights(network, given) == 0.5).all()
