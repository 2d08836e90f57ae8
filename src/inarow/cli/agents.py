"""inarow agents: the computer players, their parameters and defaults."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from inarow.cli.common import JsonOption, print_json, print_table


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow agents rules")(agents)


def agents(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Show only this agent.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List the computer players with their parameters and defaults.

    An agent is written NAME or NAME:KEY=VALUE,KEY=VALUE, an evaluator NAME or NAME(KEY=VALUE,KEY=VALUE).
    """
    from inarow.agents import agent_class, agent_names
    from inarow.agents.evaluators import EVALUATORS

    evaluators = list(EVALUATORS.values()) if name is None else []
    kinds = [agent_class(n) for n in ([name] if name else agent_names())]
    if as_json:
        data = {"agents": [_describe(kind) for kind in kinds]}
        print_json({**data, "evaluators": [_describe(e) for e in evaluators]} if evaluators else data)
        return
    if name is None:
        listed = [*((k.name, k.summary) for k in kinds), ("file:PATH", "an agent in a Python file; see `inarow check`")]
        print_table("Agents", ["name", "what it does"], listed, numbers=False)
        print_table("Evaluators", ["name", "what it sees"], [(e.name, e.summary) for e in evaluators], numbers=False)
    rows = [
        (f"{kind.name}:{p.name}", p.format(p.default), p.wanted, p.help)
        for kind in kinds
        for p in kind.parameters()
        if name is not None or not p.hidden
    ]
    rows += [(f"{e.name}({p.name})", p.format(p.default), p.wanted, p.help) for e in evaluators for p in e.parameters()]
    if rows:
        print_table("Parameters", ["parameter", "default", "values", "what it sets"], rows, numbers=False)
    elif name is not None:
        typer.echo(f"{name}: {kinds[0].summary}. It takes no parameters.")


def _describe(kind: Any) -> dict[str, Any]:
    parameters = [
        {"name": p.name, "default": p.format(p.default), "values": p.wanted, "help": p.help} for p in kind.parameters()
    ]
    return {"name": kind.name, "summary": kind.summary, "parameters": parameters}
