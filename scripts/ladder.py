"""Make the ladder that ships with inarow: reference players of a game, rated by many matches among each other.

    python scripts/ladder.py connect4 --matches-file ladder-connect4.jsonl

Every pairing first plays one block of pairs. Ratings by these say which players are near each other; only those play
the other rounds, a block each (slow ones not every time), so that most matches are between players of similar strength,
as in `inarow rate`. All pairs are kept in the file of matches: run it again to resume, or with more rounds to add to
it; a pairing is found there by the hashes of its models, so a new model plays anew. The same seed and rounds make the
same ladder, but for the milliseconds per move. With --refit nothing is played: the players are rated again by the
counts in the file that ships.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inarow.agents import Agent, agent
from inarow.agents.base import rehearse
from inarow.arena import Executor, Job, open_executor
from inarow.arena.running import Chunk, play_chunk
from inarow.ladder import model_hash
from inarow.match import Pair, parse_openings, play_pair
from inarow.match.series import effort_of
from inarow.rules import CONNECT4, Game, game
from inarow.stats import HeadToHead, Ratings, bradley_terry

VERSION = 2
"""Of the ladder: raise it with every new one that ships."""
DATA = Path(__file__).parents[1] / "src" / "inarow" / "data" / "ladder"
BLOCK = 5
"""Pairs of a block."""
NEAR = 250
"""Elo between players that meet in all rounds."""
NEAREST = 5
"""Players whom each meets in all rounds, however far they are."""
SEARCHERS = (
    *(f"alphabeta:depth={depth}" for depth in (2, 4, 6, 8)),
    *(f"mcts:simulations={count}" for count in (500, 5000, 50000)),
)
PLAYERS = {
    "connect4": (
        *("random", "rules", *SEARCHERS, "qlearning:guide=heuristic", "ntuple", "perfect"),
        *(f"perfect:error={rate}" for rate in (0.02, 0.05, 0.2, 0.5, 0.7)),
        *(f"mcts:simulations={count}" for count in (10, 30, 100)),  # quick ones around rules
    ),
    "tictactoe": (
        *("random", "rules", *SEARCHERS, "qlearning", "ntuple", "perfect"),
        *(f"perfect:error={rate}" for rate in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)),
    ),
}
OPENINGS = {"connect4": "balanced", "tictactoe": "all:2"}


def cost(player: Agent, board: Game) -> int:
    """Of how many rounds a player plays one, by what its moves take."""
    if board != CONNECT4:
        return 1
    return {"perfect": 2}.get(player.name, 5 if player.spec == "mcts:simulations=50000" else 1)


Key = tuple[str, str, int]


class Matches:
    """The pairs that were played, by pairing and block, in a file that grows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.blocks: dict[Key, dict[str, Any]] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                entry = json.loads(line)
                self.blocks[entry["a"], entry["b"], entry["block"]] = entry

    def add(self, entry: dict[str, Any]) -> None:
        """Keep a block; the line is written at once."""
        self.blocks[entry["a"], entry["b"], entry["block"]] = entry
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


class Maker:
    """A ladder that is being made."""

    def __init__(self, board: Game, matches: Matches, seed: int) -> None:
        self.board = board
        self.matches = matches
        self.seed = seed
        self.players = [agent(spec) for spec in PLAYERS[board.name]]
        self.hashes = [model_hash(player, board) for player in self.players]
        self.openings = parse_openings(board, OPENINGS[board.name])
        self.pairings = list(itertools.combinations(range(len(self.players)), 2))

    def name(self, player: int) -> str:
        """What tells a player from the same one with another model."""
        return " ".join(filter(None, (self.players[player].spec, self.hashes[player])))

    def key(self, pairing: tuple[int, int], block: int) -> Key:
        """Under which a block is kept."""
        a, b = map(self.name, pairing)
        return a, b, block

    def play(self, wanted: Sequence[tuple[tuple[int, int], int]], executor: Executor) -> None:
        """Play those of these blocks that are not there yet."""
        missing = [(pairing, block) for pairing, block in wanted if self.key(pairing, block) not in self.matches.blocks]
        if not missing:
            return
        lines = self.openings.draw(BLOCK * (1 + max(block for _, block in missing)), self.seed)
        made: dict[Chunk, Key] = {}
        for pairing, block in missing:
            a, b = (self.players[player] for player in pairing)
            key = self.key(pairing, block)
            pairs = tuple((index, lines[index]) for index in range(BLOCK * block, BLOCK * (block + 1)))
            made[Chunk(self.board, a, b, block, pairs, self.seed)] = key
        jobs = [Job(play_chunk, (chunk,)) for chunk in made]
        for done, (job, found) in enumerate(executor.run(jobs), start=1):
            self.matches.add(_entry(made[job.arguments[0]], found))
            if done % 20 == 0 or done == len(made):
                sys.stderr.write(f"{done} of {len(made)} blocks\n")

    def ratings(self, blocks: Mapping[tuple[int, int], int], prior: float) -> Ratings:
        """Of all players, by the first blocks of each pairing; ``prior`` as for `bradley_terry`."""
        meetings = [HeadToHead(*pairing, self.points(pairing, count)) for pairing, count in blocks.items()]
        return bradley_terry(len(self.players), meetings, prior)

    def points(self, pairing: tuple[int, int], blocks: int) -> Counter[tuple[float, ...]]:
        """How often each row of points was seen in the first blocks of a pairing."""
        found = [self.matches.blocks[self.key(pairing, block)] for block in range(blocks)]
        return Counter(tuple(row) for entry in found for row in entry["points"])

    def make(self, rounds: int, executor: Executor) -> dict[str, Any]:
        """Play, and return the ladder."""
        self.play([(pairing, 0) for pairing in self.pairings], executor)
        blocks = dict.fromkeys(self.pairings, 1)
        near = self.near(self.ratings(blocks, 1.0).elo)
        wanted = []
        for number, (a, b) in itertools.product(range(1, rounds), near):
            if number % (cost(self.players[a], self.board) * cost(self.players[b], self.board)) == 0:
                wanted.append(((a, b), blocks[a, b]))
                blocks[a, b] += 1
        self.play(wanted, executor)
        return self.to_json(blocks)

    def near(self, elo: Sequence[float]) -> list[tuple[int, int]]:
        """The pairings of players of similar strength, by these ratings."""
        nearest = {
            (i, j)
            for i in range(len(elo))
            for j in sorted(range(len(elo)), key=lambda j: abs(elo[i] - elo[j]))[1 : NEAREST + 1]
        }
        return [(a, b) for a, b in self.pairings if abs(elo[a] - elo[b]) <= NEAR or {(a, b), (b, a)} & nearest]

    def to_json(self, blocks: Mapping[tuple[int, int], int]) -> dict[str, Any]:
        """The ladder as it ships, the weakest player first."""
        players = [
            {"agent": player.spec, "milliseconds": self.milliseconds(i), "model": self.hashes[i]}
            for i, player in enumerate(self.players)
        ]
        pairings = [
            {
                "a": self.players[a].spec,
                "b": self.players[b].spec,
                "pairs": {_row(points): n for points, n in sorted(self.points((a, b), count).items())},
            }
            for (a, b), count in blocks.items()
        ]
        return {
            "version": VERSION,
            "game": self.board.name,
            "seed": self.seed,
            "anchor": "random",
            "openings": {"text": OPENINGS[self.board.name], **self.openings.to_json()},
            **rated(players, pairings),
        }

    def milliseconds(self, i: int) -> float:
        """Processor time per move of a player, against one that takes none to speak of."""
        quick = agent("rules")
        for one in (self.players[i], quick):
            rehearse(one, self.board)
        moves, begun = 0, time.process_time()
        for index, line in enumerate(self.openings.draw(10, self.seed)):
            pair = play_pair(self.board, self.players[i], quick, index=index, opening=line, seed=self.seed)
            moves += sum(effort_of(record, seat).moves for record, seat in pair.matches())
        return round(1000 * (time.process_time() - begun) / moves, 2)


def rated(players: Sequence[dict[str, Any]], pairings: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The players with their ratings, the weakest first, the covariance of the ratings, and the counts."""
    place = {one["agent"]: at for at, one in enumerate(players)}
    meetings = [
        HeadToHead(place[one["a"]], place[one["b"]], {_points(row): n for row, n in one["pairs"].items()})
        for one in pairings
    ]
    # Everybody has won and lost; a prior would draw those far apart together.
    found = bradley_terry(len(players), meetings, 0.0)
    anchor = found.elo[place["random"]]
    order = sorted(range(len(players)), key=lambda player: found.elo[player])
    entries = []
    for i in order:
        elo = {
            name: round(value - anchor, 1) for name, value in zip(("elo", "low", "high"), found.rating(i), strict=True)
        }
        pairs = sum(sum(meeting.pairs.values()) for meeting in meetings if i in (meeting.a, meeting.b))
        kept = {name: players[i][name] for name in ("milliseconds", "model")}
        entries.append({"agent": players[i]["agent"], **elo, "pairs": pairs, **kept})
    covariance = [[round(float(value), 3) for value in row] for row in found.covariance[order][:, order]]
    return {"players": entries, "covariance": covariance, "pairings": list(pairings)}


def _points(row: str) -> tuple[float, ...]:
    return tuple(map(float, row.split()))


def _row(points: tuple[float, ...]) -> str:
    return " ".join(f"{point:g}" for point in points)


def _entry(key: Key, pairs: Sequence[Pair]) -> dict[str, Any]:
    a, b, block = key
    points = []
    for pair in pairs:
        row = []
        for record, seat in pair.matches():
            if record.outcome is None or record.termination.is_fault:
                raise SystemExit(f"{a} against {b}: {record.termination} ({record.fault})")
            row.append(record.outcome.score(seat))
        points.append(row)
    return {"a": a, "b": b, "block": block, "points": points}


def main() -> None:
    """Write the ladder of a game."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("game", choices=sorted(PLAYERS))
    what = arguments.add_mutually_exclusive_group(required=True)
    what.add_argument("--matches-file", type=Path, help="all pairs played; it is resumed")
    what.add_argument("--refit", action="store_true", help="rate the players again by the counts that ship")
    arguments.add_argument("--rounds", type=int, default=30, help="blocks of each near pairing")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--workers", type=int, default=2)
    arguments.add_argument("--out", type=Path, help="the file of the ladder; without it the one that ships")
    given = arguments.parse_args()
    board = game(given.game)
    shipped = DATA / f"{board.name}.json"
    if given.refit:
        made = json.loads(shipped.read_text(encoding="utf-8"))
        made |= {"version": VERSION, **rated(made["players"], made["pairings"])}
    else:
        with open_executor(given.workers) as executor:
            made = Maker(board, Matches(given.matches_file), given.seed).make(given.rounds, executor)
    out = given.out or shipped
    out.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
