"""Who may talk to the server: other sites, other names, clients without the token and too much are refused."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

import pytest
from fastapi import FastAPI, Request, WebSocket
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from inarow.errors import InarowError
from inarow.web import security
from inarow.web.security import POLICY, Guard, Pending, TooMany
from inarow.web.serving import WebError, WebSettings

HERE = "http://127.0.0.1:8642"


def guarded(settings: WebSettings | None = None, address: str = HERE) -> TestClient:
    """A small application behind the guard."""
    app = FastAPI()

    @app.get("/api/read")
    async def read() -> str:
        return "read"

    @app.post("/api/change")
    async def change(request: Request) -> int:
        return len(await request.body())

    @app.websocket("/api/live")
    async def live(socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_text("hello")
        await socket.close()

    app.add_middleware(Guard, settings=settings or WebSettings())
    return TestClient(app, base_url=address)


def hears(client: TestClient, headers: Mapping[str, str]) -> bool:
    """Whether a WebSocket with these headers is accepted."""
    try:
        with client.websocket_connect("/api/live", headers=dict(headers)) as socket:
            return socket.receive_text() == "hello"
    except WebSocketDisconnect:
        return False


@pytest.mark.parametrize("host", ["127.0.0.1:8642", "localhost:8642", "localhost", "[::1]:8642", "127.0.0.1"])
def test_names_of_this_machine_are_served(host: str) -> None:
    assert guarded().get("/api/read", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8642", "127.0.0.1.evil.example:8642", "192.168.1.7", ""]
)
def test_a_name_that_another_site_had_resolved_to_this_machine_is_refused(host: str) -> None:
    client = guarded()
    answer = client.get("/api/read", headers={"host": host})
    assert answer.status_code == 421
    assert "the address that it printed" in answer.json()["detail"]
    assert not hears(client, {"host": host})


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "http://[", ""])
def test_a_page_of_another_site_can_neither_change_nor_listen(origin: str) -> None:
    client = guarded()
    answer = client.post("/api/change", headers={"origin": origin})
    assert (answer.status_code, answer.json()["detail"]) == (403, "requests from pages of other sites are refused")
    assert not hears(client, {"host": "127.0.0.1:8642", "origin": origin})


def test_a_browser_that_says_cross_site_is_refused() -> None:
    assert guarded().post("/api/change", headers={"sec-fetch-site": "cross-site"}).status_code == 403


def test_the_own_page_can_change_and_listen() -> None:
    client = guarded()
    assert client.post("/api/change", headers={"origin": HERE}).status_code == 200
    assert hears(client, {"host": "127.0.0.1:8642", "origin": HERE})
    assert hears(client, {"host": "127.0.0.1:8642"}), "a program sends no origin"


def test_beyond_loopback_a_token_is_needed() -> None:
    with pytest.raises(WebError, match="requires a token"):
        WebSettings(host="0.0.0.0")
    settings = WebSettings(host="0.0.0.0", token="a-secret-word")
    client = guarded(settings, "http://192.168.1.7:8642")
    assert client.get("/api/read").status_code == 401
    assert client.get("/api/read", headers={"authorization": "Bearer wrong"}).status_code == 401
    assert client.get("/api/read", headers={"cookie": "inarow_token=wrong; \x01=,;"}).status_code == 401
    assert not hears(client, {"host": "192.168.1.7:8642"})
    assert client.get("/api/read", headers={"authorization": "Bearer a-secret-word"}).status_code == 200
    assert hears(client, {"host": "192.168.1.7:8642", "authorization": "Bearer a-secret-word"})


def test_the_token_in_the_address_becomes_a_cookie_that_scripts_cannot_read() -> None:
    client = guarded(WebSettings(host="0.0.0.0", token="a-secret-word"), "http://192.168.1.7:8642")
    answer = client.get("/api/read?token=a-secret-word")
    assert answer.status_code == 200
    assert "HttpOnly" in answer.headers["set-cookie"]
    assert "SameSite=Strict" in answer.headers["set-cookie"]
    assert client.get("/api/read").status_code == 200, "the cookie is enough from now on"
    assert client.get("/api/read", headers={"host": "evil.example"}).status_code == 421


def test_a_body_that_is_too_large_is_not_read() -> None:
    client = guarded(WebSettings(body_bytes=1000))
    assert client.post("/api/change", content=b"x" * 1000).json() == 1000
    answer = client.post("/api/change", content=b"x" * 1001)
    assert answer.status_code == 413
    assert "at most 1,000 bytes" in answer.json()["detail"]
    assert client.post("/api/change", headers={"content-length": "many"}).status_code == 413


def test_a_client_that_asks_too_often_is_told_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(security, "time", SimpleNamespace(monotonic=lambda: now[0]))
    client = guarded(WebSettings(requests_per_second=0.5))
    answers = [client.get("/api/read").status_code for _ in range(8)]
    assert answers == [200] * 5 + [429] * 3
    now[0] = 2.0
    assert [client.get("/api/read").status_code for _ in range(2)] == [200, 429]


def test_every_answer_says_that_nothing_comes_from_elsewhere() -> None:
    client = guarded()
    for answer in (client.get("/api/read"), client.get("/api/read", headers={"host": "evil.example"})):
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert "'unsafe" not in POLICY


def test_a_client_has_only_some_requests_under_way() -> None:
    pending = Pending(1, "too many requests are under way")
    with pending.one_more("a"), pending.one_more("b"), pytest.raises(TooMany), pending.one_more("a"):
        pass
    with pending.one_more("a"):
        pass


@pytest.mark.parametrize(
    ("wrong", "says"),
    [({"port": 70000}, "0 to 65535"), ({"idle_minutes": 0.0}, "above 0")],
)
def test_settings_that_cannot_be_are_refused(wrong: dict[str, float], says: str) -> None:
    with pytest.raises(InarowError, match=says):
        WebSettings(**wrong)  # type: ignore[arg-type]
