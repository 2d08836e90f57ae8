"""A filter of system calls (seccomp): no new processes, no network, no signals to others, no unknown calls.

The filter is an allowlist. Any other call fails with ENOSYS, as on a kernel without it, or with EPERM if Python then
raises an informative `PermissionError`. The numbers of calls come from the kernel's headers, ``asm/unistd_64.h``
(x86-64) and ``asm-generic/unistd.h`` (64-bit ARM).
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

_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06  # BPF: load a word, jump if equal, jump if a bit is set
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16  # offsets into struct seccomp_data
_CLONE_THREAD = 0x10000
_MSG_OOB = 1
_MAP_SHARED, _MAP_ANONYMOUS = 0x01, 0x20
_O_TMPFILE = 0x400000  # an unnamed file, which would not be counted
_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # is it a terminal, its size, bytes to read, flags
_FCNTLS = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032)  # duplicate, flags, locks: not F_SETOWN, which sends signals
_PRCTLS = (15, 16, 0x53564D41)  # the name of a thread, names of memory
_PR_SET_SECCOMP, _MODE_FILTER, _PR_SET_NO_NEW_PRIVS = 22, 2, 38

_Instruction = tuple[int, int, int, int]
_ITSELF: _Instruction = (_EQUAL, 1, 0, 0xFFFFFFFF)  # replaced by the id of the process


def available() -> bool:
    """Return True if this kernel filters system calls, and their numbers are known for this processor."""
    if sys.platform != "linux" or platform.machine() not in MACHINES:
        return False
    with open("/proc/self/status", encoding="utf-8") as lines:  # noqa: PTH123
        return any(line.startswith("Seccomp:") for line in lines)


class Program:
    """The filter as a BPF program; the id of its process is filled in on installation."""

    def __init__(self, machine: str | None = None) -> None:
        machine = machine or platform.machine()
        code = [_load(_MACHINE), (_EQUAL, 1, 0, MACHINES[machine][0]), (_RETURN, 0, 0, _KILL), _load(_NUMBER)]
        for name, number in numbers(CHECKED, machine).items():
            rule = _rule(name)
            code += [(_EQUAL, 0, len(rule), number), *rule]
        for number in sorted(numbers(ALLOWED, machine).values()):
            code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
        for number in sorted(numbers(REFUSED, machine).values()):
            code += [(_EQUAL, 0, 1, number), _error(errno.EPERM)]
        code.append(_error(errno.ENOSYS))
        self.instructions = b"".join(struct.pack("HBBI", *instruction) for instruction in code)
        self.itself = [4 + 8 * at for at, instruction in enumerate(code) if instruction == _ITSELF]

    def restrict(self, library: ctypes.CDLL) -> None:
        """Install the filter on this process permanently; the caller must be its only thread."""
        code = ctypes.create_string_buffer(self.instructions, len(self.instructions))
        for at in self.itself:
            struct.pack_into("I", code, at, os.getpid())
        head = struct.pack("HxxxxxxP", len(self.instructions) // 8, ctypes.addressof(code))
        if library.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or library.prctl(_PR_SET_SECCOMP, _MODE_FILTER, head, 0, 0):
            raise OSError(ctypes.get_errno(), "the filter of system calls was rejected")


def _rule(name: str) -> list[_Instruction]:
    """Return the rule that decides a call by its arguments."""
    match name:
        case "open" | "openat":
            flags = _argument(1 if name == "open" else 2)
            return [flags, (_ANY_BIT, 0, 1, _O_TMPFILE), _error(errno.EOPNOTSUPP), (_RETURN, 0, 0, _ALLOW)]
        case "kill":  # only itself, and not with the signals that count as a disturbance by others
            return [_argument(0), _ITSELF, _error(errno.EPERM), *_refuse(1), (_RETURN, 0, 0, _ALLOW)]
        case "tgkill":
            return [_argument(0), _ITSELF, _error(errno.EPERM), *_refuse(2), (_RETURN, 0, 0, _ALLOW)]
        case "sendto":  # not out-of-band data, which could make the other end wait
            return [_argument(3), (_ANY_BIT, 0, 1, _MSG_OOB), _error(errno.EPERM), (_RETURN, 0, 0, _ALLOW)]
        case "mmap":  # no shared anonymous memory: it is not counted as data
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
    raise ValueError(f"no rule for {name}")


def _load(offset: int) -> _Instruction:
    return _LOAD, 0, 0, offset


def _argument(index: int) -> _Instruction:
    """Return the lower half of an argument: both machines are little-endian."""
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


# Each entry: the name, its number on x86-64, its number on 64-bit ARM (- if it has none).
# Files as far as Landlock allows, memory, threads, time, its own signals, and its connection.
ALLOWED = """
read 0 63, write 1 64, readv 19 65, writev 20 66, pread64 17 67, pwrite64 18 68, preadv 295 69, pwritev 296 70,
close 3 57, close_range 436 436, creat 85 -, lseek 8 62, stat 4 -, fstat 5 80,
lstat 6 -, newfstatat 262 79, statx 332 291, statfs 137 43, fstatfs 138 44, access 21 -,
faccessat 269 48, faccessat2 439 439, readlink 89 -, readlinkat 267 78, getdents 78 -, getdents64 217 61,
getcwd 79 17, chdir 80 49, fchdir 81 50, dup 32 23, dup2 33 -, dup3 292 24, pipe 22 -, pipe2 293 59,
fsync 74 82, fdatasync 75 83, flock 73 32, ftruncate 77 46, fadvise64 221 223, sendfile 40 71, unlink 87 -,
unlinkat 263 35, rename 82 -, renameat 264 38, renameat2 316 276, umask 95 166,
munmap 11 215, mprotect 10 226, mremap 25 216, madvise 28 233, brk 12 214, msync 26 227,
pkey_mprotect 329 288, pkey_alloc 330 289, pkey_free 331 290, membarrier 324 283, get_mempolicy 239 236,
rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139, rt_sigpending 127 136, rt_sigtimedwait 128 137,
rt_sigsuspend 130 133, sigaltstack 131 132, pause 34 -, restart_syscall 219 128, alarm 37 -, getitimer 36 102,
setitimer 38 103,
nanosleep 35 101, clock_nanosleep 230 115, clock_gettime 228 113, clock_getres 229 114, gettimeofday 96 169,
time 201 -, times 100 153, timerfd_create 283 85, timerfd_settime 286 86, timerfd_gettime 287 87,
futex 202 98, futex_waitv 449 449, get_robust_list 274 100, set_robust_list 273 99, set_tid_address 218 96,
gettid 186 178, rseq 334 293, sched_yield 24 124, sched_getaffinity 204 123, sched_getparam 143 121,
sched_getscheduler 145 120, sched_get_priority_max 146 125, sched_get_priority_min 147 126, getcpu 309 168,
arch_prctl 158 -,
getpid 39 172, getppid 110 173, getpgrp 111 -, getpgid 121 155, getsid 124 156, getuid 102 174, geteuid 107 175,
getgid 104 176, getegid 108 177, getresuid 118 148, getresgid 120 150, getgroups 115 158, getrusage 98 165,
getrlimit 97 163, sysinfo 99 179, uname 63 160, capget 125 90, getrandom 318 278, getpriority 140 141,
exit 60 93, exit_group 231 94,
select 23 -, pselect6 270 72, poll 7 -, ppoll 271 73, epoll_create 213 -, epoll_create1 291 20,
epoll_ctl 233 21, epoll_wait 232 -, epoll_pwait 281 22, eventfd 284 -, eventfd2 290 19, recvfrom 45 207,
recvmsg 47 212, getsockname 51 204, getpeername 52 205, getsockopt 55 209, shutdown 48 210
"""
# Decided by their arguments, in `_rule`.
CHECKED = """
open 2 -, openat 257 56, kill 62 129, tgkill 234 131, clone 56 220, ioctl 16 29, fcntl 72 25, prctl 157 167,
prlimit64 302 261, sendto 44 206, mmap 9 222
"""
# Refused with EPERM: new processes, network, other processes, changes to the files of others, and timers that send
# arbitrary signals (a process that kills or stops itself by one looks as if others had done it).
REFUSED = """
fork 57 -, vfork 58 -, execve 59 221, execveat 322 281,
socket 41 198, socketpair 53 199, connect 42 203, bind 49 200, listen 50 201, accept 43 202, accept4 288 242,
sendmsg 46 211, sendmmsg 307 269,
ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271, tkill 200 130, rt_sigqueueinfo 129 138,
rt_tgsigqueueinfo 297 240, timer_create 222 107, pidfd_open 434 434, pidfd_send_signal 424 424, pidfd_getfd 438 438,
memfd_create 319 279, truncate 76 45, mkdir 83 -, mkdirat 258 34, mknod 133 -, mknodat 259 33, link 86 -,
linkat 265 37, symlink 88 -, symlinkat 266 36, chmod 90 -, fchmod 91 52, fchmodat 268 53, chown 92 -,
fchown 93 55, lchown 94 -, fchownat 260 54, utimensat 280 88,
setuid 105 146, setgid 106 144, setpriority 141 140, mount 165 40, unshare 272 97
"""

MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""The kernel's number for each architecture, and the column of its system calls."""


def numbers(calls: str, machine: str) -> dict[str, int]:
    """Return the numbers of the listed system calls on an architecture, by name."""
    column = MACHINES[machine][1]
    entries = (entry.split() for entry in calls.replace("\n", " ").split(","))
    return {name: int(found[column]) for name, *found in entries if found[column] != "-"}
