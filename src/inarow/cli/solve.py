"""inarow solve: the exact score of a position, of every move, and a perfect continuation; or of a file of positions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inarow.cli.common import GameArgument, JsonOption, console, print_json, print_table
from inarow.formatting import duration

if TYPE_CHECKING:
    from inarow.rules import Game, Position
    from inarow.solver import Oracle


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow solve connect4 44455554221")(solve)


def solve(
    game_name: GameArgument,
    moves: Annotated[str, typer.Argument(metavar="[MOVES]", help="Moves counted from 1, such as 4453.")] = "",
    file: Annotated[
        Path | None,
        typer.Option("--file", help="A file of one position a line: moves, and if wanted the score to check against."),
    ] = None,
    weak: Annotated[bool, typer.Option("--weak", help="Win, draw or loss only, which is quicker.")] = False,
    book: Annotated[
        bool, typer.Option("--book/--no-book", help="Whether to use the opening book, and what was solved before.")
    ] = True,
    threads: Annotated[int, typer.Option("--threads", min=1, max=64, help="Threads that search together.")] = 1,
    table_mb: Annotated[int, typer.Option("--table-mb", min=1, help="Size of the solver's table in MB.")] = 64,
    nodes: Annotated[int | None, typer.Option("--nodes", min=1, help="Positions to visit at most, for each.")] = None,
    seconds: Annotated[float | None, typer.Option("--seconds", min=0.001, help="Seconds at most, for each.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Tell the truth of a position: its score, who wins and with which stone, every move's score, and best play."""
    from inarow.errors import InarowError
    from inarow.rules import game
    from inarow.rules.notation import parse_position
    from inarow.solver import Oracle
    from inarow.solver.cache import Cache

    board = game(game_name)
    if file is not None and moves:
        raise InarowError("give moves or --file, not both")
    position = parse_position(board, moves)
    stores = (Cache(board, write=True),) if book else ()
    oracle = Oracle(board, book=book, stores=stores, table_mb=table_mb, threads=threads)
    limits = {"nodes": nodes, "seconds": seconds}
    if oracle.notice:
        console(stderr=True).print(f"inarow: {oracle.notice}")
    if file is not None:
        _solve_file(oracle, board, file, weak, limits, as_json)
    else:
        _solve_one(oracle, position, weak, limits, as_json)


def _solve_one(oracle: Oracle, position: Position, weak: bool, limits: dict[str, Any], as_json: bool) -> None:
    from inarow.rules import format_move, format_moves
    from inarow.solver import Unsolved, Verdict, score_in_words

    solution = oracle.solve(position, weak=weak, **limits)
    by_move = oracle.solve_moves(position, weak=weak, **limits)
    line = None
    if solution.solved and not weak:
        try:
            line = oracle.line(position, **limits)
        except Unsolved:
            line = None
    try:
        verdict = solution.verdict.name.lower()
    except Unsolved:
        verdict = None
    words = None
    if verdict is not None:
        known = f"{verdict} for the {position.to_move.name.lower()} player"
        words = known if weak else score_in_words(position, solution.score) if solution.solved else known
    if as_json:
        print_json(
            {
                "game": position.game.name,
                "score": solution.low if solution.solved and not weak else None,
                "bounds": [solution.low, solution.high],
                "verdict": verdict,
                "words": words,
                "moves": {format_move(m): _figure(s.low, s.high, weak) for m, s in by_move.items()},
                "line": None if line is None else format_moves(position.game, line),
                "nodes": solution.nodes,
                "seconds": solution.seconds,
                "source": solution.source,
            }
        )
        return
    screen = console()
    if words is None:
        screen.print(f"Not solved within the limit: the score is from {solution.low:+d} to {solution.high:+d}.")
    elif weak or not solution.solved:
        screen.print(f"{words[0].upper()}{words[1:]}.")
    else:
        screen.print(f"Score {solution.low:+d}: {words}.")
    rows = []
    for move, found in by_move.items():
        figure = _figure(found.low, found.high, weak)
        text = Verdict.of(figure).name.lower() if weak and isinstance(figure, int) else _signed(figure)
        rows.append((format_move(move), text))
    print_table("Every move", ["move", "verdict" if weak else "score"], rows)
    if line is not None:
        screen.print(f"Best play: {format_moves(position.game, line)}")
    screen.print(f"{solution.nodes:,} nodes in {duration(solution.seconds)} (by {solution.source})")


def _figure(low: int, high: int, weak: bool) -> int | list[int]:
    """A score, its sign if that is all that was asked, or the bounds."""
    if weak and (low > 0 or high < 0 or low == high):
        return (low + high > 0) - (low + high < 0)
    return low if low == high else [low, high]


def _signed(figure: int | list[int]) -> str:
    return f"{figure:+d}" if isinstance(figure, int) else f"{figure[0]:+d} … {figure[1]:+d}"


def _solve_file(oracle: Oracle, board: Game, file: Path, weak: bool, limits: dict[str, Any], as_json: bool) -> None:
    """Solve one position a line; bad lines are reported with their number, and the rest is solved."""
    import sys

    from inarow.errors import InarowError

    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not a text file" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise InarowError(f"{file} can't be read: {reason}") from None
    results: list[dict[str, Any]] = []
    bad = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            results.append(_solve_line(oracle, board, line, weak, limits))
        except InarowError as error:
            bad += 1
            sys.stderr.write(f"{file}, line {number}: {error}\n")
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
            mark = {
                True: " right",
                False: f" WRONG, expected {result['expected']:+d}" if result["expected"] else " WRONG",
            }
            score = "unsolved" if result["score"] is None else f"{result['score']:+d}"
            sys.stdout.write(f"{result['moves']} {score}{mark.get(result['right'], '')}\n")
        mean = duration(summary["mean_seconds"])
        nodes = "–" if summary["mean_nodes"] is None else f"{summary['mean_nodes']:,.0f}"
        sys.stdout.write(f"{count} positions, {wrong} wrong, mean {mean}, {nodes} nodes\n")
    if bad or wrong:
        raise typer.Exit(1)


def _solve_line(oracle: Oracle, board: Game, line: str, weak: bool, limits: dict[str, Any]) -> dict[str, Any]:
    from inarow.errors import InarowError
    from inarow.rules.notation import parse_position
    from inarow.solver import Unsolved

    text, _, rest = line.strip().partition(" ")
    expected = None
    if rest.strip():
        try:
            expected = int(rest)
        except ValueError:
            raise InarowError(f"{rest.strip()!r} is not a score; write moves, a space, and a whole number") from None
    solution = oracle.solve(parse_position(board, text), weak=weak, **limits)
    try:
        score = int(solution.verdict) if weak else solution.score
    except Unsolved:
        score = None
    if weak and expected is not None:
        expected = (expected > 0) - (expected < 0)
    return {
        "moves": text,
        "score": score,
        "bounds": [solution.low, solution.high],
        "expected": expected,
        "right": None if expected is None or score is None else score == expected,
        "nodes": solution.nodes,
        "seconds": solution.seconds,
    }
