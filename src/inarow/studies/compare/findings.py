"""What the comparison finds: sentences, and the page that they stand on. A sentence without support is not written."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from itertools import combinations

from inarow.formatting import capitalised, duration, listed, share
from inarow.match import Claim, Finding
from inarow.report.page import Item, Section
from inarow.report.tables import TEMPLATES, Figure, Table, shown, table
from inarow.rules import CONNECT4, TICTACTOE, Game
from inarow.stats import Interval
from inarow.studies.base import Content, StudyResults
from inarow.studies.compare import exhibits
from inarow.studies.compare.lineup import (
    ABLATED,
    ALPHABETA,
    BUDGETS,
    CONSTANTS,
    HEADLINE,
    MCTS,
    MINIMAX,
    Q_LEARNING,
    SCALE,
    WITH_TABLE,
    LineUp,
    budget_key,
    shipped_counts,
)
from inarow.studies.compare.measuring import GRADED_FROM
from inarow.studies.compare.results import Exact, Learnt, Play, Pool, Stored, per_doubling, stored_training
from inarow.studies.search_cost import busy_warning

DEPTHS = {CONNECT4: "6", TICTACTOE: "full"}
OFF = 0.15
"""Deviation of a time from its budget above which the page warns."""
QUICK = 0.0003
NARROW = 0.55
"""A lead whose lower bound is below this is narrow."""
AT = f"at {duration(HEADLINE)} a move"
UNITS = exhibits.searcher_labels() | {Q_LEARNING: "training games"}


class Findings:
    """The findings of one study."""

    def __init__(self, line_up: LineUp, found: StudyResults) -> None:
        self.line_up = line_up
        self.found = found
        self.stored = Stored(line_up, found, sorted(BUDGETS[found.plan.scale]))
        self.names = [name for name in line_up.compared(CONNECT4) if name in self.pool.names]
        self.searchers = [one.label for one in line_up.searchers]
        tabled = [WITH_TABLE] if line_up.has("alphabeta") else []
        self.paces = self.stored.paces([*line_up.searchers, *tabled])
        self.plays: dict[str, Play] = {
            name: play for name in line_up.names(CONNECT4) if (play := self.stored.play(name)) is not None
        }
        self.tried: list[Exact] = [
            one for name in line_up.names(TICTACTOE) if (one := self.stored.exact(name)) is not None
        ]
        self.learnt: list[Learnt] = self.stored.learnt(CONNECT4) if line_up.learns else []

    @property
    def pool(self) -> Pool:
        """Connect 4 at the budget of the headline."""
        return self.stored.connect4

    def content(self) -> Content:
        sections = [
            Section("Connect 4 at equal time", tuple(self._connect4())),
            Section("Tic Tac Toe", tuple(self._tictactoe())),
            Section("What pruning saves", tuple(self._pruning())),
            Section("What Q-learning reaches", tuple(self._learning())),
            Section("What each costs", tuple(self._cost())),
            Section("Errors", tuple(self._errors())),
            Section("Questions a reader asks", tuple(self._questions())),
            Section("Words", (exhibits.glossary(),)),
        ]
        lead = (
            "Connect 4 is played at equal time per move, as counts of nodes and simulations that stand for "
            f"{listed([duration(seconds) for seconds in self.stored.budgets])}; Tic Tac Toe is answered exactly. A "
            "range in parentheses is a 95 % interval (see Words); spreads between tables say least and most."
        )
        return Content(
            lead, self._opening(), [one for one in sections if one.items], "", self._warnings(),
            figure=self._figure(), details=[one for one in self._details() if one.items],
        )  # fmt: skip

    def _warnings(self) -> list[str]:
        far = [one for one in self.paces if abs(one.off) > OFF]
        warnings = busy_warning(self.found)
        if far:
            said = [f"{one.searcher.label} {duration(one.seconds)} for {duration(one.budget)}" for one in far]
            warnings.append(
                f"The counts don’t fit this machine within {share(OFF)}: measured here, {listed(said)}. The matches "
                "are the same on every machine; add --calibrate for counts measured here."
            )
        return warnings

    # The opening.

    def _opening(self) -> list[str]:
        sentences = [
            " ".join(filter(None, (self._strongest(), self._perfect()))), self._pruning_in_short(),
            self._learning_in_short(), self._more_time(), self._players(),
        ]  # fmt: skip
        return [sentence for sentence in sentences if sentence]

    def _players(self) -> str:
        """Say in plain words who plays."""
        names = self.line_up.names(CONNECT4)
        known = [f"{name} {words}" for name, words in exhibits.IN_WORDS.items() if name in names]
        return f"The players: {'; '.join(known)}." if known else ""

    def _strongest(self) -> str:
        """State who leads on Connect 4 and by how much, as far as it is claimed."""
        tiers = self.pool.tiers(self.names)
        if len(self.names) < 2:
            return ""
        top = tiers[0]
        if len(tiers) == 1:
            return f"Connect 4 {AT}: no order of {listed(self.names)} is shown."
        leader = top[0]
        beaten = [
            f"{shown('percent', self.pool.score(leader, name) or 0.0)} against {name}"
            for tier in tiers[1:]
            for name in tier
            if self.pool.score(leader, name) is not None
        ]
        if len(top) == 1:
            scores = [self.pool.score(leader, name) for tier in tiers[1:] for name in tier]
            narrow = any(score is not None and score.low < NARROW for score in scores)
            strongest = f"{leader} is the strongest {AT}" + (", narrowly" if narrow else "")
            return f"Connect 4: {strongest}; it scores {listed(beaten)}."
        return (
            f"Connect 4 {AT}: {listed(top)} are not told apart and lead; {leader} scores {listed(beaten)}."
        )  # fmt: skip

    def _perfect(self) -> str:
        """State who never errs in Tic Tac Toe, if all do that are compared."""
        compared = [one for one in self.tried if one.name not in SCALE]
        sound = [one for one in compared if one.never_loses]
        if not compared or len(sound) < len(compared) or len(sound) < 2:
            return ""
        return (
            f"Tic Tac Toe: {listed([one.name for one in sound])} never lose, whatever the reply, so any two draw every "
            "match."
        )

    def _pruning_in_short(self) -> str:
        saved, claimed = self.stored.saved(CONNECT4), self.pool.claim(MINIMAX.label, ALPHABETA.label)
        if saved is None or saved.same < saved.positions:
            return ""
        text = (
            f"Pruning saves {share(saved.fewer)} of minimax’s nodes at depth {DEPTHS[CONNECT4]} without changing a move"
        )
        if claimed is not None and claimed.winner == ALPHABETA.label:
            text += f"; at equal time alpha–beta scores {share(claimed.score)} against minimax"
        return text + "."

    def _learning_in_short(self) -> str:
        if not self.learnt or (play := self.learnt[-1].play) is None:
            return ""
        last = self.learnt[-1]
        best = next((name for name in self.pool.ordered(self.names) if name != Q_LEARNING), None)
        points = [
            f"{shown('percent', score)} against {name}"
            for name in dict.fromkeys((*reversed(SCALE), best))
            if name is not None and (score := self.pool.score(Q_LEARNING, name)) is not None
        ]
        text = (
            f"Q-learning: after {last.episodes:,} games ({duration(last.seconds)} of training for each of "
            f"{last.tables} tables) a table has {last.rows:,.0f} rows, positions with their values"
        )
        if points:
            text += f", and scores {listed(points)}"
        if play.lost_at is not None:
            text += (
                ". From the empty board, it knows less than half of the positions that it meets from its own move "
                f"{play.lost_at} on"
            )
        return text + "."

    def _more_time(self) -> str:
        """State what ten times the time is worth, and whether it changes who is stronger."""
        worth = {name: score for name, (score, _) in self._worth().items()}
        if not worth:
            return ""
        gains = [f"{name} score {share(score)} against itself" for name, score in worth.items() if score.low > 0.5]
        none = [f"{name} ({_inside(score)})" for name, score in worth.items() if score.low <= 0.5]
        lets = [f"lets {listed(gains)}"] if gains else []
        shows = [f"for {listed(none)} no gain is shown"] if none else []
        times = f"Ten times the time ({duration(HEADLINE)} instead of {duration(QUICK)} a move)"
        text = f"{times} {'; '.join(lets + shows)}" if gains else f"{times}: {shows[0]}"
        first, last = self.stored.at(self.stored.budgets[0]), self.stored.at(self.stored.budgets[-1])
        for a, b in combinations(self.searchers, 2):
            before, after = first.claim(a, b), last.claim(a, b)
            if before is None or after is None or after.winner is None or before.winner in (None, after.winner):
                continue
            winner, other = after.winner, before.winner
            assert other is not None
            text += (
                f"; {winner} scores {shown('percent', first.score(winner, other) or 0.0)} against {other} at "
                f"{duration(self.stored.budgets[0])} and {shown('percent', last.score(winner, other) or 0.0)} at "
                f"{duration(self.stored.budgets[-1])}"
            )
        return text + "."

    def _worth(self) -> dict[str, tuple[Interval, float]]:
        """Return the score of each searcher against itself with a tenth of the time."""
        pool = self.stored.question("time-")
        worth = {}
        for name in self.searchers:
            score = pool.score(f"{name}, {budget_key(HEADLINE)}", f"{name}, {budget_key(QUICK)}")
            if score is not None:
                worth[name] = (score, HEADLINE / QUICK)
        return worth

    def _figure(self) -> Figure | None:
        lines = exhibits.strength_lines(self.stored, self.searchers)
        if not lines:
            return None
        others = [name for name in self.names if name not in self.searchers]
        places = [
            exhibits.PlacedPlayer(name, play.seconds, points)
            for name in others
            if (play := self.plays.get(name)) is not None
            and (points := self.pool.points(name, self.searchers)) is not None
        ]
        return exhibits.strength_figure(lines, places, WITH_TABLE.label, "connect4-strength", by_time=True)

    # Sections.

    def _connect4(self) -> Iterator[Item]:
        pairs = self.pool.pairings(self.names)
        if pairs:
            yield tuple(self._pairing(a, b) for a, b in pairs)
            elo = self.pool.elo(SCALE[-1]) if self.line_up.is_scaled else {}
            yield exhibits.cross(self.pool, self.line_up.names(CONNECT4), "connect4-cross", elo)
        if {ALPHABETA.label, MCTS.label} <= set(self.searchers):
            yield (
                "Equal time is not equal means: MCTS keeps its tree between moves and proves endings, alpha–beta has "
                "no transposition table."
            )
        if tabled := self._tabled():
            yield tabled

    def _pairing(self, a: str, b: str) -> str:
        """State the claim about two players, and the score at the other budgets if both search."""
        claimed = self.pool.claim(a, b)
        assert claimed is not None
        sentence = _claimed(claimed)
        if self.pool.used_up(a, b):
            sentence += " (its openings are used up)"
        better, worse = claimed.better, claimed.worse
        others = {
            seconds: (score, after.winner)
            for seconds in self.stored.budgets
            if seconds != HEADLINE
            and (after := self.stored.at(seconds).claim(a, b)) is not None
            and (score := self.stored.at(seconds).score(better, worse)) is not None
        }
        if not others:
            return f"{sentence}."
        as_well = [
            f"{share(score)} at {duration(seconds)}"
            for seconds, (score, winner) in others.items()
            if winner is not None and winner == claimed.winner
        ]
        sentence += f" {listed([f'at {duration(HEADLINE)}', *as_well])}"
        for seconds, (score, winner) in others.items():
            if winner not in (None, claimed.winner):
                better_score = score if winner == better else self.stored.at(seconds).score(worse, better)
                sentence += f"; at {duration(seconds)} {winner} wins, {share(better_score)}"
        none = [f"{duration(s)} ({_inside(score)})" for s, (score, winner) in others.items() if winner is None]
        if none:
            sentence += f"; no difference is shown at {' or '.join(none)}"
        return f"{sentence}."

    def _tabled(self) -> tuple[str, ...]:
        """State how alpha–beta with a table does against the strongest searcher at each budget."""
        rivals = [name for name in self.pool.ordered(self.searchers) if name != ALPHABETA.label]
        if not rivals:
            return ()
        scores = [
            f"{shown('percent', score)} at {duration(seconds)}"
            for seconds in self.stored.budgets
            if (score := self.stored.at(seconds, tabled=True).score(WITH_TABLE.label, rivals[0])) is not None
        ]
        if not scores:
            return ()
        return (
            f"Outside the comparison: alpha–beta with a transposition table scores {listed(scores)} against "
            f"{rivals[0]}.",
        )

    def _tictactoe(self) -> Iterator[Item]:
        if not self.tried:
            return
        names = self.line_up.compared(TICTACTOE)
        compared = [one for one in self.tried if one.name in names]
        sound = [one.name for one in compared if one.never_loses]
        sentences = []
        if len(sound) > 1:
            sentences.append(
                f"{capitalised(listed(sound))} lost in no line of play when every reply to them was played out, so any "
                "two of them draw every match."
            )
        exact = [one for one in compared if one.first is not None and len(one.counts) > 1]
        if exact:
            parts = [
                f"{one.name} from {one.counts[one.first or 0]:,} {UNITS[one.name]} "
                f"({duration(one.seconds[one.first or 0])} a move{', tried with one seed' * (one.name == MCTS.label)})"
                for one in exact
            ]
            sentences.append(f"They keep the value in all {exact[0].positions:,} positions: {listed(parts)}.")
        pool = self.stored.tictactoe
        sentences += [
            f"{_claimed(claimed)}."
            for a, b in pool.pairings(names)
            if not {a, b} <= set(sound) and (claimed := pool.claim(a, b)) is not None
        ]
        if self.line_up.has("random"):
            against = [f"{one.name} {share(one.points)}" for one in compared if one.name != "random"]
            sentences.append(f"Expected points against random, over every reply: {listed(against)}.")
        yield tuple(sentences)
        if any(len(one.counts) > 1 for one in self.tried):
            yield exhibits.exactness_figure(self.tried)
        yield exhibits.exact_table(self.tried, UNITS, self.line_up.has("random"))

    def _pruning(self) -> Iterator[Item]:
        rows = [one for game in (CONNECT4, TICTACTOE) if (one := self.stored.saved(game)) is not None]
        if not rows:
            return
        depths = self._depths()
        sentences = [
            f"{one.game.title}, {_depth(one.game)}: alpha–beta chose minimax’s move in {one.same} of {one.positions} "
            f"positions with {shown('count', one.nodes[1])} instead of {shown('count', one.nodes[0])} nodes "
            f"({share(one.fewer)} fewer)."
            for one in rows
        ]
        deep, shallow = depths.get(ALPHABETA.label), depths.get(MINIMAX.label)
        if deep is not None and shallow is not None and deep > shallow:
            sentences.append(
                f"Where it uses all of its {duration(HEADLINE)}, alpha–beta completes "
                f"{shown('number', round(deep, 1))} plies on average, minimax "
                f"{shown('number', round(shallow, 1))}: the same evaluation, seen from further ahead."
            )
        yield tuple(sentences)
        yield exhibits.saved_table(rows, DEPTHS)

    def _depths(self) -> dict[str, float]:
        """Return the mean depth of each search by depth where the headline's budget is used up."""
        return {
            one.searcher.label: one.depth
            for one in self.paces
            if one.budget == HEADLINE and one.depth is not None and not one.simulations
        }

    def _learning(self) -> Iterator[Item]:
        if not self.learnt:
            return
        rows = [*self.learnt, *self.stored.longer()]
        full = next((row for row in rows if row.full), None)
        grows = rows if full is None else rows[: rows.index(full) + 1]
        last, longest = self.learnt[-1], grows[-1]
        sentences = [
            f"Learning takes time before play instead of during it: {duration(last.seconds)} of training "
            f"for each of {last.tables} tables are {last.seconds / HEADLINE:,.0f} moves of {duration(HEADLINE)}, and "
            f"then a move takes {duration(self.plays[Q_LEARNING].seconds)}."
            if Q_LEARNING in self.plays
            else ""
        ]
        if last.play is not None and longest.play is not None and longest.episodes > last.episodes:
            here, there = last.play.lost_at, longest.play.lost_at
            if here is not None and there is not None:
                sentences.append(
                    f"From the empty board, after {last.episodes:,} games the table knows under half of its positions "
                    f"from own move {here} on, after {longest.episodes:,} games from own move {there} on."
                )
        if full is not None:
            sentences.append(
                f"By {full.episodes:,} games the table is full with {full.rows:,.0f} rows; later games only change "
                "rows that it has, so the curves end there."
            )
        yield tuple(filter(None, sentences))
        yield exhibits.learning_figure(grows)
        yield exhibits.known_figure(grows)
        yield exhibits.learning_table(rows, HEADLINE)
        if longest.episodes > last.episodes:
            run = stored_training()
            yield f"Trainings beyond {last.episodes:,} games were made once and are stored: `{run['command']}`."

    def _cost(self) -> Iterator[Item]:
        if not self.plays:
            return
        times = [f"{name} {duration(self.plays[name].seconds)}" for name in self.names if name in self.plays]
        sentences = [f"In matches a move takes on average: {listed(times)}."] if times else []
        if MCTS.label in self.plays and {MINIMAX.label, ALPHABETA.label} & set(self.plays):
            sentences.append(
                "Tree nodes are not comparable: a search by depth counts every visit of a position, MCTS the positions "
                "that its tree holds."
            )
        yield tuple(sentences)
        yield exhibits.cost_table(self.plays, self.learnt, self._depths())

    def _errors(self) -> Iterator[Item]:
        if not self.plays:
            return
        accuracies = {
            name: accuracy.kept_rate if (accuracy := self.stored.accuracy(name)) is not None else None
            for name in self.plays
        }
        points = {
            name: self.pool.points(name, [other for other in self.pool.names if other != name]) for name in self.plays
        }
        sentences = []
        searching = [
            name for name in self.names if name in self.plays and self.plays[name].errors.moves >= exhibits.FEW
        ]
        if searching:
            rates = [f"{name} {shown('percent', exhibits.error_rate(self.plays[name]) or 0.0)}" for name in searching]
            sentences.append(
                f"Share of own decisions that lose value, in matches with {GRADED_FROM} or more stones on the board: "
                f"{listed(rates)}."
            )
        yield (*sentences, *self._disagreements(accuracies))
        figure = exhibits.errors_figure({name: self.plays[name] for name in searching})
        if figure is not None:
            yield figure
        yield exhibits.errors_table(self.plays, accuracies, points)

    def _disagreements(self, accuracies: dict[str, Interval | None]) -> list[str]:
        """State where accuracy in the given positions and strength in matches disagree, with the reason."""
        said = []
        rates = {name: rate for name in self.searchers if (rate := accuracies.get(name)) is not None}
        alike = all(a.covers(b.estimate) for a in rates.values() for b in rates.values())
        if len(rates) > 1 and alike and any(self.pool.beats(a, b) for a in rates for b in rates if a != b):
            kept = [f"{name} {shown('percent', rate)}" for name, rate in rates.items()]
            said.append(
                f"In given positions the searchers keep the value alike ({listed(kept)}), though matches tell them "
                "apart, probably because the given positions come from random and rule-based play, where most errors "
                "are easy to avoid."
            )
        chance = accuracies.get("random")
        for name in self.names:
            kept_by = accuracies.get(name)
            if chance is not None and kept_by is not None and kept_by.low <= chance.high and name not in SCALE:
                why = ", probably because its table knows few of them" if name == Q_LEARNING else ""
                said.append(
                    f"{name} does not keep the value of given positions more often than random: "
                    f"{shown('percent', kept_by)} and {shown('percent', chance)}{why}."
                )
        for a, b in combinations(self.names, 2):
            stronger, weaker = (a, b) if self.pool.beats(a, b) else (b, a)
            high, low = accuracies.get(weaker), accuracies.get(stronger)
            if self.pool.beats(stronger, weaker) and high is not None and low is not None and high.low > low.high:
                said.append(
                    f"{weaker} keeps the value in {shown('percent', high)} of the given positions, {stronger} in "
                    f"{shown('percent', low)}, yet {stronger} wins their matches, probably because the given "
                    "positions come from random and rule-based play, not from matches between these two."
                )
        return said

    def _questions(self) -> Iterator[Item]:
        knowledge = self.stored.question(*(one.key for one in ABLATED))
        constants = self.stored.question("c-")
        sentences = [*self._knowledge(knowledge), *self._constants(constants), *self._speeds(), *self._doublings()]
        if not sentences:
            return
        yield tuple(sentences)
        lines = exhibits.by_positions(exhibits.strength_lines(self.stored, self.searchers), self.paces)
        if lines:
            yield exhibits.strength_figure(lines, (), WITH_TABLE.label, "connect4-positions", by_time=False)
        asked = {"knowledge": knowledge, "constant c": constants}
        yield exhibits.questions_table(asked)
        if worth := self._worth():
            yield exhibits.time_table(worth)

    def _knowledge(self, pool: Pool) -> list[str]:
        """State what exchanging the knowledge does."""
        usual = self.pool.score(MCTS.label, ALPHABETA.label)
        evaluated, blind = (
            pool.score(one.label, name) for one, name in zip(ABLATED, (ALPHABETA.label, MCTS.label), strict=True)
        )
        if usual is None or evaluated is None or blind is None:
            return []
        gain = "gains" if evaluated.low > usual.high else "loses" if evaluated.high < usual.low else "shows no gain"
        verdict = ", so alpha–beta depends on its knowledge" if blind.high < 1 - usual.high else ""
        return [
            "Is it the algorithm or the knowledge? Minimax and alpha–beta use a hand-made evaluation, MCTS and "
            f"Q-learning none. Without its evaluation alpha–beta scores {share(blind)} against MCTS{verdict}. With it "
            f"at its leaves MCTS {gain}: {share(evaluated)} against alpha–beta, {share(usual)} without."
        ]

    def _constants(self, pool: Pool) -> list[str]:
        usual = self.pool.score(MCTS.label, ALPHABETA.label)
        scores = {
            value: score
            for value in CONSTANTS
            if (score := pool.score(f"MCTS, c = {value}", ALPHABETA.label)) is not None
        }
        if not scores or usual is None:
            return []
        parts = [
            f"{share(score)} with c = {value} ({side.pairs.total()} pairs)"
            for value, score in scores.items()
            if (side := pool.side(f"MCTS, c = {value}", ALPHABETA.label)) is not None
        ]
        verdict = _constants_verdict(usual, scores)
        return [
            "How were the constants chosen? The evaluation’s weights, c = √2, and Q-learning’s rates are the usual "
            f"defaults, not tuned for this study. MCTS scores {shown('percent', usual)} against alpha–beta with "
            f"c = √2, {listed(parts)}.{verdict}"
        ]

    def _speeds(self) -> list[str]:
        """State what a node and a simulation take, as equal time compares implementations."""
        at = [one for one in self.paces if one.budget == HEADLINE and one.searcher.label in self.searchers]
        if not at:
            return []
        parts = [
            f"{one.searcher.label} {duration(one.seconds / max(1.0, one.simulations or one.nodes))} per "
            f"{'simulation' if one.simulations else 'node'}"
            for one in at
        ]
        return [f"Equal time compares these implementations. Measured here {AT}: {listed(parts)}."]

    def _doublings(self) -> list[str]:
        parts = [
            f"{shown('elo', per_doubling(score, times))} for {name}" for name, (score, times) in self._worth().items()
        ]
        if not parts:
            return []
        span = f"from {duration(QUICK)} to {duration(HEADLINE)}"
        return [f"What is a doubling of time worth? Elo per doubling, {span}: {listed(parts)}."]

    # Details.

    def _details(self) -> Iterator[Section]:
        stored = self.stored
        searching = self.pool.pairings(self.searchers)
        tables: list[Item] = []
        if searching:
            pools = {seconds: stored.at(seconds) for seconds in stored.budgets}
            tables.append(exhibits.budgets_table(pools, searching))
        for seconds in stored.budgets:
            pool = self.pool if seconds == HEADLINE else stored.at(seconds)
            if pool.series:
                title = exhibits.pool_title(pool, seconds)
                tables.append(exhibits.pairings(pool, f"connect4-pairings-{budget_key(seconds)}", title))
        tables += _tabled_table(stored)
        if stored.tictactoe.series:
            title = f"{TICTACTOE.title}: every pairing"
            tables.append(exhibits.pairings(stored.tictactoe, "tictactoe-pairings", title))
        yield Section("Every pairing", tuple(tables))
        if self.paces:
            how = f"Counts that ship with inarow were made by `{shipped_counts()['command']}`."
            yield Section("Counts and times", (how, exhibits.speed_table(self.paces)))
        yield Section("Threats to validity", (self._threats(),))

    def _threats(self) -> Table:
        threats = tomllib.loads((TEMPLATES / "threats.toml").read_text(encoding="utf-8"))
        if not self.line_up.learns:
            del threats["Learners depend on their training"]
        if not (self.line_up.has("minimax") or self.line_up.has("alphabeta")):
            del threats["Knowledge"]
        if not {ALPHABETA.label, MCTS.label} <= set(self.searchers):
            del threats["What is remembered"]
        return table("threats", "Threats to validity", "threat | mitigation and what remains", list(threats.items()))


def _tabled_table(stored: Stored) -> list[Item]:
    """Return the scores of alpha–beta with a table at each budget."""
    rows = [
        (duration(seconds), other, pool.score(WITH_TABLE.label, other) or exhibits.NOT_MET)
        for seconds in stored.budgets
        for pool in (stored.at(seconds, tabled=True),)
        for other in pool.names
        if other != WITH_TABLE.label and pool.between(WITH_TABLE.label, other) is not None
    ]
    title = "Connect 4: alpha–beta with a transposition table against the searchers"
    return [table("connect4-tabled", title, "time per move | against | score:percent", rows)] if rows else []


def _constants_verdict(usual: Interval, scores: Mapping[str, Interval]) -> str:
    """Say whether the constant c decides who is stronger: only a reversal does."""
    ahead = usual.estimate > 0.5
    turned = [value for value, score in scores.items() if (score.estimate > 0.5) != ahead]
    if turned and (not usual.covers(0.5) or any(not scores[value].covers(0.5) for value in turned)):
        return f" So who is stronger depends on c: c = {listed(turned)} gives another answer."
    if turned:
        return ""
    every = [usual.estimate, *(score.estimate for score in scores.values())]
    bound = f"at least {share(min(every))}" if ahead else f"at most {share(max(every))}"
    unclear = [f"c = {value}" for value, score in scores.items() if score.covers(0.5)]
    but = f"; for {listed(unclear)} the interval includes 50 %" if unclear else ""
    return f" MCTS scores {bound} with each of these constants{but}."


def _inside(score: Interval) -> str:
    """Format a score for parentheses: ``45 %, 33–58``."""
    return share(score).replace(" (", ", ").rstrip(")")


def _claimed(claimed: Claim) -> str:
    """Return a claim without its full stop."""
    if claimed.finding is Finding.BETTER:
        return f"{capitalised(claimed.better)} beats {claimed.worse}: {share(claimed.score)}"
    return capitalised(claimed.sentence.rstrip("."))


def _depth(game: Game) -> str:
    return "to the end of the game" if DEPTHS[game] == "full" else f"{DEPTHS[game]} plies deep"
