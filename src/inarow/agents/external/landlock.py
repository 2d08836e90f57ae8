"""Landlock: restrict the files that a process may open, permanently and without privileges.

See ``Documentation/userspace-api/landlock.rst`` of Linux. Later versions of the interface also restrict: 2 links
between folders, 3 truncation, 4 TCP, 5 devices, 6 signals and abstract Unix sockets.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterable, Set
from pathlib import Path

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # system calls, the same on all processors
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_MAKE_REG, _TRUNCATE = 1 << 8, 1 << 14
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
READ = _READ_FILE | _READ_DIR
LIST = _READ_DIR
WRITE = _READ_FILE | _WRITE_FILE | _TRUNCATE
"""Rights to read and write an existing file."""
ALL = (1 << 16) - 1
REMOVE_FOLDERS = 1 << 4
SCRATCH = READ | WRITE | _MAKE_REG
"""Rights to create and write files, but not folders, links or sockets, nor to remove files: the size of an open file
that was removed could not be measured."""

Place = tuple[int, int]
"""An open folder or file (``O_PATH``) and the rights beneath it."""


def version(library: ctypes.CDLL) -> int:
    """Return the version of the kernel's interface; 0 if unsupported."""
    return max(0, int(library.syscall(_CREATE, None, 0, 1))) if sys.platform == "linux" else 0


def opened(path: Path | str, rights: int) -> Place | None:
    """Open a path; return None if it does not exist."""
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return None
    is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
    return handle, rights if is_folder else rights & _OF_FILES


def beneath(root: Path, denied: Set[Path]) -> list[Place]:
    """Return rules that allow reading everything below a folder except denied paths; their names remain visible."""
    if not denied.isdisjoint((root, *root.parents)):
        return []
    return _beneath(root, denied, {parent for path in denied for parent in path.parents})


def _beneath(root: Path, denied: Set[Path], above: Set[Path]) -> list[Place]:
    if root in denied:
        return []
    if root not in above:
        return [place for place in [opened(root, READ)] if place is not None]
    places = [place for place in [opened(root, LIST)] if place is not None]
    for entry in sorted(root.iterdir()):
        places += _beneath(entry, denied, above)
    return places


def restrict(library: ctypes.CDLL, abi: int, places: Iterable[Place | None], *, alone: bool = False) -> None:
    """Restrict this process permanently to these places. It can gain no privileges afterwards.

    With ``alone`` it also can't use TCP, send signals, or connect to abstract sockets outside its own sandbox.
    """
    files = (1 << (13 if abi < 2 else 14 if abi < 3 else 15 if abi < 5 else 16)) - 1
    words = [files] + ([3] if abi >= 4 and alone else []) + ([3] if abi >= 6 and alone else [])
    attributes = struct.pack(f"{len(words)}Q", *words)
    rules = int(library.syscall(_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0))
    if rules < 0:
        raise OSError(ctypes.get_errno(), "Landlock rejected the ruleset")
    for place in filter(None, places):
        handle, rights = place
        if library.syscall(_ADD, rules, 1, struct.pack("=Qi", rights & files, handle), 0):
            raise OSError(ctypes.get_errno(), "Landlock rejected a folder")
        os.close(handle)
    if library.prctl(38, 1, 0, 0, 0) or library.syscall(_RESTRICT, rules, 0):
        raise OSError(ctypes.get_errno(), "Landlock could not be enabled")
    os.close(rules)
