"""The commands ``solve``, ``verify``, ``book`` and ``table``: exact scores, proofs, opening books and tables."""

from __future__ import annotations

import contextlib
import csv
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, astuple
from functools import cache
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inarow.checker import InvalidCertificate, check
from inarow.cli.common import (
    ClusterOption,
    ForceOption,
    GameArgument,
    JsonOption,
    console,
    new_file,
    note,
    print_json,
    print_table,
    progress,
    say,
    waiting,
)
from inarow.cli.main import INTERRUPTED, interrupt_sets, leave
from inarow.cli.pages import CommandApp, command
from inarow.errors import InarowError
from inarow.formatting import capitalised, counted, duration, listed, sentence, signed
from inarow.limits import MAX_WORKERS, Limit
from inarow.paths import read_text, text_writer, write_text
from inarow.rules import FIRST, SECOND, Game, format_move, format_moves, game, parse_moves
from inarow.rules.notation import parse_position
from inarow.stopping import Stop

if TYPE_CHECKING:
    from rich.text import Text

    from inarow.solver import Analysis, Bounds, Oracle
    from inarow.solver.oracle import KnownScores
    from inarow.solver.tables import CompleteTable


@command("inarow solve connect4 44455554221")
def solve(
    game_name: GameArgument,
    moves: Annotated[str, typer.Argument(metavar="[MOVES]", help="Moves counted from 1, such as 4453.")] = "",
    file: Annotated[
        Path | None,
        typer.Option(
            "--file", help="Solve a file of positions, one per line: moves and, optionally, the expected score."
        ),
    ] = None,
    weak: Annotated[bool, typer.Option("--weak", help="Find only win, draw or loss; faster.")] = False,
    book: Annotated[bool, typer.Option("--book/--no-book", help="Use the opening book and cached results.")] = True,
    table: Annotated[
        Path | None, typer.Option("--table", help="Look up scores in a table made by `inarow table build`.")
    ] = None,
    threads: Annotated[int, typer.Option("--threads", min=1, max=64, help="Number of search threads.")] = 1,
    tt_mb: Annotated[int, typer.Option("--tt-mb", min=1, help="Size of the transposition table in MB.")] = 64,
    nodes: Annotated[int | None, typer.Option("--nodes", min=1, help="Maximum nodes per position.")] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", min=0.001, help="Time limit per position in seconds.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=MAX_WORKERS, help="Number of processes for --file.")] = 1,
    cluster: ClusterOption = None,
    proof: Annotated[
        Path | None,
        typer.Option(
            "--certificate", metavar="FILE", help="Write a strategy that proves the value; `inarow verify` checks it."
        ),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            "--checkpoint", metavar="FILE", help="Continue from this file if it exists; write it if the search stops."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Solve a position: its score, every move's score, best play.

    Results are printed as they are found: the score, the moves, the line of best play.
    """
    board, limit = game(game_name), Limit(nodes=nodes, seconds=seconds)
    settings = board, book, table, tt_mb, threads
    if file is not None:
        from inarow.arena import open_executor

        for name, given in (("MOVES", moves), ("--certificate", proof), ("--checkpoint", checkpoint)):
            if given:
                raise InarowError(f"{name} is for one position; give it or --file, not both")
        with open_executor(workers, cluster) as executor:
            options = repeat(settings), repeat(limit), repeat(weak)
            _solve_file(file, lambda lines: executor.map(_solve_line, lines, *options), as_json)
        return
    position = parse_position(board, moves)
    if proof is not None:
        new_file(proof, force=False)
    oracle = _oracle(*settings)
    if checkpoint is not None and checkpoint.exists():
        say(f"{checkpoint}: continuing from {oracle.resume(checkpoint):,} positions.", stderr=True)
    elif checkpoint is not None:
        new_file(checkpoint, force=False)
    stop = Stop()
    shown = _AnalysisView(oracle, limit, parse_moves(board, moves)[-1] if moves else None)
    with interrupt_sets(stop), contextlib.nullcontext(contextlib.nullcontext) if as_json else waiting(shown) as pause:
        shown.pause = pause
        progress = None if as_json else shown.show
        found = oracle.analyse(position, limit, stop=stop, line=True, weak=weak, on_progress=progress)
    if as_json:
        print_json(_analysis_json(found))
    else:
        _print_analysis(found)
    if oracle.notice:
        say(sentence(f"inarow: {oracle.notice}"), stderr=True)
    known = [b.decided if weak else b.solved for b in (found.bounds, *found.moves.values())]
    if checkpoint is not None and not all(known):
        say(f"{checkpoint}: {oracle.save(checkpoint):,} positions; the same command continues.", stderr=True)
    if proof is not None and not stop.is_set():
        _write_certificate(proof, found, oracle, stop)
    if stop.is_set():
        leave("inarow: interrupted; the results so far are exact", INTERRUPTED)


def _write_certificate(path: Path, found: Analysis, oracle: Oracle, stop: Stop) -> None:
    """Write a certificate of the verdict, once it has been checked."""
    from rich.text import Text

    from inarow.solver.certificate import CertificateError, Interrupted, certificate

    if not found.bounds.decided:
        raise CertificateError("cannot write a certificate of an unsolved position; allow more time or nodes")
    shown = Text(no_wrap=True, overflow="ellipsis")

    def show(answers: int) -> None:
        took = duration(oracle.clock.now() - begun)
        shown.plain = f"Certificate: {counted(answers, 'answer', 'answers')} so far; {took}; Ctrl-C stops"

    begun = oracle.clock.now()
    show(0)
    try:
        with interrupt_sets(stop), waiting(shown):
            text = certificate(found.position, oracle, stop, show)
    except Interrupted:
        return
    with waiting("Checking the certificate"):
        checked = check(text)[1]
    write_text(path, text, CertificateError)
    answers, closed = sum(len(one.answers) for one in checked), sum(len(one.closed) for one in checked)
    count = f"{counted(answers, 'answer', 'answers')}, {closed:,} positions closed by a rule"
    say(f"{path} proves it: {count}, {len(text):,} bytes.", stderr=True)


class _AnalysisView:
    """Prints results of an analysis as they are found, and renders the status line."""

    def __init__(self, oracle: Oracle, limit: Limit, last: int | None) -> None:
        self.oracle = oracle
        self.limit = limit
        self.last = last
        self.found: Analysis | None = None
        self.begun = oracle.clock.now()
        self.pause: Callable[[], contextlib.AbstractContextManager[None]] = contextlib.nullcontext

    def show(self, found: Analysis) -> None:
        """Print the score as soon as it is known, then the board with all moves."""
        from inarow.solver.analysis import LINE, MOVES, SCORE
        from inarow.solver.verdicts import draw_verdicts

        before, self.found = self.found, found
        stages = [SCORE, MOVES, LINE, ""]
        done = stages[stages.index(SCORE if before is None else before.looking_for) : stages.index(found.looking_for)]
        if not done:
            return
        with self.pause():
            if SCORE in done:
                score = f" (score {signed(found.score)})" if found.solved and not found.weak else ""
                say(f"{capitalised(found.words)}{score}.")
                sys.stdout.flush()
            if MOVES in done:
                screen = console()
                board = draw_verdicts(found.position, found.moves, width=screen.width, last=self.last, weak=found.weak)
                screen.print(board)

    def __rich__(self) -> Text:
        """Return the status line, cut to the width of the screen."""
        from rich.text import Text

        from inarow.solver.analysis import MOVES, SCORE

        found = self.found
        if found is None or found.looking_for == SCORE:
            what, searched = "Score", self.oracle.so_far()
            if searched is not None:
                (low, high), nodes = searched
                what += f" {signed(low)} to {signed(high)}, {nodes:,} nodes"
        elif found.looking_for == MOVES:
            solved = {format_move(move): one for move, one in found.moves.items() if one.solved}
            what = f"Moves: {len(solved)} of {len(found.moves)} known"
            if len(found.moves) <= 7:
                what = f"Moves: {', '.join(f'{move} {_figure(one, found.weak)}' for move, one in solved.items())}"
        else:
            what = "Best play"
        passed = self.oracle.clock.now() - self.begun
        seconds = self.limit.seconds
        time = duration(passed) if seconds is None else f"{duration(max(0.0, seconds - passed))} left"
        return Text(f"{what}; {time}; Ctrl-C stops", no_wrap=True, overflow="ellipsis")


def _analysis_json(analysis: Analysis) -> dict[str, Any]:
    bounds, line = analysis.bounds, analysis.line
    return {
        "game": analysis.position.game.name,
        "score": bounds.low if bounds.solved and not analysis.weak else None,
        "bounds": list(bounds),
        "verdict": analysis.verdict.name.lower() if bounds.decided else None,
        "words": analysis.words if bounds.decided else None,
        "moves": [
            {"move": move, "score": b.low if b.solved and not analysis.weak else None, "bounds": list(b)}
            for move, b in analysis.moves.items()
        ],
        "line": None if line is None else format_moves(analysis.position.game, line),
        "nodes": analysis.nodes,
        "seconds": analysis.seconds,
        "source": analysis.source,
    }


def _print_analysis(analysis: Analysis) -> None:
    if analysis.line is not None:
        say(f"Best play: {format_moves(analysis.position.game, analysis.line)}.")
    by_figure: dict[str, list[str]] = {}
    for move, found in sorted(analysis.moves.items(), key=lambda one: one[1], reverse=True):
        by_figure.setdefault(_figure(found, analysis.weak), []).append(format_move(move))
    figures = "; ".join(f"{figure} for {listed(moves)}" for figure, moves in by_figure.items())
    say(f"{'Verdicts' if analysis.weak else 'Scores'}: {figures}.")
    say(f"{counted(analysis.nodes, 'node', 'nodes')} in {duration(analysis.seconds)}, by {analysis.source}.")


def _figure(bounds: Bounds, weak: bool) -> str:
    """Format a score, a verdict if ``weak``, or the bounds of an unsolved move."""
    if not bounds.solved:
        return f"{signed(bounds.low)} … {signed(bounds.high)}"
    return bounds.verdict.name.lower() if weak else signed(bounds.low)


@cache
def _oracle(board: Game, book: bool, table: Path | None, tt_mb: int, threads: int) -> Oracle:
    """Return the oracle of this process."""
    from inarow.solver import Oracle
    from inarow.solver.cache import Cache

    known: tuple[KnownScores, ...] = (Cache(board, write=True),) if book else ()
    if table is not None:
        from inarow.solver.tables import read_table

        known = (read_table(table, board),)
    return Oracle(board, book=book, known=known, tt_mb=tt_mb, threads=threads)


def _solve_file(file: Path, solve: Callable[[list[str]], Iterable[dict[str, Any] | str]], as_json: bool) -> None:
    """Solve one position per line; report invalid lines by number and solve the rest."""
    lines = [(number, line) for number, line in enumerate(read_text(file).splitlines(), start=1) if line.strip()]
    results: list[dict[str, Any]] = []
    bad = 0
    for (number, _), found in zip(lines, solve([line for _, line in lines]), strict=True):
        if isinstance(found, str):
            bad += 1
            sys.stderr.write(f"{file}, line {number}: {found}\n")
        else:
            results.append(found)
    wrong = sum(result["right"] is False for result in results)
    count = len(results)
    summary = {
        "positions": count,
        "wrong": wrong,
        "unsolved": sum(result["score"] is None for result in results),
        "bad_lines": bad,
        "mean_seconds": sum(result["seconds"] for result in results) / count if count else None,
        "mean_nodes": sum(result["nodes"] for result in results) / count if count else None,
    }
    if as_json:
        print_json({**summary, "results": results})
    else:
        for result in results:
            score = "unsolved" if result["score"] is None else f"{result['score']:+d}"
            marks = {None: "", True: " right", False: f" WRONG, expected {result['expected'] or 0:+d}"}
            sys.stdout.write(f"{result['moves']} {score}{marks[result['right']]}\n")
        mean = duration(summary["mean_seconds"])
        nodes = "–" if summary["mean_nodes"] is None else f"{summary['mean_nodes']:,.0f}"
        sys.stdout.write(f"{count} positions, {wrong} wrong, mean {mean}, {nodes} nodes.\n")
    if bad or wrong:
        raise typer.Exit(1)


def _solve_line(
    line: str, settings: tuple[Game, bool, Path | None, int, int], limit: Limit, weak: bool
) -> dict[str, Any] | str:
    """Solve the position of a line; return an error message if the line is invalid."""
    oracle = _oracle(*settings)
    if limit.nodes is not None:
        oracle.forget()  # so that results do not depend on the order of the lines
    text, _, rest = line.strip().partition(" ")
    try:
        expected = int(rest) if rest.strip() else None
    except ValueError:
        return f"{rest.strip()!r} is not a score; expected moves, a space and an integer"
    try:
        found = oracle.analyse(parse_position(oracle.game, text), limit, moves=False, weak=weak)
    except InarowError as error:
        return str(error)
    score = found.score if found.solved else None
    if weak and expected is not None:
        expected = (expected > 0) - (expected < 0)
    return {
        "moves": text,
        "score": score,
        "bounds": list(found.bounds),
        "expected": expected,
        "right": None if expected is None or score is None else score == expected,
        "nodes": found.nodes,
        "seconds": found.seconds,
    }


@command("inarow verify 6x4x4.certificate")
def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Certificate written by `inarow solve --certificate`.")],
    cards: Annotated[
        Path | None,
        typer.Option("--cards", metavar="FILE", help="Write the answers as flash cards: CSV, for Anki and others."),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Check a certificate without the solver.

    Plays every reply against the certificate's strategy and checks that each game ends as claimed.
    """
    from inarow.solver.certificate import cards as flash_cards

    if cards is not None:
        new_file(cards, force)
    try:
        content, found = check(read_text(file))
    except InvalidCertificate as error:
        raise InarowError(f"{file} proves nothing: {error}") from None
    board = game(f"{content['columns']}x{content['rows']}x{content['k']}{'' if content['gravity'] else '-free'}")
    after = f" after {format_moves(board, content['moves'])}" if content["moves"] else ""
    for one in found:
        player = (FIRST, SECOND)[one.player].name.lower()
        result = "wins" if one.win else "at least draws"
        count = f"{len(one.answers):,} answers, {len(one.closed):,} positions closed by a rule"
        say(f"Proven on {board}{after}: the {player} player {result} ({count}).")
    if cards is not None:
        made = flash_cards(content, found)
        with text_writer(cards) as out:
            csv.writer(out).writerows((f"<pre>{front}</pre>", back) for front, back in made)
        say(f"{cards}: {counted(len(made), 'card', 'cards')}.")


book = CommandApp(help="Build opening books.", no_args_is_help=True)


@book.command("build", epilog="Example: inarow book build 5x4x4 --plies 4 --out 5x4x4.book")
def build_book(
    game_name: GameArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="The book file to write.")],
    plies: Annotated[int, typer.Option("--plies", min=1, max=20, help="Maximum number of stones on the board.")] = 6,
    work: Annotated[
        Path | None,
        typer.Option("--work", help="Keep the scores found so far in this file.", show_default="FILE.work"),
    ] = None,
    verdicts: Annotated[
        bool, typer.Option("--verdicts", help="Store win, draw or loss instead of scores; faster to solve.")
    ] = False,
    threads: Annotated[int, typer.Option("--threads", min=1, max=64, help="Number of threads, at low priority.")] = 2,
    workers: Annotated[
        int,
        typer.Option(
            min=1, max=MAX_WORKERS, help="Use processes instead of threads, each with its own transposition table."
        ),
    ] = 1,
    cluster: ClusterOption = None,
    tt_mb: Annotated[int, typer.Option("--tt-mb", min=1, help="Size of the transposition table in MB.")] = 256,
    seeded: Annotated[
        bool, typer.Option("--seeded/--from-scratch", help="Start from the books that ship with inarow.")
    ] = True,
    force: ForceOption = False,
) -> None:
    """Build an opening book: the score of every position with few stones.

    Positions are solved ply by ply. To resume an interrupted build, run the same command again; with fewer plies it
    writes a smaller book immediately.
    """
    from inarow.arena import open_executor
    from inarow.solver.book import SCORES, VERDICTS, folded_key, open_book, shipped_book, write_book
    from inarow.solver.building import derive, early_positions, read_progress, solve_all, to_solve

    board = game(game_name)
    board.check_usual("a book")
    if not board.gravity:
        raise InarowError(f"{board} has no gravity; opening books need a board with gravity")
    new_file(out, force)
    work = work or out.with_name(out.name + ".work")
    _, damaged = read_progress(work, board, verdicts)
    if damaged:
        note(f"{work} is damaged: {counted(damaged, 'line', 'lines')} skipped and solved again")
    shipped = (shipped_book(board, holds) for holds in (SCORES, VERDICTS)) if seeded and not verdicts else ()
    seeds = [path for path in shipped if path is not None and path.resolve() != out.resolve()]
    with open_executor(workers, cluster) as executor, progress() as bar:
        task = bar.add_task(f"solving {board}", total=None)

        def show(ply: int, done: int, total: int) -> None:
            bar.update(task, description=f"solving {board} at ply {ply}", completed=done, total=total)

        scores = solve_all(
            board,
            plies,
            work,
            verdicts=verdicts,
            seeds=[open_book(path, board) for path in seeds],
            threads=threads,
            tt_mb=tt_mb,
            each=executor.map if workers > 1 or cluster is not None else None,
            progress=show,
        )
    if any(folded_key(position) not in scores for position in to_solve(early_positions(board, plies))):
        raise KeyboardInterrupt
    made = derive(board, plies, scores, verdicts)
    write_book(made, out)
    say(f"{len(made.keys):,} positions up to {plies} plies in {out} ({out.stat().st_size:,} bytes), verified.")


table = CommandApp(help="Build and show complete tables of small boards.", no_args_is_help=True)


@table.command("build", epilog="Example: inarow table build 4x4x4 --out 4x4x4.table")
def build_table(
    game_name: GameArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="The table file to write.")],
    memory_mb: Annotated[
        float | None,
        typer.Option("--memory-mb", min=1, help="Memory limit.", show_default="half of the machine's"),
    ] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Build a table of the exact score of every position of a small board.

    `solve --table`, `grade --table` and `inarow.solver.tables` use the file.
    """
    from inarow.solver import tables

    board = game(game_name)
    tables.check_size(board, memory_mb)
    new_file(out, force)
    with progress(quiet=as_json) as bar:
        task = bar.add_task(f"{board}", total=None)

        def show_progress(phase: str, done: int, total: int) -> None:
            bar.update(task, description=f"{phase} {board}", completed=done, total=total)

        built = tables.build_table(board, progress=show_progress, memory_mb=memory_mb)
    size = tables.write_table(built, out)
    _print_table(built, as_json)
    say(f"{out}: {built.positions:,} positions, {size:,} bytes.", stderr=as_json)


@table.command("show", epilog="Example: inarow table show 4x4x4.table")
def show_table(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `inarow table build` wrote.")],
    as_json: JsonOption = False,
) -> None:
    """Show the number of won, drawn and lost positions per ply."""
    from inarow.solver.tables import read_table

    _print_table(read_table(path), as_json)


def _print_table(table: CompleteTable, as_json: bool) -> None:
    if as_json:
        plies = [asdict(one) for one in table.statistics]
        print_json({"game": table.game.name, "positions": table.positions, "plies": plies})
        return
    head = ["ply", "positions", "wins", "draws", "losses", "ended won", "ended drawn", "only moves", "longest win"]
    rows = [
        [*(f"{n:,}" for n in counts), "–" if longest is None else counted(longest, "ply", "plies")]
        for *counts, longest in map(astuple, table.statistics)
    ]
    print_table(f"{table.game.title}: every position, for the side to move", head, rows)
