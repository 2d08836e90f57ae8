"""Options of the commands that run external agents: how far these are trusted, and what is said about it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from inarow.agents import Agent
    from inarow.agents.external.policy import Policy

TrustOption = Annotated[
    bool, typer.Option("--trust", help="Run agents in files without a sandbox, in processes with limits only.")
]
RequireSandboxOption = Annotated[
    bool, typer.Option("--require-sandbox", help="Refuse agents in files where the sandbox is incomplete.")
]
AllowSolverOption = Annotated[
    bool, typer.Option("--allow-solver", help="Let agents in files import inarow's solver and models, and others.")
]


def agents_of(specs: Iterable[str], policy: Policy) -> tuple[Agent, ...]:
    """The agents of these specs; those in files get the policy, and it is said what they are not kept from."""
    from inarow.agents import agent
    from inarow.agents.external.policy import using

    with using(policy):
        made = tuple(agent(spec) for spec in specs)
    if any(one.foreign for one in made):
        say_what_is_open(policy)
    return made


def say_what_is_open(policy: Policy) -> None:
    """Print what external agents are not kept from under this policy, on this system."""
    from inarow.agents.external.sandbox import Offer, offered

    missing = Offer(0, False).missing if policy.trust else offered().missing
    for line in missing:
        typer.echo(f"inarow: WARNING: an agent in a file is not confined: {line}", err=True)
