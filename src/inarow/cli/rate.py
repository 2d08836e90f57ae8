"""The command ``rate``: place an agent on the ladder of a game."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.cli.common import (
    ClusterOption,
    ForceOption,
    GameArgument,
    JsonOption,
    RecordsOption,
    SandboxOptions,
    SeedOption,
    WorkersOption,
    new_file,
    note,
    print_json,
    print_table,
    progress,
    say,
    takes,
)
from inarow.cli.pages import command
from inarow.formatting import counted, duration
from inarow.limits import MOST_MATCHES

if TYPE_CHECKING:
    from inarow.ladder import Placement, Rating


@command("inarow rate connect4 alphabeta:depth=3")
@takes(SandboxOptions)
def rate(
    game_name: GameArgument,
    spec: Annotated[str, typer.Argument(metavar="AGENT", help="The agent; `inarow agents` lists them.")],
    within: Annotated[float, typer.Option(min=1, help="Stop when the 95 % interval is this narrow, in ± Elo.")] = 25.0,
    pairs: Annotated[int, typer.Option(min=1, max=MOST_MATCHES, help="Maximum number of pairs of matches.")] = 1000,
    minutes: Annotated[
        float | None,
        typer.Option(min=0.01, help="Time limit in minutes; the result then depends on the machine's speed."),
    ] = None,
    positions: Annotated[
        int, typer.Option(min=0, max=MOST_MATCHES, help="Number of positions of the truth set to grade moves in.")
    ] = 200,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    out: RecordsOption = None,
    seed: SeedOption = 0,
    force: ForceOption = False,
    as_json: JsonOption = False,
    *,
    options: SandboxOptions,
) -> None:
    """Rate an agent among reference players with fixed Elo.

    The agent plays pairs of matches against players near its current estimate until the interval is narrow enough.
    Its moves are then graded in positions with known exact scores. Ctrl-C shows the estimate so far.
    """
    from inarow.arena import open_executor
    from inarow.ladder import Budget, Rating, ladder
    from inarow.match.record import write_records
    from inarow.rules import game

    steps = ladder(game(game_name))
    (agent,) = options.agents(spec)
    target = new_file(out, force) if out is not None else None
    for said in steps.notes:
        note(said)
    rating = Rating(agent, steps, Budget(within, pairs, minutes, positions), seed)
    interrupted = False
    with _watched(rating, quiet=as_json), open_executor(workers, cluster) as executor:
        try:
            rating.run(executor)
        except KeyboardInterrupt:
            if not rating.series:
                raise
            interrupted = True
    found = rating.placement
    if target is not None:
        write_records(rating.records, target)
    if as_json:
        print_json(found.to_json())
    else:
        print_placement(found)
    if interrupted:
        note(f"interrupted; {counted(found.pairs, 'pair was', 'pairs were')} played and counted")
        raise typer.Exit(130)


@contextlib.contextmanager
def _watched(rating: Rating, quiet: bool) -> Iterator[None]:
    """Show a progress bar with the current estimate."""
    with progress(quiet) as bar:
        task = bar.add_task("pairs", total=rating.budget.pairs)

        def show(pairs: int) -> None:
            so_far = rating.placement
            bar.update(task, completed=pairs, description=f"{so_far.elo.estimate:.0f} ± {so_far.error:.0f} Elo, pairs")

        rating.on_pair = None if bar.disable else show
        yield


def print_placement(found: Placement) -> None:
    """The rating, what it means, and whom it was found against."""
    from inarow.ladder import COLUMNS

    ladder = found.ladder
    say(f"{found.agent.spec} at {ladder.game.title}: {found.rating_text()} Elo; {ladder.anchor} has 0.")
    say(found.sentence())
    own = next((one for one in ladder.players if one.agent.spec == found.agent.spec), None)
    if own is not None:
        say(f"It is a player of the ladder itself, with {own.elo_text()} Elo.")
    if said := found.accuracy_sentence():
        say(said)
    print_table(f"Ladder {ladder.version}: {counted(found.pairs, 'pair', 'pairs')}", COLUMNS, found.met())
    if found.uneven:
        say("Its scores differ from the expected ones by more than chance: the rating depends on the opponents.")
    say(f"{duration(found.seconds_per_move)} per move.")
    for fault in list(dict.fromkeys(found.faults))[:3]:
        say(f"fault: {fault}")
    if found.faults:
        say(f"It lost {found.failed:,} of {2 * found.pairs:,} matches by a fault.")
    if not found.reached and found.beyond is None:
        wanted = f"The interval is ±{found.error:.0f} Elo, ±{found.within:g} were asked for"
        if found.used_up:
            say(f"{wanted}: the openings against the players near it are used up.")
        else:
            say(f"{wanted}: raise --pairs{'' if found.minutes is None else ' and --minutes'}.")
