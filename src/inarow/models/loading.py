"""Find, load and slim models: the user's files, and the shipped ones with their cards."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import inarow
from inarow.errors import InarowError, printable
from inarow.models.files import KINDS, Model, ModelError, ModelFile, save
from inarow.models.network import Network, read_network
from inarow.models.qtable import read_qtable
from inarow.plugins import MODELS, load_class
from inarow.rules import Game, game

SHIPPED = Path(inarow.__file__).parent / "data" / "models"
_read: dict[tuple[Path, int, int], Any] = {}
_lock = threading.Lock()


def shipped(kind: str, played: Game) -> Path | None:
    """Return the file of a shipped model, if there is one."""
    path = SHIPPED / f"{kind}-{played.name}.npz"
    return path if path.exists() else None


def model_path(kind: str, given: str, played: Game) -> Path:
    """Return the given file, or else the shipped one. Raises `ModelError` if there is neither."""
    path = Path(given) if given else shipped(kind, played)
    if path is None:
        raise ModelError(
            f"no model of {kind} for {played} ships with inarow; train one with "
            f"`inarow train {played} {kind} --out my-model.npz` and play {kind}:model=my-model.npz"
        )
    return path


def load_model(path: Path, kind: str, played: Game) -> Any:
    """Return the model of a file, cached until the file changes. Raises `ModelError` for another kind or game."""
    try:
        status = path.stat()
    except OSError:
        raise ModelError(f"there is no model file {printable(str(path))}") from None
    key = (path.absolute(), status.st_mtime_ns, status.st_size)
    with _lock:
        if key not in _read:
            for old in [known for known in _read if known[0] == key[0]]:
                del _read[old]
            with ModelFile(path) as file:
                _read[key] = (file.header["kind"], *read_model(file))
        found, board, model = _read[key]
    if found != kind:
        raise ModelError(f"{path} is a model of {found}, not of {kind}; play {found}:model={path}")
    if board != played:
        raise ModelError(f"{path} was trained on {board} and can't play {played}")
    return model


class Card(NamedTuple):
    """Facts about a shipped model that are not in its file."""

    name: str
    train: str
    """The command that trained it."""
    slim: str
    """The command that slimmed it for shipping."""
    note: str
    sha256: str
    graded: Mapping[str, Mapping[str, int]]
    """The accuracy of each agent that plays with it, by spec: ``positions``, all of Tic Tac Toe or six classes of
    Connect 4; those where its move keeps the game's value (``kept``), and has the best score (``perfect``)."""

    @property
    def path(self) -> Path:
        """The shipped file."""
        return SHIPPED / f"{self.name}.npz"


def cards() -> dict[str, Card]:
    """Return the cards of all shipped models by name."""
    found = json.loads((SHIPPED / "cards.json").read_text(encoding="utf-8"))
    return {name: Card(name, **card) for name, card in found.items()}


def named_model(given: str) -> Path:
    """Return the path of a model given by path, or by the name of a shipped one."""
    if not Path(given).exists() and given in (known := cards()):
        return known[given].path
    return Path(given)


def trained(path: Path) -> dict[str, Any]:
    """Return the training settings stored in a file: ``spec``, ``episodes``, ``opponents``, ``seed``."""
    with ModelFile(path) as file:
        header = file.header
    names = ("spec", "episodes", "seed")
    training = header.get("training", {})
    opponents = [stage for run in (*training.get("earlier", []), training) for stage in run.get("opponents", [])]
    return {**{name: header[name] for name in names}, "opponents": opponents}


def read_model(file: ModelFile) -> tuple[Game, Any]:
    """Return the game and the model of an open file."""
    try:
        board = game(file.header["game"])
    except InarowError as error:
        raise ModelError(f"{file.path}: {error}") from None
    kind = file.header["kind"]
    if kind not in KINDS:
        return board, load_class(MODELS, kind, Model, "kind").read(file, board)
    return board, (read_network if kind == "ntuple" else read_qtable)(file, board)


KEPT_MEMORY = 200_000
"""Number of entries of a network's memory to keep."""


def slimmed(source: Path, target: Path, visits: int = 0) -> None:
    """Write a smaller model: the positions of a table visited at least ``visits`` times, or a network's weights at half
    precision with the memory entries that learnt most. The history is kept."""
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
        raise ModelError(f"{source} has no visit counts; it has been slimmed already")
    else:
        keys, values, met = model.rows()
        keep = met.sum(axis=1) >= visits
        if not keep.any():
            raise ModelError(f"no position in {source} has {visits} visits; the maximum is {met.sum(axis=1).max()}")
        arrays = {"keys": keys[keep], "values": values[keep]}
    for name in ("format", "version"):
        header.pop(name)
    save(target, header, arrays)


def half_weights(network: Network, traces: NDArray[np.float32] | None) -> NDArray[np.float16]:
    """Return the weights at half precision, keeping only the memory entries that learnt most (by ``traces``)."""
    most = float(np.finfo(np.float16).max)  # far above any learnt weight
    half = np.clip(network.weights, -most, most).astype(np.float16)
    entries = network.layout.memory
    if traces is not None and 2 * entries > KEPT_MEMORY:
        learnt = traces[:, -entries:, 1]
        least = np.partition(learnt, -KEPT_MEMORY, axis=None)[-KEPT_MEMORY]
        half[:, -entries:][learnt < least] = 0
    return half
