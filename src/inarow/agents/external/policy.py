"""How far external agents are trusted: set once by a command, and carried by each agent to the process that runs it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Policy:
    """What external agents may do."""

    trust: bool = False
    """Run them without a sandbox, in processes that have limits only."""
    require_sandbox: bool = False
    """Refuse to run them where the sandbox is incomplete."""
    allow_solver: bool = False
    """Let them import our solver and models, and other solvers that are installed."""


_current = Policy()


def current() -> Policy:
    """The policy that new agents get."""
    return _current


@contextmanager
def using(policy: Policy) -> Iterator[None]:
    """Give this policy to the agents that are made within the block."""
    global _current  # noqa: PLW0603
    before, _current = _current, policy
    try:
        yield
    finally:
        _current = before
