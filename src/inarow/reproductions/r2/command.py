"""``inarow r2``: R2's program in the terminal. It prompts for a match-up and pruning, and plays a batch."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeVar

import typer

from inarow.cli.common import ForceOption, console, new_file, print_table, say
from inarow.errors import InarowError

if TYPE_CHECKING:
    from inarow.rules import Game

T = TypeVar("T")

LIMIT = 1800.0
"""The report's limit in seconds of a search, which then evaluates the current position, and of a game."""
SIZES = (10, 100, 1000)
BASELINE, MINIMAX, LEARNER, HUMAN = "baseline", "minimax", "learner", "human"
MATCH_UPS = (
    (BASELINE, MINIMAX),
    (BASELINE, LEARNER),
    (MINIMAX, LEARNER),
    (LEARNER, MINIMAX),
    (HUMAN, BASELINE),
    (HUMAN, MINIMAX),
    (HUMAN, LEARNER),
)
"""Players 1 (X) and 2 (O); the first to move is drawn at random. The first four are the report's."""


class PlayedBatch(NamedTuple):
    """The result of a batch of games."""

    wins: tuple[int, int]
    ties: int
    plies: float
    """Mean moves per game."""
    seconds: tuple[float, float]
    """Seconds per move of each player."""
    states: int
    """Positions visited by minimax."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("r2", rich_help_panel="Study", epilog="Example: inarow r2 connect4 --match-up 1 --pruning -n 100")(r2)


def r2(
    game_name: Annotated[str | None, typer.Argument(metavar="[GAME]", help="tictactoe or connect4.")] = None,
    match_up: Annotated[
        int | None, typer.Option(min=1, max=len(MATCH_UPS), help="Number of the match-up in the menu.")
    ] = None,
    pruning: Annotated[bool | None, typer.Option(help="Use alpha–beta pruning in minimax.")] = None,
    games: Annotated[int | None, typer.Option("--games", "-n", min=1, help="Games to play: 10, 100, 1000 …")] = None,
    depth: Annotated[int, typer.Option(min=1, help="Depth of minimax in Connect 4: 4 in the code, 5 in Table 1.")] = 4,
    table: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File of the learner's table; created if it does not exist.")
    ] = None,
    game_seconds: Annotated[
        float, typer.Option(min=0.001, help="Time limit of a game in seconds; the game is then a tie.")
    ] = LIMIT,
    from_zero: Annotated[
        bool, typer.Option("--from-zero", help="Number columns and cells from 0, as R2 does.")
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the result as .csv.")] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="The same seed gives the same games.", show_default="0, or that of the table"),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Play a match-up of report R2: baseline, minimax and a learner that learns as it plays.

    Missing arguments are prompted for. The first player of each game is drawn at random.
    """
    from inarow.rules import CONNECT4, TICTACTOE, game

    boards = (TICTACTOE, CONNECT4)
    board = game(game_name) if game_name else _chosen("Which game?", boards, lambda one: one.title)
    if board not in boards:
        raise InarowError(f"expected tictactoe or connect4, got {board}")
    if match_up is None:
        pair = _chosen("Which match-up?", MATCH_UPS, lambda one: f"{one[0]} – {one[1]}")
    else:
        pair = MATCH_UPS[match_up - 1]
    if pruning is None and MINIMAX in pair:
        pruning = typer.confirm("Use alpha–beta pruning?")
    minimax = f"r2-minimax:seconds={LIMIT:g},pruning={'on' if pruning else 'off'}"
    minimax += f",depth={depth}" if board == CONNECT4 else ""
    if HUMAN in pair:
        _play_person(
            board, {BASELINE: "r2-baseline", MINIMAX: minimax, LEARNER: "r2-qlearning"}[pair[1]], seed or 0, from_zero
        )
        return
    count = games or _chosen("How many games?", SIZES, lambda one: f"{one:,}")
    target = None if out is None else new_file(out, force)
    one, two = ({BASELINE: "r2-baseline", MINIMAX: f"{minimax},letter={letter}"} for letter in "xo")
    if LEARNER not in pair:
        if table is not None:
            raise InarowError("--table needs a match-up with the learner; remove it, or choose 2, 3 or 4")
        batch = _play(board, one[pair[0]], two[pair[1]], count, seed or 0, game_seconds)
    else:
        at = pair.index(LEARNER)
        batch = _learn(board, (two if at == 0 else one)[pair[1 - at]], at, count, table, seed, game_seconds)
    heads = ["game", "player 1", "player 2", "pruning", "games", "wins 1", "ties", "wins 2", "moves per game"]
    heads += ["seconds per move 1", "seconds per move 2", "states explored"]
    prunes = "" if MINIMAX not in pair else "yes" if pruning else "no"
    row: list[object] = [board.name, *pair, prunes, count, batch.wins[0], batch.ties, batch.wins[1]]
    row += [f"{batch.plies:.2f}", *(f"{took:.6f}" for took in batch.seconds), batch.states]
    print_table(f"{board.title}: {pair[0]} – {pair[1]}", heads[3:], [row[3:]])
    if target is not None:
        from inarow.paths import text_writer

        with text_writer(target, InarowError) as file:
            csv.writer(file).writerows([heads, row])
        say(f"Written to {target}.")


def _chosen(question: str, options: Sequence[T], name: Callable[[T], str]) -> T:
    """Prompt for a choice from a numbered list until the input is valid."""
    typer.echo(question)
    for number, one in enumerate(options, 1):
        typer.echo(f"  {number}  {name(one)}")

    def read(text: str) -> T:
        if text.strip().isascii() and text.strip().isdigit() and 1 <= int(text) <= len(options):
            return options[int(text) - 1]
        raise typer.BadParameter(f"type a number from 1 to {len(options)}")

    chosen: T = typer.prompt("Number", value_proc=read)
    return chosen


def _play_person(board: Game, spec: str, seed: int, from_zero: bool) -> None:
    """Play in the terminal against one of the program's players."""
    from inarow.agents import agent
    from inarow.play import PERSON, Session, Setup, Starts
    from inarow.play.terminal import Terminal, has_keyboard, keyboard

    players, base = (PERSON, agent(spec)), 0 if from_zero else 1
    setup = Setup(board, players, starts=Starts.RANDOM, delay=0.0, seed=seed, mode="R2", base=base)
    Terminal(Session(setup), console(), keys=keyboard if has_keyboard() else None).run()


def _play(board: Game, one: str, two: str, games: int, seed: int, game_seconds: float) -> PlayedBatch:
    """Play games between two players that don't learn."""
    from inarow.agents import Limit, agent
    from inarow.agents.base import rehearse
    from inarow.match import play_match
    from inarow.match.series import match_seed
    from inarow.randomness import Stream, derive

    players = agent(one), agent(two)
    for player in players:
        rehearse(player, board)
    lots = Stream(derive(seed, "first mover"))
    wins, ties, plies, states, seconds, moves = [0, 0], 0, 0, 0, [0.0, 0.0], [0, 0]
    for number in range(games):
        first = lots.below(2)
        record = play_match(
            board,
            players[first],
            players[1 - first],
            seed=match_seed(seed, board, number, False),
            limit=Limit(match_seconds=game_seconds),
        )
        assert record.outcome is not None
        if record.outcome.winner is None:
            ties += 1
        else:
            wins[first ^ record.outcome.winner] += 1
        plies += len(record.moves)
        states += sum(record.nodes)
        for ply, took in enumerate(record.seconds):
            seconds[first ^ (ply & 1)] += took
            moves[first ^ (ply & 1)] += 1
    per_move = [took / max(1, made) for took, made in zip(seconds, moves, strict=True)]
    return PlayedBatch((wins[0], wins[1]), ties, plies / games, (per_move[0], per_move[1]), states)


def _learn(
    board: Game, opponent: str, at: int, games: int, table: Path | None, seed: int | None, game_seconds: float
) -> PlayedBatch:
    """Play games with the learner, which learns from them; its table may be kept in a file."""
    from inarow.agents import agent
    from inarow.models.files import ModelFile
    from inarow.reproductions.learning import ReportQLearner
    from inarow.training import Stage, Training, TrainingPlan, trainer
    from inarow.training.training import read_training

    continued = table is not None and table.exists()
    if table is not None and continued and seed is None:
        with ModelFile(table) as file:
            seed = read_training(file)["seed"]
    plan = TrainingPlan(trainer("r2-qlearning"), board, games, (Stage((agent(opponent).spec,)),), seed=seed or 0)
    training = Training.resume(plan, table) if table is not None and continued else Training(plan)
    if table is not None:
        known = f"{training.learner.size()['entries']:,} positions loaded"
        say(f"{table}: {known}." if continued else f"{table} does not exist; starting an empty table.")
    learner = training.learner
    assert isinstance(learner, ReportQLearner)
    learner.match_seconds = game_seconds
    begun = time.perf_counter()
    training.run(out=table)
    took, last = time.perf_counter() - begun, training.history[-1]
    spent = (took - learner.opponent_seconds, learner.opponent_seconds)
    moves = games * last["plies"] / 2
    wins, seconds = (last["wins"], last["losses"]), (spent[0] / moves, spent[1] / moves)
    if at == 1:
        wins, seconds = (wins[1], wins[0]), (seconds[1], seconds[0])
    return PlayedBatch(wins, last["draws"], last["plies"], seconds, learner.opponent_nodes)
