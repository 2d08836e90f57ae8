"""r2: a baseline, minimax and a Q-learner that learns while it plays, in batches of 10, 100 and 1000 games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inarow.report.cells import Blank, Cell, Column, shown
from inarow.report.page import Section
from inarow.report.tables import Table, table
from inarow.reproductions import verdicts
from inarow.reproductions.published import published
from inarow.reproductions.r2 import learning as r2_learning
from inarow.reproductions.r2.costs import figures, run_times, state_measurements, states, times_table
from inarow.reproductions.r2.errors import fault_table, unstated_table
from inarow.reproductions.r2.learning import (
    BASELINE,
    CARRIED,
    FRESH,
    OPPONENTS,
    SECOND,
    Batch,
    batch,
    errors_sentences,
    errors_table,
    runs,
)  # fmt: skip
from inarow.rules import CONNECT4, TICTACTOE, Game
from inarow.stats import same_shares, wilson
from inarow.studies.framework.line_ups import tournament
from inarow.studies.framework.study import Content, Experiment, Plan, Study
from inarow.studies.framework.study_results import StudyResults
from inarow.studies.sections.by_seat import SeatResults, results_by_seat

MENDED = "minimax, mended"
_MENDED = {
    TICTACTOE: "alphabeta:preset=r2,letter=o",
    CONNECT4: "alphabeta:preset=r2,letter=o,view=searcher,win=1000000",
}
DEPTHS: Mapping[Game, Mapping[str, str]] = {
    TICTACTOE: {"": ""},
    CONNECT4: {" depth 4": ",depth=4", " depth 5": ",depth=5"},
}
PRUNING = {"yes": "minimax, pruning", "no": "minimax, no pruning"}
PLAYERS: Mapping[Game, Mapping[str, str]] = {
    game: {
        BASELINE: "rules:preset=r2",
        **{
            f"{PRUNING[said]}{depth}": f"{kind}:preset=r2,letter=o{given}"
            for said, kind in (("yes", "alphabeta"), ("no", "minimax"))
            for depth, given in DEPTHS[game].items()
        },
        **({MENDED: _MENDED[game]} if game == CONNECT4 else {}),
    }
    for game in (TICTACTOE, CONNECT4)
}
"""Minimax is player 2, so O."""
TIES = ", ties counted for player 2"
Readings = dict[str, tuple[int, int, int]]


class R2(Study):
    """The second report's experiments."""

    name = "r2"
    title = "R2 again: a baseline, minimax and a Q-learner that learns while it plays"
    summary = "the second report: baseline, minimax and a Q-learner that learns as it plays, 10, 100 and 1000 games"
    figure = "r2-connect4-time"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        made: list[Experiment] = []
        for game, players in PLAYERS.items():
            # The first mover is drawn at random in the report; here each pair has both seats.
            pairs = plan.pick(60, 500)
            made.append(tournament(f"{game.name}-baseline", game, players, pairs, plan, format="gauntlet"))
        return [*made, *r2_learning.experiments(plan), *state_measurements(plan)]

    def content(self, found: StudyResults) -> Content:
        seats = {game: results_by_seat(found, f"{game.name}-baseline") for game in PLAYERS}
        groups, details = [], []
        for game in PLAYERS:
            group, every = _outcomes(game, seats[game], found)
            groups.append(group)
            details.append(every)
        depths, neither = depths_table(details[-1])
        tables = verdicts.judged(groups)
        errors = errors_table(found)
        sentence, closing = verdicts.closing("R2", tables, fault_table(), errors)
        sections = []
        for game, made, every in zip(PLAYERS, tables, details, strict=True):
            rows = published(f"r2_{game.name}")
            printed = [_first_batch(game, seats[game], found, row) for row in rows]
            costs = times_table(game, printed, [_correct_batch(game, seats[game], found, row) for row in rows])
            sections.append(Section(game.title, (made, every, costs, *figures(game, found))))
        inverted, said = _seats_table(found, seats[CONNECT4])
        sections += [
            Section("Which depth fits", (depths,)),
            Section("One seat is inverted", (inverted,)),
            Section("States and run times", (states(found), run_times(found, seats))),
            *closing,
            Section("What the report does not state", (unstated_table(),)),
        ]
        lead = (
            "The report’s printed program, with its errors, from the empty board; beside it the published figures, on "
            "a tinted background, and the same players without the errors. The learner starts knowing nothing and "
            "learns while it plays."
        )
        return Content(lead, (*said, *neither, sentence, *errors_sentences(errors)), sections)


def together(seats: Mapping[tuple[str, str], SeatResults], a: str, b: str) -> Batch | None:
    """Both seats of two players, counted for ``b``."""
    one, two = seats.get((a, b)), seats.get((b, a))
    if one is None or two is None:
        return None
    games = one.matches + two.matches
    counts = (one.second_wins + two.first_wins, one.draws + two.draws, one.first_wins + two.second_wins)
    times = []
    for first, second in ((one.effort[0], two.effort[1]), (one.effort[1], two.effort[0])):
        times.append((first.seconds + second.seconds) / max(1, first.moves + second.moves))
    return Batch(*counts, (one.plies + two.plies) / games, (times[0], times[1]))


def _batches(
    game: Game, seats: Mapping[tuple[str, str], SeatResults], found: StudyResults, row: Mapping[str, str]
) -> dict[str, list[Batch]]:
    """What the printed program gives for a published row, by reading, in each of its runs."""
    known: dict[str, list[Batch]] = {}
    if row["p2"] == "minimax":
        for depth in DEPTHS[game]:
            name = f"{PRUNING[row['alpha_beta']]}{depth}"
            made = together(seats, BASELINE, name)
            known[name] = [] if made is None else [made]
    else:
        for opponent in OPPONENTS[game]:
            if (opponent == BASELINE) == (row["p1"] == "baseline"):
                for reading in (FRESH, CARRIED, SECOND):
                    known[f"{opponent}: {reading}"] = runs(found, game, opponent, reading, int(row["games"]))
    return {name: batches for name, batches in known.items() if any(one.matches for one in batches)}


def _first_batch(
    game: Game, seats: Mapping[tuple[str, str], SeatResults], found: StudyResults, row: Mapping[str, str]
) -> Batch | None:
    """The first run of a row's first reading."""
    return next((batches[0] for batches in _batches(game, seats, found, row).values()), None)


def _outcomes(
    game: Game, seats: Mapping[tuple[str, str], SeatResults], found: StudyResults
) -> tuple[verdicts.Group, Table]:
    """The published rows with the reading that fits best, and a table of all readings."""
    rows, every = [], []
    for row in published(f"r2_{game.name}"):
        name = f"{row['p1']} – {row['p2']}" + ({"yes": ", pruning", "no": ", no pruning"}.get(row["alpha_beta"], ""))
        theirs = (int(row["p1_score"]), int(row["ties"]), int(row["p2_score"]))
        readings: Readings = {}
        for reading, batches in _batches(game, seats, found, row).items():
            readings[reading] = _closest(theirs, [one.counts for one in batches])
            if game == CONNECT4:
                counted = [(one.losses, 0, one.draws + one.wins) for one in batches]
                readings[reading + TIES] = _closest(theirs, counted)
        fits = {reading: same_shares(theirs, counts) for reading, counts in readings.items()}
        best = max(fits, key=fits.__getitem__, default="")
        labels = (row["match"], name, row["games"])
        correct = _correct(game, seats, found, row)
        text = f"{theirs[0]} / {theirs[1]} / {theirs[2]}"
        how = best if len(fits) == 1 else f"the best of {len(fits)} readings: {best}"
        rows.append(verdicts.Row(labels, text, theirs, readings.get(best), correct, how))
        for reading, counts in readings.items():
            every.append((*labels, text, reading, verdicts.shares_text(counts), fits[reading]))
    notes = (
        "Readings: a learner fresh or carried over, which is not stated; in Connect 4 depth 5, as the report’s table "
        "of parameters says, or 4, as its code. A row is within chance if one reading allows it; the table of every "
        "reading shows that none allows all of them. A learner’s runs differ by more than chance in their games: of "
        f"{found.plan.pick(2, 5)} runs of each reading the one is shown that is closest to the published row."
    )
    group = verdicts.Group(
        f"r2-{game.name}", f"{game.title}: player 1 / ties / player 2", ("match", "players", "games"), rows, (notes,)
    )
    heads = (
        "match", "players", Column("games", published=True), Column("p1 / ties / p2", published=True), "reading",
        "printed program, run again", Column("p, not corrected", "number"),
    )  # fmt: skip
    return group, table(f"r2-{game.name}-readings", f"{game.title}: every reading", heads, every or [("–",) * 7])


def _closest(theirs: tuple[int, int, int], ours: Sequence[tuple[int, int, int]]) -> tuple[int, int, int]:
    """The run whose shares differ least from the published ones."""
    return max(ours, key=lambda counts: same_shares(theirs, counts))


def depths_table(every: Table) -> tuple[Table, list[str]]:
    """How many published Connect 4 rows of minimax each depth allows, from the table of every reading."""
    rows: list[tuple[Cell, ...]] = []
    most = 0
    for depth in ("depth 4", "depth 5"):
        for ties in ("", TIES):
            counts: list[Cell] = []
            for players in ("baseline – minimax", "minimax – qlearning"):
                best: dict[str, float] = {}
                for match, name, _, _, reading, _, p in every.rows:
                    fits = depth in str(reading) and str(reading).endswith(TIES) == bool(ties)
                    if str(name).startswith(players) and fits and isinstance(p, float):
                        best[str(match)] = max(p, best.get(str(match), 0.0))
                counts += [sum(p >= verdicts.LEVEL for p in best.values()), len(best)]
            most = max(most, int(str(counts[0])) + int(str(counts[2])))
            rows.append((f"{depth}{ties}", *counts))
    heads: list[Column | str] = ["reading"]
    for players in ("baseline – minimax", "minimax – learner"):
        heads += [Column(f"{players}: rows allowed", "count"), Column("of", "count")]
    made = table(
        "r2-depths", "Connect 4: published rows that each depth allows", heads, rows,
        "A row is allowed if p, not corrected, is at least 0.05 for one of the learner’s readings. The report’s table "
        "of parameters has depth 5, its code’s default is 4. No published Connect 4 row has a tie.",
    )  # fmt: skip
    one, two = (max(rows, key=lambda row: int(str(row[place]))) for place in (1, 3))
    if not 0 < most < int(str(one[2])) + int(str(two[4])):
        return made, []
    return made, [
        f"No depth allows all of R2’s Connect 4 rows: baseline – minimax fits best with {one[0]} ({one[1]} of {one[2]} "
        f"rows), minimax – learner with {two[0]} ({two[3]} of {two[4]} rows)."
    ]


def _correct(
    game: Game, seats: Mapping[tuple[str, str], SeatResults], found: StudyResults, row: Mapping[str, str]
) -> tuple[int, int, int] | str | None:
    if game == TICTACTOE:
        return verdicts.SAME
    made = _correct_batch(game, seats, found, row)
    return None if made is None or not made.matches else made.counts


def _correct_batch(
    game: Game, seats: Mapping[tuple[str, str], SeatResults], found: StudyResults, row: Mapping[str, str]
) -> Batch | None:
    """The players of a row without their errors; Tic Tac Toe's have none."""
    if game == TICTACTOE:
        return _first_batch(game, seats, found, row)
    if row["p2"] == "minimax":
        return together(seats, BASELINE, MENDED)
    opponent = BASELINE if row["p1"] == "baseline" else "minimax depth 4"
    return batch(found, game, opponent, FRESH, int(row["games"]), r2_learning.ALL_MENDED)


def _seats_table(found: StudyResults, seats: Mapping[tuple[str, str], SeatResults]) -> tuple[Table, list[str]]:
    """Minimax against the baseline by letter and depth: right for one letter, inverted for the other."""
    rows: list[tuple[Cell, ...]] = []
    rates = {}
    for depth in (" depth 4", " depth 5"):
        made = together(seats, BASELINE, f"{PRUNING['yes']}{depth}")
        rate = None if made is None else wilson(made.wins, made.matches)
        rates[depth] = rate
        right = "the right way round" if depth == " depth 4" else "inverted"
        rows.append((f"minimax (O){depth}", right, rate or Blank(verdicts.NOT_RUN)))
    made = together(seats, BASELINE, MENDED)
    mended = None if made is None else wilson(made.wins, made.matches)
    rows.append((MENDED, "for who searches", mended or Blank(verdicts.NOT_RUN)))
    heads = ("player", "leaves are evaluated", Column("wins against the baseline", "percent"))
    note = (
        "O always maximises while leaves are evaluated for the side to move there. For X it is the other way: depth 5 "
        "is right and depth 4 inverted."
    )
    table_made = table("r2-inverted", "Connect 4: one seat is inverted", heads, rows, note)
    four, five = rates[" depth 4"], rates[" depth 5"]
    if four is None or five is None or mended is None:
        return table_made, []
    return table_made, [
        f"One seat is inverted: as O, R2’s Connect 4 minimax wins {shown('percent', four)} against the baseline at "
        f"depth 4 and {shown('percent', five)} at depth 5, one ply deeper; with leaves and wins mended it wins "
        f"{shown('percent', mended)}."
    ]
