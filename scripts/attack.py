"""Attack inarow: kills, Ctrl-C, damaged files, fuzzed commands, hostile external agents, a full device.

    python scripts/attack.py --scale 1 --seconds 900

Everything is bounded in count (``--scale`` multiplies it) and in time. Processes get signals by their own id or group,
only if this script started them; nothing listens on or connects to more than loopback. The summary table is what
docs/robustness.md shows. Exits with 1 if anything was found.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import lzma
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from inarow.agents import agent  # noqa: E402
from inarow.errors import InarowError  # noqa: E402
from inarow.league.settings import read_settings  # noqa: E402
from inarow.match import play_match  # noqa: E402
from inarow.match.files import read_records, record_text  # noqa: E402
from inarow.match.openings import read_openings  # noqa: E402
from inarow.models.files import ModelFile  # noqa: E402
from inarow.models.loading import read_model, shipped  # noqa: E402
from inarow.rules import CONNECT4, TICTACTOE  # noqa: E402
from inarow.solver.book import read_book, shipped_book  # noqa: E402
from inarow.solver.cache import Cache  # noqa: E402
from inarow.solver.score_lines import score_line  # noqa: E402
from inarow.truth.truth_set import read_truth, truth_set, write_truth  # noqa: E402
from support.arena_doubles import processes_in_session  # noqa: E402
from support.damage import crafted_number, damaged  # noqa: E402
from support.external_attacks import ATTACKS  # noqa: E402
from support.external_corpus import BAD, GOOD, UNLOADABLE, bad_source, write  # noqa: E402
from support.fuzzed_specs import VALUES, fuzzed_specs  # noqa: E402

CODES = (0, 1, 2, 130)
HANG = 300.0
"""Seconds after which a command counts as hanging; a busy machine makes 10 s of processor time last minutes."""
MEMORY = 4 << 30
"""Bytes of address space while files are read in this process: a bomb must not take the machine with it."""


@dataclass
class Tally:
    """What one kind of attack found."""

    name: str
    tried: int = 0
    tracebacks: int = 0
    hangs: int = 0
    leaked: int = 0
    codes: int = 0
    """Exit codes other than those documented, or exceptions other than `InarowError`."""
    wrong: int = 0
    """Results that differ from those of a run that was not attacked."""
    notes: list[str] = field(default_factory=list)

    @property
    def found(self) -> int:
        """All faults together."""
        return self.tracebacks + self.hangs + self.leaked + self.codes + self.wrong

    def row(self) -> str:
        """A line of the table."""
        numbers = (self.tried, self.tracebacks, self.hangs, self.leaked, self.codes, self.wrong)
        return f"| {self.name} | " + " | ".join(f"{number:,}" for number in numbers) + " |"


class Attack:
    """Commands and files to attack, in a folder of its own."""

    def __init__(self, folder: Path, seed: int, until: float) -> None:
        self.folder = folder
        self.chance = random.Random(seed)
        self.until = until
        self.code = 0
        """The exit code of the last command."""
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "80", "NO_COLOR": "1"}

    def times(self, count: int) -> Iterator[int]:
        """Up to that many numbers, until the time is over."""
        for number in range(count):
            if time.monotonic() > self.until:
                return
            yield number

    def start(self, *arguments: str, stdout: int | None = None) -> subprocess.Popen[bytes]:
        """A command as the leader of a session of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "inarow", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if stdout is None else stdout,
            stderr=subprocess.PIPE,
            start_new_session=True,
            cwd=self.folder,
            env=self.environment,
        )

    def finish(self, tally: Tally, running: subprocess.Popen[bytes], killed: bool = False) -> str:
        """Wait for a command and count what it did wrong; returns all that it printed."""
        tally.tried += 1
        try:
            out, errors = running.communicate(timeout=HANG)
        except subprocess.TimeoutExpired:
            tally.hangs += 1
            tally.notes.append(f"hangs: {running.args!r:.200}")
            os.killpg(running.pid, signal.SIGKILL)
            out, errors = running.communicate()
            killed = True
        text = (out or b"").decode(errors="replace") + errors.decode(errors="replace")
        if "Traceback (most recent call last)" in text:
            tally.tracebacks += 1
            tally.notes.append(f"traceback: {running.args!r:.200}: {text[-300:]}")
        if not killed and running.returncode not in CODES:
            tally.codes += 1
            tally.notes.append(f"exit code {running.returncode}: {running.args!r:.200}")
        self.code = running.returncode
        left = self._left(running.pid)
        if left:
            tally.leaked += len(left)
            tally.notes.append(f"{len(left)} processes left: {running.args!r:.200}")
            for process in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
        return text

    @staticmethod
    def _left(leader: int) -> list[int]:
        until = time.monotonic() + 20
        while (left := processes_in_session(leader)) and time.monotonic() < until:
            time.sleep(0.05)
        return left

    def run(self, tally: Tally, *arguments: str) -> str:
        """Run a command to its end."""
        return self.finish(tally, self.start(*arguments))

    def parse(self, tally: Tally, read: Callable[[], object]) -> None:
        """Read something in this process: an `InarowError` is the only exception it may raise."""
        tally.tried += 1
        try:
            read()
        except InarowError as error:
            str(error)
        except Exception as error:
            tally.codes += 1
            tally.notes.append(f"{type(error).__name__}: {error!s:.200}")


def results(attack: Attack, tally: Tally, store: Path) -> object:
    """The tables of a store without what depends on the clock."""
    text = attack.run(tally, "results", str(store), "--json")
    if attack.code != 0:
        return text
    data = json.loads(text[text.index("{") :])
    for one in data["tournaments"]:
        one.pop("timing", None)
    data.pop("timing", None)
    return data


TOURNAMENT = ("tournament", "connect4", "random", "rules", "greedy", "--workers", "2", "--pairs")


def kills(attack: Attack, scale: float) -> Tally:
    """Tournaments killed with SIGKILL at random moments and resumed: the tables must be those of a whole run."""
    tally = Tally("tournaments killed and resumed")
    whole, killed, pairs = attack.folder / "whole.db", attack.folder / "killed.db", "400"
    attack.run(tally, *TOURNAMENT, pairs, "--out", str(whole))
    for _ in attack.times(round(6 * scale)):
        running = attack.start(*TOURNAMENT, pairs, "--out", str(killed), *(["--resume"] if killed.exists() else []))
        with contextlib.suppress(subprocess.TimeoutExpired):
            running.wait(2 + 3 * attack.chance.random())
        running.kill()
        attack.finish(tally, running, killed=True)
    attack.run(tally, *TOURNAMENT, pairs, "--out", str(killed), *(["--resume"] if killed.exists() else []))
    tally.wrong += results(attack, tally, whole) != results(attack, tally, killed)
    return tally


def interrupts(attack: Attack, scale: float) -> Tally:
    """Ctrl-C once to four times at random moments, to the whole group, as a terminal sends it."""
    tally = Tally("Ctrl-C, 1 to 4 times")
    commands = [
        (*TOURNAMENT, "100000"),
        ("match", "connect4", "random", "rules", "-n", "1000000"),
        ("train", "qlearning", "tictactoe", "-n", "50000000", "--out", "model.npz", "--force"),
        ("solve", "7x6x5"),
        ("study", "compare", "--out", "study", "--force"),
        ("rate", "connect4", "rules", "--within", "1", "--workers", "2"),
        ("serve", "--port", "0", "--workers", "1"),
        ("league", "entrants", "--out", "league", "--workers", "2"),
        ("dataset", "connect4", "--out", "positions.csv", "--per-ply", "100000", "--force"),
        ("grade", "connect4", "greedy", "--positions", "1000000"),
    ]
    (attack.folder / "entrants").mkdir()
    for name in ("connectx", "one argument"):
        write(attack.folder / "entrants", name, GOOD[name])
    for number in attack.times(round(20 * scale)):
        running = attack.start(*commands[number % len(commands)])
        time.sleep(2 + 4 * attack.chance.random())  # Python itself takes a while to start, and is not ours
        for _ in range(attack.chance.randint(1, 4)):
            if running.poll() is None:
                os.killpg(running.pid, signal.SIGINT)
            time.sleep(attack.chance.choice((0, 0.02, 0.3)))
        attack.finish(tally, running)
    return tally


def stores(attack: Attack, scale: float) -> Tally:
    """Damaged stores: shown, resumed; what is resumed must have the tables of a whole run."""
    tally = Tally("damaged stores, shown and resumed")
    whole = attack.folder / "sound.db"
    play = ("tournament", "tictactoe", "random", "rules", "--workers", "1", "--pairs", "150")
    attack.run(tally, *play, "--out", str(whole))
    sound, data = results(attack, tally, whole), whole.read_bytes()
    bad = attack.folder / "bad.db"
    for number in attack.times(round(15 * scale)):
        for left in attack.folder.glob("bad.db*"):
            left.unlink()
        bad.write_bytes(next(damaged(data, 1, number)))
        attack.run(tally, "results", str(bad))
        attack.run(tally, *play, "--out", str(bad), "--resume")
        if attack.code == 0:
            tally.wrong += results(attack, tally, bad) != sound
    return tally


LEAGUE = b"""
title = "Fourth league"
boards = ["connect4", "tictactoe"]
pairs = 5
among_entrants = 3
faults = 6
seed = 12
[limits]
seconds = 1.5
nodes = 100000
[accuracy]
points = 20
from = 0.5
to = 0.95
[grades]
A = 90
B = 0
[[ladder]]
agent = "alphabeta:depth=4"
points = 30
"""


def files(attack: Attack, scale: float) -> list[Tally]:
    """Mutated books, caches, truth files, matches, models, openings, settings and specs, read in this process."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, before[1]))
    book, cache, truth = Tally("mutated books"), Tally("mutated caches"), Tally("mutated truth files")
    model, spec, saved = Tally("mutated models"), Tally("fuzzed agent specs"), Tally("mutated files of matches")
    opening, league = Tally("mutated openings"), Tally("mutated settings of leagues")
    path = attack.folder / "mutated"
    source = shipped_book(CONNECT4)
    assert source is not None
    line, _, body = source.read_bytes().partition(b"\n")
    raw = lzma.decompress(body)
    for number in attack.times(round(400 * scale)):
        if number % 2:
            packed = lzma.compress(next(damaged(raw[:40_000], 1, number)), preset=0)
            made = {**json.loads(line), "sha256": hashlib.sha256(packed).hexdigest()}
            head = json.dumps(made).encode()
            path.write_bytes((crafted_number(head, attack.chance) if number % 4 == 1 else head) + b"\n" + packed)
        else:
            path.write_bytes(next(damaged(line + b"\n" + body, 1, number)))
        attack.parse(book, lambda: read_book(path))
    known = {key * 977: key % 43 - 21 for key in range(300)}
    lines = "".join(score_line(CONNECT4, key, score) for key, score in known.items()).encode()
    for bad in damaged(lines, round(1000 * scale), 1):
        path.write_bytes(bad)
        attack.parse(cache, lambda: cache_is_true(path, known, cache))
    record = play_match(CONNECT4, agent("greedy"), agent("random"))
    for data in (json.dumps(record.to_json()).encode(), record_text(record).encode()):
        for bad in [*damaged(data, round(400 * scale), 1), *(crafted_number(data, attack.chance) for _ in range(100))]:
            path.write_bytes(bad)
            attack.parse(saved, lambda: list(read_records(path)))
    with (attack.folder / "truth.csv").open("w", encoding="utf-8") as out:
        write_truth(truth_set()[::40], out)
    for bad in damaged((attack.folder / "truth.csv").read_bytes(), round(1000 * scale), 2):
        path.write_bytes(bad)
        attack.parse(truth, lambda: read_truth_file(path))
    for kind, preset in (("qlearning", ""), ("qlearning", "r1"), ("ntuple", "")):
        good = shipped(kind, TICTACTOE, preset)
        assert good is not None
        for bad in damaged(good.read_bytes(), round(200 * scale), 3):
            path.write_bytes(bad)
            attack.parse(model, lambda: read_model_file(path))
    lines = b"".join(b"%d%d  # an opening\n" % (a, b) for a in range(1, 8) for b in range(1, 8))
    for bad in damaged(lines, round(500 * scale), 4):
        path.write_bytes(bad)
        attack.parse(opening, lambda: read_openings(CONNECT4, path))
    for number in attack.times(round(300 * scale)):
        bad = crafted_number(LEAGUE, attack.chance) if number % 2 else next(damaged(LEAGUE, 1, number))
        path.write_bytes(bad)
        attack.parse(league, lambda: read_settings(path))
    for text in fuzzed_specs(round(4000 * scale), 1):
        attack.parse(spec, lambda text=text: agent(text).check(CONNECT4))  # type: ignore[misc]
    resource.setrlimit(resource.RLIMIT_AS, before)
    return [book, cache, truth, saved, model, opening, league, spec]


def cache_is_true(path: Path, known: dict[int, int], tally: Tally) -> None:
    """Read a cache; a score that was never written is wrong."""
    tally.wrong += not Cache(CONNECT4, path)._known.items() <= known.items()


def read_truth_file(path: Path) -> object:
    """Read a truth file."""
    with path.open(encoding="utf-8", newline="") as file:
        return read_truth(file)


def read_model_file(path: Path) -> object:
    """Read a model file whole."""
    with ModelFile(path) as file:
        return read_model(file)


def commands(attack: Attack, scale: float) -> Tally:
    """Commands with strange values in strange places."""
    tally = Tally("fuzzed commands")
    good = [
        ["match", "tictactoe", "random", "rules", "-n", "2", "--seconds", "1", "--save", "out.jsonl", "--force"],
        ["tournament", "tictactoe", "random", "rules", "--pairs", "2", "--workers", "1", "--openings", "random:1"],
        ["decide", "connect4", "44", "alphabeta:depth=2", "--nodes", "100"],
        ["solve", "tictactoe", "1", "--table-mb", "1", "--nodes", "1000"],
        ["show", "connect4", "4455"],
        ["results", "sound.db", "--export", "out.csv", "--force"],
        ["grade", "random", "tictactoe", "--positions", "5"],
        ["play", "tictactoe", "random", "random", "--delay", "0", "--save", "played.txt", "--force"],
        ["convert", "out.jsonl", "--to", "txt"],
        ["cluster", "start", "--port", "99999"],
        ["tournament", "tictactoe", "random", "rules", "--cluster", "tcp://127.0.0.1:9"],
        ["book", "build", "4x4x4", "new.book", "--plies", "1", "--force"],
        ["perft", "tictactoe", "2"],
        ["rate", "tictactoe", "random", "--pairs", "2", "--positions", "1", "--workers", "1", "--json"],
        ["sprt", "tictactoe", "random", "rules", "--pairs", "2", "--workers", "1", "--alpha", "0.1", "--json"],
        ["league", "hand-ins", "--out", "site", "--config", "league.toml", "--workers", "1", "--json"],
        ["assignment", "exercise", "--game", "tictactoe", "--seed", "1"],
        ["export", "connect4", "rules", "--out", "out.py", "--seed", "1", "--force"],
        ["dataset", "tictactoe", "--out", "set.csv", "--per-ply", "1", "--from-ply", "5", "--force", "--json"],
        ["trace", "tictactoe", "alphabeta:depth=2", "--limit", "100", "--out", "trace.jsonl", "--force"],
        ["check", "connect4", "hand-ins/first.py", "--seconds", "1", "--json"],
        ["annotate", "out.jsonl", "--from-ply", "3", "--nodes", "1000", "--json"],
        ["train", "tictactoe", "qlearning", "-n", "50", "--out", "new.npz", "--workers", "1", "--force", "--json"],
        ["model", "show", "new.npz", "--json"],
        ["report", "sound.db", "--out", "page", "--force"],
        ["serve", "--host", "256.0.0.1", "--port", "0", "--workers", "1"],
        ["doctor", "--json"],
    ]
    (attack.folder / "hand-ins").mkdir()
    write(attack.folder / "hand-ins", "first", GOOD["one argument"])
    (attack.folder / "league.toml").write_bytes(b"pairs = 5\nboards = ['tictactoe']\n")
    for _ in attack.times(round(100 * scale)):
        words = list(attack.chance.choice(good))
        for _ in range(attack.chance.randint(1, 2)):
            value = attack.chance.choice(VALUES).replace("\x00", "").replace("\ud800", "\udc80")
            words[attack.chance.randrange(1, len(words))] = value
        said = attack.run(tally, *words)
        if "--json" in words and attack.code == 0:
            tally.wrong += not is_json(said)
    return tally


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")


def is_json(said: str) -> bool:
    """Whether a command printed JSON, apart from what it said on standard error."""
    start, end = said.find("{"), said.rfind("}")
    try:
        json.loads(said[start : end + 1], parse_constant=_refuse)
    except ValueError:
        return False
    return True


def disks(attack: Attack, scale: float) -> Tally:
    """Standard output on a full device, and files where none can be written."""
    tally = Tally("full device, places that can't be written")
    nowhere = "/proc/inarow"
    for arguments in (
        ("games",),
        ("--help",),
        ("match", "tictactoe", "random", "rules", "-n", "2"),
        ("match", "tictactoe", "random", "rules", "-n", "2", "--json"),
        ("results", "sound.db"),
        ("tournament", "tictactoe", "random", "rules", "--pairs", "2", "--workers", "1"),
    ):
        with Path("/dev/full").open("wb") as full:
            attack.finish(tally, attack.start(*arguments, stdout=full.fileno()))
    for arguments in (
        ("match", "tictactoe", "random", "rules", "-n", "2", "--save", nowhere),
        ("match", "tictactoe", "random", "rules", "-n", "2", "--save", "/dev/full", "--force"),
        ("play", "tictactoe", "random", "random", "--delay", "0", "--save", nowhere),
        ("results", "sound.db", "--export", f"{nowhere}.csv"),
        ("tournament", "tictactoe", "random", "rules", "--pairs", "2", "--workers", "1", "--out", nowhere),
        ("train", "qlearning", "tictactoe", "-n", "100", "--out", f"{nowhere}.npz"),
        ("study", "compare", "--out", nowhere),
        ("book", "build", "4x4x4", "new.book", "--plies", "1", "--work", nowhere, "--force"),
        ("export", "rules", nowhere),
    ):
        attack.run(tally, *arguments)
    return tally


def agents(attack: Attack, scale: float) -> Tally:
    """Hostile external agents in tournaments, each against `random`: the tournament ends, and no process is left."""
    tally = Tally("hostile external agents")
    hostile = {name: bad_source(entry[0]) for name, entry in BAD.items()}
    hostile |= {name: entry[0] for name, entry in UNLOADABLE.items()}
    places = {"server": "os.getppid()", "folder": attack.folder}
    hostile |= {name: one.source(**places) for name, one in ATTACKS.items()}
    for number in attack.times(min(len(hostile), round(len(hostile) * scale))):
        name, source = list(hostile.items())[number]
        spec = f"file:{write(attack.folder, f'agent-{number}', source)}"
        play = ("tournament", "connect4", spec, "random", "--pairs", "1", "--workers", "1", "--seconds", "0.2")
        said = attack.run(tally, *play)
        if "random" not in said:
            tally.wrong += 1
            tally.notes.append(f"no table with the agent that {name}: {said[-200:]}")
    return tally


def main() -> int:
    """Run all attacks and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the number of attacks")
    parser.add_argument("--seconds", type=float, default=1800, help="for all attacks together, roughly")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="some of: files,stores,disks,commands,agents,kills,interrupts")
    given = parser.parse_args()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a script, and so in all it starts
        signal.signal(signal.SIGINT, signal.default_int_handler)
    folder = Path(tempfile.mkdtemp(prefix="inarow-attack-"))
    attack = Attack(folder, given.seed, time.monotonic() + given.seconds)
    tallies: list[Tally] = []
    try:
        for one in (files, stores, disks, commands, agents, kills, interrupts):
            if not given.only or one.__name__ in given.only.split(","):
                found = one(attack, given.scale)
                tallies += found if isinstance(found, list) else [found]
                sys.stderr.write(f"{one.__name__}: {'; '.join(n for t in tallies for n in t.notes[:9])}\n")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    lines = ["| attack | tried | tracebacks | hangs | processes left | wrong exit or exception | wrong result |"]
    lines += ["|---|---|---|---|---|---|---|", *(tally.row() for tally in tallies)]
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if any(tally.found for tally in tallies) else 0


if __name__ == "__main__":
    sys.exit(main())
