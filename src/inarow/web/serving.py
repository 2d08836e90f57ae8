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

from inarow.errors import InarowError, Unsupported

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
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
    agents: tuple[str, ...] = ()
    """The ``file:`` agents that clients may use."""
    watch: tuple[Path, ...] = ()
    """The stores and folders that clients may watch."""
    decision_seconds: float = 10.0
    """Maximum time of an agent's decision; it then plays the best move found so far."""
    matches: int = 3000
    """Maximum number of shared matches."""
    matches_per_client: int = 300
    idle_minutes: float = 20.0
    """Time after which an unused match is dropped."""
    requests_per_second: float = 50.0
    """Per client, on average; bursts may be ten times as many."""
    body_bytes: int = 1_000_000

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise WebError(f"port must be from 0 to 65535 (0 for any free one), got {self.port}")
        if self.token and len(self.token) < SHORTEST_TOKEN:
            raise WebError(f"the token must have {SHORTEST_TOKEN} or more characters, got {len(self.token)}")
        if not re.fullmatch(r"[\w.~-]*", self.token, re.ASCII):
            raise WebError("the token is part of a URL; use letters, digits, -, _, . and ~ only")
        if self.public_url:
            self._check_public_url()
        for name in ("decision_seconds", "idle_minutes", "requests_per_second"):
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
    at: str = "",
    open_page: bool = False,
) -> None:
    """Serve until Ctrl-C. ``say`` gets the URL once the server listens; ``at`` is the place in the page to open."""
    try:
        import uvicorn
        import websockets  # noqa: F401  without it uvicorn has no live updates

        from inarow.web.app import create_app
    except ImportError as error:
        raise Unsupported(
            f"the web page needs the extra 'web' ({error.name} is missing); install it with: pip install 'inarow[web]'"
        ) from None
    listener = _listen(settings)
    port = listener.getsockname()[1]
    token = f"?token={settings.token}" if settings.token else ""
    page = (
        f"{settings.public_url.rstrip('/')}/" if settings.public_url else f"http://{_reachable(settings.host)}:{port}/"
    )
    address = page + token + (f"#/{at}" if at else "")
    app = create_app(settings)

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
