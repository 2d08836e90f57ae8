"""inarow tournament: several agents play each other, in a store that survives being killed and can be resumed."""

from __future__ import annotations

from typing import Annotated

import typer

from inarow.cli.common import GameArgument, takes
from inarow.cli.running import TournamentOptions, play_and_show
from inarow.limits import MOST_MATCHES


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow tournament connect4 random rules greedy --pairs 50 --out c4.db")(tournament)


@takes(TournamentOptions)
def tournament(
    game_name: GameArgument,
    agents: Annotated[
        list[str],
        typer.Argument(
            metavar="AGENT...",
            help="Agents; `inarow agents` lists them. A folder or a pattern stands for its Python files.",
        ),
    ],
    pairs: Annotated[
        int,
        typer.Option(
            min=1, max=MOST_MATCHES, help="Pairs of matches per pairing: one opening, played twice with seats swapped."
        ),
    ] = 20,
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="round-robin; gauntlet: the first agent against each of the others; swiss or swiss:ROUNDS; "
            "groups or groups:NUMBER, then a play-off.",
        ),
    ] = "round-robin",
    with_self: Annotated[bool, typer.Option("--self", help="Each agent also plays itself.")] = False,
    *,
    options: TournamentOptions,
) -> None:
    """Play a tournament: standings, ratings with error margins, costs."""
    from inarow.agents.registry import expand_specs
    from inarow.arena import Tournament

    made = Tournament.of(
        game_name,
        options.agents(*expand_specs(agents)),
        options.openings,
        pairs,
        format=format_,
        with_self=with_self,
        limit=options.limit,
        seed=options.seed,
        adjudicate=options.adjudicate,
    )
    play_and_show(made, options)
