"""Running the server: find a port, print the address, open a browser, and stop cleanly."""

from __future__ import annotations

import contextlib
import socket
import threading
import webbrowser
from collections.abc import Callable

from inarow.errors import Unsupported
from inarow.match import MatchRecord
from inarow.play import Setup
from inarow.web.settings import EVERYWHERE, WebError, WebSettings


def serve(
    settings: WebSettings,
    say: Callable[[str], None],
    first: tuple[Setup, MatchRecord | None] | None = None,
    open_page: bool = False,
) -> None:
    """Serve until Ctrl-C. ``say`` gets the address once the server listens: the first session's, if there is one."""
    try:
        import uvicorn
        import websockets  # noqa: F401  without it uvicorn has no live updates

        from inarow.web.app import FirstSession, create_app
        from inarow.web.live import new_id
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
    config = uvicorn.Config(
        create_app(settings, opened),
        log_level="warning",
        timeout_graceful_shutdown=2,
        timeout_keep_alive=60,
        ws_max_size=1 << 16,
        proxy_headers=bool(settings.public_url),  # who asks, as the proxy on this machine says
        forwarded_allow_ips="127.0.0.1,::1",
    )
    server = uvicorn.Server(config)
    say(address)
    if open_page:
        threading.Timer(0.5, _open, [address]).start()
    with contextlib.suppress(KeyboardInterrupt):
        server.run([listener])


def _reachable(host: str) -> str:
    """Return the address by which others can reach a server that listens on this one."""
    if host in EVERYWHERE:
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


def _open(address: str) -> None:
    with contextlib.suppress(webbrowser.Error):
        webbrowser.open(address)


def _listen(settings: WebSettings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # Only where the protocol is named does asyncio set TCP_NODELAY; without it a request waits 40 ms for an ACK.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
        listener.listen(1024)  # a browser that is early waits instead of being refused
    except OSError as error:
        listener.close()
        raise WebError(
            f"can't listen on {settings.host}, port {settings.port}: {error.strerror}; give another with --port"
        ) from None
    return listener
