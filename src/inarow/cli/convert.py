"""The commands ``convert``, ``export`` and ``dataset``: files for other programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.adapters.notations import FORMATS, NotatedPosition, notation
from inarow.agents import agent
from inarow.cli.common import (
    ClusterOption,
    ForceOption,
    GameArgument,
    JsonOption,
    SeedOption,
    WorkersOption,
    new_file,
    one_agent,
    optional_game,
    print_json,
    progress,
    say,
)
from inarow.cli.pages import command, two_columns
from inarow.errors import InarowError, unknown
from inarow.limits import MAX_MATCHES, Limit
from inarow.paths import parse_json, read_text, write_text
from inarow.rules import Game, game

if TYPE_CHECKING:
    from inarow.match import MatchRecord
    from inarow.solver import Oracle


MATCHES = {
    "record": "records of matches, as `inarow match --out` writes them (a file)",
    "replay": "a replay of Kaggle's ConnectX, JSON (a file)",
}


@command("inarow convert connect4 3342 --from zero --to drawing")
def convert(
    game_name: Annotated[
        str,
        typer.Argument(metavar="[GAME]", help="The game; records and replays name it themselves."),
    ] = "connect4",
    texts: Annotated[
        list[str] | None, typer.Argument(metavar="[POSITION]...", help="Positions; quote those with spaces.")
    ] = None,
    source: Annotated[str, typer.Option("--from", metavar="FORMAT", help="Input format.")] = "moves",
    target: Annotated[str, typer.Option("--to", metavar="FORMAT", help="Output format.")] = "drawing",
    file: Annotated[Path | None, typer.Option("--file", help="Read positions from a file, one per line.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write to a file.")] = None,
    solve: Annotated[
        bool, typer.Option("--solve", help="Add the exact score, if the output format has one (pons, uci).")
    ] = False,
    formats: Annotated[bool, typer.Option("--formats", help="List the formats and exit.")] = False,
    force: ForceOption = False,
) -> None:
    """Convert positions and matches between notations. `inarow convert --formats` lists them."""
    if formats:
        typer.echo(two_columns([*((one.name, one.summary) for one in FORMATS.values()), *MATCHES.items()]))
        return
    for name in (source, target):
        if name not in FORMATS and name not in MATCHES:
            raise InarowError(unknown("format", name, [*FORMATS, *MATCHES], "`inarow convert --formats` lists them."))
    if out is not None:
        new_file(out, force)
    if source in MATCHES:
        records = _records(source, file)
        if target in MATCHES:
            _write_lines(_match_text(records, target), out)
            return
        entries = iter([NotatedPosition(record.position(), record.all_moves) for record in records])
    elif target in MATCHES:
        raise InarowError(f"{source} holds positions, not matches; convert to {target} from record or replay")
    else:
        entries = _read(game_name, texts or [], source, file)
    lines = [notation(target).write(_solved(entry) if solve else entry) for entry in entries]
    _write_lines("".join(f"{line}\n" for line in lines), out)


def _read(game_name: str, texts: list[str], source: str, file: Path | None) -> Iterator[NotatedPosition]:
    if bool(texts) == (file is not None):
        raise InarowError("give positions as arguments, or --file with one per line")
    board: Game = game(game_name)
    if file is None:
        numbered = [("", text) for text in texts]
    else:
        lines = enumerate(read_text(file).splitlines(), start=1)
        numbered = [(f"{file}, line {number}: ", line) for number, line in lines if line.strip()]
    for where, text in numbered:
        try:
            yield notation(source).parse(board, text)
        except InarowError as error:
            raise InarowError(f"{where}{error}") from None


def _records(source: str, file: Path | None) -> list[MatchRecord]:
    from inarow.adapters.kaggle import record_of_replay
    from inarow.match.record import read_records

    if file is None:
        raise InarowError(f"{source} is read from a file; give it with --file")
    if source == "record":
        return list(read_records(file))
    try:
        return [record_of_replay(parse_json(read_text(file)))]
    except json.JSONDecodeError as error:
        raise InarowError(f"{file}, line {error.lineno}: not JSON ({error.msg}); it may be cut short") from None
    except InarowError as error:
        raise InarowError(f"{file}: {error}") from None


def _match_text(records: list[MatchRecord], target: str) -> str:
    from inarow.adapters.kaggle import replay_of_record

    if target == "record":
        return "".join(json.dumps(record.to_json(), ensure_ascii=False) + "\n" for record in records)
    if len(records) != 1:
        raise InarowError(f"a replay holds one match, got {len(records)}")
    return json.dumps(replay_of_record(records[0])) + "\n"


@lru_cache(maxsize=1)
def _oracle(game: Game) -> Oracle:
    from inarow.solver import Oracle

    return Oracle(game)


def _solved(entry: NotatedPosition) -> NotatedPosition:
    if entry.position.outcome() is not None or entry.score is not None:
        return entry
    return replace(entry, score=_oracle(entry.position.game).score(entry.position))


def _write_lines(text: str, out: Path | None) -> None:
    if out is None:
        sys.stdout.write(text)
    else:
        write_text(out, text)
        typer.echo(f"{out} written", err=True)


@command("inarow export connect4 alphabeta:depth=6 --out submission.py")
def export(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[GAME] AGENT",
            help="A game with gravity, connect4 if none is given; alphabeta, minimax or ntuple, with parameters.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write.")],
    seed: SeedOption = 0,
    force: ForceOption = False,
) -> None:
    """Write an agent as one file for Kaggle's ConnectX.

    The file is plain Python without dependencies and plays the same moves as the agent, except that a search stops at
    the depth it has reached when its time is up.
    """
    from inarow.adapters.kaggle import export_agent

    game_name, spec = optional_game(words, "AGENT")
    board = game(game_name)
    exported = agent(one_agent(spec))
    text = export_agent(exported, board, seed=seed)
    write_text(new_file(out, force), text)
    say(f"{out}: {exported.spec} for {board.title}, {len(text.encode()) / 1000:,.0f} kB.")
    say(f"Try it:  inarow match {board.name} file:{out} random")


@command("inarow dataset connect4 --from-ply 20 --per-ply 50 --out positions.csv")
def dataset(
    game_name: GameArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file: .csv, or .npz for NumPy.")],
    per_ply: Annotated[
        int, typer.Option("--per-ply", min=1, max=MAX_MATCHES, help="Maximum number of positions per ply.")
    ] = 100,
    from_ply: Annotated[
        int | None, typer.Option("--from-ply", min=0, help="First ply; early positions take longest to solve.")
    ] = None,
    to_ply: Annotated[int | None, typer.Option("--to-ply", min=0, help="Last ply.")] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", min=0.001, help="Skip positions that take longer than this to solve.")
    ] = None,
    seed: SeedOption = 0,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write random positions with the exact score of every move.

    Positions are distinct up to mirror images. They come from games where half of the moves are random and the
    others win or block when they can.
    """
    from inarow.adapters.dataset import check_ending, make_dataset
    from inarow.arena import open_executor
    from inarow.truth.positions import quick_ply

    board = game(game_name)
    check_ending(out)
    new_file(out, force)
    first = quick_ply(board) if from_ply is None else from_ply
    last = board.cells - 1 if to_ply is None else to_ply
    if first > last:
        raise InarowError(f"--from-ply must not exceed --to-ply, got {first} and {last}")
    if last >= board.cells:
        raise InarowError(f"--to-ply must be at most {board.cells - 1} on {board}, got {last}")
    plies = range(first, last + 1)
    with open_executor(workers, cluster) as executor, progress() as bar:
        task = bar.add_task("solving", total=len(plies) * per_ply)
        limit = Limit(seconds=seconds)
        advance = lambda: bar.advance(task)  # noqa: E731
        made = make_dataset(board, plies, per_ply, seed=seed, limit=limit, on_position=advance, each=executor.map)
    made.write(out)
    if as_json:
        print_json({"game": board.name, "file": str(out), "positions": len(made.known), "unsolved": made.unsolved})
        return
    left_out = f"; skipped {made.unsolved} not solved within {seconds:g} s" if made.unsolved else ""
    say(f"{len(made.known):,} positions of {board.title}, plies {first} to {last}, in {out}{left_out}.")
