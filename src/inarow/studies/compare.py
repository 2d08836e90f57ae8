"""The study ``compare``: strength, accuracy and cost of the usual algorithms on both games."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from inarow.agents import agent
from inarow.agents.registry import absolute_spec
from inarow.arena import Results, Tournament
from inarow.arena.tournament import label_agents
from inarow.errors import unknown
from inarow.formatting import counted
from inarow.match import SequentialRule
from inarow.report.page import Item, Section
from inarow.report.tables import TEMPLATES, Table, findings, meeting_sentence, ranking_of, shown, table
from inarow.rules import CONNECT4, TICTACTOE, Game
from inarow.studies import sections as parts
from inarow.studies.base import Content, Experiment, Plan, Study, StudyError, StudyResults, tournament, usable
from inarow.studies.learning import LEARNERS, learning_figure, learning_findings, learning_table, learnt, trainings
from inarow.studies.search_cost import (
    DEPTHS,
    Saved,
    busy_warning,
    pruning_table,
    saved,
    scaling_items,
    search_experiments,
)
from inarow.studies.sections import (
    Graded,
    accuracy_finding,
    accuracy_multiples,
    accuracy_table,
    example,
    example_figure,
    graded,
    gradings,
    values_table,
)

MINIMAX = {CONNECT4: "minimax (depth 6)", TICTACTOE: "minimax (full depth)"}
ALPHABETA = {CONNECT4: "alpha–beta (depth 6)", TICTACTOE: "alpha–beta (full depth)"}
MCTS = {CONNECT4: "MCTS (2,000)", TICTACTOE: "MCTS (1,000)"}
SIMULATIONS = {CONNECT4: 2_000, TICTACTOE: 1_000}
PERFECT = {CONNECT4: "perfect:resist=any", TICTACTOE: "perfect"}
BEST = "best:seconds=unlimited,nodes=5000"
TABULAR = {learner.game: learner for learner in LEARNERS if learner.key == "qlearning"}
GUIDED = {learner.game: learner for learner in LEARNERS if learner.key == "guided"}
OPENINGS = {TICTACTOE: "random:1", CONNECT4: "balanced"}
"""All are draws with perfect play: any first move in Tic Tac Toe, solved openings in Connect 4."""
MAX_PAIRS = {TICTACTOE: (110, 400), CONNECT4: (200, 2400)}
"""Maximum pairs of a pairing of fast agents at each scale; 110 draws show that two are equal within 5 %."""
LEARNING = {"qlearning", "ntuple"}
"""Algorithms whose learning curves are shown."""
SEARCHING = {"minimax", "alphabeta"}
"""Algorithms whose search is compared."""
OWN_COST = 4
"""Cost of a pair of an added agent, in pairs of fast agents."""
PRECISION = (0.1, 0.05)
"""A decided pairing continues until its interval has this half-width, or its pairs are used up."""
TOP = 5
"""Ranks among which the example match is chosen."""


def players(game: Game) -> dict[str, str]:
    """Return the lineup as specs by label. The study trains the two Q-learners."""
    depth = DEPTHS[game]
    return {
        "random": "random",
        "rules": "rules",
        MINIMAX[game]: f"minimax:depth={depth}",
        ALPHABETA[game]: f"alphabeta:depth={depth}",
        TABULAR[game].label: f"qlearning:model={TABULAR[game].model()}",
        GUIDED[game].label: f"qlearning:model={GUIDED[game].model()},guide=heuristic",
        MCTS[game]: f"mcts:simulations={SIMULATIONS[game]}",
        "n-tuple": "ntuple",
        "best": BEST,
        "perfect": PERFECT[game],
    }


def _kind(spec: str) -> str:
    return spec.partition(":")[0]


def _costs(game: Game) -> Mapping[str, int]:
    """Return the cost of a pair of slow agents in pairs of fast ones, by spec.

    The budget is counted in pairs, not in seconds, so that every machine plays the same pairs.
    """
    if game == TICTACTOE:
        return {agent(BEST).spec: 2}
    return {agent(spec).spec: 4 for spec in (f"minimax:depth={DEPTHS[game]}", BEST, PERFECT[game])}


class Compare(Study):
    """Compares the usual algorithms, as a student's report would."""

    name = "compare"
    title = "Minimax, alpha–beta, MCTS and Q-learning compared"
    summary = "strength, accuracy and cost of the usual algorithms on both games"
    figure = "connect4-cross"

    def __init__(self, agents: Sequence[str] = (), only: Sequence[str] = ()) -> None:
        """Add ``agents``, given as specs, to the line-up, and keep ``only`` these algorithms of it, by name."""
        self.own = [absolute_spec(spec) for spec in agents]
        self.only = list(only)
        kinds = dict.fromkeys(_kind(spec) for game in OPENINGS for spec in players(game).values())
        for name in self.only:
            if name not in kinds:
                raise StudyError(unknown("algorithm", name, kinds))

    @property
    def options(self) -> dict[str, Any]:
        return {name: value for name, value in (("agents", self.own), ("only", self.only)) if value}

    def players(self, game: Game) -> dict[str, str]:
        """Return the lineup of a game as specs by label."""
        made = {label: spec for label, spec in players(game).items() if not self.only or _kind(spec) in self.only}
        own = [agent(spec) for spec in self.own]
        labels = label_agents(own)
        added = {f"{labels[one.spec]} (own)" if labels[one.spec] in made else labels[one.spec]: one.spec for one in own}
        return made | usable(game, added)  # the models of the line-up are trained by the study

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        for one in map(agent, self.own):
            if not any(usable(game, {one.spec: one.spec}) for game in OPENINGS):
                one.check(CONNECT4)  # raises the reason
        pools = [self._pool(game, plan) for game in OPENINGS]
        comparisons = sum(len(pool.pairings) for pool in pools)
        rule = SequentialRule(comparisons=comparisons, precision=plan.pick(*PRECISION))
        made: list[Experiment] = [*trainings(plan)] if not self.only or LEARNING & set(self.only) else []
        made += [replace(pool, rule=rule, repeat=False) for pool in pools]
        for pool in pools:
            made += gradings(pool.game, [one.spec for one in pool.agents], plan)
        searches = not self.only or set(self.only) >= SEARCHING
        return [*made, *(search_experiments(plan) if searches else ())]

    def _pool(self, game: Game, plan: Plan) -> Tournament:
        """Make the tournament of one game, without the rule that its pairings share with those of the other."""
        met, pairs = self.players(game), plan.pick(*MAX_PAIRS[game])
        if len(met) < 2:
            raise StudyError(f"a comparison on {game.title} needs two agents; add some with --agent or --only")
        pool = tournament(game.name, game, met, pairs, plan, openings=OPENINGS[game])
        return replace(pool, costs={**_costs(game), **{agent(spec).spec: OWN_COST for spec in self.own}})

    def content(self, found: StudyResults) -> Content:
        pools = {game: results for game in (CONNECT4, TICTACTOE) if (results := found.results(game.name)) is not None}
        games = list(pools)
        known = {game: _graded(found, game) for game in games}
        curves = {game: runs for game in games if (runs := learnt(found, game))}
        pruned = [one for game in DEPTHS if (one := saved(found, game)) is not None]
        said = [line for pool in pools.values() for line in findings(pool)]
        for game in games[:1]:
            met = [series for pair in _questions(game) if (series := pools[game].between(*pair)) is not None]
            said += [meeting_sentence(series, game.title, pools[game].rule) for series in met]
            named = self._named(game)
            said += accuracy_finding(game, {name: one for name, one in known[game].items() if name in named})
        said += [one.finding for one in pruned]
        for game, runs in curves.items():
            said += learning_findings(game, runs)
        accuracy = [item for game in games if known[game] for item in _accuracy(found, pools[game], known[game])]
        learning = [
            item for game, runs in curves.items() for item in (learning_figure(game, runs), learning_table(game, runs))
        ]
        strength = [item for game, pool in pools.items() for item in _strength(pool, _specs(found, game))]
        sections = [
            Section("Strength", tuple(strength)),
            Section("Cost", (*_cost(pools), *([pruning_table(pruned)] if pruned else []))),
            Section("Accuracy against exact values", tuple(accuracy)),
            Section("Learning curves", tuple(learning)),
            Section("Scaling with depth, time and board", tuple(scaling_items(found))),
            Section("Threats to validity", (_threats(),)),
        ]
        lead = (
            "Round robin in pairs of matches on the same opening with seats swapped; every agent was also graded in "
            "positions with known exact values. A > B: A is significantly better than B."
        )
        warnings = busy_warning(found)
        head = "; ".join([*self._heads(pools), *_savings(pruned, timed=not warnings)])
        return Content(lead, said, [one for one in sections if one.items], head, warnings)

    def _named(self, game: Game) -> list[str]:
        """Return the agents that headlines name: the usual algorithms, and those that were added."""
        usual = [MINIMAX[game], ALPHABETA[game], MCTS[game], TABULAR[game].label, GUIDED[game].label, "n-tuple"]
        return [*usual, *(label for label in self.players(game) if label not in players(game))]

    def _heads(self, pools: Mapping[Game, Results]) -> list[str]:
        """Return the ranking of the algorithms that the headline names, in the first game."""
        for game, pool in pools.items():
            named = [name for name in self._named(game) if name in pool.names]
            named = named if len(named) > 1 else pool.names
            short = {name: name.partition(" (")[0] if name in players(game) else name for name in named}
            return [f"{game.title}: {ranking_of(pool, named, short=short)}"]
        return []


def _specs(found: StudyResults, game: Game) -> dict[str, str]:
    """Return the spec of each agent by its label."""
    return {label: spec for spec, label in found.labels(game.name).items()}


def _graded(found: StudyResults, game: Game) -> dict[str, Graded]:
    names = found.labels(game.name)
    return {names.get(spec, spec): one for spec, one in graded(found, game).items()}


def _questions(game: Game) -> list[tuple[str, str]]:
    """Return the pairings of most interest to readers."""
    tabular, guided = TABULAR[game].label, GUIDED[game].label
    return [
        (MCTS[game], ALPHABETA[game]), (ALPHABETA[game], tabular), (MCTS[game], tabular), (guided, tabular),
        ("n-tuple", MCTS[game]),
    ]  # fmt: skip


def _savings(pruned: Sequence[Saved], timed: bool) -> list[str]:
    """State the savings of pruning if the moves were the same; the time only if the machine was idle."""
    for one in pruned:
        if one.game == CONNECT4 and one.same == one.positions:
            nodes, time = shown("percent", one.fewer_nodes), shown("percent", one.less_time)
            less = f" in {time} less time" if timed else ""
            return [f"alpha–beta plays minimax’s moves with {nodes} fewer nodes{less}"]
    return []


def _strength(results: Results, specs: Mapping[str, str]) -> list[Item]:
    key = results.game.name
    return [
        parts.standings(results, f"{key}-standings"),
        parts.elos(results, f"{key}-elo"),
        parts.parameters(results, specs, f"{key}-parameters"),
        parts.cross_table(results, f"{key}-cross"),
        parts.decided(results, f"{key}-decided"),
        parts.meetings(results, f"{key}-pairings"),
        parts.seat_matrix(results, f"{key}-seats"),
    ]


def _cost(pools: Mapping[Game, Results]) -> list[Item]:
    made: list[Item] = []
    for game, pool in pools.items():
        made.append(parts.strength_and_time(pool, f"{game.name}-frontier"))
        made.append(parts.cost(pool, f"{game.name}-cost"))
    return made


def _accuracy(found: StudyResults, pool: Results, known: Mapping[str, Graded]) -> list[Item]:
    game = pool.game
    values = values_table(game, known, f"{game.name}-values", pool.names)
    shown_match = _example(found, pool)
    return [
        accuracy_table(game, known, f"{game.name}-truth", pool.names),
        accuracy_multiples(game, known, f"{game.name}-truth-ply", pool.names),
        *([values] if values is not None else []),
        *([shown_match] if shown_match is not None else []),
    ]


def _example(found: StudyResults, pool: Results) -> Item | None:
    """Return a decided match between strong agents, or None.

    Prefers two top agents that have each beaten the other, then the highest-rated pair with a win.
    """
    game = pool.game
    pairs = list(itertools.combinations(pool.names, 2))
    won = {pair: [side.wins for side in series.sides] for pair in pairs if (series := pool.between(*pair))}
    even = [pair for pair in won if all(won[pair]) and set(pair) <= set(pool.names[:TOP])]
    specs = _specs(found, game)
    for a, b in [*even, *(pair for pair in won if any(won[pair]))]:
        told = example(found.records(game.name), specs[a], specs[b], found.labels(game.name))
        if told is not None:
            mistakes = counted(told.mistakes, "move that lost value", "moves that lost value")
            title = f"{game.title}: an example match, won by {told.winner} against {told.loser}, {mistakes}"
            return example_figure(f"{game.name}-match", title, told)
    return None


def _threats() -> Table:
    rows = tomllib.loads((TEMPLATES / "threats.toml").read_text(encoding="utf-8")).items()
    return table("threats", "Threats to validity", "threat | mitigation and what remains", list(rows))
