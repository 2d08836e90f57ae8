"""Damaged files of every kind, read in this process."""

from __future__ import annotations

import hashlib
import json
import lzma
import resource
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from unittest.mock import patch

from attacks.runner import Attack, Tally

from inarow.adapters.kaggle import replay_of_record
from inarow.adapters.notations import FORMATS, notation
from inarow.agents import agent
from inarow.cli.convert import _records
from inarow.ladder import known_ratings, ladder
from inarow.match import MatchRecord, play_match
from inarow.match.openings import read_openings
from inarow.match.record import read_records, record_text
from inarow.models.files import ModelFile
from inarow.models.loading import read_model, shipped
from inarow.rules import CONNECT4, TICTACTOE
from inarow.solver.book import read_book, shipped_book
from inarow.solver.cache import Cache, score_line
from inarow.solver.solved import read_solved, write_solved
from inarow.teaching.league.entrants import read_roster
from inarow.teaching.league.settings import read_settings
from inarow.truth.positions import truth_set
from support.damage import crafted_number, damaged
from support.fuzzed_specs import fuzzed_specs

MEMORY = 4 << 30
"""Bytes of address space while files are read: a bomb must not take the machine with it."""
LEAGUE = b"""
title = "Fourth league"
boards = ["connect4", "tictactoe"]
pairs = 5
among_entrants = 3
disqualify = 0.5
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
ROSTER = "".join(f"entrant-{n}.py,Entrant {n},{n % 3}\n" for n in range(40))


def files(attack: Attack, scale: float) -> list[Tally]:
    """Mutated files of all kinds that inarow reads, and agent specs: an `InarowError` is all they may raise."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, before[1]))
    attacks = (books, caches, truths, matches, replays, positions, models, openings, leagues, rosters, ladders, specs)
    tallies = [one(attack, scale) for one in attacks]
    resource.setrlimit(resource.RLIMIT_AS, before)
    return tallies


def mutated(attack: Attack, data: bytes, count: int, text: bool = True) -> Iterator[Path]:
    """Files with damaged bytes; in a text, every second one has a number replaced instead."""
    path = attack.folder / "mutated"
    damages = damaged(data, count, attack.chance.getrandbits(32))
    for number in attack.times(count):
        path.write_bytes(crafted_number(data, attack.chance) if text and number % 2 else next(damages))
        yield path


def books(attack: Attack, scale: float) -> Tally:
    """Every second one has a true checksum over a false content."""
    tally, path = Tally("mutated books"), attack.folder / "mutated"
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
        attack.parse(tally, lambda: read_book(path))
    return tally


def caches(attack: Attack, scale: float) -> Tally:
    """A score that was never written is a wrong result."""
    tally = Tally("mutated caches")
    known = {key * 977: key % 43 - 21 for key in range(300)}
    lines = "".join(score_line(CONNECT4, key, score) for key, score in known.items()).encode()

    def read(path: Path) -> None:
        tally.wrong += not Cache(CONNECT4, path)._known.items() <= known.items()

    for path in mutated(attack, lines, round(1000 * scale), text=False):
        attack.parse(tally, lambda path=path: read(path))  # type: ignore[misc]
    return tally


def truths(attack: Attack, scale: float) -> Tally:
    """Files of positions with exact scores."""
    tally, whole = Tally("mutated truth files"), attack.folder / "truth.csv"
    with whole.open("w", encoding="utf-8") as out:
        write_solved(CONNECT4, truth_set()[::40], out)

    def read(path: Path) -> object:
        with path.open(encoding="utf-8", newline="") as file:
            return list(read_solved(CONNECT4, file, "the truth set"))

    for path in mutated(attack, whole.read_bytes(), round(1000 * scale)):
        attack.parse(tally, lambda path=path: read(path))  # type: ignore[misc]
    return tally


def matches(attack: Attack, scale: float) -> Tally:
    """Records as JSON and as text."""
    tally, record = Tally("mutated files of matches"), a_record()
    for data in (json.dumps(record.to_json()), record_text(record)):
        for path in mutated(attack, data.encode(), round(500 * scale)):
            attack.parse(tally, lambda path=path: list(read_records(path)))  # type: ignore[misc]
    return tally


def replays(attack: Attack, scale: float) -> Tally:
    """Kaggle's replays."""
    tally, data = Tally("mutated replays"), json.dumps(replay_of_record(a_record())).encode()
    for path in mutated(attack, data, round(500 * scale)):
        attack.parse(tally, lambda path=path: _records("replay", path))  # type: ignore[misc]
    return tally


def positions(attack: Attack, scale: float) -> Tally:
    """Positions in every notation."""
    tally = Tally("mutated positions in all notations")
    given = notation("moves").parse(CONNECT4, "44455521")
    for one in FORMATS.values():
        data = one.write(given).encode()
        for path in mutated(attack, data, round(100 * scale)):
            text = path.read_bytes().decode(errors="replace")
            attack.parse(tally, lambda text=text, one=one: one.parse(CONNECT4, text))  # type: ignore[misc]
    return tally


def models(attack: Attack, scale: float) -> Tally:
    """Models of each kind, read whole."""
    tally = Tally("mutated models")

    def read(path: Path) -> object:
        with ModelFile(path) as file:
            return read_model(file)

    for kind in ("qlearning", "ntuple"):
        good = shipped(kind, TICTACTOE)
        assert good is not None
        for path in mutated(attack, good.read_bytes(), round(200 * scale), text=False):
            attack.parse(tally, lambda path=path: read(path))  # type: ignore[misc]
    return tally


def openings(attack: Attack, scale: float) -> Tally:
    """Files of openings."""
    tally = Tally("mutated openings")
    lines = b"".join(b"%d%d  # an opening\n" % (a, b) for a in range(1, 8) for b in range(1, 8))
    for path in mutated(attack, lines, round(500 * scale)):
        attack.parse(tally, lambda path=path: read_openings(CONNECT4, path))  # type: ignore[misc]
    return tally


def leagues(attack: Attack, scale: float) -> Tally:
    """Settings of leagues."""
    tally = Tally("mutated settings of leagues")
    for path in mutated(attack, LEAGUE, round(300 * scale)):
        attack.parse(tally, lambda path=path: read_settings(path))  # type: ignore[misc]
    return tally


def rosters(attack: Attack, scale: float) -> Tally:
    """Rosters of leagues."""
    tally = Tally("mutated rosters of leagues")
    for path in mutated(attack, b"file,name,group\n" + ROSTER.encode(), round(300 * scale)):
        attack.parse(tally, lambda path=path: read_roster(path))  # type: ignore[misc]
    return tally


def ladders(attack: Attack, scale: float) -> Tally:
    """Ladders, in the place where they are installed."""
    tally, folder = Tally("mutated ladders"), attack.folder / "ladders"
    folder.mkdir()
    with patch("inarow.ladder._folder", lambda: folder):
        for game in (TICTACTOE, CONNECT4):
            data = resources.files("inarow").joinpath(f"data/ladder/{game.name}.json").read_bytes()
            for path in mutated(attack, data, round(150 * scale)):
                path.replace(folder / f"{game.name}.json")
                for read in (ladder, known_ratings):
                    read.cache_clear()
                    attack.parse(tally, lambda read=read, game=game: read(game))  # type: ignore[misc]
    ladder.cache_clear()
    known_ratings.cache_clear()
    return tally


def specs(attack: Attack, scale: float) -> Tally:
    """Specs of agents."""
    tally = Tally("fuzzed agent specs")
    for text in fuzzed_specs(round(4000 * scale), 1):
        attack.parse(tally, lambda text=text: agent(text).check(CONNECT4))  # type: ignore[misc]
    return tally


def a_record() -> MatchRecord:
    """A match of a few moves."""
    return play_match(CONNECT4, agent("greedy"), agent("random"))
