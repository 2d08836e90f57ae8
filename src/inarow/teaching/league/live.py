"""The site of a league, served while it runs: a page for a projector with the table and a QR code to the site."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from inarow.teaching.league.settings import LeagueError

PAGE = "live.html"
PORT = 8000


class _Handler(SimpleHTTPRequestHandler):
    """Hands out the files of the site, and nothing else: no listings, no other methods, no log on the screen."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def list_directory(self, path: Any) -> None:
        self.send_error(404)

    def log_message(self, *_: Any) -> None:
        pass


def parse_address(text: str) -> tuple[str, int]:
    """Read ``PORT`` or ``HOST:PORT``; without a host only this machine can connect."""
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and int(port) < 65536):
        raise LeagueError(
            f"--serve {text!r:.60}: a port such as {PORT}, or an address such as 0.0.0.0:{PORT}, was expected"
        )
    return host or "127.0.0.1", int(port)


@contextlib.contextmanager
def serving(site: Path, address: tuple[str, int]) -> Iterator[str]:
    """Serve a folder until the block ends; yields the address of the site as others see it."""
    try:
        server = ThreadingHTTPServer(address, partial(_Handler, directory=str(site)))
    except OSError as error:
        raise LeagueError(f"{address[0]}:{address[1]} can't be served: {error.strerror}; give another port") from None
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True)
    thread.start()
    try:
        yield f"http://{_visible(address[0])}:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _visible(host: str) -> str:
    """Return the address under which other machines find this one, if it serves on all of its addresses."""
    if host not in ("0.0.0.0", "::"):
        return host
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # nothing is sent: it only asks which address would be used
        return str(probe.getsockname()[0])
    return socket.gethostname()


def qr_code(url: str) -> str:
    """Return a QR code as SVG; empty if segno is not installed (the extra ``live``)."""
    try:
        import segno
    except ImportError:
        return ""
    return str(segno.make(url, micro=False, error="m").svg_inline(scale=6, border=4, light="white", dark="black"))
