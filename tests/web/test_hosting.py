"""Behind a reverse proxy, for monitors and for browsers that keep files: what a public page needs."""

from __future__ import annotations

import re
import socket
from typing import Any

import pytest
from starlette.testclient import TestClient

from inarow.web.app import create_app
from inarow.web.serving import WebError, WebSettings

PUBLIC = "https://lab.example.org/inarow"


@pytest.fixture(scope="module")
def site() -> TestClient:
    """A server behind a proxy, without its workers."""
    return TestClient(create_app(WebSettings(public_url=PUBLIC)), base_url="http://127.0.0.1:8642")


@pytest.mark.parametrize("path", ["/", "/inarow/", "/health", "/inarow/health"])
def test_the_page_is_there_whether_or_not_the_proxy_strips_its_path(site: TestClient, path: str) -> None:
    for host in ("127.0.0.1:8642", "lab.example.org"):
        assert site.get(path, headers={"host": host}).status_code == 200
        assert site.head(path, headers={"host": host}).status_code == 200
    assert site.get(path, headers={"host": "evil.example"}).status_code == 421


@pytest.mark.parametrize(
    ("origin", "status"),
    [("https://lab.example.org", 200), ("http://127.0.0.1:8642", 200), ("https://evil.example", 403)],
)
def test_only_pages_of_the_public_address_may_change_something(site: TestClient, origin: str, status: int) -> None:
    asked = {"game": "connect4", "agent": "rules"}
    for host in ("127.0.0.1:8642", "lab.example.org"):
        headers = {"host": host, "origin": origin}
        answer = site.post("/inarow/api/v1/agent", json=asked, headers=headers)
        foreign = host == "lab.example.org" and origin.startswith("http:")
        assert answer.status_code == (403 if foreign else status)


def test_files_are_compressed_and_kept_for_ever_under_a_digest(site: TestClient) -> None:
    answer = site.get("/")
    assert answer.headers["cache-control"] == "no-cache"
    found = re.search(r'src="(static/[0-9a-f]{12}/js/main.js)"', answer.text)
    assert found is not None
    assert site.get(f"/inarow/{found[1]}").status_code == 200
    script = site.get(f"/{found[1]}")
    assert script.status_code == 200
    assert script.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert script.headers["content-encoding"] == "gzip"
    assert site.get("/static/000000000000/js/main.js").status_code == 404
    assert f'content="{PUBLIC}/static/' in answer.text


def test_wrong_tokens_are_limited_and_a_person_reads_a_sentence() -> None:
    app = create_app(WebSettings(token="a-secret-word"))
    client = TestClient(app, base_url="http://127.0.0.1:8642")
    told = client.get("/", headers={"accept": "text/html"})
    assert told.status_code == 401
    assert "<p>this server needs its token" in told.text
    answers = [client.get("/?token=guess").status_code for _ in range(15)]
    assert answers[0] == 401
    assert answers[-1] == 429
    assert client.get("/?token=a-secret-word").status_code == 200
    assert client.get("/health").status_code == 200


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"token": "short"}, "the token must have 12 or more characters, got 5"),
        ({"public_url": "lab.example.org"}, "'lab.example.org' is not a URL"),
        ({"public_url": "https://lab.example.org:port/"}, "is not a URL"),
        ({"public_url": PUBLIC, "host": "0.0.0.0", "token": "a-secret-word"}, "reverse proxy on this machine"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(WebError, match=says):
        WebSettings(**settings)


def test_a_server_on_all_addresses_has_the_name_of_the_machine() -> None:
    assert socket.gethostname().lower() in WebSettings(host="0.0.0.0", token="a-secret-word").host_names
