"""An agent that was handed in: identified by its content alone, not by its author, its name or its location."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from inarow.agents.external.declared import Declared
from inarow.agents.external.policy import current
from inarow.agents.external.staging import Snapshot
from inarow.agents.file import File, refuse_unsafe

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
