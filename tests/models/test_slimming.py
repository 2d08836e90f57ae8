"""Networks as small as they ship."""

from __future__ import annotations

import numpy as np
import pytest

from inarow.models.loading import half_weights
from inarow.models.network import Layout, Network
from inarow.rules import game


def test_of_the_memory_only_what_learnt_most_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarow.models.loading.KEPT_MEMORY", 3)
    layout = Layout(game("4x4x3"), ((0, 1, 2),), memory=4)
    network = Network(layout, weights=np.full((2, layout.size), 0.5, np.float32))
    traces = np.ones((2, layout.size, 2), np.float32)
    traces[0, -4:, 1] = [1, 9, 2, 3]
    traces[1, -4:, 1] = [1, 0, 8, 7]
    half = half_weights(network, traces)
    assert half.dtype == np.float16
    assert half[:, -4:].tolist() == [[0, 0.5, 0, 0], [0, 0, 0.5, 0.5]]
    assert (half[:, :-4] == 0.5).all()
    assert (network.weights == 0.5).all()  # the network itself forgets nothing


def test_without_traces_or_with_little_memory_all_is_kept() -> None:
    layout = Layout(game("4x4x3"), ((0, 1, 2),), memory=4)
    network = Network(layout, weights=np.full((2, layout.size), 0.5, np.float32))
    traces = np.arange(4 * layout.size, dtype=np.float32).reshape(2, layout.size, 2)
    for given in (None, traces):
        assert (half_weights(network, given) == 0.5).all()
