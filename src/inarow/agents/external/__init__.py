"""Agents from files, each in its own process, sandboxed by the operating system where possible.

A `Policy` states their permissions; a command sets it once, and each agent carries it to the process that runs it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Policy:
    """The permissions of external agents."""

    trust: bool = False
    """Run them without a sandbox, in processes with resource limits only."""
    require_sandbox: bool = False
    """Refuse to run them if the sandbox is incomplete."""
    allow_solver: bool = False
    """Let them import inarow's solver, models and searches, and other installed solvers."""
    packages: tuple[str, ...] | None = None
    """Installed packages that they may import, by import name; None for all.

    With such a list, inarow's searches are blocked like its solver.
    """

    def to_json(self) -> str:
        """Return the policy as a command-line argument."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Policy:
        """Parse the result of `to_json`."""
        values = json.loads(text)
        packages = values.pop("packages")
        return cls(**values, packages=None if packages is None else tuple(packages))


USUAL_PACKAGES = ("numpy",)
"""Default packages allowed in leagues and assignments besides the standard library."""
_current = Policy()


def current() -> Policy:
    """Return the policy of new agents."""
    return _current


@contextmanager
def using(policy: Policy) -> Iterator[None]:
    """Use this policy for agents made within the block."""
    global _current  # noqa: PLW0603
    before, _current = _current, policy
    try:
        yield
    finally:
        _current = before
