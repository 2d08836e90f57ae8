"""A client of a server's API; errors are one sentence."""

from __future__ import annotations

import contextlib
import json
import time
import urllib.error
import urllib.request
from typing import Any

from inarow.errors import InarowError

_NO_PROXY = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class ApiError(InarowError):
    """What the server answered instead: a status, and one sentence."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Client:
    """Talks to one server."""

    def __init__(self, address: str, token: str = "") -> None:
        self.address = address.rstrip("/")
        self.headers = {"authorization": f"Bearer {token}"} if token else {}

    def call(self, method: str, path: str, body: Any = None) -> bytes:
        """The answer's bytes; raises `ApiError` for a status that is not a success."""
        data = None if body is None else json.dumps(body).encode()
        headers = self.headers | ({} if body is None else {"content-type": "application/json"})
        request = urllib.request.Request(f"{self.address}/api/v1/{path}", data, headers, method=method)
        try:
            with _NO_PROXY.open(request, timeout=60) as answer:
                content: bytes = answer.read()
                return content
        except urllib.error.HTTPError as error:
            with error:
                text = error.read()
            detail = text.decode("utf-8", "replace")[:200]
            with contextlib.suppress(ValueError, KeyError, TypeError):
                detail = str(json.loads(text)["detail"])
            raise ApiError(error.code, detail) from None

    def get(self, path: str) -> Any:
        """The answer to a question."""
        return json.loads(self.call("GET", path))

    def post(self, path: str, **body: Any) -> Any:
        """The answer to a request."""
        return json.loads(self.call("POST", path, body))

    def decide(self, game: str, agent: str, moves: tuple[int, ...] = (), **more: Any) -> Any:
        """What an agent would play."""
        return self.post("decide", game=game, agent=agent, moves=list(moves), **more)

    def share(self, game: str, **setup: Any) -> SharedMatch:
        """Share a match between two people."""
        return SharedMatch(self, self.post("matches", game=game, **setup))


class SharedMatch:
    """A match on the server; ``state`` is what was last heard of it."""

    def __init__(self, client: Client, state: dict[str, Any]) -> None:
        self.client = client
        self.state = state
        self.id = str(state["id"])

    @property
    def moves(self) -> list[int]:
        """The moves of the current match."""
        moves: list[int] = self.refresh()["played"][-1]
        return moves

    def refresh(self) -> dict[str, Any]:
        """Ask for the state."""
        self.state = self.client.get(f"matches/{self.id}")
        return self.state

    def move(self, move: int) -> dict[str, Any]:
        """Make a move in the position last heard of."""
        ply = len(self.state["opening"]) + len(self.state["played"][-1])
        self.state = self.client.post(f"matches/{self.id}/move", move=move, ply=ply)
        return self.state

    def command(self, name: str) -> dict[str, Any]:
        """Take back, make again, or begin a new match."""
        self.state = self.client.post(f"matches/{self.id}/{name}")
        return self.state

    def wait_for(self, count: int) -> None:
        """Wait until so many moves were made."""
        until = time.monotonic() + 60
        while len(self.moves) != count:
            assert time.monotonic() < until
            time.sleep(0.02)

    def end(self) -> None:
        """End the match."""
        self.client.call("DELETE", f"matches/{self.id}")
