"""Matches that two people share: moves, limits, expiry, and the pages that follow."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from inarow.errors import InarowError
from inarow.play import NotNow
from inarow.rules.position import IllegalMove
from inarow.web import relay
from inarow.web.relay import MATCHES, Relayed, RelayRequest, Relays
from inarow.web.security import Missing, TooMany
from inarow.web.serving import WebSettings
from support.loops import run_on_a_loop

REQUEST = RelayRequest(game="tictactoe", names=["Ada", "Bob"])
WON = [0, 3, 1, 4, 2]


def with_relays(test: Callable[[Relays], Awaitable[None]], **settings: Any) -> None:
    """Run a test on a loop of its own."""

    async def run() -> None:
        await test(Relays(WebSettings(**settings)))

    run_on_a_loop(run)


def test_moves_are_made_taken_back_and_made_again() -> None:
    async def test(relays: Relays) -> None:
        shared = relays.start(REQUEST, "ada")
        for ply, move in enumerate(WON):
            shared.move(move, ply)
        with pytest.raises(NotNow, match="over"):
            shared.move(5, 5)
        shared.undo()
        shared.undo()
        assert (shared.moves, shared.info.undone) == (WON[:3], [2, 4])
        shared.redo()
        shared.move(5, 4)
        assert (shared.moves, shared.info.undone) == ([*WON[:4], 5], [])
        with pytest.raises(NotNow):
            shared.redo()
        shared.new()
        assert shared.info.played == [[*WON[:4], 5], []]
        with pytest.raises(NotNow):
            shared.undo()
        assert shared.info.names == ["Ada", "Bob"]

    with_relays(test)


def test_a_move_for_another_position_and_an_illegal_one_change_nothing() -> None:
    async def test(relays: Relays) -> None:
        shared = relays.start(REQUEST, "ada")
        shared.move(0, 0)
        before = shared.text
        with pytest.raises(NotNow, match="changed"):
            shared.move(4, 0)
        with pytest.raises(IllegalMove):
            shared.move(0, 1)
        assert shared.text == before

    with_relays(test)


@pytest.mark.parametrize(
    "wrong", [{"game": "chess"}, {"opening": WON}, {"played": [[0, 0]]}, {"opening": [0], "played": [[0]]}]
)
def test_a_match_that_cannot_be_is_not_shared(wrong: dict[str, Any]) -> None:
    async def test(relays: Relays) -> None:
        with pytest.raises(InarowError):
            relays.start(RelayRequest(**{"game": "tictactoe", **wrong}), "ada")
        assert len(relays) == 0

    with_relays(test)


def test_the_next_match_of_a_series_begins_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "PAUSE", 0.01)

    async def test(relays: Relays) -> None:
        shared = relays.start(REQUEST.model_copy(update={"matches": 2, "played": [WON[:4]]}), "ada")
        with shared.watch() as states:
            shared.move(WON[4], 4)
            await states.get()
            async with asyncio.timeout(60):
                assert json.loads(await states.get() or "")["played"] == [WON, []]
            for move in WON:
                shared.move(move, None)
            await asyncio.sleep(0.05)
            assert len(shared.info.played) == 2, "the series is over"

    with_relays(test)


def test_shared_matches_are_limited_for_each_client_and_in_all() -> None:
    async def test(relays: Relays) -> None:
        for client in ("a", "a", "b"):
            relays.start(REQUEST, client)
        for client in ("a", "c"):
            with pytest.raises(TooMany):
                relays.start(REQUEST, client)
        shared = relays.get(next(iter(relays._open)))
        for _ in range(MATCHES - 1):
            shared.new()
        with pytest.raises(TooMany, match="start another"):
            shared.new()

    with_relays(test, matches=3, matches_per_client=2)


def test_a_match_that_nobody_uses_expires_and_one_that_is_watched_does_not() -> None:
    async def test(relays: Relays) -> None:
        left, watched = relays.start(REQUEST, "a"), relays.start(REQUEST, "a")
        with watched.watch():
            for one in (left, watched):
                one.used = time.monotonic() - 3600
            relays.drop_idle()
            with pytest.raises(Missing, match="expired"):
                relays.get(left.info.id)
            assert relays.get(watched.info.id) is watched

    with_relays(test)


def test_those_who_watch_hear_of_every_change_and_of_the_end() -> None:
    async def test(relays: Relays) -> None:
        shared = relays.start(REQUEST, "a")
        with shared.watch() as quick, shared.watch() as slow:
            for move in (0, 1, 2, 3, 4, 5):
                shared.move(move, None)
                assert json.loads(await quick.get() or "")["played"][-1][-1] == move
            relays.close(shared.info.id)
            assert await quick.get() is None
            heard = [await slow.get() for _ in range(4)]
            assert heard[-1] is None, "one that is slow hears the latest"
            assert json.loads(heard[-2] or "")["played"][-1] == [0, 1, 2, 3, 4, 5]

    with_relays(test)


def test_ids_cannot_be_guessed() -> None:
    async def test(relays: Relays) -> None:
        ids = {relays.start(REQUEST, "a").info.id for _ in range(50)}
        assert len(ids) == 50
        assert all(len(one) >= 20 for one in ids)

    with_relays(test)


def test_versions_increase_with_every_change() -> None:
    async def test(relays: Relays) -> None:
        shared: Relayed = relays.start(REQUEST, "a")
        versions = [shared.info.version]
        commands: list[Callable[[], None]] = [lambda: shared.move(0, 0), shared.undo, shared.redo, shared.new]
        for command in commands:
            command()
            versions.append(shared.info.version)
        assert versions == sorted(set(versions))

    with_relays(test)
