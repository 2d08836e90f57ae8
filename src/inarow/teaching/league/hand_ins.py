"""What was handed in, as the files of one agent: Python files, folders, archives and notebooks.

Nothing is executed or written. Archives are unpacked in memory, within the limits that folders have. An agent is
identified by its content alone, not by its author, its name or its location.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from inarow.agents.external import current
from inarow.agents.external.staging import (
    LEFT_OUT,
    MOST_BYTES,
    MOST_DEPTH,
    MOST_FILES,
    Declared,
    Snapshot,
    choose_entry,
    read_files,
)
from inarow.agents.file import File, refuse_unsafe
from inarow.agents.parameters import AgentError

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz")
NOTEBOOK = ".ipynb"
KINDS = (".py", NOTEBOOK, *ARCHIVES)
_DIRECTORY_BYTES = 1 << 20
"""The largest list of files that a zip archive may have."""
_NESTED_ARCHIVES = 3
_KEPT_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun")
"""Cells that begin with one of these are Python."""

_DAMAGED = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, OSError, ValueError, RuntimeError)
"""What reading a damaged or unusual archive raises."""

Files = Mapping[str, bytes]
"""Content by path, with ``/`` between folders."""


def is_junk(name: str) -> bool:
    """Return True for what systems leave in folders and archives: hidden files, caches, thumbnails."""
    return name.startswith(".") or name in (*LEFT_OUT, "__MACOSX", "Thumbs.db", "desktop.ini")


def kind_of(name: str) -> str:
    """Return the suffix in lower case by which a file's kind is known; empty if it can't be used."""
    return next((suffix for suffix in KINDS if name.lower().endswith(suffix)), "")


def title_of(name: str) -> str:
    """Return what a hand-in is called: its name without the suffix, and without what Moodle appends."""
    stem = name[: len(name) - len(kind_of(name))]
    return re.sub(r"_\d+_assignsubmission_\w*$", "", stem) or name


def take_in(path: Path) -> Snapshot:
    """Read a hand-in. Raises `AgentError` with the reason if it can't be used."""
    files = read_files(path)
    if not path.is_dir() and not kind_of(path.name):
        kind = f"a {path.suffix.lower()} file" if path.suffix else "a file without a suffix"
        hint = "; rename it to .py if it is Python" if path.suffix.lower() == ".txt" else ""
        raise AgentError(
            f"{kind} can't be used: a .py file, a folder, a notebook (.ipynb) or an archive ({', '.join(ARCHIVES)}) "
            f"was expected{hint}"
        )
    return _project(files, path.name)


def _project(files: Files, name: str) -> Snapshot:
    """Find the one project among files: descend into folders and archives while there is only one to choose."""
    files = _without_junk(files)
    folder, archives = name, 0
    while True:
        if any(kind_of(at) == ".py" for at in files if "/" not in at):
            found = {_lower(at): data for at, data in files.items()}
            return Snapshot(choose_entry(found, Path(folder)), tuple(sorted(found.items())))
        usable = sorted({at.partition("/")[0] for at in files if kind_of(at)})
        if len(usable) != 1:
            said = f"has {', '.join(usable[:5])}; hand in one of them" if usable else "has no Python file"
            raise AgentError(f"{name} {said}")
        (folder,) = usable
        if folder not in files:
            files = {at.partition("/")[2]: data for at, data in files.items() if at.startswith(f"{folder}/")}
        elif kind_of(folder) == NOTEBOOK:
            return Snapshot("agent.py", (("agent.py", notebook_source(files[folder], folder)),))
        else:
            archives += 1
            if archives > _NESTED_ARCHIVES:
                raise AgentError(f"{name} has archives nested more than {_NESTED_ARCHIVES} deep")
            files = _without_junk(dict(unpack(files[folder], folder)))


def _without_junk(files: Files) -> dict[str, bytes]:
    return {name: data for name, data in files.items() if not any(map(is_junk, PurePosixPath(name).parts))}


def _lower(name: str) -> str:
    """Return the name with the suffix that Python imports."""
    return f"{name[:-3]}.py" if kind_of(name) == ".py" else name


def unpack(data: bytes, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an archive. Raises `AgentError` if it is damaged, too large or has unsafe names or links."""
    try:
        size = count = 0
        for member, content in _zip(data, name) if kind_of(name) == ".zip" else _tar(data, name):
            parts = PurePosixPath(member).parts
            if "\\" in member or "\0" in member or ":" in member or member.startswith("/") or ".." in parts:
                raise AgentError(f"{name} has the unsafe file name {member!r:.60}")
            if len(parts) > MOST_DEPTH:
                raise AgentError(f"{name} has folders nested more than {MOST_DEPTH} deep")
            size, count = size + len(content), count + 1
            if count > MOST_FILES or size > MOST_BYTES:
                raise _too_large(name)
            yield str(PurePosixPath(member)), content
    except AgentError:
        raise
    except _DAMAGED as error:
        raise AgentError(f"{name} can't be unpacked: {str(error) or type(error).__name__}") from None


def _too_large(name: str) -> AgentError:
    return AgentError(f"{name} unpacks to more than {MOST_FILES} files or {MOST_BYTES >> 20} MB")


def _zip(data: bytes, name: str) -> Iterator[tuple[str, bytes]]:
    end = data.rfind(b"PK\5\6")
    if end >= 0 and int.from_bytes(data[end + 12 : end + 16], "little") > _DIRECTORY_BYTES:
        raise _too_large(name)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            if info.is_dir():
                continue
            if stat.S_ISLNK(info.external_attr >> 16):
                raise AgentError(f"{name} has the link {info.filename!r:.60}; an archive must hold its files itself")
            if info.flag_bits & 1:
                raise AgentError(f"{name} is encrypted")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise AgentError(f"{name} is compressed in an unusual way; make a usual .zip archive")
            with archive.open(info) as file:
                yield info.filename, file.read(MOST_BYTES + 1)


def _tar(data: bytes, name: str) -> Iterator[tuple[str, bytes]]:
    if kind_of(name) != ".tar":
        with gzip.open(io.BytesIO(data)) as packed:
            data = packed.read(2 * MOST_BYTES)
            if packed.read(1):
                raise _too_large(name)
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        for member in archive:
            if member.isdir():
                continue
            if not member.isreg() or member.issparse():
                raise AgentError(f"{name} has {member.name!r:.60}, which is a link or not a file")
            file = archive.extractfile(member)
            assert file is not None
            yield member.name, file.read(MOST_BYTES + 1)


def notebook_source(data: bytes, name: str) -> bytes:
    """Return the code cells of a Jupyter notebook as one program; commands of IPython are left out."""
    try:
        cells = json.loads(data)["cells"]
        sources = [_text(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise AgentError(f"{name} is not a Jupyter notebook of format 4") from None
    python = [text for text in sources if not text.startswith("%%") or text.startswith(_KEPT_MAGICS)]
    program = "\n\n".join(re.sub(r"^(\s*)([%!].*)$", r"\1pass  # \2", text, flags=re.MULTILINE) for text in python)
    if not program.strip():
        raise AgentError(f"{name} has no code cells")
    return program.encode(errors="replace") + b"\n"


def _text(source: Any) -> str:
    return source if isinstance(source, str) else "".join(source)


ENTRY = "agent.py"
"""What the only file of a hand-in is called when it plays: its own name could decide how it plays."""


@dataclass(frozen=True)
class HandIn(File):
    """A file or folder whose stored results are found by its content, so that identical hand-ins share them."""

    name = "hand-in"
    summary = "a file or folder that was handed in to a league"

    @classmethod
    def made_of(cls, snapshot: Snapshot) -> HandIn:
        """Make an agent of files that have been read, under the current policy. Nothing in them is parsed here."""
        if len(snapshot.files) == 1:
            snapshot = Snapshot(ENTRY, ((ENTRY, snapshot.files[0][1]),))
        policy = current()
        refuse_unsafe(policy)
        agent = object.__new__(cls)
        agent.__setstate__({"path": ENTRY, "given": "", "values": {}, "policy": policy, "snapshot": snapshot})
        return agent

    @property
    def spec(self) -> str:
        return f"hand-in@{self.digest[:12]}"

    @property
    def label(self) -> str:
        return self.spec

    @cached_property
    def declared(self) -> Declared:
        return Declared()

    @cached_property
    def identity(self) -> str:
        names = self.policy.packages
        packages = " with any package" if names is None else "".join(f" with {name}" for name in sorted(names))
        return f"hand-in#{self.digest}{packages}" + (" with solvers" if self.policy.allow_solver else "")
