"""Fuzzed commands, full devices, and places that can't be written."""

from __future__ import annotations

import json
from pathlib import Path

from attacks.runner import Attack, Tally

from support.external_corpus import GOOD, write
from support.fuzzed_specs import VALUES


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
    for command in (
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
        attack.run(tally, *command)
    return tally
