"""The pages of a league's site, and the server that shows them while the league runs."""

from __future__ import annotations

import contextlib
import shlex
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import inarow
from inarow.agents.file import MOVE_SECONDS
from inarow.arena import FORMATS
from inarow.drawing.svg import Label, draw_svg
from inarow.formatting import NOTHING, capitalised, counted, sentence, share
from inarow.frontend import template
from inarow.match import MatchRecord, Pair
from inarow.rules import Player, Position, format_move, format_moves, game
from inarow.solver import Verdict
from inarow.teaching.league.entrants import LeagueError, SubmittedFile, page_name
from inarow.teaching.league.judging import COUNTED, Mistake
from inarow.teaching.league.meetings import failed, pair_points
from inarow.teaching.league.settings import PRIOR_MOVES, LeagueSettings, PointScale
from inarow.teaching.league.standings import EntrantResult, MeetingResult

DATA = Path(inarow.__file__).parent / "data" / "league"
NODES = (
    "Nodes are counted from outside, on positions that are the same for all: moves played on the game object that the "
    "assignment's kit provides, or calls of the function result of CS50's files. Other files can't be counted."
)
MISTAKES = 6
"""Maximum number of mistakes on a page."""
PORT = 8000


def points_text(points: float, error: float = 0.0) -> str:
    """Format points without trailing zeros, with their standard error if they have one: ``78.2 ± 3.1``."""
    if error:
        return f"{points:.1f} ± {error:.1f}"
    return f"{points:.2f}".rstrip("0").rstrip(".")


def mark_text(one: EntrantResult) -> str:
    """Format a grade with its points and their standard error: ``B (78 ± 3)``."""
    points = f"{one.points:.0f} ± {one.mark.error:.0f}" if one.mark.error else points_text(one.points)
    return f"{one.grade} ({points})" if one.grade else points


def render(name: str, settings: LeagueSettings, doing: str = "", **values: Any) -> str:
    """Render a template; ``doing`` is the current step of an unfinished league."""
    page = template(DATA, name).render(**_FUNCTIONS, **values, settings=settings, title=settings.title, doing=doing)
    return page.rstrip("\n") + "\n"


def index_page(name: str, table: Sequence[EntrantResult], settings: LeagueSettings, doing: str, **values: Any) -> str:
    """Return a page with the table of all entrants."""
    scales = {
        rung.name: dict.fromkeys((rung.scale(board).least, rung.scale(board).full) for board in settings.boards)
        for rung in settings.ladder
    }
    return render(
        name,
        settings,
        doing,
        table=table,
        ranges={rung: " or ".join(f"{share(a)} to {share(b)}" for a, b in found) for rung, found in scales.items()},
        format=FORMATS[settings.format.partition(":")[0]].partition(";")[0],
        seconds=MOVE_SECONDS if settings.limit.seconds is None else settings.limit.seconds,
        **values,
    )


def entrant_page(one: EntrantResult, doing: str) -> str:
    """Return the page of an entrant."""
    matches = [
        {**_match(*match), "opponent": result.opponent}
        for result in (*one.ladder, *one.among)
        for match in result.matches()
    ]
    return render("entrant.html", one.settings, doing, one=one, matches=matches, mistakes=_mistakes(one)[:MISTAKES])


def why_page(one: EntrantResult, path: Path, before: float | None) -> str:
    """Return a page that explains every point of an entrant, with the commands that play its matches again.

    It is for the teacher: the seeds in it let anyone prepare for the openings.
    """
    moves, ladder = one.accuracy.nontrivial, one.mark.ladder
    most = sum(part.most for part in ladder)
    return render(
        "why.html",
        one.settings,
        one=one,
        before=before,
        commands=[_command(result, path, one.settings) for result in one.ladder],
        weight=moves / (moves + PRIOR_MOVES),
        proportion=sum(part.value for part in ladder) / most if most else 0.0,
        mistakes=_mistakes(one),
    )


def _against(one: EntrantResult, rung: str) -> str:
    """Return the score against a reference player, on each board."""
    return ", ".join(share(result.score) for result in one.ladder if result.opponent.name == rung) or NOTHING


def _linear(scale: PointScale, rate: float) -> str:
    """Format the calculation of points from a rate."""
    line = f"({rate:.3f} − {scale.least:g}) / ({scale.full:g} − {scale.least:g}) · {scale.points:g}"
    bound = " (all)" if rate >= scale.full else " (none)" if rate <= scale.least else ""
    return f"{line} = {scale.of(rate):.2f}{bound}"


def _match(pair: Pair, record: MatchRecord, seat: Player) -> dict[str, Any]:
    """Return a match for a row of a table."""
    outcome = record.outcome
    won = None if outcome is None or outcome.winner is None else outcome.winner is seat
    reason = record.termination.value
    if record.termination.is_fault:
        reason = f"{reason}: {record.fault}" if failed(record, seat) else f"the other failed ({reason})"
    return {
        "board": record.game.title,
        "pair": pair.index + 1,
        "seat": seat.name.lower(),
        "result": "draw" if won is None else "win" if won else "loss",
        "reason": reason,
        "plies": len(record.all_moves),
        "moves": format_moves(record.game, record.all_moves),
        "replay": {"game": record.game.name, "moves": record.all_moves, "at": len(record.opening)},
    }


_VERDICTS = {Verdict.WIN: "a win", Verdict.DRAW: "a draw", Verdict.LOSS: "a loss"}


def _mistakes(one: EntrantResult) -> list[dict[str, str]]:
    return [_mistake(meeting.other.name, pair, bad) for meeting, pair, bad in one.mistakes]


def _mistake(opponent: str, pair: Pair, mistake: Mistake) -> dict[str, str]:
    """Return the position of a mistake with the better moves marked, and a description."""
    record = pair.matches()[mistake.swapped][0]
    moves = record.all_moves[: len(record.opening) + mistake.at]
    position = Position.start(record.game, moves)
    labels = {mistake.move: Label("✗", "bad"), **{move: Label("✓", "good") for move in mistake.best}}
    better = " or ".join(format_move(move) for move in mistake.best)
    before, after = (_VERDICTS[Verdict.of(score)] for score in (mistake.best_score, mistake.score))
    played = format_moves(record.game, moves) or "no move"
    return {
        "picture": draw_svg(position, last=moves[-1] if moves else None, labels=labels, marked=mistake.best, cell=30),
        "text": f"Played {format_move(mistake.move)}; {better} was better: {before} became {after}.",
        "where": f"as {'XO'[position.to_move]} against {opponent}, after {played}",
    }


def _command(result: MeetingResult, path: Path, settings: LeagueSettings) -> str:
    tournament, (_, other) = result.meeting.tournament, result.meeting.agents
    opponent = result.opponent.name if isinstance(other, SubmittedFile) else other.spec
    limits = {"--seconds": settings.limit.seconds, "--nodes": settings.limit.nodes}
    parts = [f"{key} {value:g}" for key, value in limits.items() if value is not None]
    words = ["inarow match", result.meeting.game.name, shlex.quote(f"file:{path}"), shlex.quote(opponent)]
    words += [f"--matches {2 * tournament.pairs}", f"--openings {shlex.quote(settings.openings)}"]
    return " ".join([*words, f"--seed {tournament.seed}", *parts])


_FUNCTIONS = {
    "against": _against,
    "capitalised": capitalised,
    "counted": counted,
    "counted_how": COUNTED,
    "game": game,
    "linear": _linear,
    "mark_text": mark_text,
    "match_row": _match,
    "nodes_note": NODES,
    "page_name": page_name,
    "pair_points": pair_points,
    "points_text": points_text,
    "prior_moves": PRIOR_MOVES,
    "sentence": sentence,
    "share": share,
}
"""The functions and constants of the templates."""


class _Handler(SimpleHTTPRequestHandler):
    """Serve the files of the site and nothing else, without listings and without a log."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def list_directory(self, path: Any) -> None:
        self.send_error(404)

    def log_message(self, *_: Any) -> None:
        pass


class _SiteServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a browser that has left."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def parse_address(text: str) -> tuple[str, int]:
    """Parse ``PORT`` or ``HOST:PORT``; without a host only this machine can connect."""
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and int(port) < 65536):
        raise LeagueError(f"--serve {text!r:.60}: expected a port such as {PORT}, or an address such as 0.0.0.0:{PORT}")
    return host or "127.0.0.1", int(port)


@contextlib.contextmanager
def serving(site: Path, address: tuple[str, int]) -> Iterator[str]:
    """Serve a folder until the block ends; yield the address of the site as others see it."""
    try:
        server = _SiteServer(address, partial(_Handler, directory=str(site)))
    except OSError as error:
        raise LeagueError(f"{address[0]}:{address[1]} can't be served: {error.strerror}; give another port") from None
    thread = threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True)
    thread.start()
    try:
        yield f"http://{_visible(address[0])}:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _visible(host: str) -> str:
    """Return the address at which other machines reach this one, if it serves on all of its addresses."""
    if host not in ("0.0.0.0", "::"):
        return host
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # nothing is sent: this only determines the local address
        return str(probe.getsockname()[0])
    return socket.gethostname()


def qr_code(url: str) -> str:
    """Return a QR code as SVG; empty if segno is not installed (the extra ``live``)."""
    try:
        import segno
    except ImportError:
        return ""
    return str(segno.make(url, micro=False, error="m").svg_inline(scale=6, border=4, light="white", dark="black"))
