"""Watching stores by the API: tables, matches, replays, live changes; and what can't be shown is said."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from websockets.sync.client import connect

from inarow.arena import Store, load
from inarow.rules import Position, game
from inarow.web.data import WATCH_EXAMPLE
from inarow.web.serving import WebError, WebSettings
from inarow.web.watching import MatchPage, ReplayInfo, Watched, WatchInfo, labels
from support import watched_files
from support.api_client import ApiError, Client
from support.web_server import RunningServer, running_server


def test_tables_say_what_the_results_of_the_store_say(client: Client, watched: tuple[Path, Path]) -> None:
    assert [one["name"] for one in client.get("watch")] == ["league.db", "study"]
    info = WatchInfo.model_validate(client.get("watch/0"))
    assert (info.running, info.problem, info.report) == (False, "", False)
    table = info.tables[0]
    with Store.open(watched[0]) as store:
        results = load(store, store.runs()[0])
    assert (table.matches, table.planned, table.finished) == (24, 24, True)
    assert [table.agents[one.agent].spec for one in table.standings] == [one.spec for one in results.standings()]
    for shown, wanted in zip(table.standings, results.standings(), strict=True):
        assert shown.elo.estimate == pytest.approx(wanted.rating.estimate, abs=1e-3)
        assert (shown.wins, shown.matches) == (wanted.wins, wanted.matches)
    assert len(table.cross) == 6
    assert len(table.latest) == 12


def test_each_cell_of_the_cross_table_has_what_a_gauge_shows(client: Client) -> None:
    for cell in WatchInfo.model_validate(client.get("watch/0")).tables[0].cross:
        assert cell.wins + cell.draws + cell.losses == cell.matches == 2 * sum(cell.pairs)
        estimate, low, high = (0.0 if one is None else one for one in cell.elo)
        assert None in cell.elo or low <= estimate <= high
        assert (estimate > 0) == (cell.score > 0.5) or None in cell.elo


def test_a_server_that_watches_nothing_leaves_the_stored_example_to_the_page() -> None:
    with running_server() as server:
        assert server.client.get("watch") == []
    example = json.loads(WATCH_EXAMPLE.read_text(encoding="utf-8"))
    info = WatchInfo.model_validate(example["info"])
    (table,) = info.tables
    assert info.example
    assert table.matches == len(example["lines"]) == len(example["matches"])
    for line in example["lines"]:
        match = ReplayInfo.model_validate(example["matches"][line["id"]])
        end = Position.start(game(match.game), [one.move for one in match.moves]).outcome()
        assert end is not None
        assert line["result"] == ("draw" if end.winner is None else end.winner.name.lower())


def listed(client: Client, query: str) -> MatchPage:
    return MatchPage.model_validate(client.get(f"watch/0/matches?{query}"))


def test_every_match_is_listed_once_and_can_be_replayed(client: Client) -> None:
    parts = [listed(client, f"begin={begin}&count=10") for begin in (0, 10, 20)]
    ids = [one.id for part in parts for one in part.matches]
    assert len(ids) == len(set(ids)) == parts[0].total == 24
    assert listed(client, "one=0&two=1").total == 8
    for line in listed(client, "count=24").matches:
        match = ReplayInfo.model_validate(client.get(f"watch/0/matches/{line.id}"))
        assert len(match.moves) == line.plies
        end = Position.start(game(match.game), [one.move for one in match.moves]).outcome()
        assert end is not None
        assert line.result == ("draw" if end.winner is None else end.winner.name.lower())
        assert [one.opening for one in match.moves].count(True) == 2


def test_a_report_is_served_as_a_page_that_can_reach_nothing(server: RunningServer) -> None:
    answer = server.client.call("GET", "watch/1/report").decode()
    assert "What was found" in answer
    with urllib.request.urlopen(f"{server.address}/api/v1/watch/1/report") as page:
        policy = page.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts allow-popups; default-src 'none'")
    assert "allow-same-origin" not in policy


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("watch/7", 404, "--watch"),
        ("watch/0/report", 404, "no report"),
        ("watch/0/matches?table=5", 404, "this table does not exist"),
        ("watch/0/matches/99-0-0", 404, "not in the store"),
        ("watch/0/matches/..%2F..%2Fetc", 404, "Not Found"),
        ("watch/0/matches/1-2", 422, "match"),
        ("watch/-1", 422, "id"),
    ],
)
def test_what_is_not_there_gets_a_sentence(client: Client, path: str, status: int, words: str) -> None:
    with pytest.raises(ApiError, match=words) as caught:
        client.call("GET", path)
    assert caught.value.status == status


def test_a_store_that_cannot_be_read_is_said_and_nothing_else_fails(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_text("no store", encoding="utf-8")
    watched = Watched(0, path)
    info = watched.look()
    assert "x.db is not a store of inarow" in info.problem
    assert str(tmp_path) not in info.problem
    path.unlink()
    assert "does not exist" in watched.look().problem
    watched_files.write_store(path, "tictactoe", ("random", "rules"), pairs=1)
    again = watched.look()
    assert (again.problem, again.tables[0].matches, again.version) == ("", 2, 3)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"0.1.0", b"0.1.1"))
    damaged = watched.look()
    assert "x.db is damaged (1 bad row in table about); 2 matches can still be read" in damaged.problem
    assert damaged.tables[0].matches == 2


def test_a_running_tournament_is_shown_live(server: RunningServer, tmp_path: Path) -> None:
    path = tmp_path / "running.db"
    command = [sys.executable, watched_files.__file__, str(path)]
    inside = server.app.state.server
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        writer.stdout.readline()
        inside.watched.append(Watched(2, path))
        with connect(server.address.replace("http", "ws") + "/api/v1/watch/2/live", proxy=None) as socket:
            first = WatchInfo.model_validate_json(socket.recv(timeout=60))
            assert (first.running, first.tables[0].matches, first.tables[0].finished) == (True, 0, False)
            writer.stdin.write("next\n")
            writer.stdin.flush()
            while not (second := WatchInfo.model_validate_json(socket.recv(timeout=60))).tables[0].matches:
                pass  # the store has changed, but the pair is not committed yet
            assert second.tables[0].matches == len(second.tables[0].latest) == 2
            writer.kill()
            while (third := WatchInfo.model_validate_json(socket.recv(timeout=60))).running:
                pass
            assert third.tables[0].matches == 2
    inside.watched.pop()


def test_an_unknown_file_closes_the_connection(server: RunningServer) -> None:
    address = server.address.replace("http", "ws") + "/api/v1/watch/9/live"
    with connect(address, proxy=None) as socket, pytest.raises(Exception, match="does not watch that file"):
        socket.recv(timeout=60)


def test_agents_have_short_names_where_those_tell_them_apart() -> None:
    assert labels(["random", "alphabeta:depth=2", "alphabeta", "file:/a/b/anna.py,seconds=1"]) == [
        "random",
        "alphabeta:depth=2",
        "alphabeta",
        "anna",
    ]
    assert labels(["ada@0123456789ab", "bob@0123456789ab", "bob@ba9876543210"]) == [
        "ada",
        "bob@0123456789ab",
        "bob@ba9876543210",
    ]


def test_only_what_is_there_can_be_named_on_the_command_line(tmp_path: Path) -> None:
    with pytest.raises(WebError, match="does not exist"):
        WebSettings(watch=(tmp_path / "nothing.db",))
    with pytest.raises(WebError, match="no store in it"):
        WebSettings(watch=(tmp_path,))
