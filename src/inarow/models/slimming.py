"""Models without what only training needs, small enough to ship."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow.models.files import ModelError, ModelFile, save
from inarow.models.network import Network
from inarow.models.shelf import read_model


def slimmed(source: Path, target: Path, visits: int = 0) -> None:
    """Write a model as small as it can be: a table cut to positions met at least ``visits`` times,
    a network's weights at half precision. The history stays."""
    with ModelFile(source) as file:
        _, model = read_model(file)
        header = dict(file.header)
        counted = file.has("visits")
    arrays: dict[str, NDArray[Any]]
    if isinstance(model, Network):
        arrays = {"half": model.weights.astype(np.float16)}
    else:
        keys, values, met = model.rows()
        if visits and not counted:
            raise ModelError(f"{source} does not say how often positions were met; it has been cut already")
        keep = met.sum(axis=1) >= visits
        if not keep.any():
            raise ModelError(f"no position in {source} was met {visits} times; the most is {met.sum(axis=1).max()}")
        arrays = {"keys": keys[keep], "values": values[keep]}
    for name in ("format", "version"):
        header.pop(name)
    save(target, header, arrays)
