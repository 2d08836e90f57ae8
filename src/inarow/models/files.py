"""Model files: ``.npz`` archives of plain arrays, one of them a JSON header, written atomically.

Files are untrusted: no pickles, every array's dtype and shape is validated before memory is allocated for it, and so is
the training history.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Self

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from inarow.errors import InarowError
from inarow.paths import binary_writer
from inarow.plugins import MODELS, plugins
from inarow.rules import Game

LARGEST = 2**63 - 1


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -LARGEST <= value <= LARGEST


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST


def _has(value: object, check: Callable[[object], bool], *names: str) -> bool:
    """Return True if this is a mapping whose values of these names (by default all) pass a check."""
    return isinstance(value, dict) and all(check(value.get(name)) for name in names or value)


def _is_evaluation(entry: object) -> bool:
    return (
        isinstance(entry, dict)
        and _has(entry, _is_count, "episodes", "wins", "draws", "losses", "entries", "bytes")
        and _has(entry, _is_number, "plies", "reward", "error")
        and _has(entry.get("matches", {}), _are_results)
        and _has(entry.get("truth", {}), _is_number)
    )


def _are_results(by_seat: object) -> bool:
    """Return True if these are valid results against an opponent, by seat."""
    return (
        isinstance(by_seat, dict)
        and 0 < len(by_seat.keys() & {"first", "second"}) == len(by_seat)
        and _has(by_seat, lambda counts: _has(counts, _is_count, "wins", "draws", "losses"))
    )


def _is_time(entry: object) -> bool:
    return _has(entry, _is_count, "episodes") and _has(entry, lambda n: _is_number(n) and n >= 0, "seconds")  # type: ignore[operator]


def history_fault(header: Mapping[str, Any]) -> str | None:
    """Return the first error in the history or timing of a header, or None if they are valid."""
    history, timing = header.get("history"), header.get("timing", [])
    if not isinstance(history, list) or not isinstance(timing, list):
        return "its history and timing must be lists"
    for number, entry in enumerate(history, 1):
        if not _is_evaluation(entry):
            return f"entry {number} of its history is not an evaluation"
    episodes = [entry["episodes"] for entry in history]
    if episodes != sorted(set(episodes)) or (episodes and episodes[-1] > header["episodes"]):
        return "the episodes of its history do not increase up to those of the training"
    for number, entry in enumerate(timing, 1):
        if not _is_time(entry):
            return f"entry {number} of its timing lacks episodes or seconds"
    if timing and [entry["episodes"] for entry in timing] != episodes:
        return "its timing does not match its history"
    return None


def training_fault(training: object) -> str | None:
    """Return the first error in a header's description of the training (except its history), or None."""
    if not isinstance(training, dict):
        return "its training is not described"
    earlier = training.get("earlier", [])
    if not isinstance(earlier, list) or not all(
        _has(one, _is_count, "episodes") and isinstance(one.get("spec"), str) for one in earlier
    ):
        return "its earlier trainings are not described"
    for one in (training, *earlier):
        stages = one.get("opponents", [])
        if not isinstance(stages, list) or not all(isinstance(stage, str) for stage in stages):
            return "its opponents are not names"
    return None


VERSION = 1
MAX_HEADER = 16 << 20
MAX_ARRAY = 1 << 30
MAX_NPY_HEADER = 1024
KINDS = ("qlearning", "ntuple")
"""Built-in kinds of models; plugins add others."""


class ModelError(InarowError):
    """The model can't be made, or the file is not a valid model."""


def save(path: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a model atomically: on failure the previous file stays."""
    text = json.dumps({"format": "inarow model", "version": VERSION, **header}, ensure_ascii=False)
    data = text.encode("utf-8", "backslashreplace")  # file names may not be valid Unicode
    if len(data) > MAX_HEADER:
        raise ModelError(f"{path} can't be written: its history is over {MAX_HEADER:,} bytes; evaluate less often")
    with binary_writer(path, ModelError) as out:
        write_arrays(out, {"header": np.frombuffer(data, np.uint8), **arrays})


def write_arrays(out: BinaryIO, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write an .npz archive without timestamps, so that equal models give equal bytes."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            data = io.BytesIO()
            npy.write_array(data, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), data.getvalue(), zipfile.ZIP_DEFLATED)


class ModelFile:
    """A model file opened for reading. The header is validated when it is opened, an array when it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            if path.exists() and not path.is_file():
                raise ModelError(f"{path} is not a file; give a model written by `inarow train`")
            self._archive = zipfile.ZipFile(path)
        except ModelError:
            raise
        except Exception as error:  # zipfile raises exceptions of any kind for damaged data
            raise ModelError(self._refusal(error)) from None
        try:
            self.header = self._read_header()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> ModelFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._archive.close()

    def _refusal(self, error: BaseException) -> str:
        """Return why the file can't be read."""
        if isinstance(error, FileNotFoundError):
            return f"there is no model file {self.path}"
        if isinstance(error, OSError):
            return f"{self.path} can't be read: {error.strerror or error}"
        with self.path.open("rb") as file:
            start = file.read(2)
        looks = "it is not an .npz archive"
        if start == b"PK":
            looks = "its archive is damaged"
        elif start[:1] == b"\x80":
            looks = "it looks like a pickle, and pickles are never loaded"
        return f"{self.path} is not a model file, or is truncated: {looks}"

    def _read_header(self) -> dict[str, Any]:
        raw = self.array("header", np.uint8, (None,), most=MAX_HEADER)
        try:
            header = json.loads(raw.tobytes().decode(), parse_constant=_no_constant)
        except (ValueError, RecursionError):
            raise ModelError(f"{self.path}: the header is not JSON; the file is damaged") from None
        if not isinstance(header, dict) or header.get("format") != "inarow model":
            raise ModelError(f"{self.path} is an archive, but not a model of inarow")
        version = header.get("version")
        if not isinstance(version, int) or not 1 <= version <= VERSION:
            raise ModelError(
                f"{self.path} has version {version}; this inarow reads versions up to {VERSION}: update it"
            )
        known = (*KINDS, *plugins(MODELS))
        if header.get("kind") not in known:
            raise ModelError(f"{self.path}: {header.get('kind')!r} is not a kind of model; known: {', '.join(known)}")
        for name, kind in (("game", str), ("spec", str), ("seed", int), ("episodes", int), ("history", list)):
            if not isinstance(header.get(name), kind):
                raise ModelError(f"{self.path}: the header has an invalid {name}: {header.get(name)!r:.40}")
        if isinstance(header["episodes"], bool) or not 0 <= header["episodes"] < 2**63:
            raise ModelError(f"{self.path}: the header has an invalid number of episodes: {header['episodes']!r:.40}")
        if (fault := training_fault(header.get("training", {})) or history_fault(header)) is not None:
            raise ModelError(f"{self.path}: {fault}; the file is damaged or was edited")
        return header

    def has(self, name: str) -> bool:
        """Return True if the file has an array of this name."""
        return f"{name}.npy" in self._archive.namelist()

    def array(
        self, name: str, kind: type[np.generic], shape: tuple[int | None, ...], most: int = MAX_ARRAY
    ) -> NDArray[Any]:
        """Return an array of this dtype and shape (None: any length); anything else is rejected before it is loaded."""
        if not self.has(name):
            raise ModelError(f"{self.path}: the array {name} is missing; the model is incomplete")
        member = self._archive.getinfo(f"{name}.npy")
        try:
            with self._archive.open(member) as file:
                if npy.read_magic(file) != (1, 0):
                    raise ValueError("an unknown version of NumPy's format")
                found, by_columns, dtype = npy.read_array_header_1_0(file, MAX_NPY_HEADER)
                begin = file.tell()
            size = math.prod(found) * dtype.itemsize
            fits = len(found) == len(shape) and all(
                want in (None, have) for have, want in zip(found, shape, strict=True)
            )
            wrong = (
                "is pickled, and pickles are never loaded" if dtype.hasobject
                else f"has dtype {dtype}, expected {np.dtype(kind)}" if dtype != np.dtype(kind)
                else f"has shape {found}, expected {_format_shape(shape)}" if not fits
                else f"would take {size:,} bytes; at most {most:,} are allowed" if size > most
                else f"does not have the {size:,} bytes that it declares; the file is damaged"
                if begin + size != member.file_size
                else "has a memory layout that inarow never writes" if by_columns
                else ""
            )  # fmt: skip
            if wrong:
                raise ModelError(f"{self.path}: {name} {wrong}")
            with self._archive.open(member) as file:
                return npy.read_array(file, allow_pickle=False, max_header_size=MAX_NPY_HEADER)
        except ModelError:
            raise
        except Exception as error:  # zipfile and NumPy raise exceptions of any kind for damaged data
            raise ModelError(f"{self.path}: {name} can't be read: {error}") from None


class Model(ABC):
    """A plugin's model, made from the output of `Learner.header` and `Learner.arrays`."""

    kind: ClassVar[str]
    """The name of the agent that plays it; the header of a file names it."""

    @classmethod
    @abstractmethod
    def read(cls, file: ModelFile, game: Game) -> Self:
        """Read the model of a file. Raises `ModelError` if the file is invalid."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of entries: positions or weights."""

    def facts(self) -> dict[str, int]:
        """Return further facts for `inarow model show`, such as its size in memory."""
        return {}

    @abstractmethod
    def slim(self, visits: int) -> dict[str, NDArray[Any]]:
        """Return the arrays needed to play, without positions visited less than ``visits`` times."""


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is not JSON")


def _format_shape(shape: tuple[int | None, ...]) -> str:
    return f"({', '.join('any' if n is None else str(n) for n in shape)})"
