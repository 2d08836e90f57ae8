"""r5: Monte Carlo tree search against alpha–beta on Connect 4, run properly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from inarow.agents import agent
from inarow.match import claim
from inarow.match.claims import USUAL
from inarow.report.cells import Blank, Cell, Column, shown
from inarow.report.charts import Bar, outcome_bars
from inarow.report.curves import Axis, Curve, curves
from inarow.report.page import Section
from inarow.report.sentences import meeting_sentence
from inarow.report.style import Figure
from inarow.report.tables import Table, table
from inarow.reproductions import verdicts
from inarow.reproductions.published import published
from inarow.reproductions.r5 import printed as r5_printed
from inarow.reproductions.reported import NOT_PLAYED, faults, quoted
from inarow.rules import CONNECT4
from inarow.studies.framework.line_ups import tournament
from inarow.studies.framework.measurements import grade, think
from inarow.studies.framework.study import Content, Experiment, Measurement, Plan, Study
from inarow.studies.framework.study_results import StudyResults
from inarow.studies.sections import tournament_sections
from inarow.studies.sections.accuracy import read_grade
from inarow.studies.sections.by_seat import SeatResults, results_by_seat

SHORTER = {"quick": 0.01, "full": 0.1}
"""Of the report's seconds, what is given here."""
OPENINGS = "random:2"
"""From the empty board most matches of these players would be the same."""
NO_WIN = {
    "a win is worth most": "alphabeta:depth=6,eval=threes",
    "a win is worth no more than a three": "alphabeta:depth=6,eval=threes,win=1,sooner=off",
    "win-block-random": "rules",
}
"""Alpha–beta with a value for a win, and nearly as the report has it: without."""
EQUAL = {"mcts": "mcts:seconds={:g},draw=loss,solve=off", "alphabeta": "alphabeta:seconds={:g},eval=threes"}
"""The two players at equal times, by the seconds to be filled in."""
SECONDS = 3
PAIRINGS = (
    # Key, the report's players with their limits, as (name, limit).
    ("first", ("alpha-beta", "depth 5"), ("MCTS", "8 s")),
    ("second", ("MCTS", "1 s"), ("alpha-beta", "depth 6")),
    ("third", ("MCTS", "3 s"), ("alpha-beta", "depth 8")),
    ("fourth", ("MCTS", "3 s"), ("alpha-beta", "3 s")),
)


def _spec(name: str, limit: str, share: float) -> str:
    """The player of a name and limit; its seconds are cut to a share."""
    amount, unit = limit.split()[::-1] if limit.startswith("depth") else limit.split()
    if name == "MCTS":
        return EQUAL["mcts"].format(float(amount) * share)
    if unit == "depth":
        return f"alphabeta:depth={amount},eval={'windows' if amount == '5' else 'threes'}"
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
        made.append(tournament("no-win", CONNECT4, NO_WIN, plan.pick(10, 15), plan, openings=OPENINGS))
        others = {"one-ply": "greedy", "random": "random"}
        made.append(tournament("one-ply", CONNECT4, others, plan.pick(25, 50), plan, with_self=True))
        for name, spec in (
            ("mcts", f"mcts:seconds={10 * share:g}"),
            ("alphabeta", f"alphabeta:seconds={10 * share:g}"),
        ):
            settings = {"agent": spec, "game": "connect4", "positions": ["", "44", "4444", "444444"]}
            made.append(Measurement(f"speed-{name}", think, settings, weight=20))
        for name, spec in EQUAL.items():
            timed = spec.format(share * SECONDS)
            graded = {"agent": timed, "game": "connect4", "count": plan.pick(30, 50), "seed": plan.seed}
            made.append(Measurement(f"truth-{name}", grade, graded, weight=30))
        return [*made, *r5_printed.experiments(plan)]

    def content(self, found: StudyResults) -> Content:
        seats = {key: results_by_seat(found, key) for key, *_ in PAIRINGS}
        seats["one-ply"] = results_by_seat(found, "one-ply")
        said = []
        for key, *_ in PAIRINGS:
            results = found.results(key)
            if results is not None:
                said += [meeting_sentence(series) for series in results.series.values()]
        matches = _matches(seats, found)
        shown_by = Counter(str(row[-1]) for row in matches.rows)
        kinds = {"agrees": "agree", "differs": "differ", "open": "no difference shown by ours"}
        counts = [(words, shown_by[kind]) for kind, words in kinds.items()]
        agree, differ, still_open = (count for _, count in counts)
        words = f"ours agrees with {agree}, differs from {differ}, and shows no difference in {still_open}."
        said.insert(0, f"Of the published winners, {words}")
        agreements = table(
            "r5-agreement", "Published winners against ours", ("winner", Column("matches", "count")), counts
        )
        bars = [
            Bar(f"{a} – {b}", s.first_wins, s.draws, s.second_wins)
            for key, *_ in PAIRINGS
            for (a, b), s in seats[key].items()
        ]
        printed = verdicts.judged([r5_printed.matches(found)])
        logs, (credit, finding) = r5_printed.logs(found), r5_printed.credit(found)
        sentence, closing = verdicts.closing("R5", (*printed, logs), _faults(), *_no_win(found))
        said = [*finding, *r5_printed.speed_sentence(found), sentence, *said]
        sections = [
            Section("As printed", (*printed, logs, credit, r5_printed.speed(found))),
            Section(
                "Matches, run properly",
                (
                    matches,
                    _scores(found),
                    agreements,
                    outcome_bars("r5-outcomes", "First player’s outcomes by pairing and seat", bars),
                ),
            ),
            Section("Five points", (_points(found, seats), _speed_figure(found))),
            *closing,
            Section("What the report does not state", (r5_printed.unstated_table(),)),
        ]
        share = SHORTER[found.plan.scale]
        lead = (
            "The report’s matches with its players as printed; and with the players mended, several times, from both "
            "seats and after two random plies, without which the same match would be repeated. Limits in seconds "
            f"are {shown('percent', share)} of the report’s: these players are compiled, and do more in that time. "
            "Each player is named by the report’s own limit."
        )
        return Content(lead, said, sections)


def _matches(seats: Mapping[str, Mapping[tuple[str, str], SeatResults]], found: StudyResults) -> Table:
    keys = {(first, second): key for key, first, second in PAIRINGS}
    rows: list[tuple[Cell, ...]] = []
    for row in published("r5_matches"):
        a, b = (row["first"], row["first_limit"]), (row["second"], row["second_limit"])
        head: tuple[Cell, ...] = (
            row["first"], quoted(row["first_limit"]), row["second"], quoted(row["second_limit"]), quoted(row["games"]),
            quoted(row["winner"]), quoted(row["note"]),
        )  # fmt: skip
        key = keys.get((a, b))
        if row["first"] == "one-ply":
            seated = seats["one-ply"].get(("one-ply", "random"))
            mirror = seats["one-ply"].get(("one-ply", "one-ply"))
            one = "–" if mirror is None else mirror.counts(0)
            two = "–" if seated is None else seated.counts(0)
            ours = f"one-ply – one-ply {one}; one-ply – random {two}"
            rows.append((*head, ours, "the heading differs from what was run", "not comparable"))
            continue
        if key is None:
            rows.append(
                (
                    *head,
                    Blank("a person played; `inarow play connect4 human mcts` plays it"),
                    "not played",
                    "not comparable",
                )
            )
            continue
        names = tuple(f"{name}, {limit}" for name, limit in (a, b))
        one_way, other = seats[key].get((names[0], names[1])), seats[key].get((names[1], names[0]))
        if one_way is None or other is None:
            rows.append((*head, NOT_PLAYED, "not played here", "not comparable"))
            continue
        counts = f"{one_way.first_wins + other.second_wins} / {one_way.draws + other.draws} / "
        counts += str(one_way.second_wins + other.first_wins)
        results = found.results(key)
        series = next(iter(results.series.values())) if results is not None else None
        made = claim(series) if series is not None else None
        better = "" if made is None or made.winner is None else row["first" if made.winner == names[0] else "second"]
        said = f"{better} is better" if better else f"open: {made.verdict if made else NOT_PLAYED.reason}"
        agrees = "open" if not better else "agrees" if better == row["winner"] else "differs"
        is_known = row["winner"] in (row["first"], row["second"])
        rows.append((*head, counts, said, agrees if is_known else "not comparable"))
    heads = (
        "first", Column("limit", published=True), "second", Column("limit", published=True),
        Column("games", published=True), Column("winner", published=True), Column("its note", published=True),
        "ours: win / draw / loss of the first", "what ours shows", "agrees?",
    )  # fmt: skip
    note = (
        "Ours: both seats together. It agrees where ours shows the report’s winner to be the better one, and is open "
        "where ours shows no difference: one game, as the report played, shows none either. Its draw was no game: no "
        "column was legal. The winner of the fourth match can’t be read."
    )
    return table("r5-matches", "The report’s matches, and ours", heads, rows, note)


def _scores(found: StudyResults) -> Table:
    """The score of each side in each pairing, both seats together."""
    rows: list[tuple[Cell, ...]] = []
    for key, *players in PAIRINGS:
        results = found.results(key)
        for series in results.series.values() if results is not None else ():
            limited = dict(zip((side.spec for side in series.sides), series.sides, strict=True))
            names = [f"{name}, {limit}" for name, limit in players]
            scores = [USUAL.interval(limited[name]) or NOT_PLAYED for name in names]
            rows.append((*names, *scores, claim(series).verdict))
    heads = ("first", "second", Column("score", "percent"), Column("score of the second", "percent"), "what it shows")
    return table("r5-scores", "The scores of these pairings", heads, rows or [(NOT_PLAYED,) * 5])


def _points(found: StudyResults, seats: Mapping[str, Mapping[tuple[str, str], SeatResults]]) -> Table:
    """The report's five points of comparison, from what was measured."""
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
        "r5-points", "Five points of comparison", ("point", "Monte Carlo tree search", "alpha–beta"),
        [
            ("kind of game", "any game that can be played to its end at random; no evaluator was needed",
             "two players, no chance, all seen; it needs an evaluator where it stops"),
            ("optimality", f"nears the best move as simulations grow; {kept['mcts']}; at equal times: {optimal}",
             f"exact within its depth, beyond that only as good as the evaluator; {kept['alphabeta']}"),
            ("efficiency", f"{shown('number', speeds['mcts'][0])} nodes a second",
             f"{shown('number', speeds['alphabeta'][0])} nodes a second; depth {speeds['alphabeta'][1]} from the empty "
             "board in the time given"),
            ("resources", "a tree that is kept between moves: memory=128 MB at most",
             "the line under search; a table only if switched on"),
            ("ease", f"{settings['mcts']} settings, of which one matters most: c = √2",
             f"{settings['alphabeta']} settings: depth, order of moves, and the evaluator with its weights"),
        ],
        f"Values kept: at {shown('seconds', SECONDS * SHORTER[found.plan.scale])} a move, in positions of the truth "
        "set where it matters what is played.",
    )  # fmt: skip


def _speed_figure(found: StudyResults) -> Figure:
    lines = []
    for name, label in (("mcts", "MCTS"), ("alphabeta", "alpha–beta")):
        measured = found.measured(f"speed-{name}")
        if measured is not None:
            nodes, seconds = measured["timing"]["nodes"], measured["timing"]["seconds"]
            points = [(2.0 * i, n / max(1e-9, s)) for i, (n, s) in enumerate(zip(nodes, seconds, strict=True))]
            lines.append(Curve(label, points))
    return curves(
        "r5-speed", "Nodes a second", Axis("stones on the board", whole=True), Axis("nodes a second", log=True), lines
    )


def _no_win(found: StudyResults) -> tuple[Table, ...]:
    """What alpha–beta is without a value for a win."""
    results = found.results("no-win")
    if results is None:
        return ()
    made = tournament_sections.meetings(results, "r5-no-win")
    return (replace(made, title="Alpha–beta, depth 6, with and without a value for a win"),)


def _faults() -> Table:
    return faults(
        "r5-errors", "R5",
        [
            ("The board was filled with '0' strings, so that no column was legal: a draw at once.",
             "An empty cell is one thing here, and a match without a legal move can’t begin."),
            ("MCTS credits every leaf with a win, whoever won the roll-out, also after a draw.",
             "faults=leaf-credit: the table “what the credit error costs”."),
            ("Alpha–beta returned a score where a column was expected.", "faults=score-as-move: it plays column 0."),
            ("Alpha–beta of its first match is plain minimax that knows only X’s fours; the turn never changes.",
             "Not rebuilt: that match ended before a move."),
            ("Against a person a full board hangs alpha–beta, and MCTS calls who fills it the winner.",
             "A full board is a draw here."),
            ("The text has c between 0 and 1, the code √2.", "c = √2, as the code."),
            ("Its evaluation had no value for a win.", "A finished game is worth more than any evaluation: the table "
             "below has both."),
            ("MCTS was never told the moves, so it searched the empty board each turn.",
             "faults=untold. Its visits add up: in match 3 it drops into one column, by the credit error nearly any, "
             "until it has four or the column is full; in match 2, with fewer roll-outs, it mostly changes column."),
            ("Its discussion says that alpha–beta suits deterministic games, and then recommends MCTS.",
             "The table “five points of comparison” has what was measured."),
            ("Match 4’s evaluation has a vertical test that gravity makes impossible.",
             "eval=threes counts three upright stones with the cell above them free."),
            ("One-ply against itself is headed “simple vs random”.", "Both are played: the table of matches."),
            ("Against a person its roll-outs and time are kept but not shown.",
             "`inarow decide` shows them."),
            ("Against a person MCTS fails on a word, and makes a move more after its win.",
             "Wrong input is asked again; a match that is over is over."),
        ],
    )  # fmt: skip
