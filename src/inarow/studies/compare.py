"""compare: every kind of player on both games, round robin from varied openings, everything measured."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from inarow.agents import agent
from inarow.agents.qlearning import QLearning
from inarow.arena import Results, Tournament
from inarow.formatting import listed
from inarow.match import Finding, SequentialRule
from inarow.models.qtable import QTable
from inarow.report.cells import shown
from inarow.report.page import Section
from inarow.report.sentences import meeting_sentence, ranking_sentence
from inarow.rules import CONNECT4, TICTACTOE, Game
from inarow.studies.framework.study import Content, Experiment, Plan, Study
from inarow.studies.framework.study_results import StudyResults
from inarow.studies.reports.reported import tournament, usable
from inarow.studies.sections import tournament_sections
from inarow.studies.sections.accuracy import accuracy_figure, accuracy_sentences, accuracy_table, graded, gradings

PLAYERS: Mapping[Game, Mapping[str, str]] = {
    TICTACTOE: {
        "random": "random",
        "rules": "rules",
        "minimax": "minimax:depth=full",
        "alpha–beta": "alphabeta:depth=full",
        "MCTS, 1,000 simulations": "mcts:simulations=1000",
        "Q-learning": "qlearning",
        "n-tuple": "ntuple",
        "perfect": "perfect",
    },
    CONNECT4: {
        "random": "random",
        "rules": "rules",
        "minimax, depth 4": "minimax:depth=4",
        "alpha–beta, depth 8": "alphabeta:depth=8",
        "MCTS, 5,000 simulations": "mcts:simulations=5000",
        "Q-learning": "qlearning",
        "n-tuple": "ntuple",
        "perfect": "perfect:resist=any",
    },
}
"""Specs by name."""
COSTS: Mapping[Game, Mapping[str, int]] = {
    TICTACTOE: {},
    CONNECT4: {"alphabeta:depth=8": 3, "mcts:simulations=5000": 3, "perfect:resist=any": 6},
}
"""How many pairs of quick players a pair of a slow one stands for, by spec: the budget is counted in pairs, not by the
clock, so that the same pairs are played everywhere."""
MOST_PAIRS = {TICTACTOE: (100, 400), CONNECT4: (600, 2400)}
"""Pairs that a pairing of quick players may take, at either scale."""
OPENINGS = {TICTACTOE: "random:1", CONNECT4: "balanced"}
"""Drawn with perfect play, all of them: in Tic Tac Toe after any first move, in Connect 4 as the solver has shown."""


FEW = 3
"""As many pairings are named one by one in a summary."""
OPENINGS_DRAWN = (
    "Every opening is drawn with perfect play, so none decides a match by itself. It may still suit one seat: where "
    "the same seat wins both matches of a pair, the opening told more than the players."
)


class Compare(Study):
    """The comparison that a student writes up."""

    name = "compare"
    title = "Players of Tic Tac Toe and Connect 4 compared"
    summary = "every kind of player on both games, round robin from varied openings, everything measured"
    figure = "connect4-frontier"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        made: list[Experiment] = []
        pools = [_pool(game, plan) for game in OPENINGS]
        rule = SequentialRule(comparisons=sum(len(pool.pairings) for pool in pools))
        for pool in pools:
            made.append(replace(pool, rule=rule))
            made += gradings(pool.game, [one.spec for one in pool.agents], plan)
        return made

    def content(self, found: StudyResults) -> Content:
        summary: list[str] = []
        sections: list[Section] = []
        for game in (CONNECT4, TICTACTOE):
            results = found.results(game.name)
            if results is None:
                continue
            names = found.labels(game.name)
            known = {names.get(spec, spec): m for spec, m in graded(found, game).items()}
            summary += [*_sentences(results), *accuracy_sentences(game, known)]
            sections += _sections(game, results)
            if known:
                truth = accuracy_table(game, known, f"{game.name}-truth")
                curve = accuracy_figure(game, known, f"{game.name}-truth-ply")
                sections.append(Section(f"{game.title}: against the truth", (truth, curve)))
        lead = (
            "Each agent met each other in pairs of matches, two on the same drawn opening with seats swapped, until "
            "it was decided which of them is better or the pairs were used up; and each was asked for its move in "
            "positions whose exact value is known. What follows is what this shows, and how sure that is."
        )
        return Content(lead, summary, sections)


def players(game: Game) -> dict[str, str]:
    """The line-up: specs by name. A learner whose model has a guide is named after it, and the guide with an empty
    table stands beside it: the difference is what was learnt."""
    made: dict[str, str] = {}
    for name, spec in usable(game, PLAYERS[game]).items():
        learner = agent(spec)
        model = learner.held(game) if isinstance(learner, QLearning) else None
        guide = model.guide if isinstance(model, QTable) else "none"
        if guide == "none":
            made[name] = spec
        else:
            made[f"{name}, {guide} guide"] = spec
            made[f"{guide} guide, empty table"] = f"{spec}{',' if ':' in spec else ':'}table=off"
    return made


def _pool(game: Game, plan: Plan) -> Tournament:
    """The tournament of one game, without the rule that its pairings share with those of the other."""
    pairs = plan.pick(*MOST_PAIRS[game])
    pool = tournament(game.name, game, players(game), pairs, plan, openings=OPENINGS[game])
    return replace(pool, costs={agent(spec).spec: cost for spec, cost in COSTS[game].items()})


def _decided_sentence(results: Results) -> str:
    """How many pairings are decided, and which are not."""
    claims = [results.claim(series) for series in results.series.values()]
    better = sum(made.finding is Finding.BETTER for made in claims)
    equal = sum(made.finding is Finding.EQUAL for made in claims)
    said = f"{results.game.title}: of {len(claims)} pairings, {better} show which agent is better"
    said += f" and {equal} that the two are about equal" if equal else ""
    left = [f"{made.better} against {made.worse}" for made in claims if not made.decided]
    if not left:
        return f"{said}."
    if len(left) > FEW:
        return f"{said}; the others are not decided."
    return f"{said}; {'not decided is' if len(left) == 1 else 'not decided are'} {listed(left)}."


def _sentences(results: Results) -> list[str]:
    """Who leads, what is decided, which neighbours in the ranking are shown to differ, and who lost nothing."""
    title = results.game.title
    said = [ranking_sentence(title, results), _decided_sentence(results)]
    order = results.standings()
    for better, worse in itertools.pairwise(order):
        names = {better.spec, worse.spec}
        series = next(s for s in results.series.values() if {side.spec for side in s.sides} == names)
        said += [meeting_sentence(series, title, results.rule)] if results.claim(series).winner else []
    equal = [s for s in results.series.values() if results.claim(s).finding is Finding.EQUAL]
    said += [meeting_sentence(series, title, results.rule) for series in equal if len(equal) <= FEW]
    unbeaten = [s.spec for s in order if s.side.together.matches and not s.side.together.losses]
    if unbeaten:
        said.append(f"{title}: no match was lost by {', '.join(unbeaten)}.")
    nodes = {s.spec: s.side.effort.nodes_per_move() for s in order if s.side.effort.moves}
    if {"minimax", "alpha–beta"} <= nodes.keys():
        pruned, plain = (shown("number", nodes[name]) for name in ("alpha–beta", "minimax"))
        said.append(f"{title}: alpha–beta visits {pruned} nodes a move, minimax {plain}, both to the end of the game.")
    return said


def _sections(game: Game, results: Results) -> list[Section]:
    key, title = game.name, game.title
    missing = [name for name in PLAYERS[game] if not any(label.startswith(name) for label in results.agents)]
    left_out = f"Left out, for want of a model of this game: {', '.join(missing)}." if missing else ""
    return [
        Section(
            f"{title}: strength",
            (
                *filter(None, [left_out]),
                tournament_sections.standings(results, f"{key}-standings"),
                tournament_sections.elos(results, f"{key}-elo"),
            ),
        ),
        Section(
            f"{title}: who beats whom",
            (
                tournament_sections.cross_table(results, f"{key}-cross"),
                tournament_sections.decided(results, f"{key}-decided"),
                tournament_sections.meetings(results, f"{key}-pairings"),
                OPENINGS_DRAWN,
                tournament_sections.opening_decides(results, f"{key}-openings"),
                tournament_sections.seat_matrix(results, f"{key}-seats"),
            ),
        ),
        Section(
            f"{title}: cost",
            (
                tournament_sections.strength_and_time(results, f"{key}-frontier"),
                tournament_sections.cost(results, f"{key}-cost"),
                *tournament_sections.cost_figures(results, f"{key}-cost"),
            ),
        ),
    ]
