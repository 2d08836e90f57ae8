"""inarow sprt: two agents play until one of two hypotheses about their strength is accepted."""

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
    app.command(epilog="Example: inarow sprt connect4 rules random --elo0 0 --elo1 20")(sprt)


def sprt(
    game_name: GameArgument,
    agent_a: Annotated[str, typer.Argument(metavar="AGENT", help="The agent that may be stronger.")],
    agent_b: Annotated[str, typer.Argument(metavar="AGENT", help="The agent that it is compared with.")],
    elo0: Annotated[float, typer.Option(help="It is stronger by so much …")] = 0.0,
    elo1: Annotated[float, typer.Option(help="… or by so much: which?")] = 20.0,
    alpha: Annotated[float, typer.Option(help="How often elo1 may be accepted wrongly.")] = 0.05,
    beta: Annotated[float, typer.Option(help="How often elo0 may be accepted wrongly.")] = 0.05,
    pairs: Annotated[int, typer.Option(min=1, help="At most so many pairs.")] = 20_000,
    openings: OpeningsOption = "random",
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
    """Test whether one agent is stronger than another, with as few pairs as it takes (SPRT on pairs)."""
    from inarow.agents import Limit, agent
    from inarow.arena import Tournament
    from inarow.match import parse_openings
    from inarow.rules import game
    from inarow.stats import Sprt

    board = game(game_name)
    play_and_show(
        Tournament(
            board,
            (agent(agent_a), agent(agent_b)),
            parse_openings(board, openings),
            pairs,
            limit=Limit(seconds=seconds, nodes=nodes),
            seed=seed,
            sprt=Sprt(elo0, elo1, alpha, beta),
        ),
        out=out,
        resume=resume,
        force=force,
        workers=workers,
        cluster=cluster,
        strict=strict,
        as_json=as_json,
    )
