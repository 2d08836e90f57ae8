"""r3: every player against every player and itself, as a matrix of outcome shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inarow.report.cells import Blank, Cell, Column
from inarow.report.charts import share_matrix
from inarow.report.page import Section
from inarow.report.tables import Table, table
from inarow.reproductions import verdicts
from inarow.reproductions.published import published
from inarow.reproductions.r3.parts import (
    ORDERS,
    OTHERS,
    TRAINED,
    fault_table,
    play_alone,
    slug,
    train_in_stages,
    unstated_table,
)  # fmt: skip
from inarow.rules import CONNECT4, TICTACTOE, Game
from inarow.studies.framework.line_ups import tournament
from inarow.studies.framework.study import Content, Experiment, Measurement, Plan, Study
from inarow.studies.framework.study_results import StudyResults
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
NO_NOTE = Blank("the report adds nothing")
GAMES = 100
"""That the report played in each seat."""
Counts = tuple[int, int, int]
Seats = Mapping[tuple[str, str], SeatResults]
SHARES = ("first_win_pct", "second_win_pct", "draw_pct")


class R3(Study):
    """The third report's experiment."""

    name = "r3"
    title = "R3 again: every player against every player and itself"
    summary = "the third report: a full cross table of Easy, Medium, minimax and Q-learning on both games"
    figure = "r3-connect4-matrix"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        made: list[Experiment] = []
        for key, (game, faults, stages) in TRAINED.items():
            settings = {
                "agent": f"qlearning:preset=r3{faults}", "game": game.name, "seed": plan.seed,
                "stages": [[who, 10 * plan.pick(count // 100, count // 10), rate] for who, count, rate in stages],
                "model": f"models/r3-{key.replace('-training', '')}.npz",
            }  # fmt: skip
            made.append(Measurement(key, train_in_stages, settings, weight=200))
        for game, players in PLAYERS.items():
            made.append(tournament(game.name, game, players, plan.pick(30, GAMES), plan, with_self=True))
        for game, others in OTHERS.items():
            for label in others:
                spec = f"qlearning:preset=r3,model=models/r3-{game.name}-{slug(label)}.npz"
                met = {label: spec, **{name: PLAYERS[game][name] for name in ("Easy", "Medium", "Minimax")}}
                key = f"{game.name}-{slug(label)}"
                made.append(tournament(key, game, met, plan.pick(30, GAMES), plan, format="gauntlet"))
        for name, (spec, game) in ORDERS.items():
            made.append(Measurement(f"order-{name}", play_alone, {"agent": spec, "game": game.name, "seed": plan.seed}))
        return made

    def content(self, found: StudyResults) -> Content:
        seats = {game: results_by_seat(found, game.name) for game in PLAYERS}
        tables = verdicts.judged(_shares(game, seats[game], found) for game in PLAYERS)
        trainings = {game: _by_training(game, found, seats[game]) for game in PLAYERS}
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
            sections.append(Section(game.title, (matrix, made, trainings[game], _distinct(game, seats[game]))))
        sections += [
            Section("The order of moves decides", (orders,)), *closing,
            Section("What the report does not state", (unstated_table(),)),
        ]  # fmt: skip
        lead = (
            "Every player of the report’s printed program, with its errors, as first player (rows) against every "
            "player as second (columns); beside them the published shares and the same players without the errors."
        )
        return Content(lead, (*finding, sentence, *_second_seat(found, trainings[TICTACTOE])), sections)


def _counts(seated: SeatResults | None) -> tuple[int, int, int] | None:
    return None if seated is None else (seated.first_wins, seated.second_wins, seated.draws)


def _trainings(game: Game, found: StudyResults, seats: Seats, first: str, second: str) -> dict[str, Counts | None]:
    """The counts of a row with a learner by how that was trained, as the report's program; by its label."""
    known = {"Q-learning": _counts(seats.get((first, second)))}
    for label in OTHERS[game]:
        names = [label if name == "Q-learning" else name for name in (first, second)]
        known[label] = _counts(results_by_seat(found, f"{game.name}-{slug(label)}").get((names[0], names[1])))
    return known


def _shares(game: Game, seats: Seats, found: StudyResults) -> verdicts.Group:
    """The published shares beside ours; a learner's are judged only if it was trained in full: by the training whose
    shares are closest."""
    trained = found.plan.scale == "full"
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
        printed, how = _counts(seats.get((first, second))), f"{players[first]} first, {players[second]} second"
        shows = None if len(known) == len(SHARES) else known
        if trained and "Q-learning" in (first, second):
            made = {label: counts for label, counts in _trainings(game, found, seats, first, second).items() if counts}
            rated = [
                (p, label, counts)
                for label, counts in made.items()
                if (p := verdicts.Row((), "", theirs, counts, None, "", shows, ranges=ranges).p) is not None
            ]
            if rated:
                _, label, printed = max(rated)
                how += f"; the closest of {len(rated)} trainings: {label}" if len(rated) > 1 else ""
        mended = [MENDED.get(name, name) for name in (first, second)]
        names = [name if name in players else old for name, old in zip(mended, (first, second), strict=True)]
        correct: tuple[int, int, int] | str | None = _counts(seats.get((names[0], names[1])))
        if [first, second] == names:
            correct = verdicts.SAME
        rows.append(
            verdicts.Row(
                (first, second, row["note"] or NO_NOTE), " / ".join(text or "–" for text in stated), theirs,
                printed, correct, how, shows=shows, exact=first == second == "Minimax", ranges=ranges,
            )
        )  # fmt: skip
    return verdicts.Group(
        f"r3-{game.name}", f"{game.title}: first / second / draw in percent", ("first", "second", "its note"), rows,
        ("Published shares are of 100 games, some of them “about”. The learner’s depend on how long it was trained, "
         "which is not stated, and on chance in its training; at scale quick, with a tenth of the games, they are not "
         "compared. Where players have no chance in them, 100 games are one game repeated.",),
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


def _by_training(game: Game, found: StudyResults, seats: Seats) -> Table:
    """The learner by how long it was trained, because that is not stated."""
    rows: list[tuple[Cell, ...]] = []
    for row in published("r3_stated"):
        first, second = row["first"], row["second"]
        if row["game"] != game.name or [first, second].count("Q-learning") != 1:
            continue
        stated = " / ".join(row[name] or "–" for name in SHARES)
        names = [MENDED[name] if MENDED.get(name) in PLAYERS[game] else name for name in (first, second)]
        mended = _counts(seats.get((names[0], names[1])))
        counts = [*_trainings(game, found, seats, first, second).values(), mended]
        rows.append((first, second, stated, *(verdicts.shares_text(one) for one in counts)))
    usual = {TICTACTOE: "10,000 games a seat", CONNECT4: "all stages"}[game]
    trained = [usual, *(label.removeprefix("Q-learning, ") for label in OTHERS[game])]
    heads: tuple[Column | str, ...] = (
        "first", "second", Column("first / second / draw", published=True),
        *(f"printed program, {name}" for name in trained), f"a correct program, {usual}",
    )  # fmt: skip
    note = "At scale quick a tenth of it. The stages are in the table of what the report does not state."
    return table(f"r3-{game.name}-training", f"{game.title}: the learner by its training", heads, rows, note)


def _second_seat(found: StudyResults, made: Table) -> list[str]:
    """What the longest training makes of the second seat, which is published as nearly unbeaten."""
    row = next((row for row in made.rows if row[:2] == ("Medium", "Q-learning")), None)
    if row is None or verdicts.NOT_RUN in row or found.plan.scale != "full":
        return []
    return [
        f"Tic Tac Toe’s learner in the second seat is published with {row[2]} against Medium (Medium’s wins, its "
        f"own, draws); after 50,000 games in each seat ours has {row[5]}."
    ]


def _distinct(game: Game, seats: Seats) -> Table:
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
