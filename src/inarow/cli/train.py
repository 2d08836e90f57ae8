"""inarow train: let an agent learn a game."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inarow.cli.common import (
    ForceOption,
    GameArgument,
    JsonOption,
    SeedOption,
    console,
    new_file,
    print_json,
    print_table,
)

if TYPE_CHECKING:
    from inarow.stopping import Stop
    from inarow.training import Trainer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow train qlearning tictactoe --episodes 50000 --out mine.npz")(train)


def train(
    spec: Annotated[str, typer.Argument(metavar="AGENT", help="qlearning or ntuple, with its parameters.")],
    game_name: GameArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file.")],
    episodes: Annotated[
        int | None, typer.Option("--episodes", "-n", help="Games to learn from; a preset has its own number.")
    ] = None,
    opponent: Annotated[
        list[str] | None,
        typer.Option(help="self, or an agent; 'a | b' draws one for each episode; given again: one after the other."),
    ] = None,
    eval_every: Annotated[int, typer.Option(help="Episodes between two evaluations; 0: at the end only.")] = 0,
    eval_opponent: Annotated[list[str] | None, typer.Option(help="Whom to play then; may be given again.")] = None,
    eval_games: Annotated[int, typer.Option(min=1, help="Games against each in each seat.")] = 50,
    truth: Annotated[bool, typer.Option(help="Also measure it against the exact truth, where that is at hand.")] = True,
    save_every: Annotated[int, typer.Option(help="Episodes between two checkpoints; 0: at the end only.")] = 0,
    backups: Annotated[
        bool, typer.Option("--backups", help="Keep each checkpoint under a name with its date.")
    ] = False,
    patience: Annotated[int, typer.Option(help="Stop after so many evaluations without a better one; 0: never.")] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the training in the file.")] = False,
    slim: Annotated[bool, typer.Option("--slim", help="Write it as `model slim` would; can't be resumed.")] = False,
    workers: Annotated[
        int, typer.Option(help="Threads (ntuple; over three are no faster); what is learnt depends on how many.")
    ] = 1,
    seed: SeedOption = 0,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Train an agent by self-play or against others, and keep what it learnt with the history of how."""
    from inarow.agents import agent
    from inarow.rules import game
    from inarow.stopping import Stop
    from inarow.training import Trainer, TrainingPlan, parse_stages
    from inarow.training.evaluation import Evaluation
    from inarow.training.opponents import defaults
    from inarow.truth.greedy_measures import truth_measure

    board = game(game_name)
    learner = agent(spec)
    usual, length = defaults(learner, board)
    plan = TrainingPlan(
        agent=learner,
        game=board,
        episodes=episodes if episodes is not None else length,
        stages=parse_stages(opponent or usual, board),
        seed=seed,
        workers=workers,
        evaluate_every=eval_every,
        evaluation=Evaluation(
            opponents=[
                s for stage in parse_stages(eval_opponent or ["random", "rules"], board) for s in stage.opponents
            ],
            games=eval_games,
            truth=truth_measure(board) if truth else None,
        ),
        save_every=save_every,
        backups=backups,
        patience=patience,
    )
    trainer = Trainer.resume(plan, out) if resume else Trainer(plan)
    target = out if resume else new_file(out, force)
    stop = Stop()
    _run(trainer, stop, target, quiet=as_json)
    if slim and trainer.stopped != "interrupted":
        trainer.save(target, slim=True)
    if as_json:
        print_json(
            {"file": str(target), "stopped": trainer.stopped, "history": trainer.history, "timing": trainer.timing}
        )
    else:
        print_history(trainer.history, f"{learner.spec} learns {board.title}")
        typer.echo(
            f"{trainer.learner.episodes:,} episodes{f', {trainer.stopped}' if trainer.stopped else ''}: {target}"
        )
    if trainer.stopped == "interrupted":
        typer.echo(
            f"go on with --resume ({trainer.learner.episodes:,} of {plan.episodes:,} episodes are done)", err=True
        )
        raise typer.Exit(130)


def _run(trainer: Trainer, stop: Stop, target: Path, quiet: bool) -> None:
    """Train with a progress bar; Ctrl-C saves and ends."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    screen = console(stderr=True)
    plan = trainer.plan
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[speed]:,.0f} episodes/s"),
        TimeRemainingColumn(),
        console=screen,
        transient=True,
        disable=quiet or not screen.is_terminal,
    ) as bar:
        task = bar.add_task(f"{plan.agent.spec}", total=plan.episodes, completed=trainer.learner.episodes, speed=0.0)
        with _interrupt_stops(stop):
            for done in trainer.steps(stop, target):
                bar.update(task, completed=done, speed=bar.tasks[0].speed or 0.0)


@contextlib.contextmanager
def _interrupt_stops(stop: Stop) -> Iterator[None]:
    """Within, the first Ctrl-C asks the training to end in order, after the episode it is at; a second breaks it."""
    asked = False  # not the flag: inside a kernel that is raised before Python hears of the signal

    def ask(number: int, frame: object) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        stop.set()

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def print_history(history: list[dict[str, Any]], title: str) -> None:
    """The history of a training as a table."""
    opponents = list(history[-1]["matches"]) if history else []
    measures = list(history[-1].get("truth", {})) if history else []
    head = ["episodes", "win / draw / loss", "reward", "error", "entries"]
    head += [f"{name} as {seat}" for name in opponents for seat in ("first", "second")] + measures
    rows = []
    for entry in history:
        row: list[object] = [
            f"{entry['episodes']:,}",
            f"{entry['wins']} / {entry['draws']} / {entry['losses']}",
            f"{entry['reward']:.3f}",
            f"{entry['error']:.4f}",
            f"{entry['entries']:,}",
        ]
        for name in opponents:
            for seat in ("first", "second"):
                counts = entry["matches"][name][seat]
                row.append(f"{counts['wins']} / {counts['draws']} / {counts['losses']}")
        row += [f"{100 * entry['truth'][name]:.2f} %" for name in measures]
        rows.append(row)
    print_table(title, head, rows)
