"""An agent that thinks in a worker and shows how: depth by depth, or ten times a second while a tree grows."""

from __future__ import annotations

import time
from typing import Any

from inarow.agents import Agent, Decision, Limit, agent
from inarow.agents.ntuple import NTuple
from inarow.arena.jobs import Channel
from inarow.models.contributions import contributions
from inarow.rules import Player, Position, game
from inarow.web.analysis import cells_of
from inarow.web.minds_messages import MindInfo, PartInfo

SHOWN_PARTS = 8
"""Of each move of a network."""
_APART = 0.05
"""Seconds between two messages, at least: a search finishes its first depths in no time."""


def prepare() -> None:
    """Load what most agents need, in a new worker."""
    start = Position.start(game("connect4"))
    for spec in ("alphabeta:depth=2", "mcts:simulations=10"):
        agent(spec).start(start.game, start.to_move, 0).decide(start)


def think(channel: Channel, number: int, spec: str, board: str, stones: tuple[int, int], limit: Limit) -> Decision:
    """Let an agent decide, and say what it thinks on the way; the last message is said, too."""
    position = Position(game(board), *stones)
    one = agent(spec)
    mind = one.start(position.game, Player(position.to_move), 0)
    shown = _Shown(channel, number, one, position)
    mind.watcher = shown.show
    try:
        decision = mind.decide(position, limit, channel)
    finally:
        mind.close()
    channel.say(shown.info(decision, True))
    return decision._replace(details=dict(decision.details))


class _Shown:
    """Sends what an agent thinks, not too often."""

    def __init__(self, channel: Channel, number: int, one: Agent, position: Position) -> None:
        self._channel, self._number, self._agent, self._position = channel, number, one, position
        self._begun = time.perf_counter()
        self._last = 0.0

    def show(self, decision: Decision) -> None:
        now = time.perf_counter()
        if decision.depth is not None or now - self._last >= _APART:
            self._last = now
            self._channel.say(self.info(decision, False))

    def info(self, decision: Decision, done: bool) -> MindInfo:
        details, position = decision.details, self._position
        return MindInfo(
            agent=self._number,
            done=done,
            move=decision.move,
            value=decision.value,
            values=dict(decision.values),
            visits={move: int(count) for move, count in decision.by_move.get("visits", {}).items()},
            nodes=decision.nodes,
            cutoffs=details.get("cutoffs"),
            depth=decision.depth,
            simulations=details.get("simulations"),
            line=list(decision.line),
            line_cells=cells_of(position, decision.line),
            seconds=round(time.perf_counter() - self._begun, 3),
            known=details.get("known"),
            note=decision.note,
            **(_parts(self._agent, position) if isinstance(self._agent, NTuple) else {"settled": {}, "parts": {}}),
        )


def _parts(one: NTuple, position: Position) -> dict[str, Any]:
    """What a network's value of each move is made of."""
    network = one.held(position.game)
    found = {move: contributions(network, position, move) for move in position.legal_moves()}
    return {
        "settled": {move: each.settled for move, each in found.items() if each.settled},
        "parts": {
            move: [
                PartInfo(part=p.part.value, cells=list(p.cells), columns=list(p.columns), share=round(p.share, 5))
                for p in each.contributions[:SHOWN_PARTS]
            ]
            for move, each in found.items()
        },
    }
