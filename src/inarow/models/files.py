"""Model files: ``.npz`` archives of plain arrays, one of them a JSON header. Written whole or not at all.

A file may come from anyone, so nothing in it is believed: no pickles, and every array's kind and shape is read and
checked before memory is taken for it.
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from inarow.errors import InarowError

VERSION = 1
MAX_HEADER = 64 << 20
MAX_ARRAY = 2 << 30
KINDS = ("qlearning", "ntuple")


class ModelError(InarowError):
    """A model that can't be made as asked, or a file that can't be used as one."""


def save(path: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a model beside the path and move it there: a failure leaves what was there before."""
    text = json.dumps({"format": "inarow model", "version": VERSION, **header}, ensure_ascii=False)
    words = {"header": np.frombuffer(text.encode(), np.uint8), **arrays}
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.absolute().parent)
    except OSError as error:
        raise ModelError(f"{path} can't be written: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as out:
            _write(out, words)
            out.flush()
            os.fsync(out.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except OSError as error:
        full = " (the disk is full)" if error.errno == errno.ENOSPC else ""
        raise ModelError(f"{path} can't be written: {error.strerror}{full}; what was there before is kept") from None
    finally:
        with contextlib.suppress(OSError):
            Path(name).unlink(missing_ok=True)


def _write(out: BinaryIO, arrays: Mapping[str, NDArray[Any]]) -> None:
    """An .npz archive without the time of writing in it, so that the same model is the same bytes."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            data = io.BytesIO()
            npy.write_array(data, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), data.getvalue(), zipfile.ZIP_DEFLATED)


class ModelFile:
    """A model file opened for reading. The header is read and checked at once, an array when it is asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._archive: zipfile.ZipFile | None = None
        try:
            self._archive = zipfile.ZipFile(path)
            self.header = self._read_header()
        except FileNotFoundError:
            raise ModelError(f"there is no model file {path}") from None
        except OSError as error:
            raise ModelError(f"{path} can't be read: {error.strerror or error}") from None
        except zipfile.BadZipFile:
            raise ModelError(f"{path} is not a model file, or it is cut short: {self._looks()}") from None
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> ModelFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._archive is not None:
            self._archive.close()

    def _looks(self) -> str:
        with self.path.open("rb") as file:
            start = file.read(2)
        if start == b"PK":
            return "the archive's end is missing"
        if start[:1] == b"\x80":
            return "it looks like a pickle, and pickles are never loaded"
        return "it is no .npz archive"

    def _read_header(self) -> dict[str, Any]:
        raw = self.array("header", np.uint8, (None,), most=MAX_HEADER)
        try:
            header = json.loads(raw.tobytes().decode())
        except ValueError:
            raise ModelError(f"{self.path}: the header is not JSON; the file is damaged") from None
        if not isinstance(header, dict) or header.get("format") != "inarow model":
            raise ModelError(f"{self.path} is an archive, but not a model of inarow")
        version = header.get("version")
        if not isinstance(version, int) or not 1 <= version <= VERSION:
            raise ModelError(
                f"{self.path} is of version {version}; this inarow reads versions up to {VERSION}: update it"
            )
        if header.get("kind") not in KINDS:
            raise ModelError(f"{self.path}: {header.get('kind')!r} is no kind of model; known: {', '.join(KINDS)}")
        for name, kind in (("game", str), ("spec", str), ("seed", int), ("episodes", int), ("history", list)):
            if not isinstance(header.get(name), kind):
                raise ModelError(f"{self.path}: the header's {name} is {header.get(name)!r:.40}, which can't be")
        return header

    def has(self, name: str) -> bool:
        """Whether the file has an array of this name."""
        assert self._archive is not None
        return f"{name}.npy" in self._archive.namelist()

    def array(
        self, name: str, kind: type[np.generic], shape: tuple[int | None, ...], most: int = MAX_ARRAY
    ) -> NDArray[Any]:
        """An array of this kind and shape (None: any length); anything else is refused before it is loaded."""
        assert self._archive is not None
        if not self.has(name):
            raise ModelError(f"{self.path}: the array {name} is missing; this is not a whole model")
        try:
            with self._archive.open(f"{name}.npy") as file:
                found, dtype = self._npy_header(name, file)
                if dtype != np.dtype(kind):
                    raise ModelError(f"{self.path}: {name} holds {dtype}, {np.dtype(kind)} was wanted")
                fits = len(found) == len(shape) and all(
                    want is None or have == want for have, want in zip(found, shape, strict=True)
                )
                if not fits:
                    raise ModelError(f"{self.path}: {name} is of shape {found}, {_wanted(shape)} was wanted")
                size = int(np.prod([int(n) for n in found], dtype=object)) * dtype.itemsize
                if size > most:
                    raise ModelError(f"{self.path}: {name} would take {size:,} bytes; at most {most:,} are taken")
                data = file.read(size + 1)
        except (zipfile.BadZipFile, EOFError, OSError, NotImplementedError, RuntimeError) as error:
            raise ModelError(f"{self.path}: {name} can't be read: {error}") from None
        if len(data) != size:
            raise ModelError(f"{self.path}: {name} has not the {size:,} bytes it claims; the file is damaged")
        return np.frombuffer(data, dtype).reshape(found).copy()

    def _npy_header(self, name: str, file: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
        try:
            version = npy.read_magic(file)
            read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            shape, fortran, dtype = read(file)
        except ValueError as error:
            raise ModelError(f"{self.path}: {name} is not an array ({error})") from None
        if dtype.hasobject:
            raise ModelError(f"{self.path}: {name} is pickled, and pickles are never loaded")
        if fortran or any(n < 0 for n in shape):
            raise ModelError(f"{self.path}: {name} is laid out in a way that inarow never writes")
        return shape, dtype


def _wanted(shape: tuple[int | None, ...]) -> str:
    return f"({', '.join('any' if n is None else str(n) for n in shape)})"
