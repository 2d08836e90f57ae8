"""An agent that was handed in: identified by its author and its content, not by the location of its file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from inarow.agents.file import File
from inarow.agents.parameters import string


@dataclass(frozen=True)
class HandIn(File):
    """A file or folder with the name of its author. Seeds and stored results depend on the name and the content."""

    name = "hand-in"
    summary = "a file or folder that was handed in to a league"
    by: str = string("", "who handed it in")

    @property
    def spec(self) -> str:
        return f"{self.by}@{self.digest[:12]}"

    @cached_property
    def identity(self) -> str:
        return f"{self.spec}#{self.digest}" + (" with solvers" if self.policy.allow_solver else "")

    def __getstate__(self) -> dict[str, object]:
        return {**super().__getstate__(), "by": self.by}
