"""Access control, rate limits, and validation of requests.

`Guard` checks each request before it reaches the API:

- ``Host`` must be a name of this server, which prevents DNS rebinding.
- ``Origin``, if sent, must be this server, for WebSockets and for requests that change something.
- Behind a reverse proxy, both may also be the public address.
- Beyond loopback, every request needs a token: a cookie, a header, or once in the URL. Wrong tokens are rate-limited.
- Requests are limited in rate and size.
- Every response has a content-security policy: the page loads nothing from elsewhere and runs no inline script.

`agent_for` checks agents: no files, bounded memory.
"""

from __future__ import annotations

import contextlib
import html
import ipaddress
import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from inarow.agents import Agent, agent
from inarow.agents.parameters import Configured, Kind
from inarow.agents.registry import is_file
from inarow.errors import InarowError
from inarow.rules import Game
from inarow.web.serving import WebSettings

POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; "
    "img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    b"content-security-policy": POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
}
OPEN = {b"access-control-allow-origin": b"*", b"cross-origin-resource-policy": b"cross-origin"}
"""Headers of `GET /solve`, which pages of other sites may ask."""
COOKIE = "inarow_token"
_BURST_SECONDS = 10.0
_WRONG_TOKENS = 10
"""Wrong tokens per client and minute."""
_CLIENTS = 10_000
AGENT_MB = 400
"""Maximum memory that an agent's parameters may ask for."""


class Guard:
    """ASGI middleware that rejects requests that are not allowed."""

    def __init__(self, app: ASGIApp, settings: WebSettings) -> None:
        self._app = app
        self._settings = settings
        self._requests = Allowances(settings.requests_per_second, _BURST_SECONDS * settings.requests_per_second)
        self._wrong_tokens = Allowances(_WRONG_TOKENS / 60, _WRONG_TOKENS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        root = self._settings.root
        if root and scope["path"].startswith(f"{root}/"):  # a proxy that does not strip it
            scope = {**scope, "root_path": root}
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
        added = HEADERS | OPEN if self._is_open(scope) else HEADERS
        refused = self._refusal(scope, headers)
        if refused is not None:
            await _refuse(scope, receive, _with_headers(send, added), *refused)
            return
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return
        if self._token_in_address(scope):
            added = added | {b"set-cookie": self._new_cookie()}
        await self._app(scope, _bounded(receive, self._settings.body_bytes), _with_headers(send, added))

    def _is_open(self, scope: Scope) -> bool:
        return bool(scope["path"] in ("/solve", f"{self._settings.root}/solve"))

    def _new_cookie(self) -> bytes:
        settings = self._settings
        secure = "; Secure" if settings.public.scheme == "https" else ""
        return f"{COOKIE}={settings.token}; Path={settings.root or '/'}; HttpOnly; SameSite=Strict{secure}".encode()

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        name = _host_name(headers.get("host", ""))
        if name not in self._settings.host_names and (self._settings.loopback or not _is_address(name)):
            return 421, f"{name!r} is not a name of this server; open the address that it printed"
        origin = headers.get("origin")
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD", "OPTIONS")
        own = {headers.get("host", "")} | ({self._settings.public.netloc} if self._settings.public_url else set())
        foreign = origin is not None and _authority(origin) not in own
        if changes and (foreign or headers.get("sec-fetch-site") == "cross-site"):
            return 403, "requests from pages of other sites are refused"
        if scope["path"].endswith("/health"):
            return None
        client = client_of(scope)
        if not self._has_token(scope, headers):
            if not self._wrong_tokens.take(client):
                return 429, "too many wrong tokens; wait a minute"
            return 401, "this server needs its token: open the address that it printed"
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()) or int(length[:18]) > self._settings.body_bytes:
            return 413, f"the request is too large; send at most {self._settings.body_bytes:,} bytes"
        limited = "/api" in scope["path"] or self._is_open(scope)
        if limited and not self._requests.take(client):
            return 429, "too many requests; wait a moment"
        return None

    def _has_token(self, scope: Scope, headers: dict[str, str]) -> bool:
        wanted = self._settings.token
        if not wanted:
            return True
        tokens = [_cookie(headers.get("cookie", "")), headers.get("authorization", "").removeprefix("Bearer ")]
        return self._token_in_address(scope) or any(_same(text, wanted) for text in tokens)

    def _token_in_address(self, scope: Scope) -> bool:
        wanted = self._settings.token
        found = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [])
        return bool(wanted) and any(_same(text, wanted) for text in found)


class Allowances:
    """A token bucket for each client."""

    def __init__(self, rate: float, most: float) -> None:
        """Refill ``rate`` a second, up to ``most``."""
        self._rate, self._most = rate, most
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str) -> bool:
        """Take one from a client's allowance; return False if it is used up."""
        now = time.monotonic()
        left, at = self._left.pop(client, (self._most, now))
        left = min(self._most, left + (now - at) * self._rate)
        enough = left >= 1
        self._left[client] = (left - enough, now)
        while len(self._left) > _CLIENTS:
            self._left.popitem(last=False)
        return enough


def _same(a: str, b: str) -> bool:
    return secrets.compare_digest(a.encode(), b.encode())


def _cookie(header: str) -> str:
    """Return the token in a ``Cookie`` header."""
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


def _authority(origin: str) -> str:
    """Return the host and port of an ``Origin``; an empty string if it is invalid."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def client_of(scope: Scope) -> str:
    """Return the address of a client."""
    return scope["client"][0] if scope.get("client") else "local"


class TooMany(Exception):
    """A client has too many requests, sessions or connections."""


class Missing(InarowError):
    """The session, match, table or report does not exist."""


class Pending:
    """Limits the pending work of each client, such as requests that wait for a worker."""

    def __init__(self, most: int, refusal: str) -> None:
        """Allow ``most`` per client; ``refusal`` is the error message for one more."""
        self._most = most
        self._refusal = refusal
        self._count: Counter[str] = Counter()

    @contextlib.contextmanager
    def one_more(self, client: str = "") -> Iterator[None]:
        """Count one more while the block runs. Raises `TooMany`."""
        if self._count[client] >= self._most:
            raise TooMany(self._refusal)
        self._count[client] += 1
        try:
            yield
        finally:
            self._count[client] -= 1
            if not self._count[client]:
                del self._count[client]


def _host_name(host: str) -> str:
    """Return a ``Host`` header without its port."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.rpartition(":")[0] if ":" in host else host


def _is_address(name: str) -> bool:
    """Return True if a host name is an IP address, so that no DNS name is involved."""
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _bounded(receive: Receive, most: int) -> Receive:
    """Read at most this many bytes of a body, whatever its header says."""
    total = 0

    async def bounded() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > most:
            return {"type": "http.disconnect"}
        return message

    return bounded


def _with_headers(send: Send, added: Mapping[bytes, bytes]) -> Send:
    """Add headers to a response that does not have them."""

    async def sender(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers: list[Any] = list(message.get("headers", []))
            present = {key.lower() for key, _ in headers}
            headers += [(key, value) for key, value in added.items() if key not in present]
            message = {**message, "headers": headers}
        await send(message)

    return sender


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, detail: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": detail[:120]})
        return
    accepts = b",".join(value for key, value in scope["headers"] if key.lower() == b"accept")
    answer: Response
    if b"text/html" in accepts:  # a person reads it
        page = f"<!doctype html><meta charset=utf-8><title>inarow</title><h1>inarow</h1><p>{html.escape(detail)}</p>"
        answer = HTMLResponse(page, status)
    else:
        answer = JSONResponse({"detail": detail}, status)
    await answer(scope, receive, send)


class Refused(InarowError):
    """A request that this server does not allow."""


def agent_for(board: Game, spec: str, settings: WebSettings) -> Agent:
    """Return the agent of a client's spec. Raises InarowError if it would open a file, takes too much memory or can't
    play the game."""
    if spec in settings.agents:
        chosen = agent(spec)
    else:
        if is_file(spec) or spec.strip().lower().startswith("file"):
            named = ", ".join(settings.agents) or "none"
            raise Refused(f"only agents in files that the server was started with can be used ({named})")
        chosen = agent(spec)
        _check_parameters(chosen)
    chosen.check(board)
    if (needed := chosen.memory_mb(board)) > AGENT_MB:
        raise Refused(f"{chosen.spec} may take {needed:,} MB, more than the {AGENT_MB} MB per agent of this server")
    return chosen


def _check_parameters(one: Configured) -> None:
    for parameter in one.parameters():
        value = parameter.of(one)
        if isinstance(value, Configured):
            _check_parameters(value)
        elif type(parameter) is Kind and value != parameter.default:
            raise Refused(f"{one.name}: {parameter.name} is a file or a free string, which clients can't set")
