"""inarow sprt: two agents play until one of two hypotheses about their strength is accepted."""

from __future__ import annotations

from typing import Annotated

import typer

from inarow.cli.arguments import two_agents
from inarow.cli.common import GameArgument
from inarow.cli.running import TournamentOptions, play_and_show
from inarow.cli.shared_options import takes
from inarow.limits import MOST_MATCHES


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow sprt connect4 rules random --elo0 0 --elo1 20")(sprt)


@takes(TournamentOptions)
def sprt(
    game_name: GameArgument,
    agents: Annotated[
        list[str],
        typer.Argument(metavar="AGENT AGENT", help="The agent that may be stronger, and the one it is compared with."),
    ],
    elo0: Annotated[float, typer.Option(help="One hypothesis: the first agent is stronger by this much Elo.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="The other hypothesis: by this much; larger than elo0.")] = 20.0,
    alpha: Annotated[float, typer.Option(help="Accepted risk of choosing elo1 wrongly.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Accepted risk of choosing elo0 wrongly.")] = 0.05,
    pairs: Annotated[int, typer.Option(min=1, max=MOST_MATCHES, help="Stop undecided after this many pairs.")] = 20_000,
    *,
    options: TournamentOptions,
) -> None:
    """Test with few matches whether one agent is stronger.

    It plays only as many pairs as the answer takes. The test is the sequential probability ratio test (SPRT)
    on pairs of matches with seats swapped.
    """
    from inarow.arena import Tournament
    from inarow.stats import Sprt

    made = Tournament.of(
        game_name,
        options.agents(*two_agents("sprt", agents)),
        options.openings,
        pairs,
        limit=options.limit,
        seed=options.seed,
        sprt=Sprt(elo0, elo1, alpha, beta),
    )
    play_and_show(made, options)
