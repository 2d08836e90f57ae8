"""The live page shows the table and a QR code, and nothing but the site is served."""

from __future__ import annotations

import urllib.error
import urllib.request
from pathlib import Path

import pytest

from inarow.teaching.checking import CheckReport
from inarow.teaching.league.entrants import LeagueError, read_entrants
from inarow.teaching.league.pages import parse_address, serving
from inarow.teaching.league.running import run_league
from inarow.teaching.league.writing import PAGE
from support.league_doubles import FIRST_FREE, hand_in, small_settings


def fetch(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, ""


def test_the_site_is_served_while_the_league_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarow.teaching.league.judging.check_agent", lambda *_, **more: CheckReport())
    entrants = read_entrants(hand_in(tmp_path / "class", ada=FIRST_FREE))
    seen: list[tuple[int, str]] = []
    with serving(tmp_path / "out" / "site", ("127.0.0.1", 0)) as url:

        def watch(what: str, done: int, total: int) -> None:
            if done == total > 0:
                seen.append(fetch(url + PAGE))

        run_league(entrants, small_settings(), tmp_path / "out", workers=1, watch=watch, url=url)
        status, page = fetch(url + PAGE)
        assert status == 200
        assert "ada" in page
        assert "Finished" in page
        assert "<svg" in page, "a QR code"
        assert url in page
        assert fetch(url)[0] == 200
        assert fetch(url + "../marks.csv")[0] == 404
        assert fetch(url + "entrants/")[0] == 404, "folders are not listed"
        assert fetch(url + "%2e%2e/marks.csv")[0] == 404
    assert any(status == 200 and "Finished" not in page for status, page in seen)


def test_an_address_is_a_port_or_a_host_with_a_port() -> None:
    assert parse_address("8000") == ("127.0.0.1", 8000)
    assert parse_address("0.0.0.0:80") == ("0.0.0.0", 80)
    for wrong in ("", "web", "1.2.3.4", "x:99999"):
        with pytest.raises(LeagueError, match="a port such as 8000"):
            parse_address(wrong)


def test_a_port_that_is_taken_is_one_sentence(tmp_path: Path) -> None:
    with serving(tmp_path, ("127.0.0.1", 0)) as url:
        port = int(url.rstrip("/").rpartition(":")[2])
        with pytest.raises(LeagueError, match="give another port"):
            serving(tmp_path, ("127.0.0.1", port)).__enter__()
