"""Slim models: without what only training needs, small enough to ship."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.models.files import Model, ModelError, ModelFile, save
from inarow.models.loading import read_model
from inarow.models.network import Network

KEPT_MEMORY = 200_000
"""Entries of a network's memory that are kept."""


def slimmed(source: Path, target: Path, visits: int = 0) -> None:
    """Write a model as small as it can be: a table cut to positions met at least ``visits`` times, a network's weights
    at half precision, of its memory only what learnt most. The history stays."""
    with ModelFile(source) as file:
        _, model = read_model(file)
        header = dict(file.header)
        counted = file.has("visits")
        traces = None
        if isinstance(model, Network) and file.has("traces"):
            traces = file.array("traces", np.float32, (2, model.layout.size, 2))
    arrays: dict[str, NDArray[Any]]
    if isinstance(model, Network):
        arrays = {"half": half_weights(model, traces)}
    elif isinstance(model, Model):
        arrays = model.slim(visits)
    elif visits and not counted:
        raise ModelError(f"{source} does not say how often positions were met; it has been slimmed already")
    else:
        keys, values, met = model.rows()
        keep = met.sum(axis=1) >= visits
        if not keep.any():
            raise ModelError(f"no position in {source} was met {visits} times; the most is {met.sum(axis=1).max()}")
        arrays = {"keys": keys[keep], "values": values[keep]}
    for name in ("format", "version"):
        header.pop(name)
    save(target, header, arrays)


def half_weights(network: Network, traces: NDArray[np.float32] | None) -> NDArray[np.float16]:
    """The weights at half precision; of the memory only the entries that learnt most, by the ``traces`` of training."""
    most = float(np.finfo(np.float16).max)  # far more than weights that learn ever come to
    half = np.clip(network.weights, -most, most).astype(np.float16)
    entries = network.layout.memory
    if traces is not None and 2 * entries > KEPT_MEMORY:
        learnt = traces[:, -entries:, 1]
        least = np.partition(learnt, -KEPT_MEMORY, axis=None)[-KEPT_MEMORY]
        half[:, -entries:][learnt < least] = 0
    return half
