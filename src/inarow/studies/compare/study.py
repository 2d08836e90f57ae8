"""The experiments of the comparison, and its page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inarow.agents import agent
from inarow.arena import Tournament
from inarow.formatting import capitalised, listed
from inarow.randomness import derive
from inarow.rules import CONNECT4, TICTACTOE, Game
from inarow.studies.base import Content, Experiment, Measure, Measurement, Plan, Study, StudyError, StudyResults, usable
from inarow.studies.compare.findings import Findings
from inarow.studies.compare.lineup import (
    ABLATED,
    BUDGETS,
    CONSTANTS,
    EPISODES,
    HEADLINE,
    MCTS,
    Q_LEARNING,
    SEARCHERS,
    TABLES,
    WITH_TABLE,
    Counts,
    LineUp,
    SearchPlayer,
    budget_key,
    model_of,
    table_spec,
)
from inarow.studies.compare.measuring import exactness, in_play, learnt_exactness, pace, train_table
from inarow.studies.measurements import grade, middle_game, think

OPENINGS = {CONNECT4: "balanced", TICTACTOE: "random:1"}
"""All are draws with perfect play: solved openings in Connect 4, any first move in Tic Tac Toe."""
LEARNER_OPENINGS = {CONNECT4: "drawn:4", TICTACTOE: "random:1"}
"""The learner's, also draws: the balanced openings of Connect 4, of twelve stones, lie beyond what its table knows."""
CURVE_OPENINGS = "none"
"""From the empty board, so that an own move is counted from the start."""
PAIRS = {0.0003: (40, 200), HEADLINE: (200, 1000), 0.02: (20, 100), 0.1: (20, 20)}
"""Pairs of each pairing of searchers by budget, at each scale."""
TABLED_PAIRS = {0.0003: (40, 200), HEADLINE: (40, 200), 0.02: (10, 100), 0.1: (10, 20)}
"""The same for alpha–beta with a table."""
SCALE_PAIRS = (20, 100)
TABLE_COST = 5
"""Each of the learner's tables plays a fifth of these pairs against searchers and added agents."""
OWN_PAIRS = (40, 200)
QUESTION_PAIRS = (40, 200)
"""Pairs behind an answer to one of the questions."""
PLAYED_PAIRS = (4, 20)
"""Pairs per opponent in which decisions are recorded."""
CURVE_PAIRS = (20, 100)
"""Pairs of a table against random and rules on its learning curve."""
GRADED = (60, 200)
"""Positions per band of plies."""
FIXED_DEPTH = {CONNECT4: "6", TICTACTOE: "full"}
PRUNED_PLIES = {CONNECT4: (2, 6, 10, 14, 18), TICTACTOE: (1, 2, 3, 4)}
"""Stones of the positions that minimax and alpha–beta search to the same depth."""
EXACT_COUNTS: Mapping[str, tuple[int, ...]] = {
    "minimax": (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000),
    "alphabeta": (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000),
    "mcts": (3, 10, 30, 100, 300, 1_000, 3_000),
    "qlearning": (100, 300, 1_000, 3_000, 10_000, 30_000),
}
"""Nodes, simulations and training games in Tic Tac Toe."""
OWN_STEP = 10
"""Of an added agent, which may be slow, every tenth position of Tic Tac Toe is tried."""
TRAINER = "qlearning:guide=none"
PASSES = (3, 5)


class Compare(Study):
    """Compares minimax, alpha–beta, MCTS and Q-learning as a course asks for."""

    name = "compare"
    title = "Minimax, alpha–beta, MCTS and Q-learning compared"
    summary = "minimax, alpha–beta, MCTS and Q-learning at equal time on Connect 4 and Tic Tac Toe"
    figure = "connect4-strength"

    def __init__(
        self, agents: Sequence[str] = (), only: Sequence[str] = (), also: Sequence[str] = (),
        counts: Counts | None = None,
    ) -> None:  # fmt: skip
        """Add ``agents``, given as specs, and ``also`` other algorithms by name; with ``only``, nobody else plays.

        ``counts`` are nodes and simulations measured on this machine, as `measuring.calibrate` returns them.
        """
        self.line_up = LineUp(tuple(agents), tuple(only), tuple(also), counts or {})
        if self.line_up != LineUp(given=counts or {}):
            self.title = capitalised(f"{listed(self.line_up.compared(CONNECT4))} compared")
        self.agents, self.only, self.also, self.counts = list(agents), list(only), list(also), counts or {}

    @property
    def options(self) -> dict[str, Any]:
        given = {"agents": self.line_up.absolute, "only": self.only, "also": self.also, "counts": self.counts}
        return {name: value for name, value in given.items() if value}

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        for spec in self.line_up.absolute:
            if not any(usable(game, {spec: spec}) for game in OPENINGS):
                agent(spec).check(CONNECT4)  # raises the reason
        for game in OPENINGS:
            if len(self.line_up.names(game)) < 2:
                raise StudyError(f"a comparison on {game.title} needs two agents; add some with --agent or --only")
        budgets = sorted(BUDGETS[plan.scale][: plan.pick(9, 9)])
        return [
            *self._trainings(plan),
            *self._pools(plan, budgets),
            *self._questions(plan),
            *self._in_play(plan),
            *self._graded(plan),
            *self._exactness(plan),
            *self._fixed_depth(plan),
            *self._paces(plan, budgets),
        ]

    def _trainings(self, plan: Plan) -> list[Measurement]:
        if not self.line_up.learns:
            return []
        return [
            Measurement(
                f"{game.name}-train-{episodes}-{run}",
                train_table,
                {
                    "trainer": TRAINER, "game": game.name, "episodes": plan.pick(episodes, episodes),
                    "seed": plan.seed * TABLES + run, "model": model_of(game, episodes, run),
                },
                weight=1 + episodes // 500,
            )
            for game, sizes in EPISODES.items()
            for episodes in reversed(sizes)
            for run in range(TABLES)
        ]  # fmt: skip

    def _pools(self, plan: Plan, budgets: Sequence[float]) -> list[Tournament]:
        """Return the tournaments: the searchers at each budget, and everybody else against those before."""
        line_up, pools = self.line_up, []
        for seconds in reversed(budgets):
            searching = line_up.searching(CONNECT4, seconds)
            name = budget_key(seconds)
            if len(searching) > 1:
                pools.append(_tournament(f"connect4-{name}", CONNECT4, searching, plan.pick(*PAIRS[seconds]), plan))
            if searching and line_up.has("alphabeta"):
                tabled = {WITH_TABLE.label: line_up.spec(WITH_TABLE, seconds)}
                pools.append(_gauntlet(f"connect4-tt-{name}", CONNECT4, tabled, searching, TABLED_PAIRS[seconds], plan))
        small = line_up.searching(TICTACTOE)
        if len(small) > 1:
            pools.append(_tournament("tictactoe-pool", TICTACTOE, small, plan.pick(*SCALE_PAIRS), plan))
        for game in OPENINGS:
            before = line_up.searching(game)
            slow = before | line_up.added(game)
            for number, (label, spec) in enumerate((line_up.ends() | line_up.added(game)).items()):
                pairs = SCALE_PAIRS if label in line_up.ends() else OWN_PAIRS
                if before:
                    pools.append(
                        _gauntlet(f"{game.name}-against-{number + 1}", game, {label: spec}, before, pairs, plan)
                    )
                before = before | {label: spec}
            costs = {agent(spec).spec: TABLE_COST for spec in slow.values()}
            for run, (label, spec) in enumerate(line_up.tables(game).items(), start=1):
                if before:
                    key, more = f"{game.name}-learner-{run}", {"openings": LEARNER_OPENINGS[game], "costs": costs}
                    pools.append(_gauntlet(key, game, {label: spec}, before, SCALE_PAIRS, plan, part=run, **more))
        return pools

    def _questions(self, plan: Plan) -> list[Tournament]:
        """Return what a reader asks next: ten times the time, knowledge exchanged, and the constant c."""
        line_up, asked = self.line_up, []
        if len(self.only) and not line_up.searchers:
            return []
        for one in line_up.searchers:
            slow, quick = ({f"{one.label}, {budget_key(s)}": line_up.spec(one, s)} for s in (HEADLINE, 0.0003))
            asked.append(_gauntlet(f"connect4-time-{one.key}", CONNECT4, slow, quick, QUESTION_PAIRS, plan))
        if line_up.has("mcts") and line_up.has("alphabeta"):
            met = {one.label: line_up.spec(one) for one in SEARCHERS if one.key != "minimax"}
            for one in ABLATED:
                other = {label: spec for label, spec in met.items() if not one.label.startswith(label)}
                asked.append(
                    _gauntlet(
                        f"connect4-{one.key}", CONNECT4, {one.label: line_up.spec(one)}, other, QUESTION_PAIRS, plan
                    )
                )
            opponent = {label: spec for label, spec in met.items() if label != MCTS.label}
            for value, template in CONSTANTS.items():
                varied = {f"MCTS, c = {value}": template.format(line_up.count(MCTS, HEADLINE))}
                asked.append(_gauntlet(f"connect4-c-{value}", CONNECT4, varied, opponent, QUESTION_PAIRS, plan))
        return asked

    def _in_play(self, plan: Plan) -> list[Measurement]:
        """Return the recordings of decisions in matches against the usual players, and of the learning curve."""
        line_up, game = self.line_up, CONNECT4
        usual = line_up.searching(game) | line_up.ends()
        players = line_up.searching(game) | line_up.tables(game) | line_up.added(game) | line_up.ends()
        recorded = []
        for label, spec in players.items():
            opponents = [other for name, other in usual.items() if name != label]
            if opponents:
                learns = label in line_up.tables(game)
                openings = (LEARNER_OPENINGS if learns else OPENINGS)[game]
                pairs = plan.pick(*PLAYED_PAIRS)
                key = f"connect4-play-{label}"
                recorded.append(_recording(key, spec, openings, opponents, pairs, plan, graded=True))
        if line_up.learns:
            against = list(line_up.ends().values()) or list(usual.values())
            for episodes in EPISODES[game]:
                for run in range(TABLES):
                    key = f"connect4-curve-{episodes}-{run}"
                    spec = table_spec(game, run, episodes)
                    if against:
                        pairs = plan.pick(*CURVE_PAIRS)
                        recorded.append(_recording(key, spec, CURVE_OPENINGS, against, pairs, plan, graded=False))
        return recorded

    def _graded(self, plan: Plan) -> list[Measurement]:
        """Return the gradings of moves in positions with known values."""
        game, line_up = CONNECT4, self.line_up
        players = line_up.searching(game) | line_up.tables(game) | line_up.added(game) | line_up.ends()
        settings = {"game": game.name, "count": plan.pick(*GRADED), "seed": plan.seed}
        return [
            Measurement(f"connect4-grade-{label}", grade, {"agent": spec, **settings}, weight=20)
            for label, spec in players.items()
        ]

    def _exactness(self, plan: Plan) -> list[Measurement]:
        """Return the trials in every position of Tic Tac Toe."""
        line_up = self.line_up
        tried: list[tuple[str, Measure, dict[str, Any], int]] = []
        counts = {key: list(counts[: plan.pick(9, 9)]) for key, counts in EXACT_COUNTS.items()}
        settings = {"game": TICTACTOE.name, "seed": plan.seed}
        for one in line_up.searchers:
            template = one.template + (",reuse_tree=off" if one is MCTS else "")
            tried.append((one.label, exactness, {"template": template, "counts": counts[one.key], "step": 1}, 100))
        if line_up.learns:
            seeds = [plan.seed * TABLES + run for run in range(TABLES)]
            learnt = {"trainer": TRAINER, "counts": counts["qlearning"], "seeds": seeds}
            tried.append((Q_LEARNING, learnt_exactness, learnt, 50))
        for label, spec in (line_up.added(TICTACTOE) | line_up.ends()).items():
            step = 1 if label in line_up.ends() else OWN_STEP
            tried.append((label, exactness, {"agent": spec, "counts": [], "step": step}, 20))
        return [
            Measurement(f"tictactoe-exact-{label}", run, {**settings, **more}, weight=weight)
            for label, run, more, weight in tried
        ]

    def _fixed_depth(self, plan: Plan) -> list[Measurement]:
        """Return the searches of minimax and alpha–beta to one depth in the same positions."""
        if not (self.line_up.has("minimax") and self.line_up.has("alphabeta")):
            return []
        searched = []
        for game, depth in FIXED_DEPTH.items():
            positions = middle_game(game, plan.pick(8, 20), PRUNED_PLIES[game], plan.seed)
            for name in ("minimax", "alphabeta"):
                settings = {"agent": f"{name}:depth={depth}", "game": game.name, "positions": positions, "repeat": 3}
                searched.append(Measurement(f"{game.name}-depth-{name}", think, settings, weight=5))
        return searched

    def _paces(self, plan: Plan, budgets: Sequence[float]) -> list[Measurement]:
        """Return the timings of each searcher at each budget on this machine."""
        line_up = self.line_up
        timed: list[SearchPlayer] = [*line_up.searchers, *([WITH_TABLE] if line_up.has("alphabeta") else [])]
        return [
            Measurement(
                f"connect4-pace-{one.key}-{budget_key(seconds)}",
                pace,
                {
                    "game": CONNECT4.name,
                    "agent": line_up.spec(one, seconds), "count": line_up.count(one, seconds),
                    "passes": plan.pick(*PASSES),
                },
                weight=max(1, round(1000 * seconds)),
            )
            for seconds in budgets
            for one in timed
        ]  # fmt: skip

    def content(self, found: StudyResults) -> Content:
        return Findings(self.line_up, found).content()


def _tournament(
    key: str, game: Game, players: Mapping[str, str], pairs: int, plan: Plan, *, part: int = 0, openings: str = "",
    **more: Any,
) -> Tournament:  # fmt: skip
    """Make a tournament between players given as specs by label; ``part`` chooses other openings and seeds."""
    labels = {agent(spec).spec: label for label, spec in players.items()}
    seed = derive(plan.seed, "part", part) % (1 << 31) if part else plan.seed
    specs = tuple(players.values())
    return Tournament.of(game, specs, openings or OPENINGS[game], pairs, seed=seed, key=key, labels=labels, **more)


def _gauntlet(
    key: str, game: Game, player: Mapping[str, str], others: Mapping[str, str], pairs: tuple[int, int], plan: Plan,
    **more: Any,
) -> Tournament:  # fmt: skip
    """Make the matches of one player against each of the others."""
    return _tournament(key, game, {**player, **others}, plan.pick(*pairs), plan, format="gauntlet", **more)


def _recording(
    key: str, spec: str, openings: str, opponents: Sequence[str], pairs: int, plan: Plan, *, graded: bool
) -> Measurement:
    seed = derive(plan.seed, key) % (1 << 31)  # tables don't meet the same random numbers
    settings = {
        "agent": spec, "opponents": list(opponents), "game": CONNECT4.name, "openings": openings, "pairs": pairs,
        "seed": seed, "graded": graded,
    }  # fmt: skip
    return Measurement(key, in_play, settings, weight=max(1, 2 * pairs * len(opponents) // (1 if graded else 20)))
