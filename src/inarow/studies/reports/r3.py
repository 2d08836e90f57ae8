"""r3: every player against every player and itself, as a matrix of outcome shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inarow.report.cells import Blank, Cell, Column
from inarow.report.charts import share_matrix
from inarow.report.page import Section
from inarow.report.tables import Table, table
from inarow.rules import CONNECT4, TICTACTOE, Game
from inarow.studies.framework.study import Content, Experiment, Measurement, Plan, Study
from inarow.studies.framework.study_results import StudyResults
from inarow.studies.reports import reported, verdicts
from inarow.studies.reports.published import published
from inarow.studies.reports.r3_parts import (
    EARLY,
    ORDERS,
    STAGES,
    TRAINED,
    fault_table,
    play_alone,
    train_in_stages,
    unstated_table,
)  # fmt: skip
from inarow.studies.sections.by_seat import SeatResults, results_by_seat

MENDED = {"Minimax": "Minimax, mended", "Q-learning": "Q-learning, mended"}
PLAYERS: Mapping[Game, Mapping[str, str]] = {
    game: {
        "Easy": "random",
        "Medium": "rules:preset=r3",
        "Minimax": "alphabeta:preset=r3",
        "Q-learning": f"qlearning:preset=r3,model=models/r3-{game.name}.npz",
        MENDED["Q-learning"]: f"qlearning:preset=r3,model=models/r3-{game.name}-mended.npz",
        **(
            {MENDED["Minimax"]: "alphabeta:preset=r3,faults=none,ends=scored,win=1000,loss=1000"}
            if game == CONNECT4
            else {}
        ),
    }
    for game in (TICTACTOE, CONNECT4)
}
EARLY_PLAYER = "qlearning:preset=r3,model=models/r3-connect4-early.npz"
NO_NOTE = Blank("the report adds nothing")
GAMES = 100
"""That the report played in each seat."""
SHARES = ("first_win_pct", "second_win_pct", "draw_pct")


class R3(Study):
    """The third report's experiment."""

    name = "r3"
    title = "R3 again: every player against every player and itself"
    summary = "the third report: a full cross table of Easy, Medium, minimax and Q-learning on both games"
    figure = "r3-connect4-matrix"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        made: list[Experiment] = []
        for key, (game, faults, left_out) in TRAINED.items():
            stages = STAGES[game][: len(STAGES[game]) - left_out]
            settings = {
                "agent": f"qlearning:preset=r3{faults}", "game": game.name, "seed": plan.seed,
                "stages": [[who, 10 * plan.pick(count // 100, count // 10), rate] for who, count, rate in stages],
                "model": f"models/r3-{key.replace('-training', '')}.npz",
            }  # fmt: skip
            made.append(Measurement(key, train_in_stages, settings, weight=200))
        for game, players in PLAYERS.items():
            made.append(reported.tournament(game.name, game, players, plan.pick(30, GAMES), plan, with_self=True))
        early = {EARLY: EARLY_PLAYER, **{name: PLAYERS[CONNECT4][name] for name in ("Easy", "Medium")}}
        pairs = plan.pick(30, GAMES)
        made.append(reported.tournament("connect4-early", CONNECT4, early, pairs, plan, format="gauntlet"))
        for name, (spec, game) in ORDERS.items():
            made.append(Measurement(f"order-{name}", play_alone, {"agent": spec, "game": game.name, "seed": plan.seed}))
        return made

    def content(self, found: StudyResults) -> Content:
        seats = {game: results_by_seat(found, game.name) for game in PLAYERS}
        tables = verdicts.judged(_shares(game, seats[game], found.plan.scale == "full") for game in PLAYERS)
        sentence, closing = verdicts.closing("R3", tables, fault_table(seats[CONNECT4]))
        orders, finding = _orders(found)
        sections = []
        for game, made in zip(PLAYERS, tables, strict=True):
            names = ["Easy", "Medium", "Minimax", "Q-learning"]
            cells = {
                (names.index(a), names.index(b)): s.shares
                for (a, b), s in seats[game].items() if a in names and b in names
            }  # fmt: skip
            matrix = share_matrix(f"r3-{game.name}-matrix", f"{game.title}: outcome shares", names, cells)
            more = (_by_training(found, seats[game]),) if game == CONNECT4 else ()
            sections.append(Section(game.title, (matrix, made, *more, _distinct(game, seats[game]))))
        sections += [
            Section("The order of moves decides", (orders,)), *closing,
            Section("What the report does not state", (unstated_table(),)),
        ]  # fmt: skip
        lead = (
            "Every player of the report’s printed program, with its errors, as first player (rows) against every "
            "player as second (columns); beside them the published shares and the same players without the errors."
        )
        return Content(lead, (*finding, sentence), sections)


def _counts(seated: SeatResults | None) -> tuple[int, int, int] | None:
    return None if seated is None else (seated.first_wins, seated.second_wins, seated.draws)


def _shares(game: Game, seats: Mapping[tuple[str, str], SeatResults], trained: bool) -> verdicts.Group:
    """The published shares beside ours; a learner's are judged only if it was ``trained`` in full."""
    rows = []
    for row in published("r3_stated"):
        if row["game"] != game.name:
            continue
        first, second = row["first"], row["second"]
        stated = [row[name] for name in SHARES]
        known = [place for place, text in enumerate(stated) if text]
        theirs, ranges = _published_counts(stated, known)
        if not trained and "Q-learning" in (first, second):
            theirs, ranges = None, []
        players = PLAYERS[game]
        mended = [MENDED.get(name, name) for name in (first, second)]
        names = [name if name in players else old for name, old in zip(mended, (first, second), strict=True)]
        correct: tuple[int, int, int] | str | None = _counts(seats.get((names[0], names[1])))
        if [first, second] == names:
            correct = verdicts.SAME
        rows.append(
            verdicts.Row(
                (first, second, row["note"] or NO_NOTE), " / ".join(text or "–" for text in stated), theirs,
                _counts(seats.get((first, second))), correct, f"{players[first]} first, {players[second]} second",
                shows=None if len(known) == len(SHARES) else known, exact=first == second == "Minimax", ranges=ranges,
            )
        )  # fmt: skip
    return verdicts.Group(
        f"r3-{game.name}", f"{game.title}: first / second / draw in percent", ("first", "second", "its note"), rows,
        ("Published shares are of 100 games, partly read off charts or “about”. The learner’s depend on how long it "
         "was trained, which is not stated; at scale quick, with a tenth of the games, they are not compared.",),
    )  # fmt: skip


def _published_counts(
    stated: Sequence[str], known: Sequence[int]
) -> tuple[tuple[int, ...] | None, list[tuple[int, ...]]]:
    """The counts behind the stated percentages; of a range all that it allows. What is not stated is put last."""
    low_high = [text.partition("-") for text in stated]
    lows = [int(low or 0) for low, _, _ in low_high]
    highs = [int(high or low or 0) for low, _, high in low_high]
    found = []
    for step in range(max(high - low for low, high in zip(lows, highs, strict=True)) + 1):
        counts = [min(low + step, high) for low, high in zip(lows, highs, strict=True)]
        rest = next((place for place in range(len(stated)) if place not in known), None)
        if rest is not None:
            counts[rest] = GAMES - sum(counts[place] for place in known)
        found.append(tuple(counts))
    return (found[0], []) if len(found) == 1 else (None, found)


def _by_training(found: StudyResults, seats: Mapping[tuple[str, str], SeatResults]) -> Table:
    """The Connect 4 learner after its first stage and after all, because the sizes of the stages are not stated."""
    early = results_by_seat(found, "connect4-early")
    rows: list[tuple[Cell, ...]] = []
    for row in published("r3_stated"):
        names = (row["first"], row["second"])
        if row["game"] != "connect4" or "Q-learning" not in names or not {"Easy", "Medium"} & set(names):
            continue
        after = (EARLY if names[0] == "Q-learning" else names[0], EARLY if names[1] == "Q-learning" else names[1])
        mended = (MENDED.get(names[0], names[0]), MENDED.get(names[1], names[1]))
        counts = [_counts(early.get(after)), _counts(seats.get(names)), _counts(seats.get(mended))]
        stated = " / ".join(row[name] or "–" for name in SHARES)
        rows.append((*names, stated, *(verdicts.shares_text(found_counts) for found_counts in counts)))
    heads = (
        "first", "second", Column("first / second / draw", published=True), "printed program, after Easy only",
        "printed program, after all stages", "a correct program, after all stages",
    )  # fmt: skip
    note = f"After Easy only: {STAGES[CONNECT4][0][1] // 2:,} games in each seat; a tenth of it at scale quick."
    return table("r3-connect4-training", "Connect 4: the learner by its training", heads, rows, note)


def _distinct(game: Game, seats: Mapping[tuple[str, str], SeatResults]) -> Table:
    rows: list[tuple[Cell, ...]] = [(a, b, s.matches, len(s.lines)) for (a, b), s in seats.items()]
    heads = ("first", "second", Column("matches", "count"), Column("distinct matches", "count"))
    return table(
        f"r3-{game.name}-distinct", f"{game.title}: how many matches were distinct", heads, rows,
        "Where no player has chance in it, a hundred games are one.",
    )  # fmt: skip


def _orders(found: StudyResults) -> tuple[Table, list[str]]:
    """Minimax against itself by the order of its moves."""
    rows: list[tuple[Cell, ...]] = []
    for name, (spec, game) in ORDERS.items():
        measured = found.measured(f"order-{name}")
        if measured is not None:
            rows.append((game.title, name, measured["moves"], measured["plies"], measured["result"], spec))
    heads = ("game", "minimax against itself", "moves, from 0", Column("plies", "count"), "result", "player")
    made = table("r3-orders", "The same search with other orders of moves", heads, rows or [("–",) * 6])
    results = {str(row[1]): row for row in rows}
    printed, left = results.get("Connect 4, as printed"), results.get("Connect 4, from the left")
    if printed is None or left is None:
        return made, []
    return made, [
        f"The order of moves decides who wins: R3’s Connect 4 minimax against itself ends with {printed[4]} after "
        f"{printed[3]} plies as printed, and with {left[4]} after {left[3]} plies if moves are tried from the left."
    ]
