"""compare: every kind of player on both games, round robin from varied openings, everything measured."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from inarow.agents import agent
from inarow.agents.qlearning import QLearning
from inarow.arena import Tournament
from inarow.formatting import capitalised
from inarow.match import SequentialRule
from inarow.models.qtable import QTable
from inarow.report.page import Section, Takeaways
from inarow.rules import CONNECT4, TICTACTOE, Game
from inarow.studies.framework.study import Content, Experiment, Plan, Study
from inarow.studies.framework.study_results import StudyResults
from inarow.studies.reports.reported import tournament, usable
from inarow.studies.sections import tournament_sections
from inarow.studies.sections.accuracy import (
    GRADED,
    Graded,
    accuracy_multiples,
    accuracy_sentences,
    accuracy_table,
    graded,
    gradings,
    values_table,
)
from inarow.studies.sections.example_match import example, example_figure
from inarow.studies.sections.overtaking import overtaking_section, trainings
from inarow.studies.sections.surprises import surprises
from inarow.studies.sections.takeaways import Pool, headline, in_words, of_pool, ranks, steps

PLAYERS: Mapping[Game, Mapping[str, str]] = {
    TICTACTOE: {
        "random": "random",
        "rules": "rules",
        "minimax": "minimax:depth=full",
        "alpha–beta": "alphabeta:depth=full",
        "MCTS with 1,000 simulations": "mcts:simulations=1000",
        "Q-learning": "qlearning",
        "n-tuple": "ntuple",
        "perfect": "perfect",
    },
    CONNECT4: {
        "random": "random",
        "rules": "rules",
        "minimax at depth 4": "minimax:depth=4",
        "alpha–beta at depth 8": "alphabeta:depth=8",
        "MCTS with 5,000 simulations": "mcts:simulations=5000",
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
TOP = 4
"""Ranks among which a match that either could have won is looked for, to be shown."""
LEARNER = "ntuple"
"""Trained anew, for the figure of training against search."""
OPENINGS = {TICTACTOE: "random:1", CONNECT4: "balanced"}
"""Drawn with perfect play, all of them: in Tic Tac Toe after any first move, in Connect 4 as the solver has shown."""


OPENINGS_DRAWN = (
    "Every opening is drawn with perfect play, so none decides a match by itself. It may still suit one seat: where "
    "the same seat wins both matches of a pair, the opening mattered more than the players."
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
        made += trainings(CONNECT4, LEARNER, plan.pick(*GRADED), plan)
        return made

    def content(self, found: StudyResults) -> Content:
        takeaways: list[Takeaways] = []
        heads: list[str] = []
        sections: list[Section] = []
        for place, game in enumerate((CONNECT4, TICTACTOE)):
            results = found.results(game.name)
            if results is None:
                continue
            names = found.labels(game.name)
            pool = Pool(results, {label: spec for spec, label in names.items()})
            known = {names.get(spec, spec): m for spec, m in graded(found, game).items()}
            told = surprises(pool, known, guides(pool.specs))
            takeaways.append(Takeaways(game.title, of_pool(pool, told, place)))
            heads.append(headline(pool))
            sections += _sections(pool)
            if known:
                sections.append(_truth(pool, known))
            sections += filter(None, (overtaking_section(found, game, known, pool.specs), _example(found, pool)))
        lead = (
            "Every agent met every other in pairs of matches, two on the same opening with seats swapped, until "
            "it was decided which of them is better or the pairs were used up; and each was asked for its move in "
            "positions whose exact value is known. What follows is what this shows, and how sure that is."
        )
        return Content(lead, (), sections, capitalised("; ".join(heads)), takeaways)


def _example(found: StudyResults, pool: Pool) -> Section | None:
    """A decided match of the two strongest players who have each beaten the other, if they are at the top; else of the
    two strongest of whom one has beaten the other; None if there is none."""
    game = pool.results.game
    labels, specs = found.labels(game.name), pool.specs
    pairs = list(itertools.combinations(pool.names, 2))
    won = {pair: [side.together.wins for side in series.sides] for pair in pairs if (series := pool.series(*pair))}
    even = [pair for pair in won if all(won[pair]) and set(pair) <= set(pool.names[:TOP])]
    for better, worse in [*even, *(pair for pair in won if any(won[pair]))]:
        told = example(found.records(game.name), specs[better], specs[worse], labels)
        if told is None:
            continue
        places = {name: f"no. {place} of {len(pool.names)}" for place, name in enumerate(pool.names, start=1)}
        title = f"{game.title}: how {told.winner} beat {told.loser}"
        mistakes = f"{in_words(told.mistakes)} {'mistake' if told.mistakes == 1 else 'mistakes'}"
        said = (
            f"A match that {told.winner}, {places[told.winner]}, won against {told.loser}, {places[told.loser]}, ply "
            f"by ply from its opening. The solver finds {mistakes} in it."
        )
        return Section(f"{game.title}: one match", (said, example_figure(f"{game.name}-match", title, told)))
    return None


def guides(specs: Mapping[str, str]) -> dict[str, str]:
    """The guides with an empty table that stand beside learners, by the learners' names; specs are by name."""
    names = {spec: name for name, spec in specs.items()}
    return {
        name: names[alone]
        for name, spec in specs.items()
        if spec.partition(":")[0] == QLearning.name and (alone := _without_table(spec)) in names and alone != spec
    }


def _without_table(spec: str) -> str:
    """The guide of a learner alone."""
    return agent(f"{spec}{',' if ':' in spec else ':'}table=off").spec if "table=off" not in spec else spec


def _truth(pool: Pool, known: Mapping[str, Graded]) -> Section:
    game = pool.results.game
    truth = accuracy_table(game, known, f"{game.name}-truth", pool.names)
    multiples = accuracy_multiples(game, known, f"{game.name}-truth-ply", pool.names)
    values = values_table(game, known, f"{game.name}-values", pool.names)
    shown = (truth, multiples, *accuracy_sentences(game, known), *((values,) if values is not None else ()))
    return Section(f"{game.title}: against the truth", shown)


def players(game: Game) -> dict[str, str]:
    """The line-up: specs by name. A learner whose model has a guide is named after it, and the guide with an empty
    table plays, too: the difference is what was learnt."""
    made: dict[str, str] = {}
    for name, spec in usable(game, PLAYERS[game]).items():
        learner = agent(spec)
        model = learner.held(game) if isinstance(learner, QLearning) else None
        guide = model.guide if isinstance(model, QTable) else "none"
        if guide == "none":
            made[name] = spec
        else:
            made[f"{name} with {guide} guide"] = spec
            made[f"{guide} guide with empty table"] = _without_table(spec)
    return made


def _pool(game: Game, plan: Plan) -> Tournament:
    """The tournament of one game, without the rule that its pairings share with those of the other."""
    pairs = plan.pick(*MOST_PAIRS[game])
    pool = tournament(game.name, game, players(game), pairs, plan, openings=OPENINGS[game])
    return replace(pool, costs={agent(spec).spec: cost for spec, cost in COSTS[game].items()})


def _sections(pool: Pool) -> list[Section]:
    results, game = pool.results, pool.results.game
    key, title = game.name, game.title
    missing = [name for name, spec in PLAYERS[game].items() if agent(spec).spec not in pool.specs.values()]
    left_out = f"Left out, because there is no model of this game: {', '.join(missing)}." if missing else ""
    return [
        Section(
            f"{title}: strength",
            (
                *filter(None, [left_out]),
                tournament_sections.standings(results, f"{key}-standings"),
                tournament_sections.elos(results, f"{key}-elo"),
                ranks(pool, f"{key}-ranks"),
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
                steps(pool, f"{key}-steps"),
                tournament_sections.cost(results, f"{key}-cost"),
                *tournament_sections.cost_figures(results, f"{key}-cost"),
            ),
        ),
    ]
