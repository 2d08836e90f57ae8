"""inarow cluster: a small cluster on this machine, for trying it out."""

from __future__ import annotations

import signal
import sys
from typing import Annotated

import typer

from inarow.cli.pages import App
from inarow.cli.running import WorkersOption

commands = App(help="Run a Dask cluster on this machine.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(commands, name="cluster")


@commands.command(epilog="Example: inarow cluster start --workers 2")
def start(
    workers: WorkersOption = None,
    port: Annotated[
        int,
        typer.Option(min=0, max=65535, help="Port of the scheduler; 0 for any free one."),
    ] = 8786,
    dashboard: Annotated[
        int,
        typer.Option(min=0, max=65535, help="Port of Dask's dashboard; 0 for any free one."),
    ] = 8787,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="Address to listen on. Anyone who can reach it can run code on the workers."
        ),
    ] = "127.0.0.1",
) -> None:
    """Start a Dask scheduler with workers, print its address, and run until Ctrl-C."""
    from inarow.arena.cluster import ClusterError, distributed
    from inarow.arena.executor import check_workers, cores

    library = distributed()
    check_workers(workers or cores())
    try:
        local = library.LocalCluster(
            n_workers=workers or cores(),
            threads_per_worker=1,
            processes=True,
            host=host,
            scheduler_port=port,
            dashboard_address=f"{host}:{dashboard}",
        )
    except (OSError, RuntimeError, ValueError) as error:
        raise ClusterError(f"a cluster can't be started at {host}, port {port}: {error.__cause__ or error}") from None
    with local:
        typer.echo(f"scheduler: {local.scheduler_address}")
        typer.echo(f"dashboard: {local.dashboard_link}")
        typer.echo(f"Use it with --cluster {local.scheduler_address}; Ctrl-C stops it.")
        sys.stdout.flush()
        signal.pause()
