"""The sandbox of an external agent: detect what the system supports, and confine a process.

Landlock lets it read the interpreter, the packages and its own files, and write to a scratch folder; seccomp blocks new
processes, the network and access to other processes; resource limits bound memory, open files and file sizes. The
parent monitors what these can't count: threads, the scratch folder, output and time; a control group bounds threads,
too. Bubblewrap, if installed, hides all other files and the network from the server that forks agents.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import site
import struct
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import inarow
from inarow.agents.external import Policy, landlock, seccomp

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

OPEN_FILES = 64
FILE_BYTES = 4 << 20
"""Maximum bytes of one file in the scratch folder."""
SOLVER_PARTS = ("solver", "models", "data", "kernels/solver")
"""The parts of inarow that hold exact answers or trained models."""
CHEATING = (
    *("solver", "models", "kernels", "agents", "training", "truth", "tracing"),
    *("data/atlas", "data/books", "data/certificates", "data/learners", "data/models", "data/truth"),
)
"""The parts of inarow that can play for an agent. Other closed parts may be opened by mistake."""
SOLVER_PACKAGES = ("bitbully", "bitbully_databases", "connect_four_ai")
"""Installed packages that hold a solver."""
SOLVER_NEEDS = ("llvmlite", "numpy", "platformdirs")
"""Installed packages that our own solver and searches need."""
OPEN_PARTS = (
    "__init__.py",
    "agents/__init__.py",
    "agents/base.py",
    "agents/external",
    "agents/parameters.py",
    "agents/registry.py",
    "bits.py",
    "drawing",
    "errors.py",
    "formatting.py",
    "limits.py",
    "machine.py",
    "paths.py",
    "plugins.py",
    "randomness.py",
    "rules",
    "stopping.py",
)
"""The parts of inarow that remain importable with a list of packages: the rules, and the base classes of agents."""
PACKAGE = Path(inarow.__file__).parent
if _unknown := [part for part in OPEN_PARTS if not (PACKAGE / part).exists()]:
    raise ImportError(f"the sandbox opens parts of inarow that do not exist: {', '.join(_unknown)}")
LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/etc/localtime")
_DATA = ("/usr/share/zoneinfo", "/dev/urandom", "/dev/random")
_PR_SET_PDEATHSIG = 1


class Offer(NamedTuple):
    """The system's sandboxing features."""

    landlock: int
    """The version of Landlock's interface; 0 for none."""
    seccomp: bool

    @property
    def missing(self) -> list[str]:
        """Descriptions of what this sandbox does not prevent."""
        if not self.landlock and not self.seccomp:
            return ["files, network and other processes are open to it (no sandbox)"]
        missing = []
        if not self.landlock:
            missing.append("it can read and change your files (no Landlock)")
        elif self.landlock < 3:
            missing.append("it can truncate your files (Landlock before version 3)")
        if not self.seccomp:
            missing.append("it can use the network and start processes (no seccomp)")
            if self.landlock < 6:
                missing.append("it can send signals to your processes (Landlock before version 6)")
        return missing


@cache
def offered() -> Offer:
    """Return the features of this system."""
    if sys.platform != "linux":
        return Offer(0, False)
    return Offer(landlock.version(_library()), seccomp.available())


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


class Sandbox:
    """A sandbox, prepared once in the server and entered by each process forked from it.

    Landlock's rules are inherited: the server applies the long list of packages to itself, so a child adds only a short
    list.
    """

    def __init__(self, base: Path, policy: Policy) -> None:
        self.offer = offered()
        self.mapped = _mapped()
        self.program = seccomp.Program() if self.offer.seccomp else None
        self.places: list[landlock.Place] = []
        if self.offer.landlock:
            readable = roots(sys.path)
            own = [landlock.opened(base, landlock.ALL), landlock.opened(base.parent, landlock.REMOVE_FOLDERS)]
            own.append(landlock.opened("/proc", landlock.READ))
            landlock.restrict(_library(), self.offer.landlock, [*_readable(readable, policy), *own])
            self.places = [place for root in readable for place in [landlock.opened(root, landlock.READ)] if place]
            self.places += _devices()

    def enter(self, own: Path, scratch: Path, megabytes: int) -> None:
        """Confine this process permanently: its own files to read, a scratch folder to write to."""
        os.environ.clear()
        os.environ.update(LANG="C.UTF-8", HOME=str(scratch), TMPDIR=str(scratch))
        _drop_capabilities()
        _library().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)  # it dies with the server
        if self.offer.landlock:
            folders = landlock.opened(own, landlock.READ), landlock.opened(scratch, landlock.SCRATCH)
            landlock.restrict(_library(), self.offer.landlock, [*self.places, *folders], alone=True)
        os.closerange(4, 1 << 16)
        limit(megabytes, self.mapped)
        if self.program is not None:
            self.program.restrict(_library())


def _mapped() -> int:
    """Return the bytes of address space of this process (Linux)."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")


def limit(megabytes: int, mapped: int | None = None) -> None:
    """Limit this process's memory and files, where supported, beyond the ``mapped`` bytes it already has."""
    if resource is None:
        return
    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_DATA, megabytes << 20),
    ):
        resource.setrlimit(what, (most, most))
    if mapped is not None:  # not counted as data, such as mapped files
        most = mapped + (2 * megabytes << 20)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _drop_capabilities() -> None:
    """Drop root's privileges, so that file permissions apply wherever Landlock does not."""
    header, nothing = struct.pack("Ii", 0x20080522, 0), bytes(24)
    if _library().capset(header, nothing):
        raise OSError(ctypes.get_errno(), "privileges can't be dropped")


def roots(packages: Sequence[str]) -> list[Path]:
    """Return the folders of the interpreter, packages and system libraries, none inside another."""
    names = {*filter(None, packages), sysconfig.get_path("stdlib"), *site.getsitepackages(), *LIBRARIES}
    found = {Path(name).resolve() for name in names} | {Path(inarow.__file__).resolve().parents[1]}
    return sorted(root for root in found if root.exists() and not any(parent in found for parent in root.parents))


def _readable(roots: Sequence[Path], policy: Policy) -> list[landlock.Place]:
    """Return the readable parts of these folders: all but the blocked ones."""
    closed = {path for folder in _package_folders(roots) for path in _closed(folder, policy)}
    return [place for root in roots for place in landlock.beneath(root, closed)] + _devices()


def _package_folders(roots: Sequence[Path]) -> set[Path]:
    """Return the folders that packages are imported from, including those of other readable Pythons."""
    names = (*filter(None, sys.path), *site.getsitepackages())
    patterns = ("*-packages", "python3*/*-packages")
    found = {Path(name) for name in names} | {path for root in roots for one in patterns for path in root.glob(one)}
    standard = {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")}
    return {path.resolve() for path in found if path.is_dir() and path.name != "lib-dynload"} - standard


def _closed(folder: Path, policy: Policy) -> Iterator[Path]:
    """Yield the paths in a folder of packages that must not be read."""
    package = folder / "inarow"
    if not policy.allow_solver:
        yield from (path for part in SOLVER_PARTS if (path := package / part).exists())
        yield from (
            path for name in SOLVER_PACKAGES for path in (folder / name, *folder.glob(f"{name}.*")) if path.exists()
        )
    if policy.packages is None:
        return
    if not policy.allow_solver and package.is_dir():
        parts = {path for part in OPEN_PARTS if (path := package / part).exists()}
        inside = {parent for part in parts for parent in part.parents}
        entries = (path for parent in inside if package in (parent, *parent.parents) for path in parent.iterdir())
        yield from (path for path in entries if path not in parts and path not in inside)
    yield from (path for path in folder.iterdir() if not is_allowed(path.name, policy))


def is_allowed(name: str, policy: Policy) -> bool:
    """Return True if a package may be imported, by its name or the name of a file or folder that belongs to it."""
    if policy.packages is None:
        return True
    more = (*SOLVER_PACKAGES, *SOLVER_NEEDS) if policy.allow_solver else ()
    return name.partition(".")[0].partition("-")[0] in ("inarow", *policy.packages, *more)


def why_closed(path: str) -> str:
    """Return why an agent can't open this file, if it is a part of inarow; else an empty string."""
    if not path.startswith(f"{PACKAGE}{os.sep}"):
        return ""
    part = Path(path).relative_to(PACKAGE)
    if any(part.is_relative_to(name) for name in CHEATING):
        return "agents must not use solvers, models or searches"
    return "this part of inarow is closed to agents in files"


def _devices() -> list[landlock.Place]:
    null = landlock.opened("/dev/null", landlock.WRITE)
    return [place for place in (null, *(landlock.opened(name, landlock.READ) for name in _DATA)) if place]


PIDS = 80
"""Hard limit on threads and processes of an agent; the watchdog's limit is lower."""
_NAME = "inarow-agent-"


class ControlGroups:
    """Control groups (cgroup v2) with a hard limit on threads, one per agent, if this process may create them.

    The watchdog ends an agent with too many threads; this slightly higher limit applies between its checks.
    """

    def __init__(self, mounts: Path = Path("/proc/self/mounts"), own: Path = Path("/proc/self/cgroup")) -> None:
        self.parent: Path | None = None
        with contextlib.suppress(OSError, StopIteration, ValueError, IndexError):
            lines = (line.split() for line in mounts.read_text(encoding="utf-8").splitlines())
            mounted = next(fields[1] for fields in lines if fields[2] == "cgroup2")
            paths = (line.split(":", 2) for line in own.read_text(encoding="utf-8").splitlines())
            parent = Path(mounted + next(path for number, _, path in paths if number == "0"))
            control = parent / "cgroup.subtree_control"
            if "pids" not in control.read_text(encoding="ascii").split():
                control.write_text("+pids", encoding="ascii")
            for left in parent.glob(f"{_NAME}*"):  # left by a killed process; groups in use can't be removed
                _remove(left)
            self.parent = parent

    def add(self, agent: int) -> bool:
        """Limit a process and its descendants. Returns False if that is not possible."""
        if self.parent is None:
            return False
        group = self.parent / f"{_NAME}{agent}"
        try:
            group.mkdir()
            (group / "pids.max").write_text(str(PIDS), encoding="ascii")
            (group / "cgroup.procs").write_text(str(agent), encoding="ascii")
        except OSError:
            self.remove(agent)
            return False
        return True

    def remove(self, agent: int) -> None:
        """Remove the group of a process that has ended."""
        if self.parent is not None:
            _remove(self.parent / f"{_NAME}{agent}")


def _remove(group: Path) -> None:
    with contextlib.suppress(OSError):
        group.rmdir()


_NAMESPACES = ("--unshare-user", "--unshare-net", "--unshare-ipc", "--unshare-uts")
_PROBE_SECONDS = 10.0


@cache
def bubblewrap() -> str | None:
    """Return the path of bubblewrap if it works: some systems and containers forbid its namespaces."""
    found = shutil.which("bwrap") if sys.platform == "linux" else None
    if found is None:
        return None
    probe = [found, *_NAMESPACES, "--ro-bind", "/", "/", "true"]
    try:
        ended = subprocess.run(
            probe, capture_output=True, stdin=subprocess.DEVNULL, timeout=_PROBE_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return found if ended.returncode == 0 else None


def bubblewrap_prefix(base: Path) -> list[str]:
    """Return the command prefix that hides all but Python, packages and this folder; empty if unavailable.

    A second layer around the server that forks agents: Landlock and seccomp work without it.
    """
    found = bubblewrap()
    if found is None:
        return []
    packages = sys.path if sys.flags.safe_path else sys.path[1:]  # without the script's folder or the current one
    prefixes = (Path(sys.prefix), Path(sys.base_prefix), Path(sys.base_prefix).resolve())
    seen = sorted({*map(str, prefixes), *map(str, roots(packages)), *LIBRARIES})
    binds = [part for path in seen for part in ("--ro-bind-try", path, path)]
    own = ["--dev", "/dev", "--ro-bind", "/proc", "/proc", "--bind", str(base), str(base), "--chdir", "/"]
    after = ["/bin/sh", "-c", '"$@"; rmdir "$0"', str(base)]  # a mounted folder can't be removed from inside
    return [*after, found, *_NAMESPACES, *binds, *own, "--"]
