"""Blocks of pairs between an agent and a reference player, played by workers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inarow.agents import Agent
from inarow.agents.rehearsal import rehearse
from inarow.arena import Crew
from inarow.arena.tasks import do_tasks
from inarow.match import Pair, play_pair
from inarow.match.openings import Line
from inarow.rules import Game


@dataclass(frozen=True)
class Block:
    """Some pairs of two agents. The same block has the same results, whichever worker plays it."""

    game: Game
    a: Agent
    b: Agent
    seed: int
    pairs: tuple[tuple[int, Line], ...]
    """Index and opening of each."""
    strict: bool = False
    """Of `play_match`."""


def play_block(block: Block) -> list[Pair]:
    """Play a block, in a worker."""
    for agent in (block.a, block.b):
        rehearse(agent, block.game)
    return [
        play_pair(block.game, block.a, block.b, index=index, opening=line, seed=block.seed, strict=block.strict)
        for index, line in block.pairs
    ]


def play_blocks(blocks: Sequence[Block], crew: Crew) -> Iterator[tuple[Block, list[Pair]]]:
    """Blocks with their pairs as they are finished, in any order."""
    left = iter(blocks)
    yield from do_tasks(crew, play_block, lambda: next(left, None), _what_dies)


def _what_dies(block: Block) -> str:
    return f"the worker process dies when {block.a.spec} plays against {block.b.spec}"
