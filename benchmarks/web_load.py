"""Load on the server: many games at once against an agent, each player waiting a moment after every reply.

python benchmarks/web_load.py --games 200 --seconds 600 --hostile

It starts a server of its own on loopback, in another process, and plays against it: a move by HTTP, the reply by
WebSocket. A reply's time is from the moment the move is sent to the moment the agent's move is received. Every player
has an address of its own (127.0.x.y), so that the server's usual limits hold. With ``--hostile`` one more client asks
for the most expensive things that are allowed, as often as it can; its own answers are only counted. A reply that takes
a minute is an error, and its player leaves. A server that does not stop is killed, and the exit code is 1. At most
1,000 games and an hour. Needs Linux.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from inarow.web.serving import WebSettings

AGENT = "alphabeta:depth=6"
HOSTILE = "127.0.99.1"
SLOW = "alphabeta:depth=full,tt=on,tt_mb=256"
HUGE = "9x6x4"
PATIENCE = 60.0
"""Seconds after which a player gives up."""
STOP_SECONDS = 20.0
"""Seconds that the server has to stop."""


@dataclass
class Figures:
    """What is measured."""

    replies: list[float] = field(default_factory=list)
    matches: int = 0
    errors: list[str] = field(default_factory=list)
    hostile: int = 0
    """Requests of the hostile client, and how many of them were refused."""
    refused: int = 0
    memory: list[float] = field(default_factory=list)
    """Of the server and its workers, in MB, each second."""


class Http:
    """A connection that is kept for many requests."""

    def __init__(self, host: str, port: int, own: str) -> None:
        self.host, self.port, self.own = host, port, own
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: Any = None) -> Any:
        """The answer's JSON; raises for another status than success."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(self.host, self.port, local_addr=(self.own, 0))
        reader, writer = self._streams
        data = b"" if body is None else json.dumps(body).encode()
        head = (
            f"POST /api/v1/{path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(data)}\r\n\r\n"
        )
        writer.write(head.encode() + data)
        answer = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        length = re.search(r"content-length: (\d+)", answer, re.IGNORECASE)
        content = await reader.readexactly(int(length[1])) if length else b""
        if not answer.split()[1].startswith("2"):
            raise RuntimeError(f"{path.rpartition('/')[2]}: {answer.split()[1]} {content[:120]!r}")
        return json.loads(content)

    def close(self) -> None:
        """End the connection."""
        if self._streams is not None:
            self._streams[1].close()


async def one_player(number: int, http: Http, pause: float, until: float, figures: Figures) -> None:
    """Play game after game until the time is over."""
    await asyncio.sleep(pause * (number % 100) / 100)  # not all at the same moment
    wanted = {"game": "connect4", "one": "human", "two": AGENT, "delay": 0, "seed": number}
    async with asyncio.timeout(PATIENCE):
        state = await http.post("sessions", wanted)
    address = f"ws://{http.host}:{http.port}/api/v1/sessions/{state['id']}/live"
    async with connect(address, proxy=None, compression=None, local_addr=(http.own, 0)) as socket:
        while time.perf_counter() < until:
            async with asyncio.timeout(PATIENCE):
                state = await _turn(http, socket, state, number, figures)
                if state["ending"] is not None:
                    figures.matches += 1
                    state = await http.post(f"sessions/{state['id']}/new")
            await asyncio.sleep(pause)


async def _turn(http: Http, socket: ClientConnection, state: Any, number: int, figures: Figures) -> Any:
    legal = state["position"]["legal"]
    move = legal[(number + state["position"]["ply"]) % len(legal)]
    begun = time.perf_counter()
    state = await http.post(f"sessions/{state['id']}/move", {"move": move, "ply": state["position"]["ply"]})
    version, ended = state["version"], state["ending"] is not None
    while not ended and not state["awaits_person"]:
        newer = json.loads(await socket.recv())
        if newer["version"] > version or newer["failure"]:
            state, version = newer, newer["version"]
            ended = state["ending"] is not None
        if state["failure"]:
            raise RuntimeError(state["failure"])
    figures.replies.append(time.perf_counter() - begun)
    return state


async def play(
    host: str, port: int, games: int, seconds: float, pause: float, hostile: bool = False, process: int = 0
) -> Figures:
    """Let all players play at the same time, and look at the memory of the server's process."""
    figures = Figures()
    looking = asyncio.ensure_future(look(process, figures.memory)) if process else None
    until = time.perf_counter() + seconds
    players = [Http(host, port, f"127.0.{1 + number // 250}.{1 + number % 250}") for number in range(games)]
    attack = asyncio.ensure_future(attacks(host, port, until, figures)) if hostile else None
    ends = await asyncio.gather(
        *(one_player(number, http, pause, until, figures) for number, http in enumerate(players)),
        return_exceptions=True,
    )
    figures.errors += [f"{type(end).__name__}: {end}" for end in ends if isinstance(end, BaseException)]
    for http in players:
        http.close()
    for task in (attack, looking):
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
    return figures


async def attacks(host: str, port: int, until: float, figures: Figures) -> None:
    """One client that asks for much in many ways at once."""
    solve = {"game": HUGE, "seconds": 20, "line": True}
    decide = {"game": "connect4", "agent": SLOW}
    trace = {"game": "connect4", "agent": "minimax:depth=7", "events": 100_000}
    review = {"game": "connect4", "moves": [0, 1, 2, 3, 4, 5, 6], "seconds": 20}
    session = {"game": "connect4", "one": SLOW, "two": SLOW, "delay": 0}
    wanted = [("solve", solve)] * 8 + [("decide", decide)] * 6 + [("traces", trace), ("review", review)]
    work = [insist(Http(host, port, HOSTILE), path, body, until, figures) for path, body in wanted]
    minds = {"game": HUGE, "moves": [], "agents": [SLOW] * 8}
    learn = {"kind": "ntuple", "game": "connect4", "alpha": 0.01, "epsilon": 0.1, "speed": 0}
    work += [insist(Http(host, port, HOSTILE), "sessions", session, until, figures, pause=0.5)]
    work += [watch(f"ws://{host}:{port}/api/v1/minds/live", minds, until, figures) for _ in range(4)]
    work += [watch(f"ws://{host}:{port}/api/v1/learn/live", learn, until, figures) for _ in range(2)]
    await asyncio.gather(*work)


async def insist(http: Http, path: str, body: Any, until: float, figures: Figures, pause: float = 0.0) -> None:
    """Ask again and again, whatever the answer."""
    while time.perf_counter() < until:
        try:
            await http.post(path, {**body, "moves": [figures.hostile % 7]} if path == "solve" else body)
        except (RuntimeError, OSError, asyncio.IncompleteReadError):
            figures.refused += 1
            await asyncio.sleep(0.05)
        figures.hostile += 1
        await asyncio.sleep(pause)


async def watch(address: str, request: Any, until: float, figures: Figures) -> None:
    """Open a connection that lets agents think or learn, again whenever it ends."""
    while time.perf_counter() < until:
        figures.hostile += 1
        with contextlib.suppress(OSError, WebSocketException):
            async with connect(address, proxy=None, compression=None, local_addr=(HOSTILE, 0)) as socket:
                await socket.send(json.dumps(request))
                async for _ in socket:
                    pass
        await asyncio.sleep(0.05)


def memory_mb(process: int) -> float:
    """Memory of a process and of those that it started; what they share is counted once (Linux)."""
    total = 0.0
    for one in (process, *_children(process)):
        with contextlib.suppress(OSError):
            found = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{one}/smaps_rollup").read_text(encoding="ascii"), re.M)
            total += int(found[1]) / 1024 if found else 0.0
    return total


async def look(process: int, memory: list[float], pause: float = 1.0) -> None:
    """Note the memory again and again."""
    while True:
        memory.append(await asyncio.to_thread(memory_mb, process))
        await asyncio.sleep(pause)


def processor_seconds(process: int) -> tuple[float, float]:
    """Processor time that a process and those that it started, ended ones included, have used so far (Linux)."""
    own, theirs = _seconds_of(process)
    for one in _children(process):
        with contextlib.suppress(OSError):
            theirs += sum(_seconds_of(one))
    return own, theirs


def _seconds_of(process: int) -> tuple[float, float]:
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    own, ended = int(fields[11]) + int(fields[12]), int(fields[13]) + int(fields[14])
    return own / os.sysconf("SC_CLK_TCK"), ended / os.sysconf("SC_CLK_TCK")


def _children(process: int) -> list[int]:
    found: list[int] = []
    for thread in Path(f"/proc/{process}/task").glob("*"):
        with contextlib.suppress(OSError):
            found += [int(one) for one in (thread / "children").read_text(encoding="ascii").split()]
    return found


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which this share of them lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=200, choices=range(1, 1001), metavar="N")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--pause", type=float, default=1.0, help="seconds a player waits after a reply")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", type=int, metavar="MB", help="the server's memory budget")
    parser.add_argument("--hostile", action="store_true", help="add a client that asks for the most expensive things")
    given = parser.parse_args()
    seconds = min(given.seconds, 3600.0)
    budget = WebSettings(workers=given.workers, memory_mb=given.memory).budget_mb
    script = (
        f"from inarow.web.serving import WebSettings, serve; "
        f"settings = WebSettings(port=0, workers={given.workers}, memory_mb={given.memory}); "
        f"serve(settings, lambda at: print(at, flush=True))"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            found = re.match(r"http://([\d.]+):(\d+)", server.stdout.readline())
            assert found
            host, port = found[1], int(found[2])
            asyncio.run(play(host, port, 2, 15.0, 0.5, given.hostile))  # all workers start, kernels load
            before = processor_seconds(server.pid)
            figures = asyncio.run(play(host, port, given.games, seconds, given.pause, given.hostile, server.pid))
            after = processor_seconds(server.pid)
        finally:
            stopped = _stop(server)
    load = os.getloadavg()[0]
    print(f"{given.games} games against {AGENT} for {seconds:g} s; a player waits {given.pause:g} s; load {load:.1f}")
    if figures.replies:
        middle, slow = statistics.median(figures.replies), percentile(figures.replies, 0.99)
        own, theirs = (1000 * (late - early) / len(figures.replies) for early, late in zip(before, after, strict=True))
        print(f"processor time per reply: server {own:.1f} ms, workers {theirs:.1f} ms")
        print(f"replies {len(figures.replies):,}, median {1000 * middle:.0f} ms, 99th percentile {1000 * slow:.0f} ms")
    if given.hostile:
        print(f"the hostile client asked {figures.hostile:,} times; {figures.refused:,} were refused or cut short")
    print(f"matches finished {figures.matches:,}, errors {len(figures.errors)}")
    shown = [f"{figures.memory[int(share * (len(figures.memory) - 1))]:.0f}" for share in (0, 0.25, 0.5, 0.75, 1)]
    print(
        f"memory of the server and its workers in MB: {', '.join(shown)} at 0, 25, 50, 75, 100 % of the time; "
        f"at most {max(figures.memory):.0f} of {budget} allowed"
    )
    for error in sorted(set(figures.errors))[:5]:
        print("  ", error)
    if not stopped:
        sys.exit(f"the server did not stop within {STOP_SECONDS:g} s of Ctrl-C and was killed")


def _stop(server: subprocess.Popen[str]) -> bool:
    """Send Ctrl-C; kill the server if it does not stop, and return False then."""
    server.send_signal(signal.SIGINT)
    try:
        server.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        return False
    return True


if __name__ == "__main__":
    main()
