"""r2: a baseline, minimax and a Q-learner that learns while it plays, in batches of 10, 100 and 1000 games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inarow.report.cells import Cell, Column, shown
from inarow.report.charts import cost_dots
from inarow.report.curves import Axis, Curve, curves
from inarow.report.page import Section
from inarow.report.sentences import rate_difference
from inarow.report.style import Figure
from inarow.report.tables import Table, table
from inarow.rules import CONNECT4, TICTACTOE, Game
from inarow.stats import wilson
from inarow.studies.framework.measurements import nodes_in_time
from inarow.studies.framework.study import Content, Experiment, Measurement, Plan, Study
from inarow.studies.framework.study_results import StudyResults
from inarow.studies.reports import reported
from inarow.studies.reports.published import published
from inarow.studies.reports.r2_learner import Batch, errors_sentences, errors_table, learners, trainings
from inarow.studies.reports.reported import NOT_PLAYED, quoted
from inarow.studies.sections.by_seat import Sitting, sittings

BASELINE = "baseline"
PRUNING = {"yes": "minimax, pruning", "no": "minimax, no pruning", "": ""}
"""Players by what the report says of pruning."""
OPPONENTS = (BASELINE, PRUNING["yes"])
"""Of the learner."""
_TTT = "depth=full,win=open"
_C4 = "depth=4,eval=runs,win=open"
PLAYERS: Mapping[Game, Mapping[str, str]] = {
    TICTACTOE: {
        BASELINE: "rules",
        PRUNING["yes"]: f"alphabeta:{_TTT},ordering=none",
        PRUNING["no"]: f"minimax:{_TTT}",
    },
    CONNECT4: {
        BASELINE: "rules",
        PRUNING["yes"]: f"alphabeta:{_C4},view=second,ordering=none",
        PRUNING["no"]: f"minimax:{_C4},view=second",
        "minimax, errors mended": "alphabeta:depth=4,eval=runs,ordering=none",
    },
}
STATED_STATES = {"with pruning": "266,382,448", "without": "180,474,193"}


class R2(Study):
    """The second report's experiments."""

    name = "r2"
    title = "R2 again: a baseline, minimax and a Q-learner that learns while it plays"
    summary = "the second report: baseline, minimax and a Q-learner that learns as it plays, 10, 100 and 1000 games"
    figure = "r2-connect4-learner"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        made: list[Experiment] = []
        for game, players in PLAYERS.items():
            # The first mover is drawn at random in the report; here each opening is played from both seats.
            pairs = plan.pick(50, 500)
            made.append(reported.tournament(f"{game.name}-baseline", game, players, pairs, plan, format="gauntlet"))
            made += trainings(game, {name: players[name] for name in OPPONENTS}, BASELINE, plan)
        for name, kind in (("with pruning", "alphabeta"), ("without", "minimax")):
            spec = f"{kind}:depth=6,eval=runs,win=open,view=second" + (",ordering=none" if kind == "alphabeta" else "")
            settings = {"agent": spec, "game": "connect4", "seconds": plan.pick(3, 30)}
            made.append(Measurement(f"states-{name.split()[0]}", nodes_in_time, settings, weight=100))
        return made

    def content(self, found: StudyResults) -> Content:
        seats = {game: sittings(found, f"{game.name}-baseline") for game in PLAYERS}
        tables = {game: _table(game, seats[game], found) for game in PLAYERS}
        outcomes = [made[0] for made in tables.values()]
        errors = errors_table(found, BASELINE)
        sentence, closing = reported.closing("r2", outcomes, _why(), _faults(seats), errors)
        sections = []
        for game, made in tables.items():
            sections.append(Section(game.title, (*made, *_figures(game, seats[game], found))))
        sections += [Section("States and run times", (_states(found), _run_times(seats))), *closing]
        lead = (
            "The report’s players with the report’s parameters, their errors included, from the empty board. The "
            "learner is written as the report’s, in plain Python: it starts knowing nothing and learns while it "
            "plays, first 10 games, then 100 more, then 1000 more."
        )
        return Content(lead, (sentence, *_sentences(seats), *errors_sentences(errors)), sections)


def _together(seats: Mapping[tuple[str, str], Sitting], a: str, b: str) -> Batch | None:
    """Both seats of two players, counted for ``b``."""
    one, two = seats.get((a, b)), seats.get((b, a))
    if one is None or two is None:
        return None
    games = one.games + two.games
    counts = (one.second_wins + two.first_wins, one.draws + two.draws, one.first_wins + two.second_wins)
    times = []
    for first, second in ((one.effort[0], two.effort[1]), (one.effort[1], two.effort[0])):
        times.append((first.seconds + second.seconds) / max(1, first.moves + second.moves))
    return Batch(*counts, (one.plies + two.plies) / games, (times[0], times[1]))


def _table(game: Game, seats: Mapping[tuple[str, str], Sitting], found: StudyResults) -> tuple[Table, Table]:
    learnt = learners(found, game, OPPONENTS)
    rows: list[tuple[Cell, ...]] = []
    for row in published(f"r2_{game.name}"):
        pruning = PRUNING[row["alpha_beta"]]
        if row["p2"] == "minimax":
            ours = _together(seats, BASELINE, pruning)
        else:
            ours = learnt[PRUNING["yes"] if pruning else BASELINE].get(int(row["games"]))
            unpruned = _together(seats, BASELINE, pruning) if row["alpha_beta"] == "no" else None
            if ours is not None and unpruned is not None:
                ours = ours._replace(seconds=(unpruned.seconds[1], ours.seconds[1]))
        name = f"{row['p1']} – {row['p2']}" + ({"yes": ", pruning", "no": ", no pruning"}.get(row["alpha_beta"], ""))
        theirs = f"{row['p1_score']} / {row['ties']} / {row['p2_score']}"
        quotes = [quoted(row[n]) for n in ("avg_moves", "p1_move_s", "p2_move_s")]
        if ours is None or not ours.games:
            rest: list[Cell] = [part for quote in quotes for part in (quote, NOT_PLAYED)]
            rows.append((row["match"], name, row["games"], theirs, NOT_PLAYED, NOT_PLAYED, "not played here", *rest))
            continue
        rate = wilson(ours.wins, ours.games)
        assert rate is not None
        figures: tuple[Cell, ...] = (ours.plies, *ours.seconds)
        rows.append(
            (
                row["match"], name, row["games"], theirs, f"{ours.losses} / {ours.draws} / {ours.wins}", rate,
                reported.count_agreement(row["p2_score"], row["games"], rate),
                *(part for pair in zip(quotes, figures, strict=True) for part in pair),
            )
        )  # fmt: skip
    heads = (
        "match", "players", Column("games", published=True), Column("p1 / ties / p2", published=True), "ours",
        Column("p2 wins, ours", "percent"), "agrees?", Column("moves", "number", published=True),
        Column("ours", "number"), Column("p1 s a move", "seconds", published=True), Column("ours", "seconds"),
        Column("p2 s a move", "seconds", published=True), Column("ours", "seconds"),
    )  # fmt: skip
    made = table(
        f"r2-{game.name}", f"{game.title}: every match-up", heads, rows,
        "Minimax chooses the same moves with and without pruning, so the learner’s rows against it share one run; its "
        "time a move without is that against the baseline. The learner’s time includes its learning.",
    )  # fmt: skip
    return reported.cut(made, 3, 7, f"{game.title}: moves and times")


def _figures(game: Game, seats: Mapping[tuple[str, str], Sitting], found: StudyResults) -> list[Figure]:
    times, moves = [], []
    for name in PLAYERS[game]:
        both = _together(seats, BASELINE, name) if name != BASELINE else None
        if both is not None:
            times.append((name, both.seconds[1]))
            moves.append((f"baseline – {name}", both.plies))
    lines = []
    for opponent, by_size in learners(found, game, OPPONENTS).items():
        known = [(size, batch) for size, batch in by_size.items() if batch.games]
        points = [(float(size), wilson(batch.wins, batch.games)) for size, batch in known]
        lines.append(Curve(f"against {opponent}", [(at, rate) for at, rate in points if rate is not None]))
        moves += [(f"{opponent} – learner, {size} games", batch.plies) for size, batch in known]
        times += [(f"learner against {opponent}", known[-1][1].seconds[1])] if known else []
    ends: dict[str, dict[int, int]] = {}
    for record in found.records(f"{game.name}-baseline"):
        if record.result in ("first", "second"):
            total = len(record.all_moves)
            won = (total + 1) // 2 if record.result == "first" else total // 2
            ends.setdefault(f"{record.result} player won", {})[total] = won
    winners = [Curve(name, [(float(t), float(w)) for t, w in sorted(by.items())]) for name, by in sorted(ends.items())]
    key = f"r2-{game.name}"
    return [
        cost_dots(f"{key}-time", f"{game.title}: time a move", times, "time a move", "seconds"),
        cost_dots(f"{key}-moves", f"{game.title}: moves a game", moves, "moves a game"),
        curves(
            f"{key}-learner", f"{game.title}: the learner’s wins, batch by batch",
            Axis("games in the batch", "count", log=True),
            Axis("share of wins", "percent", low=-3, high=103), lines, "Bands: 95 % intervals.",
        ),
        curves(
            f"{key}-winner", f"{game.title}: total moves against the winner’s moves", Axis("moves of both", whole=True),
            Axis("moves of the winner", whole=True), winners,
            "The winner made half of all moves, rounded up for the first player: the report’s plot shows no more.",
        ),
    ]  # fmt: skip


def _states(found: StudyResults) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, stated in STATED_STATES.items():
        measured = found.measured(f"states-{name.split()[0]}")
        timing = measured["timing"] if measured else None
        ours: tuple[Cell, ...] = (
            (timing["seconds"], timing["nodes"], timing["nodes"] / timing["seconds"], timing["moves"])
            if timing else (NOT_PLAYED,) * 4
        )  # fmt: skip
        rows.append((f"depth 6, {name}", stated, "1,800", *ours))
    heads = (
        "search", Column("states", published=True), Column("seconds", published=True), Column("our time", "seconds"),
        Column("nodes", "count"), Column("nodes a second", "number"), Column("moves decided", "count"),
    )  # fmt: skip
    return table(
        "r2-states", "States explored in a given time", heads, rows,
        "The report’s run of 30 minutes is run for a shorter time here, as stated. It reads its figures as pruning "
        "saving states; they are of equal times, so they only say how many states a second each visits. What pruning "
        "saves is in the last column: how many moves were decided in the same time.",
    )  # fmt: skip


def _run_times(seats: Mapping[Game, Mapping[tuple[str, str], Sitting]]) -> Table:
    stated = (
        (TICTACTOE, "minimax, pruning", "minimax, 10 games", 10, "0.23", 1),
        (TICTACTOE, "minimax, pruning", "minimax, 1,000 games", 1000, "24.6", 1),
        (CONNECT4, "minimax, pruning", "minimax, 1,000 games", 1000, "18.37", 1),
        (CONNECT4, "minimax, pruning", "baseline, 1,000 games", 1000, "0.23", 0),
    )
    rows: list[tuple[Cell, ...]] = []
    for game, player, what, games, theirs, side in stated:
        both = _together(seats[game], BASELINE, player)
        ours: Cell = NOT_PLAYED if both is None else both.seconds[side] * both.plies / 2 * games
        rows.append((game.title, what, theirs, ours))
    heads = ("game", "what", Column("seconds", published=True), Column("ours", "seconds"))
    return table("r2-run-times", "Run times", heads, rows, "Ours: time a move × moves × games.")


def _sentences(seats: Mapping[Game, Mapping[tuple[str, str], Sitting]]) -> list[str]:
    said = []
    as_run = _together(seats[CONNECT4], BASELINE, PRUNING["yes"])
    mended = _together(seats[CONNECT4], BASELINE, "minimax, errors mended")
    if as_run is not None and mended is not None:
        a, b = (wilson(batch.wins, batch.games) for batch in (mended, as_run))
        if a is not None and b is not None and rate_difference(a, b).low > 0:
            said.append(
                f"Connect 4: with its two errors mended, R2’s minimax wins {shown('percent', a)} against the baseline; "
                f"as reported it wins {shown('percent', b)}."
            )
    return said


def _why() -> str:
    return (
        "Where rates differ: the report does not say which of depths 4 to 6 its batches used (4 here), nor what its "
        "learner explores when the centre is taken (any move here). Times of minimax differ because it is compiled "
        "here."
    )


def _faults(seats: Mapping[Game, Mapping[tuple[str, str], Sitting]]) -> Table:
    rates = []
    for name in ("minimax, pruning", "minimax, errors mended"):
        both = _together(seats[CONNECT4], BASELINE, name)
        rate = wilson(both.wins, both.games) if both is not None else None
        rates.append("–" if rate is None else shown("percent", rate))
    return reported.faults(
        "r2-errors", "R2",
        [
            ("A Connect 4 win scores open columns + 1, at most 8: less than a single open three (10). Leaves are "
             "evaluated for the side to move there while O always maximises, so one seat is inverted.",
             f"As reported (win=open, view=second) it wins {rates[0]} against the baseline; mended, {rates[1]}."),
            ("The learner’s reward adds for the opponent’s threes and twos. Column 0 is never updated (0 read as "
             "“none”), Connect 4 has no terminal update, and a win or block sets Q to 100 or 80 outright.",
             "All four are rebuilt here as switches; the table below has what mending each of them changes."),
            ("More states with pruning than without in 30 minutes is read as a saving.",
             "It is the speed of visiting them: see the table of states."),
            ("The Tic Tac Toe text quotes 615–385 and “no ties” for Tic Tac Toe.",
             "615–385 is Connect 4’s; the Tic Tac Toe table has 6 ties in its first row."),
        ],
    )  # fmt: skip
