"""inarow check: what is wrong with an agent in a file, for its author and its grader."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.cli.common import (
    JsonOption,
    SecondsOption,
    SeedOption,
    optional_game,
    print_json,
    print_table,
    say,
    takes,
    waiting,
)
from inarow.cli.external import SandboxOptions
from inarow.formatting import counted, duration, sentence

if TYPE_CHECKING:
    from inarow.teaching.checking import CheckReport


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow check connect4 my_agent.py")(check)


@takes(SandboxOptions)
def check(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[GAME] FILE",
            help="The game, connect4 if none is given; a Python file with an agent, or its folder.",
        ),
    ],
    seconds: SecondsOption = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    *,
    options: SandboxOptions,
) -> None:
    """Try out an agent in a file, and report what is wrong.

    It is tried in whole matches and in unusual positions. The exit code is 1 if it fails anywhere.
    """
    from inarow.agents.file import MOVE_SECONDS, File
    from inarow.agents.parameters import AgentError
    from inarow.limits import Limit
    from inarow.rules import game
    from inarow.teaching.checking import check_agent

    game_name, path = optional_game(words, "FILE")
    board = game(game_name)
    path = path.removeprefix("file:")
    try:
        (agent,) = options.agents(f"file:{path}")
    except AgentError as error:
        if not Path(path).is_dir():
            raise
        raise AgentError(f"{error}; `inarow league {path}` checks a folder in which each file is an agent") from None
    assert isinstance(agent, File)
    with waiting(f"Checking {path} …"):
        report = check_agent(agent, board, Limit(seconds=seconds), seed)
    allowed = MOVE_SECONDS if seconds is None else seconds
    if as_json:
        print_json(
            {"file": path, "sha256": agent.digest, "asked": agent.asked, "game": board.name, **report.to_json(allowed)}
        )
    else:
        _print(report, f"{path} on {board.title}", allowed, agent.policy.trust)
        if agent.asked:
            say(f"What was asked for moves: {agent.asked}.")
        _print_imports(agent.snapshot.imports)
    if report.faults:
        raise typer.Exit(1)


_REFUSALS = ("PermissionError", "FileNotFoundError")
"""What code raises that the sandbox refuses something."""


def _print(report: CheckReport, title: str, allowed: float, trusted: bool) -> None:
    if not report.loaded:
        (problem,) = report.problems.values()
        say(sentence(f"{title}: {problem.text}"))
        return
    rows = [
        (
            match.opponent,
            match.seat.name.lower(),
            f"{len(match.record.opening)} plies" if match.record.opening else "–",
            match.result,
            match.record.termination.value,
        )
        for match in report.matches
    ]
    print_table(title, ["match against", "seat", "opening", "result", "ended by"], rows, numbers=False)
    for problem in report.problems.values():
        say(f"PROBLEM ({_times(problem.count)}): {problem.text}\n   first seen: {problem.where}")
        if not trusted and any(name in problem.text for name in _REFUSALS):
            say("   An agent can open only its own files, and can't use the network or start processes.")
    for problem in report.advice.values():
        say(f"Advice ({_times(problem.count)}): it {problem.text}\n   first seen: {problem.where}")
    if report.problems or report.advice:
        say("Moves are shown counting from 1; in Python they count from 0.")
    if report.seconds:
        say(_speed(report, allowed))
    if report.stopped:
        say(f"The check ended early: {report.stopped}.")
    matches, positions = len(report.matches), len(report.positions)
    asked = f"{counted(matches, 'match', 'matches')} and {counted(positions, 'position', 'positions')}"
    if report.faults:
        say(f"Not ready: it failed {_times(report.faults)} in {asked}; in a match each failure is a loss.")
    else:
        say(f"{'No failure so far' if report.stopped else 'Ready: no failure'} in {asked}.")


def _print_imports(names: Sequence[str]) -> None:
    from inarow.agents.external import USUAL_PACKAGES

    others = [name for name in names if name not in ("inarow", *USUAL_PACKAGES, *sys.stdlib_module_names)]
    if others:
        usual = ", ".join(("the standard library", *USUAL_PACKAGES))
        say(f"It imports {', '.join(others)}. A league allows only {usual}, unless its settings list more.")


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _speed(report: CheckReport, allowed: float) -> str:
    """How slow it is, and which limits that breaks."""
    from inarow.agents.file import FIRST_SECONDS

    slowest, mean = max(report.seconds), sum(report.seconds) / len(report.seconds)
    said = f"Speed: {duration(mean)} a decision, at most {duration(slowest)}."
    breaks = report.breaks()
    if report.stopped and not breaks:  # not everything was timed
        return said
    words = f"breaks limits of {', '.join(f'{one:g}' for one in breaks)} s" if breaks else "keeps a limit of 0.1 s"
    here = f" ({allowed:g} s are allowed, {FIRST_SECONDS:g} s more for the first decision)" if breaks else ""
    return f"{said}\n   It {words}{here}."
