"""A hard limit on an agent's threads by cgroup v2, where this process may make control groups below its own.

The watchdog finds an agent with too many threads and ends it; the kernel's limit, a little above, holds between two
looks of it. Where there is no cgroup v2, or no right to use it, the watchdog is all there is.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

PIDS = 80
"""The most threads and processes of an agent; the watchdog ends it earlier."""
_NAME = "inarow-agent-"


class Groups:
    """Control groups with a limit, one for each agent."""

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
            for left in parent.glob(f"{_NAME}*"):  # by a process that was killed; one in use can't be removed
                _remove(left)
            self.parent = parent

    def add(self, agent: int) -> bool:
        """Limit a process and its descendants. Returns False where that is not possible."""
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
