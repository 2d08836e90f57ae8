"""Fuzzed commands, full devices, strange file names, and places that can't be written."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from attacks.runner import Attack, Tally

from support.external_corpus import GOOD, write
from support.fuzzed_specs import VALUES


def commands(attack: Attack, scale: float) -> Tally:
    """Commands with strange values in strange places."""
    tally = Tally("fuzzed commands")
    good = [
        ["match", "tictactoe", "random", "rules", "-n", "2", "--seconds", "1", "--out", "out.jsonl", "--force"],
        ["tournament", "tictactoe", "random", "rules", "--pairs", "2", "--workers", "1", "--openings", "random:1"],
        ["decide", "connect4", "44", "alphabeta:depth=2", "--nodes", "100"],
        ["solve", "tictactoe", "1", "--tt-mb", "1", "--nodes", "1000"],
        ["show", "connect4", "4455"],
        ["results", "sound.db", "--out", "out.csv", "--force"],
        ["grade", "tictactoe", "random", "--positions", "5"],
        ["play", "tictactoe", "random", "random", "--delay", "0", "--out", "played.txt", "--force"],
        ["convert", "out.jsonl", "--to", "txt"],
        ["cluster", "start", "--port", "99999"],
        ["tournament", "tictactoe", "random", "rules", "--cluster", "tcp://127.0.0.1:9"],
        ["book", "build", "4x4x4", "--out", "new.book", "--plies", "1", "--force"],
        ["perft", "tictactoe", "2"],
        ["rate", "tictactoe", "random", "--pairs", "2", "--positions", "1", "--workers", "1", "--json"],
        ["sprt", "tictactoe", "random", "rules", "--pairs", "2", "--workers", "1", "--alpha", "0.1", "--json"],
        ["league", "submissions", "--out", "site", "--config", "league.toml", "--workers", "1", "--json"],
        ["assignment", "exercise", "--game", "tictactoe", "--seed", "1"],
        ["export", "connect4", "rules", "--out", "out.py", "--seed", "1", "--force"],
        ["dataset", "tictactoe", "--out", "set.csv", "--per-ply", "1", "--from-ply", "5", "--force", "--json"],
        ["trace", "tictactoe", "alphabeta:depth=2", "--limit", "100", "--out", "trace.jsonl", "--force"],
        ["check", "connect4", "submissions/first.py", "--seconds", "1", "--json"],
        ["annotate", "out.jsonl", "--from-ply", "3", "--nodes", "1000", "--json"],
        ["train", "tictactoe", "qlearning", "-n", "50", "--out", "new.npz", "--workers", "1", "--force", "--json"],
        ["model", "show", "new.npz", "--json"],
        ["report", "sound.db", "--out", "page", "--force"],
        ["serve", "--host", "256.0.0.1", "--port", "0"],
        ["doctor", "--json"],
    ]
    (attack.folder / "submissions").mkdir()
    write(attack.folder / "submissions", "first", GOOD["one argument"])
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


def make_store(attack: Attack) -> Path:
    """Return a small store to try commands on."""
    path = attack.folder / "sound.db"
    if not path.exists():
        play = ("tournament", "tictactoe", "random", "rules", "--pairs", "2", "--workers", "1")
        attack.run(Tally(""), *play, "--out", path.name, code=0)
    return path


def disks(attack: Attack, scale: float) -> Tally:
    """Standard output on a full device, and files where none can be written."""
    tally = Tally("full device, places that can't be written")
    nowhere = "/proc/inarow"
    make_store(attack)
    command: tuple[str, ...]
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
            attack.expect(tally, 1, arguments)
    for command in (
        ("match", "tictactoe", "random", "rules", "-n", "2", "--out", nowhere),
        ("play", "tictactoe", "random", "random", "--delay", "0", "--out", nowhere),
        ("results", "sound.db", "--out", f"{nowhere}.csv"),
        ("tournament", "tictactoe", "random", "rules", "--pairs", "2", "--workers", "1", "--out", nowhere),
        ("train", "tictactoe", "qlearning", "-n", "100", "--out", f"{nowhere}.npz"),
        ("study", "compare", "--out", nowhere),
        ("book", "build", "4x4x4", "--out", "new.book", "--plies", "1", "--work", nowhere, "--force"),
        ("export", "rules", nowhere),
    ):
        attack.run(tally, *command, code=2)
    for command in (
        ("match", "tictactoe", "random", "rules", "-n", "2", "--out", "/dev/full", "--force"),
        ("results", "sound.db", "--out", "full.csv", "--force"),
        ("train", "tictactoe", "qlearning", "-n", "100", "--out", "/dev/full", "--force"),
        ("trace", "tictactoe", "1", "minimax", "--out", "/dev/full", "--force"),
    ):
        (attack.folder / "full.csv").unlink(missing_ok=True)
        (attack.folder / "full.csv").symlink_to("/dev/full")
        attack.run(tally, *command, code=1)
    return tally


def names(attack: Attack, scale: float) -> Tally:
    """Closed streams, names that are not UTF-8, files that can't be opened, and files with a byte order mark."""
    tally = Tally("closed streams, strange file names, byte order marks")
    command: tuple[str, ...]
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        for command in (("agents",), ("match", "tictactoe", "random", "rules", "-n", "2"), ("games", "--json")):
            attack.run(tally, *command, closed=closed, code=0)
    odd = os.fsdecode(b"x\xff")
    shutil.copy(make_store(attack), attack.folder / f"{odd}.db")
    for command in (
        ("results", f"{odd}.db"),
        ("report", f"{odd}.db", "--out", odd, "--force"),
        ("match", "tictactoe", "random", "rules", "-n", "2", "--out", f"{odd}.jsonl", "--force"),
        ("annotate", f"{odd}.jsonl"),
        ("train", "tictactoe", "qlearning", "-n", "50", "--out", f"{odd}.npz", "--force"),
        ("model", "show", f"{odd}.npz"),
    ):
        attack.run(tally, *command, code=0)
    for command in (
        ("results",),
        ("report",),
        ("annotate",),
        ("play", "--load"),
        ("model", "show"),
        ("check", "connect4"),
    ):
        attack.run(tally, *command, "/proc/1/mem", code=2)
    (attack.folder / "mark.txt").write_text("\ufeff1\n2\n", encoding="utf-8")
    attack.run(tally, "match", "tictactoe", "random", "rules", "-n", "4", "--openings", "file:mark.txt", code=0)
    (attack.folder / "mark.jsonl").write_bytes(b"\xef\xbb\xbf" + (attack.folder / f"{odd}.jsonl").read_bytes())
    attack.run(tally, "annotate", "mark.jsonl", code=0)
    for text in ("return 99", "return None", "raise KeyError('nope')", "import sys; sys.exit()"):
        (attack.folder / "faulty.py").write_text(f"def agent(observation, configuration):\n    {text}\n")
        attack.run(tally, "grade", "tictactoe", "faulty.py", code=2)
    return tally
