"""inarow model: list, inspect, plot, shrink or export trained models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.cli.common import ForceOption, JsonOption, new_file, print_json, print_table, say
from inarow.cli.pages import App
from inarow.errors import InarowError, visible
from inarow.formatting import counted

if TYPE_CHECKING:
    from inarow.models.loading import Card

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="A model file that `inarow train` wrote.")]
ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="A model file, or the name of a shipped model: `inarow model list`.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = App(help="List, inspect, plot, shrink or export trained models.", no_args_is_help=True)
    group.command("list", epilog="Example: inarow model list")(list_models)
    group.command(epilog="Example: inarow model show ntuple-connect4")(show)
    group.command(epilog="Example: inarow model curves a.npz b.npz --out curves.png")(curves)
    group.command(epilog="Example: inarow model slim mine.npz small.npz --visits 3")(slim)
    group.command(epilog="Example: inarow model export ntuple-connect4 --out network.onnx")(export)
    app.add_typer(group, name="model")


def list_models(as_json: JsonOption = False) -> None:
    """List the models that ship with inarow."""
    from inarow.models.files import ModelFile
    from inarow.models.loading import cards

    found = []
    for name, card in cards().items():
        with ModelFile(card.path) as opened:
            header = opened.header
        facts = {name: header[name] for name in ("game", "kind", "episodes")}
        found.append({"name": name, **facts, "bytes": card.path.stat().st_size, **_accuracy(card)})
    if as_json:
        print_json({"models": found})
        return
    heads = ["model", "game", "agent", "episodes", "kB", "value kept", "perfect moves", "positions"]
    rows = [
        [
            *(one[name] for name in ("name", "game", "kind")),
            *(f"{one['episodes']:,}", f"{one['bytes'] / 1000:,.0f}"),
            *(f"{100 * one[name] / one['positions']:.1f} %" for name in ("kept", "perfect")),
            f"{one['positions']:,}",
        ]
        for one in found
    ]
    print_table("Shipped models", heads, rows)
    say("Graded in all positions of Tic Tac Toe, and in 1,000 positions of each of six classes of Connect 4.")


def _accuracy(card: Card) -> dict[str, int]:
    return {"positions": card.positions, "kept": card.kept, "perfect": card.perfect}


def show(model: ModelArgument, as_json: JsonOption = False) -> None:
    """Show what a model is, how it was trained, and its training history."""
    from inarow.cli.train import print_history
    from inarow.models.files import ModelFile
    from inarow.models.loading import cards, named_model, read_model, trained
    from inarow.paths import fingerprint

    file = named_model(model)
    card = next((card for card in cards().values() if card.path == file), None)
    with ModelFile(file) as opened:
        header = opened.header
        board, read = read_model(opened)
        resumable = opened.has("state")
    size = {"weights": int(read.weights.size)} if header["kind"] == "ntuple" else {"rows": len(read)}
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
    if header.get("timing"):
        facts["seconds"] = header["timing"][-1]["seconds"]
    if card is not None:
        facts |= {"trained_by": card.train, "cut_by": card.slim, "note": card.note, **_accuracy(card)}
    if as_json:
        print_json({**facts, "history": header["history"], "timing": header.get("timing", [])})
        return
    for name, value in facts.items():
        shown = (
            f"{value:,}"
            if type(value) is int and name != "seed"
            else "yes"
            if value is True
            else "no"
            if value is False
            else value
        )
        typer.echo(visible(f"{name:>14}  {', '.join(shown) if isinstance(shown, list) else shown}"))
    if header["history"]:
        print_history(header["history"], "history")


def export(
    model: ModelArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="NumPy arrays (.npz), or a network as ONNX (.onnx).")],
    force: ForceOption = False,
) -> None:
    """Write a model for use without inarow.

    As NumPy arrays, or an n-tuple network as an ONNX model, which needs inarow[onnx].
    """
    from inarow.models.exporting import export_model
    from inarow.models.files import ModelFile
    from inarow.models.loading import named_model, read_model

    with ModelFile(named_model(model)) as opened:
        _, read = read_model(opened)
    export_model(read, new_file(out, force))
    typer.echo(visible(f"{out}: {out.stat().st_size:,} bytes"))


def curves(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Model files that `inarow train` wrote.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="A figure (.png, .svg, .pdf) or a table (.csv).")],
    episodes: Annotated[
        bool, typer.Option("--episodes", help="Every episode of one model trained with --log-episodes, as .csv.")
    ] = False,
    force: ForceOption = False,
) -> None:
    """Draw the training curves of one or several models.

    Runs of one spec with different seeds are one line with a band. A table also has rewards, errors and sizes.
    """
    if episodes:
        _write_episodes(files, out, force)
        return
    from inarow.atomic import binary_writer, text_writer
    from inarow.models.files import ModelFile
    from inarow.report.curves import training_figure
    from inarow.training.trainer import write_table

    headers = []
    for file in files:
        with ModelFile(file) as opened:
            headers.append(opened.header)
    figure = training_figure(headers)
    makers: dict[str, Callable[[], bytes]] = {
        ".svg": lambda: bytes(figure.svg, "utf-8"), ".pdf": lambda: figure.pdf, ".png": figure.png,
    }  # fmt: skip
    if out.suffix == ".csv":
        with text_writer(new_file(out, force), InarowError) as table:
            write_table(headers, table)
    elif out.suffix in makers:
        with binary_writer(new_file(out, force), InarowError) as picture:
            picture.write(makers[out.suffix]())
    else:
        raise InarowError(f"{out.name}: curves are written as a figure ({', '.join(makers)}) or as a table (.csv)")
    said = counted(sum(len(header["history"]) for header in headers), "evaluation", "evaluations")
    typer.echo(visible(f"{said} of {counted(len(files), 'model', 'models')}: {out}"))


def _write_episodes(files: list[Path], out: Path, force: bool) -> None:
    """Write the result, reward and length of every episode of a model as CSV."""
    from inarow.atomic import text_writer
    from inarow.models.files import ModelFile
    from inarow.training.learner import read_log

    if len(files) != 1 or out.suffix != ".csv":
        raise InarowError("--episodes writes those of one model as .csv; give one model file and --out FILE.csv")
    with ModelFile(files[0]) as opened:
        log = read_log(opened)
    if log is None:
        raise InarowError(f"{files[0]} has no log of its episodes; train it with --log-episodes")
    with text_writer(new_file(out, force), InarowError) as table:
        log.write(table)
    typer.echo(visible(f"{counted(len(log), 'episode', 'episodes')}: {out}"))


def slim(
    file: FileArgument,
    out: Annotated[Path, typer.Argument(metavar="TARGET", help="The smaller model file.")],
    visits: Annotated[int, typer.Option(min=0, help="Keep only positions visited this often (tables).")] = 0,
    force: ForceOption = False,
) -> None:
    """Write a smaller model, which can't be trained further.

    It plays nearly the same.

    A table may be cut to its most visited positions; of a network, the weights that learnt most are kept.
    """
    from inarow.models.loading import slimmed

    before = file.stat().st_size if file.exists() else 0
    slimmed(file, new_file(out, force), visits)
    typer.echo(f"{before:,} → {out.stat().st_size:,} bytes: {out}")
