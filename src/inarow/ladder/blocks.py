"""Blocks of pairs between an agent and a reference player, played by workers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass

from inarow.agents import Agent
from inarow.agents.rehearsal import rehearse
from inarow.arena import ArenaError, Crew
from inarow.arena.workers import WorkerDied
from inarow.match import Pair, play_pair
from inarow.match.openings import Line
from inarow.rules import Game

_MOST_DEATHS = 3  # of the worker that plays one block, before it is given up


@dataclass(frozen=True)
class Block:
    """Some pairs of two agents. The same block has the same results, whichever worker plays it."""

    game: Game
    a: Agent
    b: Agent
    seed: int
    pairs: tuple[tuple[int, Line], ...]
    """Index and opening of each."""


def play_block(block: Block) -> list[Pair]:
    """Play a block, in a worker."""
    for agent in (block.a, block.b):
        rehearse(agent, block.game)
    return [
        play_pair(block.game, block.a, block.b, index=index, opening=line, seed=block.seed)
        for index, line in block.pairs
    ]


def play_blocks(blocks: Sequence[Block], crew: Crew) -> Iterator[tuple[Block, list[Pair]]]:
    """Blocks as they are finished, in any order; at most two wait at each worker."""
    left = list(reversed(blocks))
    deaths = dict.fromkeys(range(len(blocks)), 0)
    flight: dict[Future[list[Pair]], Block] = {}
    try:
        while left or flight:
            while left and len(flight) < 2 * crew.size:
                block = left.pop()
                flight[crew.submit(play_block, block)] = block
            done, _ = wait(flight, return_when=FIRST_COMPLETED)
            for answer in done:
                block = flight.pop(answer)
                try:
                    pairs = answer.result()
                except WorkerDied:
                    number = blocks.index(block)
                    deaths[number] += 1
                    if deaths[number] > _MOST_DEATHS:
                        raise ArenaError(
                            f"the worker process dies when {block.a.spec} plays against {block.b.spec}"
                        ) from None
                    left.append(block)
                else:
                    yield block, pairs
    finally:
        for answer in flight:
            answer.cancel()
