"""The study ``r5``: R5's published rows, the runs to compare them with, and its experiments repeated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inarow.agents import agent
from inarow.match import Series, claim
from inarow.match.claims import USUAL
from inarow.randomness import derive
from inarow.report.charts import Bar, outcome_bars
from inarow.report.page import Section
from inarow.report.tables import Blank, Cell, Table, meeting_sentence, shown, table
from inarow.reproductions import assessment
from inarow.reproductions.assessment import Counts, PublishedRow, RowStatus
from inarow.reproductions.distributions import (
    NOT_GIVEN,
    NOT_PLAYED,
    Replies,
    Sample,
    Source,
    published,
    quoted,
    shipped_runs,
)
from inarow.reproductions.r5.program import ALPHABETA, MCTS, RATE, Printed, play_as_printed
from inarow.reproductions.r5.program import SECONDS as SECONDS_OF
from inarow.rules import CONNECT4
from inarow.studies.base import (
    Content,
    Experiment,
    Measured,
    Measurement,
    Plan,
    Study,
    StudyResults,
    measurement,
    tournament,
)
from inarow.studies.measurements import grade, think
from inarow.studies.sections import Seats, read_grade, results_by_seat

RATES = (1_333, 1_500, 2_000)
"""Roll-outs per second of the report's program: about 20,000 in 10 to 15 s."""
MATCHES = {"1 s": (2, "depth 6"), "3 s": (3, "depth 8")}
"""Matches 2 and 3 by MCTS's limit: the number, and alpha–beta's limit."""
LOGS: Mapping[str, Replies] = {
    one.key: one
    for one in (
        Replies("human – MCTS", "connect4", {
            f"{rate:,} roll-outs a second": f"r5-mcts:simulations={2 * rate}" for rate in RATES
        }, (5, 0, 4, 3, 2, 1, 4, 4, 4, 4, 3, 2), range(1, 12, 2), runs=40),
        Replies("human – alpha-beta", "connect4", {"": "r5-alphabeta-human"}, (4, 3, 5, 3, 2, 3, 3, 2), range(1, 8, 2),
                runs=1),
        Replies("one-ply – one-ply", "connect4", {"": "r5-oneply"}, (3, 3, 2, 2, 4), range(5), runs=1),
    )
}  # fmt: skip
"""The legible beginnings of the published logs, columns counted from 0, and the moves of the program in them."""


@dataclass(frozen=True)
class Matches(Source):
    """The matches as printed, on R5's board; a run is one match at each speed, counted for MCTS."""

    number: int
    runs: int = field(default=40, kw_only=True)

    def how(self, key: str) -> str:
        return f"match {self.number} as printed, {key}, MCTS begins"

    def independent(self, key: str) -> bool:
        return True

    def run(self, number: int) -> dict[str, dict[str, Any]]:
        found = {}
        for rate in RATES:
            seed = derive(number, "match", self.number, rate)
            played = play_as_printed(self.number, seed, rollouts=rate * SECONDS_OF[self.number])
            counts = [int(played.winner == winner) for winner in (MCTS, None, ALPHABETA)]
            found[f"{rate:,} roll-outs a second"] = {"counts": counts, "plies": len(played.columns)}
        return found


SOURCES: tuple[Source, ...] = (
    *(Matches(f"match {number}", number) for number, _ in MATCHES.values()),
    *LOGS.values(),
)
"""Runs for ``scripts/report_runs.py r5``."""


def rows() -> list[PublishedRow]:
    """Return the published matches."""
    return [_row(row, shipped_runs("r5")) for row in published("r5_matches")]


def _row(row: Mapping[str, str], runs: Mapping[str, Sample]) -> PublishedRow:
    names = [
        f"{row[name]}, {row[f'{name}_limit']}" if row[f"{name}_limit"] else row[name] for name in ("first", "second")
    ]
    key, labels, winner = " – ".join(names), (names[0], names[1]), row["winner"] or row["note"]
    if row["winner"] == "draw":
        why = "its board is filled with '0' strings, so no column is legal and the match is an immediate draw"
        return PublishedRow(
            key, labels, winner, verdict=RowStatus.EXACT if _first_match() else RowStatus.IMPOSSIBLE, why=why
        )
    if (log := LOGS.get(f"{row['first']} – {row['second']}")) is not None:
        moves = " ".join(str(log.log[ply]) for ply in log.plies)
        return PublishedRow(
            key, labels, f"moves {moves} …" + f"; {winner} wins" * bool(row["winner"]),
            columns=[log.log[ply] for ply in log.plies],
            readings={name: runs[f"{log.key} / {name}"] for name in log.players},
            assumed="the legible beginning of the log, columns counted from 0",
            why="what follows depends on a person, and the rest of the log is not legible",
        )  # fmt: skip
    if not row["winner"]:
        return PublishedRow(key, labels, winner, why="the result is not legible")
    number, _ = MATCHES[row["first_limit"]]
    names = [f"{rate:,} roll-outs a second" for rate in RATES]
    readings = {name: runs[f"match {number} / {name}"] for name in names}
    return PublishedRow(
        key, labels, "MCTS wins", 1, [(1, 0, 0)], readings=readings, open="the number of roll-outs per second",
        assumed="MCTS begins",
    )  # fmt: skip


def _first_match() -> bool:
    return play_as_printed(1) == Printed((), None)


SHORTER = {"quick": 0.01, "full": 0.1}
"""Fraction of the report's time limits used here."""
OPENINGS = "random:2"
"""Random openings; from the empty board most matches of these players would be identical."""
EQUAL = {
    "mcts": "r5-mcts:fixed=on,seconds={:g}",
    "alphabeta": "r5-alphabeta:fixed=on,threes=diagonals,deepening_seconds={:g}",
}
"""The two players at equal times, as templates for the seconds."""
SECONDS = 3
PAIRINGS = (
    # Key, the report's players with their limits, as (name, limit).
    ("first", ("alpha-beta", "depth 5"), ("MCTS", "8 s")),
    ("second", ("MCTS", "1 s"), ("alpha-beta", "depth 6")),
    ("third", ("MCTS", "3 s"), ("alpha-beta", "depth 8")),
    ("fourth", ("MCTS", "3 s"), ("alpha-beta", "3 s")),
)
ROLLOUTS = 20_000
"""Roll-outs of the report's program in 10 to 15 s."""
PRINTED = {
    f"MCTS, {limit} – alpha-beta, {depth}": (
        number,
        {
            "MCTS": f"r5-mcts:fixed=on,simulations={SECONDS_OF[number] * RATE}",
            "alpha-beta": f"r5-alphabeta:fixed=on,depth={depth[-1]}",
        },
    )
    for limit, (number, depth) in MATCHES.items()
}
"""Matches 2 and 3: the printed number, and the players without errors."""
CREDIT = {
    "printed credit": "r5-mcts:simulations=400",
    "corrected credit": "r5-mcts:simulations=400,fixed=on",
    "alpha-beta, depth 5": "r5-alphabeta-human",
    "random": "r5-random",
}


@measurement("printed_matches")
def printed_matches(settings: dict[str, Any]) -> Measured:
    """Play a printed match ``count`` times with different seeds; counts are for MCTS."""
    counts = [0, 0, 0]
    for number in range(settings["count"]):
        played = play_as_printed(settings["number"], derive(settings["seed"], "match", number))
        counts[(MCTS, None, ALPHABETA).index(played.winner)] += 1
    return Measured({"counts": counts, "verdict": f"MCTS won {counts[0]} of {settings['count']}"}, {})


def _spec(name: str, limit: str, share: float) -> str:
    """Return the spec of a player with its limit; seconds are scaled down."""
    amount, unit = limit.split()[::-1] if limit.startswith("depth") else limit.split()
    if name == "MCTS":
        return EQUAL["mcts"].format(float(amount) * share)
    if unit == "depth":
        return "r5-alphabeta-human" if amount == "5" else f"r5-alphabeta:fixed=on,depth={amount}"
    return EQUAL["alphabeta"].format(float(amount) * share)


class R5(Study):
    """The fifth report's comparison."""

    name = "r5"
    title = "R5 again: Monte Carlo tree search against alpha–beta on Connect 4"
    summary = "the fifth report: Monte Carlo tree search against alpha–beta on Connect 4, at its limits"
    figure = "r5-outcomes"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        share = SHORTER[plan.scale]
        made: list[Experiment] = []
        for key, *players in PAIRINGS:
            named = {f"{name}, {limit}": _spec(name, limit, share) for name, limit in players}
            made.append(tournament(key, CONNECT4, named, plan.pick(10, 15), plan, openings=OPENINGS))
        others = {"one-ply": "r5-oneply", "random": "r5-random"}
        made.append(tournament("one-ply", CONNECT4, others, plan.pick(25, 50), plan, with_self=True))
        for name, spec in EQUAL.items():
            settings = {"agent": spec.format(10 * share), "game": "connect4", "positions": ["", "44", "4444", "444444"]}
            made.append(Measurement(f"speed-{name}", think, settings, weight=20))
            graded = {
                "agent": spec.format(share * SECONDS), "game": "connect4", "count": plan.pick(30, 50),
                "seed": plan.seed,
            }  # fmt: skip
            made.append(Measurement(f"truth-{name}", grade, graded, weight=30))
        for key, (number, right) in PRINTED.items():
            played = {"number": number, "count": plan.pick(12, 50), "seed": plan.seed}
            made.append(Measurement(key, printed_matches, played))
            made.append(tournament(f"{key}-correct", CONNECT4, right, plan.pick(6, 15), plan, openings=OPENINGS))
        made.append(tournament("credit", CONNECT4, CREDIT, plan.pick(8, 100), plan))
        for key, spec in (("rollouts", "mcts"), ("rollouts-printed", "r5-mcts")):
            given = f"{spec}:simulations={ROLLOUTS}"
            made.append(Measurement(key, think, {"agent": given, "game": CONNECT4.name, "positions": [""]}, weight=10))
        return made

    def content(self, found: StudyResults) -> Content:
        seats = {key: results_by_seat(found, key) for key, *_ in PAIRINGS}
        seats["one-ply"] = results_by_seat(found, "one-ply")
        assessed = assessment.assess(rows())
        here: dict[str, Any] = {}
        for key in PRINTED:
            measured, seated = found.measured(key), results_by_seat(found, f"{key}-correct")
            here[key] = measured and measured["counts"], _both(seated, "MCTS", "alpha-beta")
        bars = [
            Bar(f"{a} – {b}", s.wins, s.draws, s.losses) for key, *_ in PAIRINGS for (a, b), s in seats[key].items()
        ]
        credit, finding = _credit(found)
        figure = outcome_bars("r5-outcomes", "First player’s outcomes by pairing and seat", bars)
        sections = [
            Section("As printed", (_readings(), credit, _speed(found))),
            Section("Matches, run properly", (_matches(seats, found), _scores(found), figure)),
            Section("Five points", (_points(found),)),
        ]
        share = SHORTER[found.plan.scale]
        lead = (
            "The report’s matches with its players as printed; and with the players fixed, several times, from both "
            "seats and after two random plies, so that matches differ. Limits in seconds "
            f"are {shown('percent', share)} of the report’s: these players are compiled and faster. "
            "Players are named by the report’s limits."
        )
        said = [*finding, *_speed_sentence(found)]
        for key, *_ in PAIRINGS:
            results = found.results(key)
            said += [meeting_sentence(series) for series in results.series.values()] if results is not None else []
        return assessment.report_content(
            found, lead, ("first", "second"), assessed, here, said, sections, heading="Published matches"
        )


def _both(seats: Seats, a: str, b: str) -> Counts | None:
    """Return the counts of ``a`` against ``b`` over both seats, or None if a seat is missing."""
    one, two = seats.get((a, b)), seats.get((b, a))
    if one is None or two is None:
        return None
    return one.wins + two.losses, one.draws + two.draws, one.losses + two.wins


def _readings() -> Table:
    """Tabulate the winners of matches 2 and 3 as printed, by roll-outs per second."""
    made: list[tuple[Cell, ...]] = []
    for row in rows():
        for name, sample in row.readings.items() if row.counts else ():
            wins, draws, losses = (sum(run.counts[place] for run in sample.runs) for place in range(3))
            plies = sum(run.plies for run in sample.runs) / len(sample.runs)
            made.append((row.key, name, wins, draws, losses, plies))
    heads = ["match", "reading", "MCTS wins:count", "draws:count"]
    heads += ["alpha-beta wins:count", "plies:number"]
    return table("r5-readings", "Matches 2 and 3 as printed, shipped runs", heads, made)


def _ours(row: Mapping[str, str], seats: Mapping[str, Seats], found: StudyResults) -> tuple[Cell, Cell, Cell]:
    """Return this run's counterpart of a published match: the counts, the conclusion, and whether it agrees."""
    if row["first"] == "one-ply":
        pairs = [seats["one-ply"].get(("one-ply", other)) for other in ("one-ply", "random")]
        one, two = ("–" if there is None else there.counts for there in pairs)
        ours = f"one-ply – one-ply {one}; one-ply – random {two}"
        return ours, "the heading differs from what was run", "not comparable"
    players = [(row[name], row[f"{name}_limit"]) for name in ("first", "second")]
    key = next((key for key, *named in PAIRINGS if named == players), None)
    if key is None:
        blank = Blank("a person played; `inarow play connect4 human mcts` plays it")
        return blank, "not played", "not comparable"
    first, second = (f"{name}, {limit}" for name, limit in players)
    results, counts = found.results(key), _both(seats[key], first, second)
    if results is None or counts is None:
        return NOT_PLAYED, "not played here", "not comparable"
    made = claim(next(iter(results.series.values())))
    better = "" if made.winner is None else row["first" if made.winner == first else "second"]
    said = f"{better} is better" if better else f"open: {made.verdict}"
    agrees = "open" if not better else "agrees" if better == row["winner"] else "differs"
    is_known = row["winner"] in (row["first"], row["second"])
    return " / ".join(map(str, counts)), said, agrees if is_known else "not comparable"


def _matches(seats: Mapping[str, Seats], found: StudyResults) -> Table:
    columns = ("first", "first_limit", "second", "second_limit", "games", "winner", "note")
    rows = [(*(quoted(row[name]) for name in columns), *_ours(row, seats, found)) for row in published("r5_matches")]
    heads = (
        "first | limit:published | second | limit:published | games:published | winner:published | "
        "its note:published | ours: win / draw / loss of the first | conclusion | agrees?"
    )
    note = (
        "Ours: both seats together. They agree if ours shows the report’s winner to be better; it is open if ours "
        "shows no difference (nor can the report’s single game). In the report’s draw no column was legal. The winner "
        "of the fourth match can’t be read."
    )
    return table("r5-matches", "The report’s matches, and ours", heads, rows, note)


def _scores(found: StudyResults) -> Table:
    """Tabulate the score of each side in each pairing, over both seats."""
    rows: list[tuple[Cell, ...]] = []
    for key, *players in PAIRINGS:
        results = found.results(key)
        for series in results.series.values() if results is not None else ():
            limited = dict(zip((side.spec for side in series.sides), series.sides, strict=True))
            names = [f"{name}, {limit}" for name, limit in players]
            scores = [USUAL.interval(limited[name]) or NOT_PLAYED for name in names]
            rows.append((*names, *scores, claim(series).verdict))
    heads = "first | second | score:percent | score of the second:percent | conclusion"
    return table("r5-scores", "The scores of these pairings", heads, rows or [(NOT_PLAYED,) * 5])


def _points(found: StudyResults) -> Table:
    """Tabulate measurements for the report's five points of comparison."""
    speeds = {}
    for name in ("mcts", "alphabeta"):
        measured = found.measured(f"speed-{name}")
        none: dict[str, list[Any]] = {"nodes": [0], "seconds": [1.0], "depths": [None]}
        timing: dict[str, list[Any]] = measured["timing"] if measured else none
        rate = sum(timing["nodes"]) / max(1e-9, sum(timing["seconds"]))
        speeds[name] = (rate, timing["depths"][0])
    fourth = found.results("fourth")
    series = next(iter(fourth.series.values())) if fourth is not None else None
    optimal = "–" if series is None else meeting_sentence(series)
    kept = {}
    for name in EQUAL:
        graded = read_grade(found, f"truth-{name}")
        rate = None if graded is None else graded.total.kept_rate
        kept[name] = "–" if rate is None else f"keeps the exact value in {shown('percent', rate)} of positions"
    settings = {name: len(agent(spec.format(1)).parameters()) for name, spec in EQUAL.items()}
    return table(
        "r5-points", "Five points of comparison", "point | Monte Carlo tree search | alpha–beta",
        [
            ("kind of game", "any game that can be played out at random; no evaluator needed",
             "two players, deterministic, perfect information; needs an evaluator at the horizon"),
            ("optimality", f"converges to the best move with simulations; {kept['mcts']}; at equal times: {optimal}",
             f"exact within its depth, beyond it as good as the evaluator; {kept['alphabeta']}"),
            ("efficiency", f"{shown('number', speeds['mcts'][0])} nodes a second",
             f"{shown('number', speeds['alphabeta'][0])} nodes a second; depth {speeds['alphabeta'][1]} from the empty "
             "board in the time given"),
            ("resources", "a tree that is kept between moves: tree_mb=128, 128 MB at most",
             "the current line; a transposition table only if enabled"),
            ("ease", f"{settings['mcts']} settings, the most important being c = √2",
             f"{settings['alphabeta']} settings: depth, order of moves, and the evaluator with its weights"),
        ],
        f"Values kept: at {shown('seconds', SECONDS * SHORTER[found.plan.scale])} a move, in positions with a "
        "choice of the truth set.",
    )  # fmt: skip


def _credit(found: StudyResults) -> tuple[Table, list[str]]:
    """Compare MCTS with the printed and the corrected credit, 400 rollouts, over both seats."""
    seats = results_by_seat(found, "credit")
    rows: list[tuple[Cell, ...]] = []
    won: dict[tuple[str, str], str] = {}
    for name in ("printed credit", "corrected credit"):
        for other in ("alpha-beta, depth 5", "random"):
            none = Series(CONNECT4, name, other)
            one, two = seats.get((name, other), none), seats.get((other, name), none)
            games = one.matches + two.matches
            wins = one.wins + two.losses
            won[name, other] = f"{wins} of {games}"
            rows.append((name, other, NOT_GIVEN, f"{wins} of {games}", (one.plies + two.plies) / max(1, games)))
    heads = "MCTS, 400 roll-outs | against | won:published | won here | plies:number"
    made = table(
        "r5-credit", "The cost of the credit error, both seats together", heads, rows,
        "With the printed credit a leaf counts as won after every roll-out, whoever won it: only games that end inside "
        "the tree distinguish moves.",
    )  # fmt: skip
    strong = "alpha-beta, depth 5"
    return made, [
        "R5’s MCTS ignores the winner of a roll-out: against its own alpha–beta it wins "
        f"{won['printed credit', strong]} with the printed credit and {won['corrected credit', strong]} with the "
        "corrected one."
    ]


def _speed(found: StudyResults) -> Table:
    """Compare the time of 20,000 rollouts with the report's."""
    rows: list[tuple[Cell, ...]] = []
    for name, key in (("its own search, compiled", "rollouts-printed"), ("mcts with defaults", "rollouts")):
        measured = found.measured(key)
        seconds: Cell = NOT_PLAYED if measured is None else measured["timing"]["seconds"][0]
        rows.append((name, "10–15", seconds, ROLLOUTS))
    heads = "search | seconds:published | ours:seconds | roll-outs:count"
    return table("r5-rollouts", "About 20,000 roll-outs from the empty board", heads, rows)


def _speed_sentence(found: StudyResults) -> Sequence[str]:
    """State the time of 20,000 rollouts."""
    measured = found.measured("rollouts-printed")
    if measured is None:
        return []
    seconds = shown("seconds", measured["timing"]["seconds"][0])
    return [f"Its search, compiled, runs {ROLLOUTS:,} roll-outs in {seconds}, where the report took 10–15 s."]
