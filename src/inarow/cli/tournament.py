"""inarow tournament: many agents, in pairs with seats swapped, in a store that can be killed and resumed."""

from __future__ import annotations

from typing import Annotated

import typer

from inarow.cli.common import ForceOption, GameArgument, JsonOption, SeedOption
from inarow.cli.running import (
    ClusterOption,
    NodesOption,
    OpeningsOption,
    OutOption,
    ResumeOption,
    SecondsOption,
    StrictOption,
    WorkersOption,
    play_and_show,
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow tournament connect4 random rules greedy --pairs 50 --out league.db")(tournament)


def tournament(
    game_name: GameArgument,
    agents: Annotated[list[str], typer.Argument(metavar="AGENT…", help="Who plays; `inarow agents` lists them.")],
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of each pairing: one opening, seats swapped.")] = 20,
    openings: OpeningsOption = "random",
    format_: Annotated[
        str, typer.Option("--format", help="round-robin, or gauntlet: the first agent against the others.")
    ] = "round-robin",
    with_self: Annotated[bool, typer.Option("--self", help="Each agent also plays itself.")] = False,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    out: OutOption = None,
    resume: ResumeOption = False,
    strict: StrictOption = False,
    seconds: SecondsOption = None,
    nodes: NodesOption = None,
    seed: SeedOption = 0,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Play a tournament and show standings, ratings with their errors, and what it cost."""
    from inarow.agents import Limit, agent
    from inarow.arena import Tournament
    from inarow.match import parse_openings
    from inarow.rules import game

    board = game(game_name)
    play_and_show(
        Tournament(
            board,
            tuple(agent(spec) for spec in agents),
            parse_openings(board, openings),
            pairs,
            format=format_,
            with_self=with_self,
            limit=Limit(seconds=seconds, nodes=nodes),
            seed=seed,
        ),
        out=out,
        resume=resume,
        force=force,
        workers=workers,
        cluster=cluster,
        strict=strict,
        as_json=as_json,
    )
