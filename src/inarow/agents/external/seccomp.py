"""A filter of system calls (seccomp): no new processes, no network, no signals to others, nothing unknown.

The filter is a list of what is allowed. A call outside of it fails with ENOSYS, as on a kernel without it, or with
EPERM where Python then raises a `PermissionError` that its author can understand.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import signal
import struct
import sys
from collections.abc import Sequence

from inarow.agents.external import syscalls

_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06  # BPF: load a word, jump if equal, jump if a bit is set
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16  # offsets into struct seccomp_data
_CLONE_THREAD = 0x10000
_MSG_OOB = 1
_MAP_SHARED, _MAP_ANONYMOUS = 0x01, 0x20
_O_TMPFILE = 0x400000  # a file without a name, which nobody could count
_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # is it a terminal, its size, bytes to read, flags
_FCNTLS = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032)  # duplicate, flags, locks: not F_SETOWN, which sends signals
_PRCTLS = (15, 16, 0x53564D41)  # the name of a thread, names of memory
_PR_SET_SECCOMP, _MODE_FILTER, _PR_SET_NO_NEW_PRIVS = 22, 2, 38

_Instruction = tuple[int, int, int, int]
_ITSELF: _Instruction = (_EQUAL, 1, 0, 0xFFFFFFFF)  # its number is put in when the process is known


def available() -> bool:
    """Whether this kernel filters system calls, and their numbers are known for this processor."""
    if sys.platform != "linux" or platform.machine() not in syscalls.MACHINES:
        return False
    with open("/proc/self/status", encoding="utf-8") as lines:  # noqa: PTH123
        return any(line.startswith("Seccomp:") for line in lines)


class Program:
    """The filter as the kernel reads it; only the id of its process is filled in later."""

    def __init__(self, machine: str | None = None) -> None:
        machine = machine or platform.machine()
        code = [_load(_MACHINE), (_EQUAL, 1, 0, syscalls.MACHINES[machine][0]), (_RETURN, 0, 0, _KILL), _load(_NUMBER)]
        for name, number in syscalls.checked(machine).items():
            rule = _rule(name)
            code += [(_EQUAL, 0, len(rule), number), *rule]
        for number in sorted(syscalls.allowed(machine).values()):
            code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
        for number in sorted(syscalls.refused(machine).values()):
            code += [(_EQUAL, 0, 1, number), _error(errno.EPERM)]
        code.append(_error(errno.ENOSYS))
        self.instructions = b"".join(struct.pack("HBBI", *instruction) for instruction in code)
        self.itself = [4 + 8 * at for at, instruction in enumerate(code) if instruction == _ITSELF]

    def restrict(self, library: ctypes.CDLL) -> None:
        """Put the filter on this process, permanently; its only thread is the caller."""
        code = ctypes.create_string_buffer(self.instructions, len(self.instructions))
        for at in self.itself:
            struct.pack_into("I", code, at, os.getpid())
        head = struct.pack("HxxxxxxP", len(self.instructions) // 8, ctypes.addressof(code))
        if library.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or library.prctl(_PR_SET_SECCOMP, _MODE_FILTER, head, 0, 0):
            raise OSError(ctypes.get_errno(), "the filter of system calls was refused")


def _rule(name: str) -> list[_Instruction]:
    """What decides a call by its arguments."""
    match name:
        case "open" | "openat":
            flags = _argument(1 if name == "open" else 2)
            return [flags, (_ANY_BIT, 0, 1, _O_TMPFILE), _error(errno.EOPNOTSUPP), (_RETURN, 0, 0, _ALLOW)]
        case "kill":  # itself, but not in a way that looks as if others had killed or stopped it
            return [_argument(0), _ITSELF, _error(errno.EPERM), *_refuse(1), (_RETURN, 0, 0, _ALLOW)]
        case "tgkill":
            return [_argument(0), _ITSELF, _error(errno.EPERM), *_refuse(2), (_RETURN, 0, 0, _ALLOW)]
        case "sendto":  # not out-of-band data, which could make the other end wait
            return [_argument(3), (_ANY_BIT, 0, 1, _MSG_OOB), _error(errno.EPERM), (_RETURN, 0, 0, _ALLOW)]
        case "mmap":  # no memory that is shared with nobody: it is not counted as data
            anonymous, shared = (_ANY_BIT, 0, 2, _MAP_ANONYMOUS), (_ANY_BIT, 0, 1, _MAP_SHARED)
            return [_argument(3), anonymous, shared, _error(errno.ENOMEM), (_RETURN, 0, 0, _ALLOW)]
        case "clone":
            return [_argument(0), (_ANY_BIT, 1, 0, _CLONE_THREAD), _error(errno.EPERM), (_RETURN, 0, 0, _ALLOW)]
        case "prlimit64":  # its own limits, to read them
            new = [*_unless(2, 0), _load(_ARGUMENTS + 20), (_EQUAL, 1, 0, 0), _error(errno.EPERM)]
            return [*_unless(0, 0), *new, (_RETURN, 0, 0, _ALLOW)]
        case "ioctl":
            return [_argument(1), *_one_of(_IOCTLS), _error(errno.ENOTTY)]
        case "fcntl":
            return [_argument(1), *_one_of(_FCNTLS), _error(errno.EPERM)]
        case "prctl":
            return [_argument(0), *_one_of(_PRCTLS), _error(errno.EPERM)]
    raise ValueError(f"no rule decides {name}")


def _load(offset: int) -> _Instruction:
    return _LOAD, 0, 0, offset


def _argument(index: int) -> _Instruction:
    """The lower half of an argument: both machines are little-endian."""
    return _load(_ARGUMENTS + 8 * index)


def _error(code: int) -> _Instruction:
    return _RETURN, 0, 0, _ERROR | code


def _unless(index: int, wanted: int) -> list[_Instruction]:
    return [_argument(index), (_EQUAL, 1, 0, wanted), _error(errno.EPERM)]


def _refuse(index: int) -> list[_Instruction]:
    signals = (signal.SIGKILL, signal.SIGSTOP)
    return [_argument(index), *(part for s in signals for part in ((_EQUAL, 0, 1, int(s)), _error(errno.EPERM)))]


def _one_of(values: Sequence[int]) -> list[_Instruction]:
    return [part for value in values for part in ((_EQUAL, 0, 1, value), (_RETURN, 0, 0, _ALLOW))]
