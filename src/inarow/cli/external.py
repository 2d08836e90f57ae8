"""Options of the commands that run external agents: how far these are trusted, and what is said about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from inarow.agents import Agent
    from inarow.agents.external import Policy

TrustOption = Annotated[
    bool, typer.Option("--trust", help="Run agents in files without a sandbox, in processes with limits only.")
]
RequireSandboxOption = Annotated[
    bool, typer.Option("--require-sandbox", help="Refuse agents in files where the sandbox is incomplete.")
]
AllowSolverOption = Annotated[
    bool,
    typer.Option("--allow-solver", help="Let agents in files import solvers and trained models, inarow's included."),
]


@dataclass(frozen=True)
class SandboxOptions:
    """How far agents in files are trusted, as options of a command."""

    trust: TrustOption = False
    require_sandbox: RequireSandboxOption = False
    allow_solver: AllowSolverOption = False

    @property
    def policy(self) -> Policy:
        """What agents in files may do."""
        from inarow.agents.external import Policy

        return Policy(self.trust, self.require_sandbox, self.allow_solver)

    def agents(self, *specs: str) -> tuple[Agent, ...]:
        """The agents of these specs; it is said what those in files are not kept from."""
        from inarow.agents import agent

        with self.applied():
            made = tuple(agent(one_agent(spec)) for spec in specs)
        if any(one.foreign for one in made):
            say_what_is_open(self.policy)
        return made

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Agents that are made within the block are trusted that far."""
        from inarow.agents.external import using

        with using(self.policy):
            yield


def one_agent(spec: str) -> str:
    """The spec of one agent; raises if it is a folder or a pattern that stands for several."""
    from inarow.agents.parameters import AgentError
    from inarow.agents.registry import expand_specs

    first, *others = expand_specs([spec])
    if others:
        path = spec.strip().removeprefix("file:")
        whole = f", or file:{path} if the folder is one agent" if Path(path).is_dir() else ""
        raise AgentError(
            f"{path} stands for {len(others) + 1} Python files, and one agent is wanted here; give one of them, such "
            f"as {first.removeprefix('file:')}{whole}. `inarow tournament` and `inarow league` play all of them."
        )
    return first


def say_what_is_open(policy: Policy) -> None:
    """Print what external agents are not kept from under this policy, on this system."""
    from inarow.agents.external.sandbox import Offer, offered

    missing = Offer(0, False).missing if policy.trust else offered().missing
    for line in missing:
        typer.echo(f"inarow: WARNING: an agent in a file is not confined: {line}", err=True)
