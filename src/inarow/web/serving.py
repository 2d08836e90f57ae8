"""Running the server: find a port, print the address, open a browser, and stop cleanly."""

from __future__ import annotations

import contextlib
import socket
import threading
import webbrowser
from collections.abc import Callable

from inarow.errors import InarowError
from inarow.web.settings import WebError, WebSettings


def serve(settings: WebSettings, say: Callable[[str], None], path: str = "", open_page: bool = False) -> None:
    """Serve until Ctrl-C. ``say`` gets the address once the server listens."""
    try:
        import uvicorn

        from inarow.web.app import create_app
    except ImportError as error:
        raise InarowError(
            f"the web page needs the extra 'web' ({error.name} is missing); install it with: pip install 'inarow[web]'"
        ) from None
    listener = _listen(settings)
    port = listener.getsockname()[1]
    shown = f"[{settings.host}]" if ":" in settings.host else settings.host
    token = f"?token={settings.token}" if settings.token else ""
    address = f"http://{shown}:{port}/{token}{path}"
    config = uvicorn.Config(create_app(settings), log_level="warning", timeout_graceful_shutdown=2, ws_max_size=1 << 16)
    server = uvicorn.Server(config)
    say(address)
    if open_page:
        threading.Timer(0.5, _open, [address]).start()
    with contextlib.suppress(KeyboardInterrupt):
        server.run([listener])


def _open(address: str) -> None:
    with contextlib.suppress(webbrowser.Error):
        webbrowser.open(address)


def _listen(settings: WebSettings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        listener.close()
        raise WebError(
            f"can't listen on {settings.host}, port {settings.port}: {error.strerror}; give another with --port"
        ) from None
    return listener
