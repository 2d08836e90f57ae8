"""What 300 people cost a server: ``python benchmarks/web_load.py [--people N] [--seconds S]``.

A third opens the page, again every minute, as a browser with an empty cache does; a third plays by links, two to a
match, one move in ten seconds; a third watches a tournament. The browsers' own work is not part of it. Wanted: at most
10 % of one core and 150 MB in the server's process.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from websockets.asyncio.client import connect

from support.watched_files import write_store

TURN, VISIT = 10.0, 60.0
"""Seconds between the moves of a match, and between the visits of a person."""
MOVES = [3, 2] * 3 + [4, 5] * 3


def fetch(address: str, path: str, body: object = None) -> bytes:
    """Ask the server, as a browser does."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json", "accept-encoding": "gzip"}
    with urllib.request.urlopen(urllib.request.Request(f"{address}{path}", data, headers), timeout=60) as answer:
        content: bytes = answer.read()
        return content


async def visit(address: str, paths: list[str], until: float, number: int) -> int:
    """Open the page every minute; return the number of answers."""
    answers = 0
    await asyncio.sleep(VISIT * (number % 100) / 100)
    while time.monotonic() < until:
        for path in paths:
            await asyncio.to_thread(fetch, address, path)
            answers += 1
        await asyncio.sleep(VISIT)
    return answers


async def play(address: str, until: float, number: int) -> int:
    """Play by a link: two pages follow a match and move in turn; return the number of moves."""
    await asyncio.sleep(TURN * (number % 50) / 50)
    state = json.loads(await asyncio.to_thread(fetch, address, "/api/v1/matches", {"game": "connect4"}))
    live = f"{address.replace('http', 'ws')}/api/v1/matches/{state['id']}/live"
    made = 0
    async with connect(live, proxy=None) as one, connect(live, proxy=None) as two:
        await asyncio.gather(one.recv(), two.recv())
        while time.monotonic() < until:
            place = made % (len(MOVES) + 1)
            command, body = ("move", {"move": MOVES[place]}) if place < len(MOVES) else ("new", {})
            await asyncio.to_thread(fetch, address, f"/api/v1/matches/{state['id']}/{command}", body)
            await asyncio.gather(one.recv(), two.recv())
            made += 1
            await asyncio.sleep(TURN)
    return made


async def watch(address: str, until: float) -> int:
    """Follow a store."""
    async with connect(f"{address.replace('http', 'ws')}/api/v1/watch/0/live", proxy=None) as socket:
        await socket.recv()
        await asyncio.sleep(max(0.0, until - time.monotonic()))
    return 1


async def crowd(address: str, people: int, seconds: float) -> tuple[int, int, int]:
    """Let all of them work; return the answers, moves and watchers."""
    static = re.findall(r'(?:href|src)="((?:static|theme)[^"]*)"', urllib.request.urlopen(address).read().decode())
    data = [f"data/{name}" for name in ("kernels.json", "rules.wasm", "solver.wasm", "sentences.json", "lab.json")]
    folder = next(path for path in static if path.endswith("main.js")).rpartition("/")[0]
    scripts = [f"{folder}/{path.name}" for path in SCRIPTS.glob("*.js")]
    paths = [f"/{path}" for path in ["", *static, *scripts, *data]]
    until = time.monotonic() + seconds
    third = people // 3
    work = [visit(address, paths, until, number) for number in range(third)]
    work += [play(address, until, number) for number in range(third // 2)]
    work += [watch(address, until) for _ in range(third)]
    done = await asyncio.gather(*work)
    return sum(done[:third]), sum(done[third : third + third // 2]), sum(done[third + third // 2 :])


SCRIPTS = Path(__file__).parents[1] / "src" / "inarow" / "web" / "static" / "js"


def cpu_seconds(process: int) -> float:
    """The processor time of a process, without its children."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def main() -> None:
    """Run the crowd against a server of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=120)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "league.db"
        write_store(store, "connect4", ("random", "rules", "greedy"), pairs=20)
        command = [sys.executable, "-m", "inarow", "serve", "--port", "0", "--watch", str(store)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                found = re.search(r"http://[\d.:]+", server.stdout.readline())
                assert found is not None
                fetch(found[0], "/data/models/ntuple-connect4")  # all data files are written
                before, begun = cpu_seconds(server.pid), time.monotonic()
                answers, moves, watchers = asyncio.run(crowd(found[0], given.people, given.seconds))
                share = (cpu_seconds(server.pid) - before) / (time.monotonic() - begun)
                status = Path(f"/proc/{server.pid}/status").read_text(encoding="ascii")
            finally:
                server.terminate()
    memory = {name: int(value) / 1024 for name, value in re.findall(r"Vm(HWM|RSS):\s+(\d+)", status)}
    print(f"{given.people} people: {answers:,} files, {moves:,} moves by links, {watchers} pages of Watch")
    print(f"the server's process: {share:.1%} of one core, {memory['RSS']:.0f} MB, at most {memory['HWM']:.0f} MB")


if __name__ == "__main__":
    main()
