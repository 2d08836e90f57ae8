"""Recorded calls of kernels: arguments, results, and what was written to arrays; and their replay.

One file holds them all (``tests/data/kernel-calls.npz``). Arrays are stored once, whichever calls share them; what a
call wrote is stored as the changed elements. `support.record_calls` makes the file.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from support.recorded_adapters import MOVED, RENAMED, SCRATCH, adapted

FILE = Path(__file__).parents[1] / "data" / "kernel-calls.npz"
Arrays = list[NDArray[Any]]
GONE = {
    "inarow.kernels.qlearning.arguments:Board": (7,),
    "inarow.kernels.qlearning.arguments:Exploration": (1,),
    "inarow.kernels.qlearning.arguments:Learning": (6,),
    "inarow.kernels.ntuple.arguments:Settings": (9, 8),
}
"""Fields of recorded tuples that there are no more; they were off in every recorded call."""


def encode(value: Any, arrays: Arrays) -> Any:
    """Convert a value to JSON; arrays are added to ``arrays``, each once."""
    if isinstance(value, np.ndarray):
        return {"array": _number(value, arrays)}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        name = f"{type(value).__module__}:{type(value).__qualname__}"
        return {"tuple": name, "fields": [encode(part, arrays) for part in value]}
    if isinstance(value, tuple):
        return {"tuple": "", "fields": [encode(part, arrays) for part in value]}
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (float, np.floating)):
        return {"float": float(value).hex()}
    if value is None:
        return None
    return int(value)


def _number(array: NDArray[Any], arrays: Arrays) -> int:
    for number, known in enumerate(arrays):
        if known is array or (known.ctypes.data == array.ctypes.data and known.size == array.size > 0):
            return number
    arrays.append(array)
    return len(arrays) - 1


def decode(value: Any, arrays: Arrays) -> Any:
    """Convert JSON back to a value."""
    if not isinstance(value, dict):
        return value
    if "array" in value or "handle" in value:
        return arrays[value["array"] if "array" in value else value["handle"]]
    if "float" in value:
        return float.fromhex(value["float"])
    fields = [decode(part, arrays) for part in value["fields"]]
    if not value["tuple"]:
        return tuple(fields)
    module, _, name = value["tuple"].partition(":")
    home = importlib.import_module(MOVED.get(value["tuple"], MOVED.get(module, module)))
    kind = getattr(home, RENAMED.get(name, name))
    for place in GONE.get(value["tuple"], ()):
        del fields[place]
    return tuple(fields) if hasattr(kind, "__struct__") else kind(*fields)  # a record now: see `recorded_adapters`


def changed(before: NDArray[Any], after: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return the indices of the elements that differ in any byte, and their bytes afterwards."""
    old, new = (np.ascontiguousarray(a).reshape(-1).view(np.uint8).reshape(-1, a.itemsize) for a in (before, after))
    places = np.flatnonzero((old != new).any(axis=1)).astype(np.int32)
    return places, new[places]


class Writer:
    """Collects calls and stores each array once."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self._pool: dict[str, NDArray[Any]] = {}

    def _store(self, array: NDArray[Any]) -> str:
        content = f"{array.dtype} {array.shape} ".encode() + array.tobytes()
        name = hashlib.sha256(content).hexdigest()[:16]
        self._pool[name] = array.copy()
        return name

    def add(self, kernel: str, arguments: Any, result: Any, before: Arrays, after: Arrays) -> None:
        """Add a call with the arrays before and after it."""
        changes = []
        for old, new in zip(before, after, strict=True):
            places, content = changed(old, new)
            changes.append([self._store(places), self._store(content)] if places.size else [])
        arrays = [self._store(array) for array in before]
        call = {"kernel": kernel, "arguments": arguments, "result": result, "arrays": arrays, "changes": changes}
        self.calls.append(call)

    def keep_others(self, recorded: Recorded) -> None:
        """Add the calls of a file whose kernels have not been recorded anew."""
        known = {call["kernel"] for call in self.calls}
        for call in recorded.calls:
            if call["kernel"] not in known:
                self.calls.append(call)
                names = [*call["arrays"], *(name for change in call["changes"] for name in change)]
                self._pool |= {name: recorded.pool[name] for name in names}

    def save(self, path: Path) -> None:
        """Write the file."""
        text = np.frombuffer(json.dumps(self.calls).encode(), np.uint8)
        np.savez_compressed(path, calls=text, **self._pool)  # type: ignore[arg-type]


class Recorded:
    """The recorded calls of a file."""

    def __init__(self, path: Path = FILE) -> None:
        with np.load(path) as file:
            self.pool = {name: file[name] for name in file.files}
        self.calls: list[dict[str, Any]] = json.loads(self.pool["calls"].tobytes())

    def kernels(self) -> dict[str, list[dict[str, Any]]]:
        """The calls by the name of their kernel."""
        found: dict[str, list[dict[str, Any]]] = {}
        for call in self.calls:
            found.setdefault(call["kernel"], []).append(call)
        return found

    def arguments(self, call: dict[str, Any]) -> tuple[Arrays, list[Any]]:
        """Return new arrays for a call, and its arguments as they were recorded."""
        arrays = [self.pool[array].copy() for array in call["arrays"]]
        return arrays, [decode(value, arrays) for value in call["arguments"]]

    def replay(self, call: dict[str, Any]) -> None:
        """Call the kernel as recorded; raises AssertionError unless result and arrays are equal bit for bit."""
        module, _, name = call["kernel"].rpartition(".")
        arrays, given = self.arguments(call)
        given, write_back = adapted(call["kernel"], given)
        result = getattr(importlib.import_module(MOVED.get(module, module)), name)(*given)
        write_back()
        found = encode(result, [])
        assert found == call["result"], f"{call['kernel']} returned {found} instead of {call['result']}"
        for number, array in enumerate(arrays):
            places, content = changed(self.pool[call["arrays"][number]], array)
            names = call["changes"][number]
            wanted = (self.pool[names[0]], self.pool[names[1]]) if names else (places[:0], content[:0])
            last = SCRATCH[call["kernel"]][1] if number == SCRATCH.get(call["kernel"], (-1, 0))[0] else array.size
            same = np.array_equal(places[places < last], wanted[0][wanted[0] < last]) and np.array_equal(
                content[places < last], wanted[1][wanted[0] < last]
            )
            assert same, f"{call['kernel']} wrote something else to array {number} of its arguments"
