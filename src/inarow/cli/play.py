"""The commands ``play``, ``serve`` and ``site``: play in the terminal, in a window or in the browser."""

from __future__ import annotations

import json
import secrets
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import typer

from inarow.agents import Agent, Limit
from inarow.agents import agent as make_agent
from inarow.agents.registry import expand_specs
from inarow.cli.common import (
    ForceOption,
    MatchesOption,
    RecordsOption,
    SandboxOptions,
    console,
    new_file,
    one_agent,
    print_how_to_open,
    progress,
    say,
    say_what_is_open,
    takes,
    waiting,
)
from inarow.cli.pages import command
from inarow.errors import InarowError, unknown
from inarow.formatting import counted
from inarow.rules import game, parse_moves

if TYPE_CHECKING:
    from inarow.match import MatchRecord
    from inarow.play import Participant, Setup
    from inarow.play.setup import Lineup


@command("inarow play connect4 human rules --starts random", "inarow play tictactoe random rules --matches 5")
@takes(SandboxOptions)
def play(
    game_name: Annotated[
        str | None,
        typer.Argument(
            metavar="[GAME]",
            help="connect4, tictactoe, or a board such as 5x4x4 or 4x4x3-free.",
            show_default="connect4",
        ),
    ] = None,
    one: Annotated[
        str | None,
        typer.Argument(metavar="[ONE]", help="human, or an agent; `inarow agents` lists them.", show_default="human"),
    ] = None,
    two: Annotated[str | None, typer.Argument(metavar="[TWO]", help="The opponent.", show_default="rules")] = None,
    lineup_name: Annotated[
        str,
        typer.Option(
            "--lineup",
            metavar="NAME",
            help="Set of players and modes for the window's menu and --mode; plugins add more. "
            "The programs of R2 and R5 count from 0: see --from-zero.",
        ),
    ] = "inarow",
    mode: Annotated[
        str | None,
        typer.Option(metavar="MODE", help="Choose both players by a mode of the lineup, such as 'human - ai'."),
    ] = None,
    starts: Annotated[
        str,
        typer.Option(metavar="ORDER", help="Who moves first: one, two, random (drawn for each match) or alternate."),
    ] = "one",
    matches: MatchesOption = 1,
    delay: Annotated[
        float | None,
        typer.Option(
            help="Minimum time of an agent's move in seconds.",
            show_default="0.5 between agents and in a window, else 0",
        ),
    ] = None,
    opening: Annotated[str, typer.Option(metavar="MOVES", help="Opening moves of every match.")] = "",
    seconds: Annotated[float | None, typer.Option(help="Time limit of an agent's move in seconds.")] = None,
    seed: Annotated[
        int | None, typer.Option(help="The same seed gives the same matches.", show_default="random")
    ] = None,
    out: RecordsOption = None,
    load: Annotated[Path | None, typer.Option(help="Continue the last match of a file written with --out.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the unfinished match.")] = False,
    ui: Annotated[
        str,
        typer.Option(metavar="terminal|desktop|web", help="Interface: terminal, window or browser."),
    ] = "terminal",
    from_zero: Annotated[
        bool, typer.Option("--from-zero", help="Number columns and cells from 0 in the terminal (not in --opening).")
    ] = False,
    force: ForceOption = False,
    *,
    options: SandboxOptions,
) -> None:
    """Play against an agent or a person, or watch agents play.

    At the prompt, enter a column (or cell) number, or undo, redo, hint, truth, mistakes, new, save FILE, quit or help;
    the first letter is enough.
    """
    from inarow.play import Starts, saved
    from inarow.play.setup import USUAL, lineup

    if ui not in _SHOW:
        raise InarowError(unknown("interface", ui, _SHOW))
    target = new_file(out, force) if out is not None else None
    if ui == "web" and (options.trust or options.allow_solver):
        raise InarowError(
            "--trust and --allow-solver do not apply to --ui web, which always uses the full sandbox; remove them"
        )
    if from_zero and ui != "terminal":
        raise InarowError(f"--from-zero is for the terminal; remove it, or --ui {ui}")
    chosen = lineup(lineup_name)
    given = bool(game_name or one or two or opening or load or mode)
    if resume and (given or ui != "terminal"):
        raise InarowError(
            "--resume takes the game and the players from the saved match and runs in the terminal; remove the rest"
        )
    with options.applied():
        if ui == "desktop" and not given:
            _menu(seed, target, chosen)
            return
        record = None
        if resume or (ui == "terminal" and not given and _wants_resume()):
            record = saved.unfinished_match()
            if record is None:
                raise InarowError("no unfinished match to resume; start one with `inarow play`")
        elif load is not None:
            record = saved.load_record(load)
            if game_name or one or two or opening or mode:
                raise InarowError("--load takes the game, the players and the opening from the file; remove them")
        elif mode is None and chosen is not USUAL:
            raise InarowError(f"--lineup {chosen.name} needs --mode, or the menu of --ui desktop without a game")
        elif mode is not None and (one or two):
            raise InarowError("--mode chooses both players; remove ONE and TWO")
        setup = saved.setup_of(record) if record else _new_setup(chosen, mode, game_name, one, two, opening, seed)
        if any(isinstance(one, Agent) and one.foreign for one in setup.participants):
            say_what_is_open(options.policy)
        in_terminal = ui == "terminal"
        setup = replace(
            setup,
            starts=Starts.of(starts),
            matches=matches,
            delay=(0.0 if in_terminal and not setup.watched else 0.5) if delay is None else delay,
            pause=0.0 if in_terminal else 2.0,
            limit=Limit(seconds=seconds),
            base=0 if from_zero else 1,
        )
        _SHOW[ui](setup, record, target)


def _interactive() -> bool:
    """Return True if standard input is a terminal; matches from a pipe are neither kept nor resumed."""
    return sys.stdin.isatty()


def _wants_resume() -> bool:
    """Offer to resume the unfinished match, if there is one."""
    from inarow.play.saved import unfinished_match

    record = unfinished_match() if _interactive() else None
    if record is None:
        return False
    moves = counted(len(record.moves), "move", "moves")
    return typer.confirm(f"Resume your unfinished match of {record.game.title} ({moves})?", default=True)


def _new_setup(
    chosen: Lineup,
    mode: str | None,
    game_name: str | None,
    one: str | None,
    two: str | None,
    opening: str,
    seed: int | None,
) -> Setup:
    """Return the setup of a new match, between the given players or those of a mode."""
    from inarow.play import Setup, participant
    from inarow.play.setup import is_person, opponent

    def plain(label: str) -> str:
        return "".join(label.replace("–", "-").split()).lower()

    def player(text: str) -> Participant:
        return participant(text if is_person(text) else one_agent(text))

    board, title = game(game_name or "connect4"), ""
    if mode is None:
        players = player(one or "human"), opponent(board) if two is None else player(two)
    else:
        found = next((each for each in chosen.modes if plain(each.label) == plain(mode)), None)
        if found is None:
            raise InarowError(unknown(f"mode of {chosen.title}", mode, [each.label for each in chosen.modes]))
        first, second = found.seats
        players = chosen.participant(first, board), chosen.participant(second, board)
        title = chosen.mode_title(found.seats)
    seed = secrets.randbits(31) if seed is None else seed
    return Setup(board, players, opening=parse_moves(board, opening), seed=seed, mode=title)


def _in_terminal(setup: Setup, record: MatchRecord | None, target: Path | None) -> None:
    from inarow.agents.perfect import ADVISER
    from inarow.play import Session
    from inarow.play.saved import put_unfinished_aside, unfinished_match
    from inarow.play.terminal import Terminal, has_keyboard, keyboard

    resumed = record is not None and record == unfinished_match()
    keep = resumed or (_interactive() and not setup.watched)
    if keep and not resumed and (name := put_unfinished_aside()):
        say(f"Your unfinished match was saved as {name}.", stderr=True)
    session = Session(setup, adviser=ADVISER, record=record)
    try:
        Terminal(session, console(), _read, keys=keyboard if has_keyboard() else None, keep=keep).run()
    finally:  # also after Ctrl-C
        _save(session.records(), target)


def _in_window(setup: Setup, record: MatchRecord | None, target: Path | None) -> None:
    from inarow.play.desktop import run

    _save(run(setup, record), target)


def _menu(seed: int | None, target: Path | None, offered: Lineup) -> None:
    from inarow.play.desktop import run

    _save(run(seed=seed, offered=offered), target)


def _in_browser(setup: Setup, record: MatchRecord | None, target: Path | None) -> None:
    from inarow.match.record import record_text
    from inarow.web.serving import WebSettings, serve

    if target is not None:
        raise InarowError("--out does not apply to --ui web, where the page saves matches; remove it")
    wanted = {
        "game": setup.game.name,
        "one": setup.participants[0].spec,
        "two": setup.participants[1].spec,
        "starts": setup.starts.value,
        "matches": setup.matches,
        "delay": setup.delay,
        "opening": setup.opening,
        "seed": setup.seed,
        "mode": setup.mode,
        "record": None if record is None else record_text(record),
    }
    own = tuple(one.spec for one in setup.participants if isinstance(one, Agent) and (one.foreign or any(one.files())))
    serve(
        WebSettings(port=0, agents=own),
        lambda address: typer.echo(f"{setup.game.title} is at {address}  (Ctrl-C stops the server)"),
        at=f"play/start/{quote(json.dumps(wanted), safe='')}",
        open_page=True,
    )


_SHOW = {"terminal": _in_terminal, "desktop": _in_window, "web": _in_browser}


def _read(prompt: str) -> str:
    """Read a line; echo it if it comes from a pipe."""
    line = input(prompt)
    if not sys.stdin.isatty():
        typer.echo(line)
    return line


def _save(records: list[MatchRecord], path: Path | None) -> None:
    from inarow.match.record import record_text, write_records

    if path is None or not records:
        return
    try:
        write_records(records, path)
    except InarowError:
        typer.echo("\n".join(record_text(record) for record in records))  # so that no match is lost
        raise
    say(f"{counted(len(records), 'match', 'matches')} saved to {path}.", stderr=True)


@command("inarow serve --open")
def serve(
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="Address to listen on; any other than this machine's own requires a token."
        ),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 for any free one.")] = 8642,
    token: Annotated[
        str, typer.Option(metavar="TOKEN", help="Access token for clients; generated if one is required.")
    ] = "",
    public_url: Annotated[
        str,
        typer.Option(metavar="URL", help="Public URL behind a reverse proxy, such as https://lab.example.org/inarow."),
    ] = "",
    agent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT",
            help="Agent in a file that clients may use, such as mine.py, or a folder of agents; may be repeated.",
        ),
    ] = None,
    watch: Annotated[
        list[Path] | None,
        typer.Option(help="Store, or folder of a study or league, to show live; may be repeated."),
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Serve the web page: play, analyse, watch agents think. Ctrl-C stops it.

    The browser computes; the server keeps matches between two people, agents that exist only in Python, and live
    tournaments: see docs/web.md.
    """
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
        agents=specs,
        watch=tuple(watch or ()),
    )
    run(settings, lambda address: typer.echo(f"inarow is at {address}  (Ctrl-C stops it)"), open_page=open_page)


@command("inarow site --out public")
def site(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="The folder for the site.")],
    force: Annotated[bool, typer.Option("--force", help="Write into a folder that has other files in it.")] = False,
) -> None:
    """Write the web page as a static site, which needs no server.

    The files work on any web server, such as GitHub Pages, and opened from a disk. Agents and the solver run in the
    browser. See docs/web.md.
    """
    from inarow.web.site import check_folder, site_files, write_site

    check_folder(out, force)
    with waiting("Compiling kernels to WebAssembly …"):
        files = site_files()
    with progress() as bar:
        task = bar.add_task("Writing", total=len(files))
        write_site(out, files, lambda _: bar.advance(task))
    size = sum(map(len, files.values()))
    say(f"{len(files)} files, {size / 1e6:.1f} MB: upload the folder {out} to any web server, or use it from here.")
    print_how_to_open(out / "index.html")
