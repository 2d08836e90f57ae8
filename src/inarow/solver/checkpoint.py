"""Checkpoints: the costly entries of a solver's transposition table in a file, so that a long search can be resumed.

The file is one line of JSON (the manifest) and a body: the scattered keys of the positions (see `kernels.solver.solve`)
in 8 bytes each, then their entries in 4 bytes each. Neither depends on the size of the table.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np

from inarow.errors import InarowError
from inarow.kernels.solver.solve import VALUE_BITS, WORK, Search
from inarow.paths import parse_json, write_bytes
from inarow.solver.engine import Engine

FORMAT = "inarow checkpoint"
LEAST_WORK = 4
"""Entries that took fewer than 4**LEAST_WORK / 2 nodes are omitted: searching again is faster than reading."""
_CHUNK = 1 << 24


class CheckpointError(InarowError):
    """The checkpoint is damaged or of another game, or the game does not support checkpoints."""


def _search_of(engine: Engine) -> Search:
    search = engine.searches[0]
    if not isinstance(search, Search):
        raise CheckpointError(f"{engine.game} has no checkpoints; they are for boards with gravity")
    return search


def write_checkpoint(engine: Engine, path: Path) -> int:
    """Write the costly entries of the table; return their number."""
    search = _search_of(engine)
    tag_bits = search.tag_bits
    keys, values = [], []
    used = engine.table[: 2 * ((search.key_mask >> tag_bits) + 1)]
    for start in range(0, len(used), _CHUNK):
        words = used[start : start + _CHUNK]
        now = words >> (VALUE_BITS + tag_bits) == engine.generation
        at = np.flatnonzero(now & ((words >> WORK) & 31 >= LEAST_WORK))
        keys.append(((start + at) >> 1 << tag_bits) | ((words[at] >> VALUE_BITS) & ((1 << tag_bits) - 1)))
        values.append((words[at] & ((1 << VALUE_BITS) - 1)).astype(np.int32))
    body = np.concatenate(keys).astype("<i8").tobytes() + np.concatenate(values).astype("<i4").tobytes()
    digest = hashlib.sha256(body).hexdigest()
    manifest = {"format": FORMAT, "game": engine.game.name, "positions": len(body) // 12, "sha256": digest}
    write_bytes(path, json.dumps(manifest).encode() + b"\n" + body, CheckpointError)
    return len(body) // 12


def read_checkpoint(engine: Engine, path: Path) -> int:
    """Replace what the table holds by the entries of a checkpoint; return their number."""
    tag_bits = _search_of(engine).least_tag_bits
    try:
        with path.open("rb") as file:
            head, body = file.readline(10_000), file.read()
    except OSError as error:
        raise CheckpointError(f"the checkpoint {path} can't be read: {error.strerror}") from None
    try:
        manifest = parse_json(head)
        game, digest, count = manifest["game"], manifest["sha256"], len(body) // 12
    except (ValueError, TypeError, KeyError):
        raise CheckpointError(f"{path} is not a checkpoint: it does not start with a manifest") from None
    if manifest.get("format") != FORMAT or hashlib.sha256(body).hexdigest() != digest:
        raise CheckpointError(f"the checkpoint {path} is damaged: its checksum does not match")
    if game != engine.game.name:
        raise CheckpointError(f"the checkpoint {path} is of {game}, not of {engine.game}")
    engine.use_whole_table()
    keys = np.frombuffer(body, "<i8", count)
    values = np.frombuffer(body, "<i4", count, offset=8 * count).astype(np.int64)
    stamps = (engine.generation << tag_bits) | (keys & ((1 << tag_bits) - 1))
    engine.table[keys >> tag_bits << 1] = (stamps << VALUE_BITS) | values
    return count
