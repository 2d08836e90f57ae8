"""inarow sprt: two agents play until one of two hypotheses about their strength is accepted."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.cli.common import GameArgument, print_json, print_table, say, takes, two_agents
from inarow.cli.running import TournamentOptions, play_and_show
from inarow.formatting import MINUS, share
from inarow.limits import MOST_MATCHES

if TYPE_CHECKING:
    from inarow.stats import Sprt


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow sprt connect4 rules random --elo0 0 --elo1 20")(sprt)


@takes(TournamentOptions)
def sprt(
    game_name: GameArgument = "",
    agents: Annotated[
        list[str] | None,
        typer.Argument(metavar="AGENT AGENT", help="The agent that may be stronger, and the one it is compared with."),
    ] = None,
    elo0: Annotated[float, typer.Option(help="One hypothesis: the first agent is stronger by this much Elo.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="The other hypothesis: by this much; larger than elo0.")] = 20.0,
    alpha: Annotated[float, typer.Option(help="Accepted risk of choosing elo1 wrongly.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Accepted risk of choosing elo0 wrongly.")] = 0.05,
    pairs: Annotated[int, typer.Option(min=1, max=MOST_MATCHES, help="Stop undecided after this many pairs.")] = 20_000,
    plan: Annotated[
        bool, typer.Option("--plan", help="Play nothing: print the matches to expect, and how often elo1 is accepted.")
    ] = False,
    *,
    options: TournamentOptions,
) -> None:
    """Test with few matches whether one agent is stronger.

    It plays only as many pairs as the answer takes. The test is the sequential probability ratio test (SPRT)
    on pairs of matches with seats swapped.
    """
    from inarow.arena import Tournament
    from inarow.errors import InarowError
    from inarow.stats import Sprt

    test = Sprt(elo0, elo1, alpha, beta)
    if plan:
        print_plan(test, options.as_json)
        return
    if not game_name:
        raise InarowError("sprt takes a game and two agents, such as: inarow sprt connect4 rules random")
    made = Tournament.of(
        game_name,
        options.agents(*two_agents("sprt", agents or [])),
        options.openings,
        pairs,
        limit=options.limit,
        seed=options.seed,
        adjudicate=options.adjudicate,
        sprt=test,
    )
    play_and_show(made, options)


def _signed(elo: float) -> str:
    return f"{elo:+g}".replace("-", MINUS) if elo else "0"


def print_plan(test: Sprt, as_json: bool) -> None:
    """What a test takes and does, by the true Elo of the first agent."""
    from inarow.stats.sprt import PLANNED_DRAWS

    step = (test.elo1 - test.elo0) / 2
    rows = [test.expected(test.elo0 + number * step, draws) for number in range(-2, 5) for draws in PLANNED_DRAWS]
    if as_json:
        print_json({**asdict(test), "plan": [row.to_json() for row in rows]})
        return
    head = ["true Elo", "accepts elo1", *(f"matches at {share(draws)} draws" for draws in PLANNED_DRAWS)]
    width = len(PLANNED_DRAWS)
    print_table(
        f"SPRT elo0={test.elo0:g} elo1={test.elo1:g} alpha={test.alpha:g} beta={test.beta:g}: expected matches",
        head,
        [
            (_signed(same[0].elo), share(same[0].accepts), *(f"{2 * round(one.pairs):,}" for one in same))
            for same in (rows[start : start + width] for start in range(0, len(rows), width))
        ],
    )
    say("By Wald's approximation, if the two matches of a pair are independent; balanced openings take fewer.")
