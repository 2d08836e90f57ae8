"""Server settings, and running a server: bind a port, print the URL, open a browser, stop cleanly."""

from __future__ import annotations

import contextlib
import ipaddress
import re
import socket
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from inarow.arena.executor import check_workers
from inarow.errors import InarowError, Unsupported
from inarow.match import MatchRecord
from inarow.play import Setup

SERVER_MB = 250
"""Memory of the server process and of the libraries shared with its workers."""
WORKER_MB = 75
"""Memory of an idle worker process."""
TRAININGS = 2
"""Maximum number of trainings at a time."""
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
MIN_AGENT_MB = 100
FILES = 16_384
"""Limit of open files and connections, if the system allows it."""
EVERYWHERE = ("0.0.0.0", "::")
"""All addresses of this machine."""
SHORTEST_TOKEN = 12
"""Minimum length of a token; shorter ones can be guessed."""


class WebError(InarowError):
    """The server can't be started with these settings."""


@dataclass(frozen=True)
class WebSettings:
    """Settings of a server. Limits are per server unless they say per client, which is an IP address."""

    host: str = "127.0.0.1"
    port: int = 8642
    token: str = ""
    """Required for every request if the server listens beyond loopback."""
    public_url: str = ""
    """The public URL of a reverse proxy on this machine."""
    workers: int = 2
    """Number of processes for agents, and the same number for the solver, started on demand."""
    agents: tuple[str, ...] = ()
    """The ``file:`` agents that clients may use."""
    watch: tuple[Path, ...] = ()
    """The stores and folders that clients may watch."""
    decision_seconds: float = 10.0
    """Maximum time of an agent's decision; it then plays the best move found so far."""
    analysis_seconds: float = 20.0
    """Maximum time of a request to the solver."""
    sessions: int = 3000
    sessions_per_client: int = 300
    idle_minutes: float = 20.0
    """Time after which an unused session is dropped."""
    requests_per_second: float = 50.0
    """Per client, on average; bursts may be ten times as many."""
    pending_per_client: int = 16
    """Requests per client that may wait for a worker at a time, without moves in sessions."""
    body_bytes: int = 1_000_000
    memory_mb: int | None = None
    """Memory of the server and its worker processes together; by default 1,000 MB plus 500 MB per worker."""

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise WebError(f"port must be from 0 to 65535 (0 for any free one), got {self.port}")
        check_workers(self.workers)
        if self.agent_mb < MIN_AGENT_MB:
            least = self.budget_mb - self.tables_mb + 3 * MIN_AGENT_MB
            raise WebError(
                f"{self.budget_mb:,} MB are not enough for a server with {self.workers} workers; give {least:,} or "
                f"more, or fewer workers"
            )
        if self.token and len(self.token) < SHORTEST_TOKEN:
            raise WebError(f"the token must have {SHORTEST_TOKEN} or more characters, got {len(self.token)}")
        if not re.fullmatch(r"[\w.~-]*", self.token, re.ASCII):
            raise WebError("the token is part of a URL; use letters, digits, -, _, . and ~ only")
        if self.public_url:
            self._check_public_url()
        for name in ("decision_seconds", "analysis_seconds", "idle_minutes", "requests_per_second"):
            value = getattr(self, name)
            if not 0 < value <= 1e6:
                raise WebError(f"{name} must be above 0 and at most 1000000, got {value:g}")
        for path in self.watch:
            if not path.exists():
                raise WebError(f"{path} does not exist; --watch takes a store, or the folder of a study or a league")
            if path.is_dir() and not any(path.glob("*.db")):
                raise WebError(f"{path} has no store in it; --watch takes the folder of a study or a league")
        if not self.loopback and not self.token:
            raise WebError(
                f"listening on {self.host} requires a token, because others on the network could use the server"
            )

    def _check_public_url(self) -> None:
        try:
            public = self.public
            valid = (
                public.scheme in ("http", "https") and bool(public.hostname) and not (public.query or public.fragment)
            )
            public.port  # noqa: B018  raises if it is no number
        except ValueError:
            valid = False
        if not valid:
            raise WebError(f"{self.public_url!r} is not a URL; give one such as https://lab.example.org/inarow")
        if not self.loopback:
            raise WebError(
                f"--public-url is for a reverse proxy on this machine, but the server would listen on {self.host}; "
                f"omit --host"
            )

    @property
    def processes(self) -> int:
        """The number of worker processes: players, analysts, thinkers and learners."""
        return 3 * self.workers + TRAININGS + 1

    @property
    def budget_mb(self) -> int:
        """Memory of the server and its worker processes together."""
        return 1000 + 500 * self.workers if self.memory_mb is None else self.memory_mb

    @property
    def tables_mb(self) -> int:
        """Memory for the tables, trees and models of all workers together."""
        return self.budget_mb - SERVER_MB - WORKER_MB * self.processes

    @property
    def agent_mb(self) -> int:
        """Maximum memory that an agent's parameters may request."""
        return self.tables_mb // 3

    @property
    def kept_mb(self) -> int:
        """Memory that a player or an analyst may keep between two jobs."""
        return self.tables_mb // (2 * self.workers)

    @property
    def public(self) -> SplitResult:
        """The parts of the public URL."""
        return urlsplit(self.public_url)

    @property
    def root(self) -> str:
        """The path under which the proxy serves the page, without a trailing slash."""
        return self.public.path.rstrip("/")

    @property
    def loopback(self) -> bool:
        """True if only programs on this machine can connect."""
        if self.host in LOOPBACK_NAMES:
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def host_names(self) -> frozenset[str]:
        """The names accepted in the Host header; all others are refused, which prevents DNS rebinding."""
        names = {*LOOPBACK_NAMES, "[::1]", self.host, f"[{self.host}]"}
        if self.public_url:
            names.add(self.public.hostname or "")
        if self.host in EVERYWHERE:
            own = socket.gethostname().lower()
            names |= {own, f"{own}.local"}
        return frozenset(names)


def serve(
    settings: WebSettings,
    say: Callable[[str], None],
    first: tuple[Setup, MatchRecord | None] | None = None,
    open_page: bool = False,
) -> None:
    """Serve until Ctrl-C. ``say`` gets the URL once the server listens, that of the first session if there is one."""
    try:
        import uvicorn
        import websockets  # noqa: F401  without it uvicorn has no live updates

        from inarow.web.app import FirstSession, create_app
        from inarow.web.matches import new_id
    except ImportError as error:
        raise Unsupported(
            f"the web page needs the extra 'web' ({error.name} is missing); install it with: pip install 'inarow[web]'"
        ) from None
    opened = None if first is None else FirstSession(new_id(), *first)
    listener = _listen(settings)
    port = listener.getsockname()[1]
    token = f"?token={settings.token}" if settings.token else ""
    page = (
        f"{settings.public_url.rstrip('/')}/" if settings.public_url else f"http://{_reachable(settings.host)}:{port}/"
    )
    address = page + token + ("" if opened is None else f"#/play/{opened.id}")
    app = create_app(settings, opened)

    class Uvicorn(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            app.state.server.stop()  # requests under way are answered before their connections close
            await super().shutdown(sockets)

    config = uvicorn.Config(
        app,
        log_level="warning",
        timeout_graceful_shutdown=2,
        timeout_keep_alive=60,
        ws_max_size=1 << 16,
        proxy_headers=bool(settings.public_url),  # the client's address, as the proxy on this machine reports it
        forwarded_allow_ips="127.0.0.1,::1",
    )
    server = Uvicorn(config)
    _allow_connections()
    say(address)
    if open_page:
        threading.Timer(0.5, _open, [address]).start()
    with contextlib.suppress(KeyboardInterrupt):
        server.run([listener])


def _allow_connections() -> None:
    """Raise the limit of open files: every visitor has one or two connections."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))


def _reachable(host: str) -> str:
    """Return the host name by which others can reach a server that listens on this address."""
    if host in EVERYWHERE:
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


def _open(address: str) -> None:
    with contextlib.suppress(webbrowser.Error):
        webbrowser.open(address)


def _listen(settings: WebSettings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # asyncio sets TCP_NODELAY only if the protocol is given; without it a request waits 40 ms for an ACK.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
        listener.listen(1024)  # an early browser waits instead of being refused
    except OSError as error:
        listener.close()
        raise WebError(
            f"can't listen on {settings.host}, port {settings.port}: {error.strerror}; give another with --port"
        ) from None
    return listener
