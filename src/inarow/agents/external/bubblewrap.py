"""Bubblewrap, where it is installed: a second layer of protection around the server that forks external agents.

Landlock and seccomp work without it. It also hides all files but Python's, packages' and an agent's own, and gives the
server a separate network. It is started once for each server, so that it costs a match nothing.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from inarow.agents.external import sandbox

_NAMESPACES = ("--unshare-user", "--unshare-net", "--unshare-ipc", "--unshare-uts")
_PROBE_SECONDS = 10.0


@cache
def program() -> str | None:
    """Where it is, if it works: some systems and containers refuse its namespaces."""
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


def prefix(base: Path) -> list[str]:
    """What to put before a command so that it sees only Python, packages and this folder; empty where that fails."""
    found = program()
    if found is None:
        return []
    packages = sys.path if sys.flags.safe_path else sys.path[1:]  # not the folder of a script, nor the current one
    prefixes = (Path(sys.prefix), Path(sys.base_prefix), Path(sys.base_prefix).resolve())
    seen = sorted({*map(str, prefixes), *map(str, sandbox.roots(packages)), *sandbox.LIBRARIES})
    binds = [part for path in seen for part in ("--ro-bind-try", path, path)]
    own = ["--dev", "/dev", "--ro-bind", "/proc", "/proc", "--bind", str(base), str(base), "--chdir", "/"]
    after = ["/bin/sh", "-c", '"$@"; rmdir "$0"', str(base)]  # within, a folder that is mounted can't be removed
    return [*after, found, *_NAMESPACES, *binds, *own, "--"]
