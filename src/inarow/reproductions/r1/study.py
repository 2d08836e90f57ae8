"""r1: minimax and Q-learning against a semi-intelligent opponent and each other, on both games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inarow.report.cells import Cell, Column, shown
from inarow.report.charts import Bar, cost_dots, outcome_bars
from inarow.report.page import Section
from inarow.report.sentences import rate_difference
from inarow.report.style import Figure
from inarow.report.tables import Table, table
from inarow.reproductions import verdicts
from inarow.reproductions.published import published
from inarow.reproductions.r1 import players as r1_players
from inarow.reproductions.r1.errors import (
    fault_table,
    self_play_table,
    self_play_trainings,
    symmetry_table,
    symmetry_trainings,
    unstated_table,
)  # fmt: skip
from inarow.reproductions.r1.players import (
    ADDS,
    DEFAULT,
    FIRST_TABLE,
    MENDED,
    OPPONENT,
    PLAYERS,
    SECOND_TABLE,
    UNTRAINED,
    correct_one,
)  # fmt: skip
from inarow.reproductions.r1.states import MET, matches_table, state_table, table_matches
from inarow.reproductions.reported import NOT_GIVEN, NOT_PLAYED, quoted
from inarow.rules import CONNECT4, TICTACTOE, Game
from inarow.studies.framework.study import Content, Experiment, Plan, Study
from inarow.studies.framework.study_results import StudyResults
from inarow.studies.sections.by_seat import SeatResults, results_by_seat
from inarow.studies.sections.trainings import curve_figure

Seats = Mapping[tuple[str, str], SeatResults]
BOTH = {TICTACTOE: SECOND_TABLE, CONNECT4: FIRST_TABLE}
"""The seat that the report's trained learner has in table 1."""


COSTS = {
    "avg_moves_first": "moves, first", "avg_moves_second": "moves, second", "time_per_move_first_s": "s a move, first",
    "time_per_move_second_s": "s a move, second", "game_s": "s a game",
}  # fmt: skip
"""What table 2 says of each side."""


class R1(Study):
    """The first report's experiments."""

    name = "r1"
    title = "R1 again: minimax and Q-learning against a default opponent and each other"
    summary = "the first report: minimax and Q-learning against a default opponent and each other"
    figure = "r1-connect4-bars"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        return [
            *r1_players.experiments(plan),
            *table_matches(plan),
            *symmetry_trainings(plan),
            *self_play_trainings(plan),
        ]

    def content(self, found: StudyResults) -> Content:
        against = {game: results_by_seat(found, f"{game.name}-default") for game in PLAYERS}
        meeting = {game: results_by_seat(found, f"{game.name}-each-other") for game in PLAYERS}
        first, second = verdicts.judged([_against_default(against), _each_other(meeting)])
        states, (matches, played) = state_table(found), matches_table(found)
        adds, finding = _what_training_adds(results_by_seat(found, ADDS))
        sentence, closing = verdicts.closing(
            "R1", (first, second, states), fault_table(found), symmetry_table(found), self_play_table(found)
        )
        sections = [
            Section("Against the default opponent", (first, _costs_of_table_1(against), *_bars(against))),
            Section("Minimax against Q-learning", (second, _costs_of_table_2(meeting), _other_readings(meeting))),
            Section("States, to the state", (states, matches)),
            Section("What training adds", (adds, *_training(found))),
            Section("Moves, states and time", tuple(_costs(against))),
            *closing,
            Section("What the report does not state", (unstated_table(),)),
        ]
        lead = (
            "The report’s printed program, with its errors, from the empty board and in the report’s seats; beside it "
            "the published figures, on a tinted background, and the same players without the errors."
        )
        return Content(lead, (*finding, _states_sentence(states), *played, sentence), sections)


def _counts(seated: SeatResults | None, seat: int) -> tuple[int, int, int] | None:
    if seated is None:
        return None
    wins, losses = (seated.first_wins, seated.second_wins)[:: -1 if seat else 1]
    return wins, seated.draws, losses


def _seated(seats: Seats, label: str, seat: str) -> tuple[SeatResults | None, int]:
    """The seated of a player against the default opponent, and the player's place in it."""
    return (seats.get((label, DEFAULT)), 0) if seat == "1" else (seats.get((DEFAULT, label)), 1)


def _label(row: Mapping[str, str], game: Game) -> str:
    return BOTH[game] if row["agent"] == "Q-learning trained" else row["agent"]


def _against_default(against: Mapping[Game, Seats]) -> verdicts.Group:
    rows = []
    for row in published("r1_vs_default"):
        game = next(game for game in against if game.name == row["game"])
        label = _label(row, game)
        theirs = (int(row["wins"]), int(row["draws"]), int(row["losses"]))
        mended = correct_one(game, label)
        correct: tuple[int, int, int] | str | None = verdicts.SAME
        if mended:
            correct = _counts(*_seated(against[game], mended, row["seat"]))
        how = f"{label}, seat {row['seat']}: {PLAYERS[game][label]}"
        labels = (row["game"], row["agent"], row["seat"], row["games"])
        printed = _counts(*_seated(against[game], label, row["seat"]))
        rows.append(verdicts.Row(labels, f"{theirs[0]} / {theirs[1]} / {theirs[2]}", theirs, printed, correct, how))
    return verdicts.Group(
        "r1-default", "Table 1: win / draw / loss against the default opponent",
        ("game", "agent", "seat", "games"), rows,
    )  # fmt: skip


def _table_used(row: Mapping[str, str]) -> str:
    return MET.get((row["game"], row["first"]), SECOND_TABLE)


def _met(seats: Seats, row: Mapping[str, str], learner: str) -> SeatResults | None:
    return seats.get((OPPONENT, learner) if row["first"] == "Minimax" else (learner, OPPONENT))


def _each_other(meeting: Mapping[Game, Seats]) -> verdicts.Group:
    rows = []
    for row in published("r1_head_to_head"):
        game = next(game for game in meeting if game.name == row["game"])
        learner = _table_used(row)
        theirs = (int(row["first_wins"]), int(row["draws"]), int(row["second_wins"]))
        printed = _counts(_met(meeting[game], row, learner), 0)
        correct = _counts(_met(meeting[game], row, MENDED[learner]), 0)
        rows.append(
            verdicts.Row(
                (row["game"], row["first"], row["second"], row["games"]), f"{theirs[0]} / {theirs[1]} / {theirs[2]}",
                theirs, printed, correct, f"{learner} and {PLAYERS[game][OPPONENT]}", exact=game == CONNECT4,
            )
        )  # fmt: skip
    return verdicts.Group(
        "r1-each-other", "Table 2: first / draw / second, minimax at depth 5 with pruning against Q-learning",
        ("game", "first", "second", "games"), rows,
    )  # fmt: skip


def _other_readings(meeting: Mapping[Game, Seats]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for row in published("r1_head_to_head"):
        game = next(game for game in meeting if game.name == row["game"])
        for learner in (UNTRAINED, FIRST_TABLE, SECOND_TABLE):
            seated = _met(meeting[game], row, learner)
            cells: tuple[Cell, ...] = (NOT_PLAYED,) * 3
            if seated is not None:
                nodes = sum(effort.nodes for effort in seated.effort) * 100 / seated.matches
                cells = (seated.counts(0), seated.plies / seated.matches, nodes)
            theirs = f"{row['first_wins']} / {row['draws']} / {row['second_wins']}"
            rows.append((row["game"], f"{row['first']} – {row['second']}", theirs, row["states"], learner, *cells))
    heads = (
        "game", "players", Column("first / draw / second", published=True), Column("states", published=True),
        "with", "ours", Column("moves", "number"), Column("states a 100 games", "count"),
    )  # fmt: skip
    return table("r1-readings", "Table 2 with each table that the report may have used", heads, rows)


def _costs_of_table_1(against: Mapping[Game, Seats]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for row in published("r1_vs_default"):
        game = next(game for game in against if game.name == row["game"])
        label = _label(row, game)
        quotes = [quoted(row[name]) for name in ("avg_moves", "time_per_move_s", "game_s")]
        cells: list[Cell] = []
        for name in (label, correct_one(game, label) or label):
            seated, _ = _seated(against[game], name, row["seat"])
            seconds = 0.0 if seated is None else sum(e.seconds for e in seated.effort)
            games = 1 if seated is None else seated.matches
            plies = 0 if seated is None else seated.plies
            cells += [plies / games, seconds / max(1, plies), seconds / games]
        head = (row["game"], row["agent"], row["seat"])
        rows.append((*head, *(c for i in range(3) for c in (quotes[i], cells[i], cells[3 + i]))))
    heads: list[Column | str] = ["game", "agent", "seat"]
    for name, kind in (("moves", "number"), ("s a move", "seconds"), ("s a game", "seconds")):
        heads += [Column(name, kind, published=True), Column("printed", kind), Column("correct", kind)]
    return table(
        "r1-default-cost", "Table 1: moves and times, of both sides", heads, rows,
        "Times differ because these players are compiled, all but the learners.",
    )  # fmt: skip


def _costs_of_table_2(meeting: Mapping[Game, Seats]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for row in published("r1_head_to_head"):
        game = next(game for game in meeting if game.name == row["game"])
        used = _table_used(row)
        printed, correct = (_costs_of(_met(meeting[game], row, name)) for name in (used, MENDED[used]))
        for (name, what), one, two in zip(COSTS.items(), printed, correct, strict=True):
            rows.append((row["game"], f"{row['first']} – {row['second']}", what, quoted(row[name]), one, two))
    heads = (
        "game",
        "players",
        "of each side",
        Column("published", published=True),
        "printed program",
        "correct program",
    )
    return table(
        "r1-each-other-cost", "Table 2: moves and times, of each side", heads, rows,
        "The correct program: the learner’s errors mended. Times differ because minimax is compiled here.",
    )  # fmt: skip


def _costs_of(seated: SeatResults | None) -> list[Cell]:
    if seated is None or not seated.matches:
        return [NOT_PLAYED] * len(COSTS)
    one, two = seated.effort
    seconds = (one.seconds_per_move, two.seconds_per_move, (one.seconds + two.seconds) / seated.matches)
    moves = (one.moves / seated.matches, two.moves / seated.matches)
    return [*(shown("number", value) for value in moves), *(shown("seconds", value) for value in seconds)]


def _what_training_adds(seats: Seats) -> tuple[Table, list[str]]:
    """The learner by its training and seat; and what that shows of its table, in the seat of the published row."""
    stated = {row["agent"]: row for row in published("r1_vs_default") if row["game"] == "connect4"}
    row = stated["Q-learning trained"]
    theirs = f"{row['wins']} / {row['draws']} / {row['losses']}"
    rows: list[tuple[Cell, ...]] = []
    rates = {}
    for label in (UNTRAINED, FIRST_TABLE, MENDED[FIRST_TABLE]):
        for seat in ("1", "2"):
            seated, place = _seated(seats, label, seat)
            rate = seated.rate(place) if seated is not None else None
            rates[label, seat] = rate
            quote: Cell = theirs if (label, seat) == (FIRST_TABLE, "1") else NOT_GIVEN
            rows.append(
                (label, seat, quote, NOT_PLAYED if seated is None else seated.counts(place), rate or NOT_PLAYED)
            )
    heads = ("learner", "seat", Column("win / draw / loss", published=True), "ours", Column("wins", "percent"))
    made = table("r1-training-adds", "Connect 4: the learner against the default opponent", heads, rows)
    before, after = rates[UNTRAINED, "1"], rates[FIRST_TABLE, "1"]
    if before is None or after is None:
        return made, []
    gap = rate_difference(after, before)
    learnt = "no difference is shown" if gap.covers(0) else f"{shown('number', 100 * gap.estimate)} points"
    return made, [
        f"The table did not learn, the guides play: R1’s Connect 4 learner, first against the default opponent, wins "
        f"{shown('percent', before)} untrained and {shown('percent', after)} trained ({learnt}), where {row['wins']} % "
        "are published for the trained one."
    ]


def _states_sentence(states: Table) -> str:
    rows = [row for row in states.rows if row[-1] == verdicts.EXACT]
    said = f"{len(rows)} of {len(states.rows)} published totals of states are, to the state, sums of games that the "
    said += "printed program plays"
    named = next((row for row in rows if row[2] == "86940"), None)
    return said + (f": {named[2]} = {named[6]}." if named else ".")


def _bars(against: Mapping[Game, Seats]) -> list[Figure]:
    figures = []
    for game, there in against.items():
        bars = []
        for (first, second), s in there.items():
            if first == DEFAULT:
                bars.append(Bar(f"{second}, second", s.second_wins, s.draws, s.first_wins))
            else:
                bars.append(Bar(f"{first}, first", s.first_wins, s.draws, s.second_wins))
        title = f"{game.title}: outcomes against the default opponent by seat"
        figures.append(outcome_bars(f"r1-{game.name}-bars", title, bars))
    return figures


def _costs(against: Mapping[Game, Seats]) -> list[Figure]:
    figures = []
    for game, there in against.items():
        rows = []
        for label in [second for first, second in there if first == DEFAULT]:
            as_first, as_second = there.get((label, DEFAULT), SeatResults()), there[DEFAULT, label]
            moves = as_first.effort[0].moves + as_second.effort[1].moves
            nodes = as_first.effort[0].nodes + as_second.effort[1].nodes
            seconds = as_first.effort[0].seconds + as_second.effort[1].seconds
            plies = (as_first.plies + as_second.plies) / max(1, as_first.matches + as_second.matches)
            rows.append((label, plies, nodes / max(1, moves), seconds / max(1, moves)))
        shown_as = (("moves a match", "number"), ("states a move", "number"), ("time a move", "seconds"))
        for index, (name, kind) in enumerate(shown_as, 1):
            values = [(row[0], float(row[index])) for row in rows]
            key = f"r1-{game.name}-{name.split()[0]}"
            figures.append(cost_dots(key, f"{game.title}: {name}", values, name, kind))
    return figures


def _training(found: StudyResults) -> list[Figure | str]:
    said: list[Figure | str] = [
        "The report describes a gradual convergence until about 13,000 episodes, to about 0.75, in the learner’s own "
        "seat; the curves below are of both seats."
    ]
    for game in PLAYERS:
        measured = found.measured(f"{game.name}-training-{FIRST_TABLE}")
        if measured is not None:
            title = f"{game.title}: win rate during training, both seats against the default opponent"
            said.append(curve_figure(f"r1-{game.name}-training", title, {FIRST_TABLE: [measured]}))
    return said
