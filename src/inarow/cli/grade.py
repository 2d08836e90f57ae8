"""The commands ``grade``, ``annotate`` and ``rate``: agents and matches measured by the solver and by the ladder."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inarow.agents import agent
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
    print_how_to_open,
    print_json,
    print_table,
    progress,
    say,
    takes,
    waiting,
)
from inarow.cli.pages import command
from inarow.errors import InarowError
from inarow.formatting import counted, duration, fixed, share, signed
from inarow.limits import MAX_MATCHES, MAX_WORKERS, Limit
from inarow.paths import write_text
from inarow.rules import game

if TYPE_CHECKING:
    from inarow.ladder import Placement, Rating
    from inarow.match import MatchRecord
    from inarow.truth import Grade, GradedMove


@command("inarow grade tictactoe qlearning")
@takes(SandboxOptions)
def grade(
    game_name: GameArgument,
    spec: Annotated[str, typer.Argument(metavar="AGENT", help="The agent; `inarow agents` lists them.")],
    positions: Annotated[
        int, typer.Option(min=0, max=MAX_MATCHES, help="Number of random positions, in games too large to grade all.")
    ] = 200,
    table: Annotated[
        Path | None,
        typer.Option(
            help="Sample positions from a table made by `inarow table build`; --positions 0 grades all with a choice."
        ),
    ] = None,
    first_ply: Annotated[
        int | None, typer.Option(min=0, help="First ply of the random positions; early ones take long to solve.")
    ] = None,
    matches: Annotated[
        int,
        typer.Option(
            "--matches",
            min=0,
            max=MAX_MATCHES,
            help="Also play this many matches against each perfect player in each seat.",
        ),
    ] = 0,
    opening_plies: Annotated[
        int,
        typer.Option(min=0, help="Also play from all won openings of this many plies and of one fewer."),
    ] = 0,
    opening_seconds: Annotated[
        float | None,
        typer.Option(min=0.001, help="Time limit to solve an opening, in seconds; unsolved ones are skipped."),
    ] = None,
    seed: SeedOption = 0,
    workers: Annotated[int, typer.Option(min=1, max=MAX_WORKERS, help="Number of worker processes.")] = 1,
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
    *,
    options: SandboxOptions,
) -> None:
    """Grade an agent's moves and values against the exact solver.

    A small game is graded in all positions and all lines of play, others in random positions with a choice: their
    moves differ in exact value. Values are graded on equally many won, drawn and lost positions. With --matches or
    --opening-plies the agent also plays against perfect players.
    """
    from inarow.arena import open_executor
    from inarow.solver.tables import read_table
    from inarow.truth import grade_matches, grade_positions
    from inarow.truth.grading import opening_warning, won_openings
    from inarow.truth.positions import SolvedPositions

    board = game(game_name)
    if positions == 0 and table is None:
        raise InarowError("--positions 0 (all of them) needs --table; give a number of positions or a table")
    solved = SolvedPositions(board, table=None if table is None else read_table(table, board))
    (graded,) = options.agents(spec)
    with open_executor(workers, cluster) as executor:
        each = executor.map
        with waiting("Grading moves …"):
            found = grade_positions(
                graded, board, count=positions, seed=seed, first_ply=first_ply, solved=solved, strict=False, each=each
            )
        if matches or opening_plies:
            perfect = {"longest resistance": agent("perfect"), "random-perfect": agent("perfect:resist=any")}
            if slow := opening_warning(board):
                say(slow, stderr=True)
            limit = Limit(seconds=opening_seconds)
            with waiting("Playing against perfect players …"):
                kinds = [won_openings(board, plies, limit) for plies in (opening_plies - 1, opening_plies) if plies > 0]
                grade_matches(found, perfect, matches, seed, kinds, strict=False, each=each)
    if as_json:
        print_json(found.to_json())
    else:
        _print_grade(found)


def _print_grade(grade: Grade) -> None:
    """Print the tables, then the summary."""
    from inarow.truth.accuracy import NAMES

    plies = [
        (ply, f"{a.moves:,}", f"{a.kept:,}", share(a.kept / a.moves), f"{a.perfect:,}", share(a.perfect / a.moves))
        for ply, a in grade.by_ply.items()
    ]
    print_table(f"By ply, {grade.kind}", ["ply", "positions", "verdict kept", "share", "best score", "share"], plies)
    values = grade.values
    if values.skill is not None:
        counts = [
            (NAMES[outcome], one.positions, share(values.recall(outcome))) for outcome, one in values.by_outcome.items()
        ]
        print_table("Its values", ["position", "positions", "recognised (95 %)"], counts)
    if grade.lines:
        lines = [(seat, *(f"{counts[name]:,}" for name in counts)) for seat, counts in grade.lines.items()]
        print_table("Every line of play", ["seat", "wins", "draws", "losses"], lines)
    if grade.against:
        rows = [(name, len(scores), share(grade.points(name))) for name, scores in grade.against.items()]
        print_table("Points against perfect play", ["kind", "matches", "points (95 %)"], rows)
    total = grade.total
    if grade.shortage:
        say(grade.shortage)
    every = f"all {total.moves:,} positions" if grade.whole else f"{total.moves:,} positions with a choice"
    kept, perfect = share(total.kept_rate), share(total.perfect_rate)
    say(
        f"{grade.agent.full_name} at {grade.game.title} keeps the verdict in {kept} of {every}, "
        f"and plays a move with the best score in {perfect}."
    )
    if grade.whole:
        kept = share(total.nontrivial_kept_rate)
        say(f"Of the {total.nontrivial:,} positions with a choice it keeps the verdict in {kept}.")
    if values.skill is not None:
        skill, low, high = map(fixed, values.skill)
        accuracy = f"{share(values.balanced_accuracy)} of {values.positions:,} won, drawn and lost positions"
        say(
            f"Its value recognises {accuracy} (any constant: 33 %); "
            f"Brier skill score {skill} ({low} to {high}), where 1 is exact and 0 the best constant."
        )


@command("inarow annotate matches.jsonl --from-ply 12")
def annotate(
    records: Annotated[
        Path, typer.Argument(metavar="FILE", help="Match records, as `inarow match --out` writes them, or a store.")
    ],
    from_ply: Annotated[
        int,
        typer.Option("--from-ply", min=0, help="Skip positions with fewer stones; early ones take longest to solve."),
    ] = 0,
    nodes: Annotated[
        int | None, typer.Option("--nodes", min=1, help="Maximum nodes per position; unsolved ones are skipped.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", min=0.001, help="Time limit per position in seconds.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the matches to a page (.html) with a board, a solver and the review."),
    ] = None,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """List the blunders of recorded matches.

    The exact solver grades every move. A blunder gives away a win or a draw.
    """
    from inarow.arena import open_executor
    from inarow.frontend import match_page, replay_of
    from inarow.truth import SolvedPositions, count_by
    from inarow.truth.accuracy import review

    limit = Limit(nodes=nodes, seconds=seconds)
    if out is not None and out.suffix.lower() != ".html":
        raise InarowError(f"{out} ends with {out.suffix or 'no suffix'}; expected .html")
    target = None if out is None else new_file(out, force)
    given = _records_in(records)
    by_game = {record.game: SolvedPositions(record.game, limit) for record in given}
    found: list[tuple[int, str, GradedMove]] = []
    replays: list[dict[str, Any]] = []
    total = sum(len(record.moves) for record in given)
    with open_executor(workers, cluster) as executor, waiting("Grading moves …"):
        for board, solved in by_game.items():
            played = (record.decisions(from_ply) for record in given if record.game == board)
            solved.solve((position for moves in played for position, _ in moves), executor.map)
        for number, record in enumerate(given, start=1):
            for agent, graded in by_game[record.game].grade_record(record, from_ply):
                if graded is not None:
                    found.append((number, agent, graded))
            if target is not None:
                least = max(len(record.opening), from_ply)
                reviewed = review(record.game, record.all_moves, by_game[record.game].scores, least)
                replays.append({**replay_of(record), "review": reviewed})
    if target is not None:
        write_text(target, match_page(f"Matches of {records.name}", replays))
    blunders = [(number, agent, graded) for number, agent, graded in found if graded.blunder]
    agents = count_by((agent, graded) for _, agent, graded in found)
    if as_json:
        print_json(
            {
                "moves": total,
                "measured": len(found),
                "blunders": [_blunder_json(*blunder) for blunder in blunders],
                "agents": {agent: accuracy.to_json() for agent, accuracy in agents.items()},
            }
        )
        return
    for number, agent, graded in blunders:
        say(
            f"match {number}, move {graded.ply + 1}: {agent} ({graded.seat.name.lower()}) played {graded.move + 1}, "
            f"and a {_word(graded.best)} became a {_word(graded.score)} "
            f"(score {signed(graded.score)} instead of {signed(graded.best)})."
        )
    head = ["agent", "moves", "perfect (95 %)", "verdict kept (95 %)", "blunders", "mean regret"]
    rows = [
        (agent, a.moves, share(a.perfect_rate), share(a.kept_rate), a.blunders, f"{a.mean_regret or 0:.2f}")
        for agent, a in agents.items()
    ]
    print_table(f"{len(found)} of {total} moves measured", head, rows)
    if target is not None:
        print_how_to_open(target)


def _word(score: int) -> str:
    from inarow.solver import Verdict

    return Verdict.of(score).name.lower()


def _records_in(path: Path) -> list[MatchRecord]:
    """Return the records of a file or of a store, which may be being written."""
    from inarow.arena.store import Store, is_database
    from inarow.match.record import read_records

    if not is_database(path):
        return list(read_records(path))
    with Store.read(path) as store:
        for said in store.notes:
            note(said)
        return [record for run in store.runs() for _, _, record in store.records(run)]


def _blunder_json(number: int, agent: str, graded: GradedMove) -> dict[str, Any]:
    return {
        "match": number,
        "move_number": graded.ply + 1,
        "agent": agent,
        "seat": graded.seat.name.lower(),
        "move": graded.move,
        "score": graded.score,
        "best": graded.best,
    }


@command("inarow rate connect4 alphabeta:depth=3")
@takes(SandboxOptions)
def rate(
    game_name: GameArgument,
    spec: Annotated[str, typer.Argument(metavar="AGENT", help="The agent; `inarow agents` lists them.")],
    within: Annotated[float, typer.Option(min=1, help="Stop when the 95 % interval is this narrow, in ± Elo.")] = 25.0,
    pairs: Annotated[int, typer.Option(min=1, max=MAX_MATCHES, help="Maximum number of pairs of matches.")] = 1000,
    minutes: Annotated[
        float | None,
        typer.Option(min=0.01, help="Time limit in minutes; the result then depends on the machine's speed."),
    ] = None,
    positions: Annotated[
        int, typer.Option(min=0, max=MAX_MATCHES, help="Number of positions of the truth set to grade moves in.")
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
    """Print the rating, what it means, and the results against each opponent."""
    from inarow.ladder import COLUMNS, elo_text

    ladder = found.ladder
    say(f"{found.agent.full_name} at {ladder.game.title}: {found.rating_text()} Elo; {ladder.anchor} has 0.")
    say(found.sentence())
    own = next((one for one in ladder.players if one.agent.spec == found.agent.spec), None)
    if own is not None:
        say(f"It is a player of the ladder itself, with {elo_text(own.elo)} Elo.")
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
