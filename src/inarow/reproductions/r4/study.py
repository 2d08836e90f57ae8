"""r4: minimax, minimax with pruning and Q-learning; nodes, pruning efficiency, scalability."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from inarow.formatting import listed
from inarow.report.charts import Bar, cost_dots, outcome_bars, overview
from inarow.report.curves import Axis, Curve, curves
from inarow.report.page import Section
from inarow.report.style import Figure
from inarow.report.tables import Table
from inarow.reproductions import verdicts
from inarow.reproductions.published import published
from inarow.reproductions.r4.depths import depth_figures, depth_sentences, measurements, readings_table, scalability
from inarow.reproductions.r4.errors import DEFAULT, LEARNT, MENDED, efficiency, fault_table, savings, unstated_table
from inarow.rules import CONNECT4, TICTACTOE, Game
from inarow.studies.framework.line_ups import tournament
from inarow.studies.framework.study import Content, Experiment, Measurement, Plan, Study
from inarow.studies.framework.study_results import StudyResults
from inarow.studies.sections.by_seat import Seats, as_first, effort_in, results_by_seat
from inarow.studies.sections.trainings import train, training

PLAIN = "Minimax, mended"
AGAINST_DEFAULT = "Q-learning, trained against the default opponent"
TRAINED = {
    # Label, and what the learner is trained with: beside the preset, and against whom.
    "Q-learning": ("", "random"),
    LEARNT: (",faults=none", "random"),
    AGAINST_DEFAULT: ("", "rules:preset=r4"),
}


def _model(game: Game, label: str) -> str:
    return f"models/r4-{game.name}-{list(TRAINED).index(label)}.npz"


def _players(game: Game) -> dict[str, str]:
    return {
        DEFAULT: "rules:preset=r4",
        "Minimax": "minimax:preset=r4",
        "Minimax-AB": "alphabeta:preset=r4",
        # Both look as far: the correct one has the printed limit's extra ply, too.
        MENDED: "alphabeta:preset=r4,faults=" + ("extra-ply,view=searcher" if game == CONNECT4 else "none"),
        **{label: f"qlearning:preset=r4,model={_model(game, label)}" for label in TRAINED},
        "random": "random",
    }


PLAYERS: Mapping[Game, Mapping[str, str]] = {game: _players(game) for game in (TICTACTOE, CONNECT4)}
EPISODES = {TICTACTOE: 10_000, CONNECT4: 5_000}
CORRECT = {"Minimax": MENDED, "Minimax-AB": MENDED, "Q-learning": LEARNT}
GAMES = {("2", "tictactoe"): 100, ("3", "tictactoe"): 100, ("6", "connect4"): 50, ("7", "connect4"): 20}
"""That the report played for each table."""
STATED_TRAINING = "76"
"""Percent of its training games that the Tic Tac Toe learner wins."""
STATED_DEFAULT = {TICTACTOE: "92", CONNECT4: "98"}
"""Wins of its default opponent against random, in percent."""


class R4(Study):
    """The fourth report's experiments."""

    name = "r4"
    title = "R4 again: minimax with and without pruning and Q-learning: outcomes, nodes, scalability"
    summary = "the fourth report: outcomes, nodes, pruning efficiency and scalability of minimax and Q-learning"
    figure = "r4-depth-nodes"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        made: list[Experiment] = []
        for game, players in PLAYERS.items():
            for label, (changed, opponent) in TRAINED.items():
                settings = training(
                    f"qlearning:preset=r4{changed}", game, plan.pick(EPISODES[game] // 2, EPISODES[game]), plan,
                    model=_model(game, label), opponents=[opponent],
                )  # fmt: skip
                made.append(Measurement(f"{game.name}-training-{label}", train, settings, weight=50))
            made.append(tournament(game.name, game, players, plan.pick(30, 100), plan))
            both = {PLAIN: players[MENDED].replace("alphabeta", "minimax"), MENDED: players[MENDED]}
            made.append(tournament(f"{game.name}-mended", game, both, plan.pick(10, 100), plan))
        made += measurements(plan)
        return made

    def content(self, found: StudyResults) -> Content:
        seats = {game: results_by_seat(found, game.name) for game in PLAYERS}
        mended = {game: results_by_seat(found, f"{game.name}-mended") for game in PLAYERS}
        outcomes, basic, rates = verdicts.judged(
            [_outcomes(seats, mended), _default_against_random(seats), _training(found)]
        )
        nodes, depths = efficiency(found, seats), scalability(found)
        tables = (outcomes, basic, rates, nodes, depths)
        sentence, closing = verdicts.closing("R4", tables, fault_table(seats))
        figures = [figure for game in PLAYERS for figure in _figures(game, seats[game], found)]
        sections = [
            Section("Outcomes", (outcomes, basic, rates, *figures)),
            Section("Efficiency", (nodes, savings(seats), *_overviews(seats))),
            Section("Scalability", (depths, readings_table(found), *depth_figures(found))),
            *closing,
            Section("What the report does not state", (unstated_table(),)),
        ]
        lead = (
            "The report’s printed program, with its errors, from the empty board; beside it the published figures, on "
            "a tinted background, and the same players without the errors. The player named first begins."
        )
        return Content(lead, (_finding(tables), sentence, *depth_sentences(found)), sections)


def _outcomes(seats: Mapping[Game, Seats], mended: Mapping[Game, Seats]) -> verdicts.Group:
    rows = []
    for row in published("r4_tables"):
        game = next(game for game in seats if game.name == row["game"])
        a, _, b = row["row"].replace(" depth 4", "").partition(" vs ")
        games = GAMES[row["table"], row["game"]]
        shares = [int(row[name]) for name in ("first_or_win_pct", "draw_pct", "second_or_loss_pct")]
        theirs = tuple(round(share * games / 100) for share in shares)
        printed, correct = as_first(seats[game], a, b), as_first(seats[game], CORRECT[a], CORRECT.get(b, b))
        if CORRECT[a] == CORRECT.get(b, b):
            correct = as_first(mended[game], PLAIN, MENDED)
        deterministic = game == TICTACTOE and b == "Minimax-AB"
        rows.append(
            verdicts.Row(
                (row["table"], row["game"], row["row"]), " / ".join(map(str, shares)), theirs, printed,
                correct, f"{a} first: {PLAYERS[game][a]}",
                exact=deterministic,
            )
        )  # fmt: skip
    return verdicts.Group(
        "r4-outcomes", "Tables 2, 3, 6 and 7: win / draw / loss in percent", ("table", "game", "match-up"), rows
    )


def _default_against_random(seats: Mapping[Game, Seats]) -> verdicts.Group:
    rows = []
    for game, stated in STATED_DEFAULT.items():
        counts = as_first(seats[game], DEFAULT, "random")
        theirs = (int(stated), 0, 100 - int(stated))
        rows.append(
            verdicts.Row((game.title,), stated, theirs, counts, verdicts.SAME, "first against random", shows=(0,))
        )
    return verdicts.Group(
        "r4-default", "The default opponent against random: wins %", ("game",), rows, ("Taken as of 100 games.",)
    )


def _trained(found: StudyResults, label: str) -> tuple[dict[str, int] | None, tuple[int, int, int] | None]:
    """The last figures of a Tic Tac Toe learner's training, and its wins, draws and losses in all of it."""
    measured = found.measured(f"{TICTACTOE.name}-training-{label}")
    last = None if measured is None else measured["history"][-1]
    return last, None if last is None else (last["wins"], last["draws"], last["losses"])


def _training(found: StudyResults) -> verdicts.Group:
    rows = []
    for label, (changed, opponent) in TRAINED.items():
        last, counts = _trained(found, label)
        is_printed = label == "Q-learning"
        episodes = EPISODES[TICTACTOE]
        about = [(round(episodes * share), 0, round(episodes * (1 - share))) for share in (0.75, 0.76, 0.77)]
        rows.append(
            verdicts.Row(
                (label, opponent), f"about {STATED_TRAINING}" if is_printed else "–", None, counts,
                _trained(found, LEARNT)[1] if is_printed else "–",
                f"qlearning:preset=r4{changed}, every game of its training", shows=(0,),
                ranges=about if is_printed and last and last["episodes"] == episodes else (),
            )
        )  # fmt: skip
    return verdicts.Group(
        "r4-training", "Tic Tac Toe: win / draw / loss while it is trained, in percent", ("learner", "against"), rows,
        ("“About” is read as 75 to 77. At scale quick the training is half as long, and is not compared.",),
    )  # fmt: skip


def _finding(tables: Sequence[Table]) -> str:
    rows = Counter(str(row[0]) for row in tables[0].rows)
    missed = Counter(str(row[0]) for row in tables[0].rows if row[-2] == verdicts.NOT_REPRODUCED)
    if not missed:
        return "Every row of R4’s tables of outcomes is consistent with this run."
    counts = listed([f"{missed[number]} of {rows[number]} rows of table {number}" for number in sorted(missed)])
    return (
        f"Not reproduced: {counts}. As O the printed search plays for X’s win, its Connect 4 search is inverted, and "
        "its learner was trained as X only, so that it moves at random where it sits second (tables 3 and 7)."
    )


def _figures(game: Game, seats: Seats, found: StudyResults) -> list[Figure]:
    bars = []
    for name in ("Minimax", "Minimax-AB", "Q-learning"):
        for other in (DEFAULT, "random"):
            counts = as_first(seats, name, other)
            if counts is not None:
                bars.append(Bar(f"{name} – {other}", *counts))
    labels = found.labels(game.name)
    won: dict[str, list[bool]] = {}
    for record in found.records(game.name):
        names = [labels.get(spec, spec) for spec in (record.first, record.second)]
        if names[1] == DEFAULT and names[0] in ("Minimax", "Minimax-AB", "Q-learning"):
            won.setdefault(names[0], []).append(record.result == "first")
    lines = [
        Curve(name, [(float(n), sum(results[:n]) / n) for n in range(1, len(results) + 1)])
        for name, results in won.items()
    ]
    key = f"r4-{game.name}"
    return [
        outcome_bars(f"{key}-outcomes", f"{game.title}: outcomes against the default opponent and random", bars),
        curves(
            f"{key}-rates", f"{game.title}: win rate across games against the default opponent",
            Axis("games played", whole=True), Axis("share won so far", "percent", low=-3, high=103), lines,
            "Each as first player.",
        ),
    ]  # fmt: skip


def _overviews(seats: Mapping[Game, Seats]) -> list[Figure]:
    figures: list[Figure] = []
    names = ("Minimax", "Minimax-AB", "Q-learning")
    for game, there in seats.items():
        known_counts = [as_first(there, name, DEFAULT) for name in names]
        counts = [known for known in known_counts if known is not None]
        if len(counts) < len(names):
            continue
        efforts = [effort_in(there, name) for name in names]
        times = [effort.seconds_per_move for effort in efforts]
        nodes = [effort.nodes_per_move for effort in efforts]
        key = f"r4-{game.name}"
        by_time = list(zip(names, times, strict=True))
        by_nodes = list(zip(names, nodes, strict=True))
        figures += [
            cost_dots(f"{key}-nodes", f"{game.title}: nodes a move", by_nodes, "nodes a move"),
            cost_dots(f"{key}-time", f"{game.title}: execution time", by_time, "time a move", "seconds"),
            overview(
                f"{key}-overview", f"{game.title}: win rate, speed and search cost", list(names),
                {
                    "win rate": [c[0] / max(1, sum(c)) for c in counts],
                    "1 − time": [1 - t / (max(times) or 1) for t in times],
                    "1 − search cost": [1 - n / (max(nodes) or 1) for n in nodes],
                },
                "Win rate against the default opponent; time and nodes a move divided by the greatest of the three.",
            ),
        ]  # fmt: skip
    return figures
