"""inarow cluster: a small cluster on this machine, for trying it out."""

from __future__ import annotations

import signal
import sys
from typing import Annotated

import typer

from inarow.cli.pages import App

commands = App(help="Run a Dask cluster on this machine.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(commands, name="cluster")


@commands.command(epilog="Example: inarow cluster start --workers 2")
def start(
    workers: Annotated[int | None, typer.Option(min=1, help="Worker processes.", show_default="one per core")] = None,
    port: Annotated[int, typer.Option(help="Port of the scheduler; 0 for any free one.")] = 8786,
    dashboard: Annotated[int, typer.Option(help="Port of Dask's dashboard; 0 for any free one.")] = 8787,
) -> None:
    """Start a Dask scheduler with workers, print its address, and run until Ctrl-C."""
    from inarow.arena.cluster import distributed
    from inarow.arena.workers import cores

    library = distributed()
    with library.LocalCluster(
        n_workers=workers or cores(),
        threads_per_worker=1,
        processes=True,
        scheduler_port=port,
        dashboard_address=f":{dashboard}",
    ) as local:
        typer.echo(f"scheduler: {local.scheduler_address}")
        typer.echo(f"dashboard: {local.dashboard_link}")
        typer.echo(f"Use it with --cluster {local.scheduler_address}; Ctrl-C stops it.")
        sys.stdout.flush()
        signal.pause()
