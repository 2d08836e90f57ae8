"""A plugin for inarow: an agent that hands over no win, and a study of what that is worth."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import inarow


@dataclass(frozen=True)
class Cautious(inarow.Agent):
    """Its configuration; an agent is a frozen dataclass that makes a mind for each match."""

    name = "cautious"
    summary = "win, else block, else a random move that hands over no win"

    def mind(self, game: inarow.Game, player: inarow.Player, seed: int) -> inarow.Mind:
        return CautiousMind(seed)


class CautiousMind(inarow.Mind):
    """Its random numbers, which the match's seed decides."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def think(self, position: inarow.Position, limit: inarow.Limit, stop: object) -> inarow.Decision:
        other = position.to_move.other
        safe = [move for move in position.legal_moves() if not position.play(move).winning_moves(other)]
        choice = position.winning_moves() or safe or position.legal_moves()
        return inarow.Decision(self.random.choice(sorted(choice)))


class Caution(inarow.Study):
    """A tournament, and a page with its standings."""

    name = "caution"
    title = "What is caution worth?"
    summary = "cautious against rules on Connect 4"

    def experiments(self, plan: inarow.Plan) -> list[inarow.Tournament]:
        players = ("cautious", "rules")
        return [inarow.Tournament.of("connect4", players, pairs=plan.pick(20, 500), seed=plan.seed, key="caution")]

    def content(self, found: inarow.StudyResults) -> inarow.Content:
        results = found.results("caution")
        assert results is not None
        said = [inarow.meeting_sentence(series) for series in results.series.values()]
        standings = inarow.tournament_sections.standings(results, "standings")
        return inarow.Content("Win, block, hand over nothing.", said, [inarow.Section("Result", (standings,))])
