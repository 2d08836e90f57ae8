"""inarow site: write the web page as plain files that need no server of ours."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.common import progress, say, waiting


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: inarow site public")(site)


def site(
    out: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder for the site.")],
    force: Annotated[bool, typer.Option("--force", help="Write into a folder that has other files in it.")] = False,
) -> None:
    """Write the web page as a static site, which needs no server.

    The files work on any web server, such as GitHub Pages, and opened from a disk. Agents and the solver run in the
    browser. See docs/site.md.
    """
    from inarow.web.site import check_folder, site_files, write_site

    check_folder(out, force)
    with waiting("Compiling kernels to WebAssembly …"):
        files = site_files()
    with progress() as bar:
        task = bar.add_task("Writing", total=len(files))
        write_site(out, files, lambda _: bar.advance(task))
    size = sum(map(len, files.values()))
    opener = {"darwin": "open", "win32": "start"}.get(sys.platform, "xdg-open")
    say(
        f"{len(files)} files, {size / 1e6:.1f} MB. Upload the folder {out} to any web server, or open it here: "
        f"{opener} {shlex.quote(str(out / 'index.html'))}"
    )
