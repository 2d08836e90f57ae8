"""The commands ``train`` and ``model``: train agents, and inspect, plot, shrink or export models."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inarow.cli.common import (
    ForceOption,
    GameArgument,
    JsonOption,
    new_file,
    print_json,
    print_table,
    progress,
    say,
)
from inarow.cli.main import interrupt_sets
from inarow.cli.pages import CommandApp, command
from inarow.errors import HostFailure, InarowError, visible
from inarow.formatting import counted, share
from inarow.limits import MAX_MATCHES
from inarow.paths import fingerprint, text_writer, write_bytes, write_text
from inarow.rules import game
from inarow.stopping import Stop

if TYPE_CHECKING:
    from inarow.agents import Agent
    from inarow.training import Training


@command("inarow train tictactoe qlearning --episodes 50000 --out mine.npz")
def train(
    game_name: GameArgument,
    spec: Annotated[str, typer.Argument(metavar="TRAINER", help="qlearning or ntuple, with parameters.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The model file.", show_default="the file of --resume")
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Continue the training in this file, with the same or other settings; "
            "start it if the file does not exist.",
        ),
    ] = None,
    episodes: Annotated[
        int | None,
        typer.Option(
            "--episodes", "-n", help="Number of training games; with --resume, additional ones.", show_default="50,000"
        ),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option("--minutes", help="Stop after this time; --resume continues."),
    ] = None,
    opponent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT",
            help="self, or an agent; 'a | b' picks one at random per episode; repeat for further stages.",
            show_default="self",
        ),
    ] = None,
    stage: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STAGE",
            help="Stage with its own settings, such as 'opponent=random,episodes=5000,epsilon=0.3', also alpha "
            "and seat; repeat for further stages.",
        ),
    ] = None,
    eval_every: Annotated[
        int | None,
        typer.Option(help="Episodes between evaluations; 0 evaluates only at the end.", show_default="ten evaluations"),
    ] = None,
    eval_opponent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT",
            help="Opponent in evaluations; may be repeated.",
            show_default="those of the training, in the learner's seat; after self-play random and rules",
        ),
    ] = None,
    eval_matches: Annotated[
        int, typer.Option(min=1, max=MAX_MATCHES, help="Matches against each opponent in each seat.")
    ] = 50,
    log_episodes: Annotated[
        bool,
        typer.Option("--log-episodes", help="Log the reward and length of every episode (slower; see `model curves`)."),
    ] = False,
    truth: Annotated[bool, typer.Option(help="Also grade it against the exact solution, if known.")] = True,
    save_every: Annotated[int, typer.Option(help="Episodes between checkpoints; 0 saves only at the end.")] = 0,
    backups: Annotated[bool, typer.Option("--backups", help="Keep every checkpoint, in a file named by date.")] = False,
    patience: Annotated[
        int, typer.Option(help="Stop after this many evaluations without improvement; 0 never stops early.")
    ] = 0,
    slim: Annotated[bool, typer.Option("--slim", help="Write a slim model, which can't be trained further.")] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            help="Train in batches on this many threads (ntuple only); the number does not change the result."
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Play the batches on the workers of a Dask scheduler, such as tcp://127.0.0.1:8786."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="The same seed gives the same model.", show_default="0, or the file's")
    ] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Train an agent and save its model.

    It learns by self-play or against other agents, in one or more stages. The file also holds the training history and
    the state that --resume needs.
    """
    from inarow.arena import ArenaError, open_executor
    from inarow.arena.executor import cores
    from inarow.models.files import ModelError, ModelFile
    from inarow.training import Training, parse_stages, plan_training, trainer
    from inarow.training.training import read_training

    board = game(game_name)
    made = trainer(spec)
    if resume is None and out is None:
        raise InarowError("no model file given; use --out FILE, or --resume FILE to continue a training")
    if opponent and stage:
        raise InarowError("--opponent and --stage exclude each other; name the opponents in the stages: opponent=…")
    before: dict[str, Any] = {"seed": 0, "batched": False}
    continues = resume is not None and resume.exists()
    if resume is not None and continues:
        with ModelFile(resume) as file:
            before = read_training(file)
    if workers is None and (before["batched"] or cluster is not None):
        workers = cores() if cluster is None else 1
    stages = [*(opponent or ()), *(stage or ())]
    if not stages and episodes is None and continues and before["kind"] == made.name:
        stages, episodes = before["opponents"], before["planned"]
    plan = plan_training(
        made,
        board,
        episodes,
        stages,
        eval_every,
        None if eval_opponent is None else [one for s in parse_stages(eval_opponent, board) for one in s.opponents],
        eval_matches,
        truth=truth,
        minutes=minutes,
        log_episodes=log_episodes,
        seed=before["seed"] if seed is None else seed,
        workers=workers,
        save_every=save_every,
        backups=backups,
        patience=patience,
    )
    unwritten: ModelError | None = None
    with contextlib.ExitStack() as stack:
        pool = None if cluster is None else stack.enter_context(open_executor(cluster=cluster))
        training = Training.resume(plan, resume, pool=pool) if resume and continues else Training(plan, pool=pool)
        target = new_file(out, force) if out is not None and out != resume else resume
        assert target is not None
        if resume is not None:
            say(_beginning(training, resume), stderr=as_json)
        try:
            _run(training, Stop(), target, quiet=as_json)
            if slim and training.stopped != "interrupted":
                training.save(target, slim=True)
        except ModelError as error:  # print the history first
            unwritten = error
        except (ArenaError, HostFailure) as error:  # the cluster is gone
            training.save(target)
            raise HostFailure(f"{error}; {target} keeps what it has learnt, continue with --resume {target}") from None
    if as_json:
        print_json(
            {"file": str(target), "stopped": training.stopped, "history": training.history, "timing": training.timing}
        )
    else:
        if training.history:
            print_history(training.history, f"{made.spec} learns {board.title}")
        say(
            f"{training.learner.episodes:,} episodes{f' ({training.stopped})' if training.stopped else ''}; "
            f"the model is in {target}{_how_to_play(made.agent_of(target))}."
        )
    if unwritten is not None:
        raise unwritten
    if training.stopped == "interrupted":
        done = training.learner.episodes - training.start
        say(f"Continue with --resume {target}: {done:,} of {plan.episodes:,} episodes are done.", stderr=True)
        raise typer.Exit(130)


def _how_to_play(player: Agent) -> str:
    """Say how to play guided Q-learning: the model alone is not guided."""
    return "" if player.full_name == player.spec else f"; play it as {player.full_name}"


def _beginning(training: Training, file: Path) -> str:
    """Describe whether the training is new, resumed or extended."""
    done, planned = training.learner.episodes, training.plan.episodes
    if not done:
        return f"{file} does not exist; starting a new training."
    if done > training.start:
        return f"{file}: resuming an unfinished training, {done - training.start:,} of {planned:,} episodes are done."
    return f"{file}: {planned:,} more episodes after {done:,}."


def _run(training: Training, stop: Stop, target: Path, quiet: bool) -> None:
    """Train with a progress bar of episodes or time; Ctrl-C saves and stops."""
    plan = training.plan
    with progress(quiet, "{task.fields[done]:,} episodes, {task.fields[speed]:,.0f}/s") as bar:
        before, start = training.learner.episodes, time.monotonic()
        task = bar.add_task(plan.trainer.spec, total=1.0, done=before, speed=0.0)
        with interrupt_sets(stop):
            for done in training.steps(stop, target):
                passed = time.monotonic() - start
                share_done = max(
                    (done - training.start) / plan.episodes, passed / (60 * plan.minutes) if plan.minutes else 0.0
                )
                bar.update(task, completed=share_done, done=done, speed=(done - before) / max(passed, 1e-9))


def print_history(history: list[dict[str, Any]], title: str) -> None:
    """Print the history of a training as a table."""
    found = [(name, seat) for entry in history for name, seats in entry.get("matches", {}).items() for seat in seats]
    pairs = list(dict.fromkeys(found))
    measures = list(history[-1].get("truth", {})) if history else []
    head = ["episodes", "win / draw / loss", "reward", "error", "entries"]
    head += [f"{name} as {seat}" for name, seat in pairs] + measures
    rows = []
    for entry in history:
        row: list[object] = [
            f"{entry['episodes']:,}",
            f"{entry['wins']} / {entry['draws']} / {entry['losses']}",
            f"{entry['reward']:.3f}",
            f"{entry['error']:.4f}",
            f"{entry['entries']:,}",
        ]
        for name, seat in pairs:
            counts = entry.get("matches", {}).get(name, {}).get(seat)
            row.append(f"{counts['wins']} / {counts['draws']} / {counts['losses']}" if counts else "")
        truth = entry.get("truth", {})
        row += [_measure(name, truth[name]) if name in truth else "" for name in measures]
        rows.append(row)
    print_table(title, head, rows)


def _measure(name: str, value: float) -> str:
    """Format a measure of truth: a share, or the skill score of the values."""
    from inarow.training.training import SKILL

    return f"{value:.3f}" if name == SKILL else share(value, decimals=2)


FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="A model file that `inarow train` wrote.")]
ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="A model file, or the name of a shipped model: `inarow model list`.")
]


model = CommandApp(help="List, inspect, plot, shrink or export trained models.", no_args_is_help=True)


@model.command("list", epilog="Example: inarow model list")
def list_models(as_json: JsonOption = False) -> None:
    """List the models that ship with inarow."""
    from inarow.models.files import ModelFile
    from inarow.models.loading import cards

    found = []
    for name, card in cards().items():
        with ModelFile(card.path) as opened:
            header = opened.header
        facts = {name: header[name] for name in ("game", "kind", "episodes")}
        size = card.path.stat().st_size
        found.append({"name": name, **facts, "bytes": size, "graded": card.graded, "note": card.note})
    if as_json:
        print_json({"models": found})
        return
    heads = ["model", "episodes", "kB"]
    rows = [
        [one["name"], f"{one['episodes']:,}", f"{one['bytes'] / 1000:,.0f}", *row]
        for one in found
        for row in _accuracy(one["graded"])
    ]
    print_table("Shipped models", heads + _ACCURACY, rows)
    say("Graded in all positions of Tic Tac Toe, and in 1,000 positions of each of six classes of Connect 4.")
    for one in found:
        if one["note"]:
            say(f"{one['name']}: {one['note']}")


_ACCURACY = ["agent", "value kept", "perfect moves", "positions"]


def _accuracy(graded: Mapping[str, Mapping[str, int]]) -> list[list[str]]:
    """Return a row for each agent that plays with a model."""
    rows = []
    for spec, counts in graded.items():
        kept, perfect = (f"{100 * counts[name] / counts['positions']:.1f} %" for name in ("kept", "perfect"))
        rows.append([spec, kept, perfect, f"{counts['positions']:,}"])
    return rows


@model.command("show", epilog="Example: inarow model show ntuple-connect4")
def show(name: ModelArgument, as_json: JsonOption = False) -> None:
    """Show what a model is, how it was trained, and its training history."""
    from inarow.agents.qlearning import QLearningAgent
    from inarow.models.files import ModelFile
    from inarow.models.loading import cards, named_model, read_model, trained
    from inarow.models.qtable import QTable

    file = named_model(name)
    card = next((card for card in cards().values() if card.path == file), None)
    with ModelFile(file) as opened:
        header = opened.header
        board, read = read_model(opened)
        resumable = opened.has("state")
    size = {"weights": int(read.weights.size)} if header["kind"] == "ntuple" else {"rows": len(read), **read.facts()}
    facts = {
        "file": str(file),
        "sha256": fingerprint(file),
        "bytes": file.stat().st_size,
        "kind": header["kind"],
        "game": board.name,
        **trained(file),
        **size,
        "resumable": resumable,
    }
    if isinstance(read, QTable) and read.guide != "none":
        facts["plays_as"] = QLearningAgent(str(file), guide=read.guide).full_name
    if header.get("timing"):
        facts["seconds"] = header["timing"][-1]["seconds"]
    if card is not None:
        facts |= {"trained_by": card.train, "cut_by": card.slim, "note": card.note, "graded": card.graded}
    if as_json:
        print_json({**facts, "history": header["history"], "timing": header.get("timing", [])})
        return
    for fact, value in facts.items():
        if value == "" or fact == "graded":
            continue
        shown = ", ".join(value) if isinstance(value, list) else value
        if isinstance(value, bool):
            shown = "yes" if value else "no"
        elif isinstance(value, int) and fact != "seed":
            shown = f"{value:,}"
        typer.echo(visible(f"{fact:>14}  {shown}"))
    if card is not None:
        print_table("Accuracy of the agents that play with it", _ACCURACY, _accuracy(card.graded))
    if header["history"]:
        print_history(header["history"], "Training history")


@model.command("export", epilog="Example: inarow model export ntuple-connect4 --out network.onnx")
def export(
    name: ModelArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="NumPy arrays (.npz), or a network as ONNX (.onnx).")],
    force: ForceOption = False,
) -> None:
    """Export a model for use without inarow.

    Writes NumPy arrays or, for an n-tuple network, an ONNX model, which needs inarow[onnx].
    """
    from inarow.models.exporting import export_model
    from inarow.models.files import ModelFile
    from inarow.models.loading import named_model, read_model

    with ModelFile(named_model(name)) as opened:
        _, read = read_model(opened)
    export_model(read, new_file(out, force))
    typer.echo(visible(f"{out}: {out.stat().st_size:,} bytes"))


@model.command("curves", epilog="Example: inarow model curves a.npz b.npz --out curves.png")
def curves(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Model files that `inarow train` wrote.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="A figure (.png, .svg, .pdf) or a table (.csv).")],
    episodes: Annotated[
        bool, typer.Option("--episodes", help="Every episode of one model trained with --log-episodes, as .csv.")
    ] = False,
    force: ForceOption = False,
) -> None:
    """Plot the training curves of one or several models.

    Runs of one spec with different seeds make one line with a band. A table also has rewards, errors and sizes.
    """
    if episodes:
        _write_episodes(files, out, force)
        return
    from inarow.models.files import ModelFile
    from inarow.report.curves import training_figure
    from inarow.training.training import write_table

    headers = []
    for file in files:
        with ModelFile(file) as opened:
            headers.append(opened.header)
    figure = training_figure(headers)
    if out.suffix == ".csv":
        with text_writer(new_file(out, force)) as table:
            write_table(headers, table)
    elif out.suffix == ".svg":
        write_text(new_file(out, force), figure.svg)
    elif out.suffix in (".pdf", ".png"):
        write_bytes(new_file(out, force), figure.pdf if out.suffix == ".pdf" else figure.png())
    else:
        raise InarowError(f"{out.name}: expected a figure (.svg, .pdf, .png) or a table (.csv)")
    evaluations = counted(sum(len(header["history"]) for header in headers), "evaluation", "evaluations")
    typer.echo(visible(f"{evaluations} of {counted(len(files), 'model', 'models')}: {out}"))


def _write_episodes(files: list[Path], out: Path, force: bool) -> None:
    """Write the result, reward and length of every episode of a model as CSV."""
    from inarow.models.files import ModelFile
    from inarow.training.trainer import read_log

    if len(files) != 1 or out.suffix != ".csv":
        raise InarowError("--episodes needs one model file and --out FILE.csv")
    with ModelFile(files[0]) as opened:
        log = read_log(opened)
    if log is None:
        raise InarowError(f"{files[0]} has no episode log; train with --log-episodes")
    with text_writer(new_file(out, force)) as table:
        log.write(table)
    typer.echo(visible(f"{counted(len(log), 'episode', 'episodes')}: {out}"))


@model.command("slim", epilog="Example: inarow model slim mine.npz --visits 3 --out small.npz")
def slim(
    file: FileArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="The smaller model file.")],
    visits: Annotated[int, typer.Option(min=0, help="Keep only positions visited this often (tables).")] = 0,
    force: ForceOption = False,
) -> None:
    """Write a smaller model that plays nearly the same.

    A Q-table can be cut to its most visited positions; a network keeps the weights that were updated most. The model
    can't be trained further.
    """
    from inarow.models.loading import slimmed

    before = file.stat().st_size if file.exists() else 0
    slimmed(file, new_file(out, force), visits)
    typer.echo(f"{before:,} → {out.stat().st_size:,} bytes: {out}")
