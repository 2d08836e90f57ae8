"""inarow serve: play, analyse and watch in the browser."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated

import typer

from inarow.limits import MOST_WORKERS


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow serve --open")(serve)


def serve(
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to listen on; beyond this machine a token is needed.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes any free one.")] = 8642,
    token: Annotated[
        str, typer.Option(metavar="TOKEN", help="Token that clients must give; generated if one is needed.")
    ] = "",
    public_url: Annotated[
        str,
        typer.Option(
            metavar="URL", help="Address of the page behind a reverse proxy, such as https://lab.example.org/inarow."
        ),
    ] = "",
    workers: Annotated[int, typer.Option(min=1, max=MOST_WORKERS, help="Processes in which agents think.")] = 2,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT",
            help="An agent in a file that clients may use, mine.py, or a folder of them; repeat for more.",
        ),
    ] = None,
    watch: Annotated[
        list[Path] | None,
        typer.Option(help="A store, or the folder of a study or league, to show live; repeat for more."),
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Serve the web page: play, analyse, watch agents think. Ctrl-C stops it.

    It also has an API: see docs/web.md.
    """
    from inarow.agents import agent as make_agent
    from inarow.agents.registry import expand_specs
    from inarow.web.serving import LOOPBACK_NAMES, WebSettings
    from inarow.web.serving import serve as run

    specs = tuple(make_agent(spec).spec for spec in expand_specs(agent or ()))
    if host not in LOOPBACK_NAMES and not token:
        token = secrets.token_urlsafe(12)
    settings = WebSettings(
        host=host,
        port=port,
        token=token,
        public_url=public_url,
        workers=workers,
        agents=specs,
        watch=tuple(watch or ()),
    )
    run(settings, lambda address: typer.echo(f"inarow is at {address}  (Ctrl-C stops it)"), open_page=open_page)
