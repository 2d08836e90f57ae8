"""A typed client of the server's API, which tests use too. Errors are one sentence."""

from __future__ import annotations

import contextlib
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode

from pydantic import BaseModel, TypeAdapter

from inarow.errors import InarowError
from inarow.web.analysis import ReviewInfo, SolutionInfo
from inarow.web.data import AgentInfo, LineupInfo
from inarow.web.matches import SessionInfo
from inarow.web.messages import GameInfo, PositionInfo
from inarow.web.routes import DecisionInfo, RecordInfo, StatusInfo
from inarow.web.traces import TraceInfo, TracePage
from inarow.web.watching import MatchPage, ReplayInfo, WatchedInfo, WatchInfo

Shape = TypeVar("Shape", bound=BaseModel)
T = TypeVar("T")
_NO_PROXY = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class ApiError(InarowError):
    """What the server answered instead: a status, and one sentence."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Client:
    """Talks to one server, such as ``Client("http://127.0.0.1:8642")``."""

    def __init__(self, address: str, token: str = "", timeout: float = 60.0) -> None:
        self.address = address.rstrip("/")
        self.headers = {"authorization": f"Bearer {token}"} if token else {}
        self._timeout = timeout

    def call(self, method: str, path: str, body: Any = None) -> bytes:
        """The answer's bytes; raises `ApiError` for a status that is not a success."""
        data = None if body is None else json.dumps(body).encode()
        headers = self.headers | ({} if body is None else {"content-type": "application/json"})
        request = urllib.request.Request(f"{self.address}/api/v1/{path}", data, headers, method=method)
        try:
            with _NO_PROXY.open(request, timeout=self._timeout) as answer:
                content: bytes = answer.read()
                return content
        except urllib.error.HTTPError as error:
            with error:
                raise ApiError(error.code, _detail(error.read())) from None
        except (urllib.error.URLError, TimeoutError, OSError) as error:
            raise ApiError(0, f"{self.address} does not answer ({error})") from None

    def _read(self, shape: type[Shape], method: str, path: str, body: Any = None) -> Shape:
        return shape.model_validate_json(self.call(method, path, body))

    def _list(self, shape: type[T], method: str, path: str, body: Any = None) -> list[T]:
        return TypeAdapter(list[shape]).validate_json(self.call(method, path, body))  # type: ignore[valid-type]

    def status(self) -> StatusInfo:
        """What the server is doing."""
        return self._read(StatusInfo, "GET", "status")

    def games(self) -> list[GameInfo]:
        """The named games."""
        return self._list(GameInfo, "GET", "games")

    def lineups(self, game: str) -> list[LineupInfo]:
        """Opponents and modes by name."""
        return self._list(LineupInfo, "GET", f"games/{game}/lineups")

    def agents(self) -> list[AgentInfo]:
        """The agents that can be chosen."""
        return self._list(AgentInfo, "GET", "agents")

    def position(self, game: str, **given: Any) -> PositionInfo:
        """A position by ``moves``, ``text`` (with ``notation``) or ``rows``."""
        return self._read(PositionInfo, "POST", "position", {"game": game, **given})

    def decide(self, game: str, agent: str, moves: Sequence[int] = (), **limit: Any) -> DecisionInfo:
        """What an agent would play; the limits are ``depth``, ``nodes``, ``simulations`` and ``seconds``."""
        body = {"game": game, "moves": list(moves), "agent": agent, "limit": limit}
        return self._read(DecisionInfo, "POST", "decide", body)

    def solve(self, game: str, moves: Sequence[int] = (), **options: Any) -> SolutionInfo:
        """The exact score of a position and of its moves; options are ``seconds`` and ``line``."""
        return self._read(SolutionInfo, "POST", "solve", {"game": game, "moves": list(moves), **options})

    def solve_stream(self, game: str, moves: Sequence[int] = (), **options: Any) -> list[SolutionInfo]:
        """What `solve` finds, each time that more was known; the last is the answer."""
        lines = self.call("POST", "solve/stream", {"game": game, "moves": list(moves), **options}).splitlines()
        return [SolutionInfo.model_validate_json(line) for line in lines]

    def review(self, game: str, moves: Sequence[int], **options: Any) -> ReviewInfo:
        """Every move of a match against the truth; options are ``seconds`` and ``first``."""
        return self._read(ReviewInfo, "POST", "review", {"game": game, "moves": list(moves), **options})

    def records(self, text: str) -> list[RecordInfo]:
        """The matches of a file's text."""
        return self._list(RecordInfo, "POST", "records", {"text": text})

    def record(self, game: str, moves: Sequence[int], **names: str) -> str:
        """A match as a text that can be loaded again; the names are ``first`` and ``second``."""
        return self.call("POST", "record", {"game": game, "moves": list(moves), **names}).decode()

    def page(self, game: str, moves: Sequence[int], title: str = "") -> str:
        """A match as one HTML file."""
        return self.call("POST", "page", {"game": game, "moves": list(moves), "title": title}).decode()

    def trace(self, game: str, agent: str, moves: Sequence[int] = (), **options: Any) -> TraceInfo:
        """The steps of a search; options are ``events`` and ``seed``."""
        return self._read(TraceInfo, "POST", "traces", {"game": game, "moves": list(moves), "agent": agent, **options})

    def trace_page(self, id: str, first: int) -> TracePage:
        """The events of a trace from this one on."""
        return self._read(TracePage, "GET", f"traces/{id}?first={first}")

    def start(self, game: str, **setup: Any) -> ClientSession:
        """Start a session; the fields are those of `session_messages.SessionRequest`."""
        return ClientSession(self, self._read(SessionInfo, "POST", "sessions", {"game": game, **setup}))

    def resume(self, id: str) -> ClientSession:
        """A session that was started before."""
        return ClientSession(self, self._read(SessionInfo, "GET", f"sessions/{id}"))

    def watched(self) -> list[WatchedInfo]:
        """What can be watched."""
        return self._list(WatchedInfo, "GET", "watch")

    def watch(self, id: int) -> WatchInfo:
        """The tables of a store that is watched."""
        return self._read(WatchInfo, "GET", f"watch/{id}")

    def watch_matches(self, id: int, **part: int) -> MatchPage:
        """Some of its matches: ``table``, ``begin``, ``count``, and ``one`` and ``two`` for those of two agents."""
        return self._read(MatchPage, "GET", f"watch/{id}/matches?{urlencode(part)}")

    def replay(self, id: int, match: str) -> ReplayInfo:
        """A match with every position."""
        return self._read(ReplayInfo, "GET", f"watch/{id}/matches/{match}")


class ClientSession:
    """A session on the server; ``state`` is what was last heard of it."""

    def __init__(self, client: Client, state: SessionInfo) -> None:
        self.client = client
        self.state = state

    def _command(self, method: str, path: str, body: Any = None) -> SessionInfo:
        answer = self.client.call(method, f"sessions/{self.state.id}{path}", body)
        self.state = SessionInfo.model_validate_json(answer)
        return self.state

    def refresh(self) -> SessionInfo:
        """Ask for the state."""
        return self._command("GET", "")

    def move(self, move: int) -> SessionInfo:
        """Make a person's move, in the position last heard of."""
        return self._command("POST", "/move", {"move": move, "ply": self.state.position.ply})

    def undo(self) -> SessionInfo:
        """Go back to the last turn of a person."""
        return self._command("POST", "/undo")

    def redo(self) -> SessionInfo:
        """Make undone moves again."""
        return self._command("POST", "/redo")

    def hint(self) -> SessionInfo:
        """Ask for a hint, which comes later: see `wait`."""
        return self._command("POST", "/hint")

    def new(self) -> SessionInfo:
        """Begin the next match."""
        return self._command("POST", "/new")

    def pace(self, **change: Any) -> SessionInfo:
        """Change ``paused`` or ``delay``."""
        return self._command("PUT", "/pace", change)

    def record(self) -> str:
        """The matches so far, as a text that can be loaded again."""
        return self.client.call("GET", f"sessions/{self.state.id}/record").decode()

    def end(self) -> None:
        """End the session."""
        self.client.call("DELETE", f"sessions/{self.state.id}")

    def wait(self, until: Callable[[SessionInfo], bool], seconds: float = 60.0) -> SessionInfo:
        """Follow the session by its live updates until something holds; raises `ApiError` if it does not in time."""
        from websockets.exceptions import ConnectionClosed
        from websockets.sync.client import connect

        address = f"{self.client.address.replace('http', 'ws', 1)}/api/v1/sessions/{self.state.id}/live"
        deadline = time.monotonic() + seconds
        with connect(address, additional_headers=self.client.headers, proxy=None) as socket:
            while True:
                try:
                    text = socket.recv(timeout=max(0.0, deadline - time.monotonic()))
                except TimeoutError:
                    raise ApiError(0, f"it did not happen within {seconds:g} s") from None
                except ConnectionClosed as closed:
                    raise ApiError(0, f"the connection ended ({closed.rcvd and closed.rcvd.reason})") from None
                self.state = SessionInfo.model_validate_json(text)
                if until(self.state):
                    return self.state

    def wait_for_turn(self, seconds: float = 60.0) -> SessionInfo:
        """Follow the session until a person is to move or the match is over."""
        return self.wait(lambda state: state.awaits_person or state.ending is not None, seconds)


def _detail(body: bytes) -> str:
    """The sentence of an error."""
    with contextlib.suppress(ValueError, KeyError, TypeError):
        return str(json.loads(body)["detail"])
    return body.decode("utf-8", "replace")[:200]
