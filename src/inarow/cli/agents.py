"""The command ``agents``: list the agents, or describe one."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Annotated, Any

import typer

from inarow.cli.common import JsonOption, print_json, print_table, say
from inarow.cli.pages import command, two_columns
from inarow.formatting import capitalised, sentence


@command("inarow agents rules")
def agents(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="The agent or evaluator to describe.", show_default="list all"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the agents, or describe one and its parameters.

    An agent is written NAME or NAME:KEY=VALUE,KEY=VALUE, an evaluator NAME or NAME(KEY=VALUE,KEY=VALUE).
    """
    from inarow.agents import agent_class, agent_names
    from inarow.agents.evaluators import EVALUATORS
    from inarow.agents.registry import agent_classes, is_file
    from inarow.training.trainer import trainer, trainer_names

    if name is None:
        if as_json:
            evaluators = [_describe(e) for e in EVALUATORS.values()]
            print_json({"agents": [_describe(kind) for kind in agent_classes()], "evaluators": evaluators})
        else:
            _print_all()
        return
    if is_file(name):
        _print_file(name, as_json)
        return
    evaluates = name in EVALUATORS and name not in agent_names()  # ntuple is both
    if as_json:
        if evaluates:
            print_json({"evaluators": [_describe(EVALUATORS[name])]})
        else:
            training = {"trainers": [_describe(trainer(name))]} if name in trainer_names() else {}
            print_json({"agents": [_describe(agent_class(name))], **training})
    else:
        _print_one(EVALUATORS[name] if evaluates else agent_class(name))


def _print_all() -> None:
    from inarow.agents import agent_class, agent_names
    from inarow.agents.evaluators import EVALUATORS
    from inarow.agents.registry import plugin_names
    from inarow.plugins import PluginError

    groups: dict[str, list[tuple[str, str]]] = {"": []}
    broken = []
    for name in agent_names():
        try:
            kind = agent_class(name)
        except PluginError as error:
            broken.append(str(error))
            continue
        note = " (From an installed package.)" if name in plugin_names() and not kind.group else ""
        groups.setdefault(kind.group, []).append((name, sentence(capitalised(kind.summary)) + note))
    groups[""].append(("mine.py", "An agent in a Python file; `inarow check mine.py` tests it."))
    for group, rows in groups.items():
        print_table(group or "Agents", ["name", "what it does"], rows, numbers=False)
    say(f"Evaluators for greedy, minimax and alphabeta: {', '.join(EVALUATORS)}.")
    say("`inarow agents NAME` shows an agent's parameters.")
    for one in broken:
        say(sentence(f"inarow: {one}"), stderr=True)


def _print_one(kind: Any) -> None:
    """Print what an agent does, its parameters and, where known, its rating."""
    from inarow.training.trainer import trainer, trainer_names

    say(f"{kind.name}: {sentence(kind.summary)}")
    parameters = kind.parameters()
    if parameters:
        _print_parameters(kind, parameters)
    else:
        say("It takes no parameters.")
    if kind.what == "agent":
        if kind.name in trainer_names():
            say(f"`inarow train GAME {kind.name}` trains it. Parameters of training:")
            _print_parameters(trainer(kind.name), trainer(kind.name).parameters())
        _print_ratings(kind.name)


def _print_file(path: str, as_json: bool) -> None:
    """Describe an agent in a file from its declarations, without running it."""
    from inarow.agents.file import File

    made = File.of(path)
    shown = SimpleNamespace(
        name=made.path, what="file", summary=made.description, parameters=lambda: made.declared.parameters
    )
    if as_json:
        print_json({"agents": [_describe(shown)]})
    else:
        _print_one(shown)
        say(f"`inarow check {made.path}` tests it.")


def _print_ratings(name: str) -> None:
    """Print the shipped ratings of agents with this name."""
    from inarow.ladder import elo_text, known_ratings
    from inarow.rules import CONNECT4, TICTACTOE

    for game in (CONNECT4, TICTACTOE):
        rows = [(spec, elo_text(elo)) for spec, elo in known_ratings(game).items() if spec.partition(":")[0] == name]
        if rows:
            print_table(f"Its rating on the ladder of {game.title}", ["agent", "Elo (95 %)"], rows)


def _print_parameters(kind: Any, parameters: Sequence[Any]) -> None:
    """Print each parameter with its default, its values and its help."""
    written = f"{kind.name}({{}})" if kind.what == "evaluator" else f"{kind.name}:{{}}"
    rows = [
        (f"{p.name}={p.format(p.default)}", f"{sentence(capitalised(p.wanted))} {sentence(capitalised(p.help))}")
        for p in parameters
    ]
    typer.echo(f"\nParameters with their defaults\n{two_columns(rows)}\n")
    first = parameters[0]
    say(f"Written {written.format(f'{first.name}={first.format(first.default)}')}; commas separate several.")


def _describe(kind: Any) -> dict[str, Any]:
    parameters = [
        {"name": p.name, "default": p.format(p.default), "values": p.wanted, "help": p.help} for p in kind.parameters()
    ]
    return {"name": kind.name, "summary": kind.summary, "parameters": parameters}
