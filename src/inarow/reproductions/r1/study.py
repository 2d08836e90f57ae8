"""The study ``r1``: R1's published rows, the runs to compare them with, and its experiments repeated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from inarow.match import Series
from inarow.report.charts import cost_dots
from inarow.report.curves import Axis, Curve, curves
from inarow.report.page import Section
from inarow.report.tables import Blank, Cell, Figure, Table, rate_difference, shown, table
from inarow.reproductions import assessment
from inarow.reproductions.assessment import Counts, PublishedRow
from inarow.reproductions.distributions import (
    LEARNER,
    NOT_GIVEN,
    NOT_PLAYED,
    Sample,
    Source,
    Trial,
    TrialPairing,
    published,
    quoted,
    shipped_runs,
)
from inarow.rules import CONNECT4, TICTACTOE, Game, Position
from inarow.rules import game as game_named
from inarow.stats import Interval, wilson
from inarow.studies.base import Content, Experiment, Measurement, Plan, Study, StudyResults, tournament
from inarow.studies.learning import train, training, win_rates
from inarow.studies.sections import Seats, results_by_seat

DEFAULT = "r1-default"
PLAIN, PRUNED = "r1-minimax:pruning=off", "r1-minimax:pruning=on"
DEEP = f"{PRUNED},depth=5"
LEARNS = "r1-qlearning"
EPISODES = {"tictactoe": 10_000, "connect4": 15_000}

SOURCES: tuple[Source, ...] = (
    Trial("tictactoe", "tictactoe", (
        TrialPairing("Minimax no pruning depth 5, seat 2", DEFAULT, f"{PLAIN},depth=5", 10),
        TrialPairing("Minimax pruning depth 5, seat 2", DEFAULT, DEEP, 10),
        TrialPairing("Minimax pruning depth 5, seat 1", DEEP, DEFAULT, 10),
        TrialPairing("Minimax pruning full, seat 2", DEFAULT, PRUNED, 10),
        TrialPairing("Minimax no pruning full, seat 2", DEFAULT, PLAIN, 10),
    ), runs=40),
    Trial("connect4", "connect4", (
        TrialPairing("Minimax pruning depth 5, seat 1", DEEP, DEFAULT, 10),
        TrialPairing("Minimax no pruning depth 5, seat 2", DEFAULT, f"{PLAIN},depth=5", 10),
    ), runs=40),
    Trial("tictactoe untrained", "tictactoe", (
        TrialPairing("default, seat 1", LEARNER, DEFAULT, 10),
        TrialPairing("minimax, seat 1", LEARNER, DEEP, 100),
    ), f"{LEARNS}:alpha=0", ((DEFAULT, 1, ""),), runs=40),
    Trial("tictactoe second-seat table", "tictactoe", (
        TrialPairing("default, seat 2", DEFAULT, LEARNER, 100),
        TrialPairing("minimax, seat 2", DEEP, LEARNER, 100),
        TrialPairing("minimax, seat 1", LEARNER, DEEP, 100),
    ), f"{LEARNS}:seat=second", ((DEFAULT, 10_000, ""),)),
    Trial("tictactoe first-seat table", "tictactoe", (
        TrialPairing("minimax, seat 1", LEARNER, DEEP, 100),
    ), f"{LEARNS}:seat=first", ((DEFAULT, 10_000, ""),)),
    Trial("connect4 untrained", "connect4", (
        TrialPairing("default, seat 1", LEARNER, DEFAULT, 100),
        TrialPairing("minimax, seat 1", LEARNER, DEEP, 100, once=True),
    ), f"{LEARNS}:alpha=0", ((DEFAULT, 1, ""),)),
    Trial("connect4 first-seat table", "connect4", (
        TrialPairing("default, seat 1", LEARNER, DEFAULT, 100),
        TrialPairing("minimax, seat 1", LEARNER, DEEP, 100, once=True),
    ), f"{LEARNS}:seat=first", ((DEFAULT, 15_000, ""),)),
    Trial("connect4 second-seat table", "connect4", (
        TrialPairing("minimax, seat 2", DEEP, LEARNER, 100, once=True),
    ), f"{LEARNS}:seat=second", ((DEFAULT, 15_000, ""),)),
)  # fmt: skip
"""Runs for ``scripts/report_runs.py r1``."""

TRAINED = "10,000 episodes in Tic Tac Toe, 15,000 in Connect 4, which the report does not state"


def rows() -> list[PublishedRow]:
    """Return every published row: tables 1 and 2, and their totals of states."""
    runs = shipped_runs("r1")
    made: list[PublishedRow] = []
    states: list[PublishedRow] = []

    def add(labels: tuple[str, ...], row: Mapping[str, str], counts: Counts, moves: str, **more: Any) -> None:
        key, games, shares = _key(row), int(row["games"]), " / ".join(map(str, counts))
        made.append(PublishedRow(key, labels, shares, games, [counts], moves=moves, **more))
        if row["states"] == "355791":
            more["assumed"] += "; “355.791” is read as 355,791, because counts are integers"
        if row["states"]:
            states.append(
                PublishedRow(f"{key}, states", labels, row["states"], games, total=int(row["states"]), **more)
            )

    for row in published("r1_vs_default"):
        game, agent, seat = row["game"], row["agent"], row["seat"]
        readings, assumed, unstated = _against_default(runs, game, agent, seat)
        add(
            ("1", game, agent, f"seat {seat}"), row,
            (int(row["wins"]), int(row["draws"]), int(row["losses"])), row["avg_moves"],
            readings=readings, assumed=assumed, open=unstated,
        )  # fmt: skip
    for row in published("r1_head_to_head"):
        game = row["game"]
        readings, assumed = _head_to_head(runs, game, row["first"])
        add(
            ("2", game, row["first"], row["second"]), row,
            (int(row["first_wins"]), int(row["draws"]), int(row["second_wins"])),
            f"{float(row['avg_moves_first']) + float(row['avg_moves_second']):.2f}",
            readings=readings, assumed=assumed, open="the table used",
        )  # fmt: skip
    return made + states


def _against_default(
    runs: Mapping[str, Sample], game: str, agent: str, seat: str
) -> tuple[dict[str, Sample], str, str]:
    """Return the readings, the assumptions and the unstated settings of a row of table 1."""
    if agent == "Q-learning untrained":
        return {"untrained": runs[f"{game} untrained / default, seat 1"]}, "", ""
    if agent == "Q-learning trained":
        table = "second-seat table" if seat == "2" else "first-seat table"
        sample = runs[f"{game} {table} / default, seat {seat}"]
        return {table: sample if seat == "1" else sample.turned()}, TRAINED, "episodes of training"
    sample = runs[f"{game} / {agent}, seat {seat}"]
    return {"": sample if seat == "1" else sample.turned()}, "full depth" if "full" in agent else "", ""


def _head_to_head(runs: Mapping[str, Sample], game: str, first: str) -> tuple[dict[str, Sample], str]:
    """Return the readings of a row of table 2, by the learner's table, and the assumptions."""
    seat, names = ("1", ("first-seat table", "second-seat table", "untrained")) if first != "Minimax" else (
        "2", ("second-seat table",)
    )  # fmt: skip
    keys = {name: f"{game} {name} / minimax, seat {seat}" for name in names}
    return {name: runs[key] for name, key in keys.items() if key in runs}, f"depth 5 with pruning; {TRAINED}"


OPPONENT = "default opponent"
UNTRAINED = "Q-learning untrained"
FIRST_TABLE, SECOND_TABLE = "Q-learning, first-seat table", "Q-learning, second-seat table"
FIXED = {FIRST_TABLE: "Q-learning fixed, first-seat table", SECOND_TABLE: "Q-learning fixed, second-seat table"}
MINIMAX, UNPRUNED = "Minimax pruning depth 5", "Minimax no pruning depth 5"
LOWER = {name: f"{name}, lower rows weigh more" for name in (MINIMAX, UNPRUNED)}
LEARNERS: Mapping[str, str] = {
    UNTRAINED: "alpha=0",  # with a learning rate of 0 a table stays empty
    FIRST_TABLE: "seat=first",
    SECOND_TABLE: "seat=second",
    FIXED[FIRST_TABLE]: "seat=first,fixed=on",
    FIXED[SECOND_TABLE]: "seat=second,fixed=on",
}
"""Training parameters of each learner."""
IN_TABLE_1 = {TICTACTOE: SECOND_TABLE, CONNECT4: FIRST_TABLE}
"""The seat of the report's trained learner in table 1."""
ERRORS = {
    "symmetry": {"all eight right": ":fixed=on", "board and move mirrored at different diagonals": ""},
    "self-play": {"counts against the player": ":fixed=same-sign", "counts for the player, as printed": ""},
}
"""Trainings of the Tic Tac Toe learner that show the cost of an error."""
COSTS = {
    "avg_moves_first": "moves, first", "avg_moves_second": "moves, second", "time_per_move_first_s": "s a move, first",
    "time_per_move_second_s": "s a move, second", "game_s": "s a game",
}  # fmt: skip


def _model(game: Game, label: str) -> str:
    name = label.replace("Q-learning", "").strip(" ,").replace(", ", "-").replace(" ", "-")
    return f"models/r1-{game.name}-{name}.npz"


def _players(game: Game) -> dict[str, str]:
    made = {
        OPPONENT: DEFAULT,
        **{label: f"{LEARNS}:model={_model(game, label)}" for label in LEARNERS},
        UNPRUNED: f"{PLAIN},depth=5",
        MINIMAX: DEEP,
    }
    if game == TICTACTOE:
        return made | {"Minimax no pruning full": PLAIN, "Minimax pruning full": PRUNED}
    return made | {LOWER[MINIMAX]: f"{DEEP},fixed=on", LOWER[UNPRUNED]: f"{PLAIN},depth=5,fixed=on"}


PLAYERS: Mapping[Game, Mapping[str, str]] = {game: _players(game) for game in (TICTACTOE, CONNECT4)}


class R1(Study):
    """The first report's experiments."""

    name = "r1"
    title = "R1 again: minimax and Q-learning against a default opponent and each other"
    summary = "the first report: minimax and Q-learning against a default opponent and each other"
    figure = "r1-connect4-training"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        made: list[Experiment] = []
        for game, players in PLAYERS.items():
            made += [_training(game, label, plan) for label in LEARNERS]
            made.append(tournament(f"{game.name}-default", game, players, plan.pick(40, 200), plan, format="gauntlet"))
            met = {label: players[label] for label in (MINIMAX, *LEARNERS)}
            made.append(tournament(f"{game.name}-each-other", game, met, plan.pick(25, 100), plan, format="gauntlet"))
        few = {label: PLAYERS[CONNECT4][label] for label in (OPPONENT, UNTRAINED, FIRST_TABLE, FIXED[FIRST_TABLE])}
        made.append(tournament("training-adds", CONNECT4, few, plan.pick(500, 1_000), plan, format="gauntlet"))
        for key, variants in ERRORS.items():
            met_by = {"symmetry": ([], DEFAULT), "self-play": (["self"], "random")}[key]
            for name, changed in variants.items():
                settings = training(
                    f"{LEARNS}{changed}", TICTACTOE, plan.pick(3_000, 20_000), plan, matches=plan.pick(100, 500),
                    opponents=met_by[0], against=[met_by[1]], truth=True,
                )  # fmt: skip
                made.append(Measurement(f"{key}-{name}", train, settings, weight=50))
        return made

    def content(self, found: StudyResults) -> Content:
        against = {game: results_by_seat(found, f"{game.name}-default") for game in PLAYERS}
        meeting = {game: results_by_seat(found, f"{game.name}-each-other") for game in PLAYERS}
        assessed = assessment.assess(rows())
        adds, finding = _what_training_adds(results_by_seat(found, "training-adds"))
        sections = [
            Section("Figures 1 to 7", tuple(_figures(found, against))),
            Section("Moves and times", (_costs_of_table_1(against), _costs_of_table_2(meeting))),
            Section("The effect of training", (adds, _memory(found))),
        ]
        lead = (
            "The report’s printed program, with its errors, from the empty board and in the report’s seats, compared "
            "with the published figures (tinted) and with the same players without the errors."
        )
        errors = [_shown_errors(found), *(_learnt(found, key) for key in ERRORS)]
        return assessment.report_content(
            found, lead, ("table", "game", "player", "seat or opponent"), assessed, _this_run(against, meeting),
            [*finding, *_sums(assessed)], sections, errors=errors,
        )  # fmt: skip


def _training(game: Game, label: str, plan: Plan) -> Measurement:
    curve = label == FIRST_TABLE
    settings = training(
        f"{LEARNS}:{LEARNERS[label]}", game, 1 if label == UNTRAINED else plan.pick(1_500, EPISODES[game.name]), plan,
        every=plan.pick(500, 500) if curve else 0, matches=plan.pick(50, 50) if curve else 0,
        against=[DEFAULT] if curve else [], model=_model(game, label),
    )  # fmt: skip
    return Measurement(f"{game.name}-training-{label}", train, settings, weight=plan.pick(50, 300))


def _counts(seated: Series | None, seat: int) -> Counts | None:
    if seated is None:
        return None
    wins, losses = (seated.wins, seated.losses)[:: -1 if seat else 1]
    return wins, seated.draws, losses


def _key(row: Mapping[str, str]) -> str:
    """Return the key of a published row of either table."""
    what = f"{row['agent']}, seat {row['seat']}" if "agent" in row else f"{row['first']} – {row['second']}"
    return f"{row['game']} {what}"


def _played(row: Mapping[str, str], seats: Mapping[Game, Seats]) -> list[Series | None]:
    """Return this run's matches of a published row of either table: as printed, and with the errors fixed."""
    game = game_named(row["game"])
    if "agent" in row:
        used = IN_TABLE_1[game] if row["agent"] == "Q-learning trained" else row["agent"]
        other, is_first = OPPONENT, row["seat"] == "1"
    else:
        used = FIRST_TABLE if game == CONNECT4 and row["first"] == "Q-learning" else SECOND_TABLE
        other, is_first = MINIMAX, row["first"] == "Q-learning"
    fixed = FIXED.get(used) or (LOWER.get(used, used) if game == CONNECT4 else used)
    return [seats[game].get((name, other) if is_first else (other, name)) for name in (used, fixed)]


def _this_run(against: Mapping[Game, Seats], meeting: Mapping[Game, Seats]) -> assessment.Here:
    here: dict[str, Any] = {}
    for name, seats in (("r1_vs_default", against), ("r1_head_to_head", meeting)):
        for row in published(name):
            played, games = _played(row, seats), int(row["games"])
            here[_key(row)] = [_counts(one, int(row.get("seat", "1")) - 1) for one in played]
            here[f"{_key(row)}, states"] = [one and f"{_states(one) * games:,.0f}" for one in played]
    return here


def _states(seated: Series) -> float:
    """Return the states of a match, both sides together."""
    return sum(effort.nodes for effort in seated.sides) / max(1, seated.matches)


def _costs_of_table_1(against: Mapping[Game, Seats]) -> Table:
    made: list[tuple[Cell, ...]] = []
    for row in published("r1_vs_default"):
        quotes = [quoted(row[name]) for name in ("avg_moves", "time_per_move_s", "game_s")]
        cells: list[Cell] = []
        for seated in _played(row, against):
            cells += [NOT_PLAYED] * 3 if seated is None else _costs(seated)
        head = (row["game"], row["agent"], row["seat"])
        made.append((*head, *(c for i in range(3) for c in (quotes[i], cells[i], cells[3 + i]))))
    heads = ["game", "agent", "seat"]
    for name, kind in (("moves", "number"), ("s a move", "seconds"), ("s a game", "seconds")):
        heads += [f"{name}:{kind}:published", f"printed:{kind}", f"correct:{kind}"]
    note = "Times differ because these players, except the learners, are compiled."
    return table("r1-default-cost", "Table 1: moves and times, of both sides", heads, made, note)


def _costs(seated: Series) -> list[Cell]:
    """Return plies per match, seconds per ply and seconds per match, both sides together."""
    seconds = sum(effort.seconds for effort in seated.sides)
    return [seated.plies / seated.matches, seconds / max(1, seated.plies), seconds / seated.matches]


def _costs_of_table_2(meeting: Mapping[Game, Seats]) -> Table:
    made: list[tuple[Cell, ...]] = []
    for row in published("r1_head_to_head"):
        one, two = map(_costs_of_sides, _played(row, meeting))
        for (name, what), printed, correct in zip(COSTS.items(), one, two, strict=True):
            made.append((row["game"], f"{row['first']} – {row['second']}", what, quoted(row[name]), printed, correct))
    heads = "game | players | of each side | published:published | printed | correct"
    note = "The correct program: the learner’s errors fixed. Times differ because minimax is compiled here."
    return table("r1-each-other-cost", "Table 2: moves and times, of each side", heads, made, note)


def _costs_of_sides(seated: Series | None) -> list[Cell]:
    if seated is None or not seated.matches:
        return [NOT_PLAYED] * len(COSTS)
    one, two = seated.sides
    seconds = (one.seconds_per_move, two.seconds_per_move, (one.seconds + two.seconds) / seated.matches)
    moves = (one.moves / seated.matches, two.moves / seated.matches)
    return [*(shown("number", value) for value in moves), *(shown("seconds", value) for value in seconds)]


def _what_training_adds(seats: Seats) -> tuple[Table, list[str]]:
    """Compare the Connect 4 learner with and without training by seat, and state the result in the published seat."""
    row = next(row for row in published("r1_vs_default") if row["agent"] == "Q-learning trained")
    theirs = f"{row['wins']} / {row['draws']} / {row['losses']}"
    made: list[tuple[Cell, ...]] = []
    rates = {}
    for label in (UNTRAINED, FIRST_TABLE, FIXED[FIRST_TABLE]):
        for seat in ("1", "2"):
            seated, place = seats.get((label, OPPONENT) if seat == "1" else (OPPONENT, label)), int(seat) - 1
            rates[label, seat] = rate = seated.sides[place].win_rate if seated is not None else None
            quote: Cell = theirs if (label, seat) == (FIRST_TABLE, "1") else NOT_GIVEN
            ours: Cell = NOT_PLAYED if seated is None else seated.sides[place].counts
            made.append((label, seat, quote, ours, rate or NOT_PLAYED))
    heads = "learner | seat | win / draw / loss:published | ours | wins:percent"
    drawn = table("r1-training-adds", "Connect 4: the learner against the default opponent", heads, made)
    before, after = rates[UNTRAINED, "1"], rates[FIRST_TABLE, "1"]
    if before is None or after is None:
        return drawn, []
    gap = rate_difference(after, before)
    learnt = "no significant difference" if gap.covers(0) else f"{shown('number', 100 * gap.estimate)} points"
    return drawn, [
        f"R1’s Connect 4 learner, moving first against the default opponent, wins {shown('percent', before)} "
        f"untrained (rules only) and {shown('percent', after)} trained ({learnt}); {row['wins']} % is published "
        "for the trained one."
    ]


def _memory(found: StudyResults) -> Table:
    """Tabulate the size in memory of each trained table, a metric of the report without published figures."""
    made: list[tuple[Cell, ...]] = []
    for game in PLAYERS:
        for label in LEARNERS:
            measured = found.measured(f"{game.name}-training-{label}")
            if measured is not None:
                last = measured["history"][-1]
                made.append((game.title, label, last["episodes"], last["entries"], last["bytes"] / 1024))
    heads = "game | learner | episodes:count | positions:count | KiB:number"
    note = "Keys, and a value for each tried move; `inarow model show` has it for a file."
    return table("r1-memory", "Memory of the Q-tables", heads, made or [(NOT_PLAYED,) * 5], note)


def _sums(assessed: Sequence[assessment.Assessed]) -> list[str]:
    totals = [one for one in assessed if one.row.total]
    exact = [one for one in totals if one.verdict is assessment.RowStatus.EXACT]
    said = f"{len(exact)} of {len(totals)} published totals of states are exact sums of games that the printed "
    example = next((one for one in exact if one.row.total == 86_940), None)
    return [said + "program plays" + (f": {example.row.published} = {example.note}." if example else ".")]


def _figures(found: StudyResults, against: Mapping[Game, Seats]) -> Iterable[Figure]:
    """Yield figures 1 to 7: moves, states and time by algorithm; win rate during training."""
    for game in against:
        stated = [row for row in published("r1_vs_default") if row["game"] == game.name]
        for name, kind, column in (
            ("moves a game", "number", "avg_moves"), ("states a game", "number", "states"),
            ("time a move", "seconds", "time_per_move_s"),
        ):  # fmt: skip
            ours: list[tuple[str, float]] = []
            theirs: dict[str, float] = {}
            for row in stated:
                label = f"{row['agent']}, seat {row['seat']}"
                seated, _ = _played(row, against)
                if seated is not None:
                    nodes = sum(effort.nodes for effort in seated.sides) / seated.matches
                    plies, seconds = seated.plies / seated.matches, sum(effort.seconds for effort in seated.sides)
                    ours.append((label, {"avg_moves": plies, "states": nodes}.get(column, seconds / seated.plies)))
                if row[column]:
                    theirs[label] = float(row[column]) / (int(row["games"]) if column == "states" else 1)
            key = f"r1-{game.name}-{name.split()[0]}"
            yield cost_dots(key, f"{game.title}: {name} by algorithm", ours, name, kind, published=theirs)
    for game in PLAYERS:
        measured = found.measured(f"{game.name}-training-{FIRST_TABLE}")
        if measured is not None:
            yield _training_figure(game, measured)


def _training_figure(game: Game, measured: Mapping[str, Any]) -> Figure:
    """Plot the win rate at each evaluation during training in the learner's own seat, as in figure 7."""
    points: list[tuple[float, float | Interval]] = []
    for entry in measured["history"]:
        counts = next(iter(entry["matches"].values()))["first"]
        rate = wilson(counts["wins"], sum(counts.values()))
        if rate is not None:
            points.append((entry["episodes"], rate))
    lines = [Curve("first-seat table", points)]
    caption = "Against the default opponent, in the learner’s own seat, without exploration. Bands: 95 % intervals."
    if game == CONNECT4:
        lines.append(Curve("R1: about 0.75 from 13,000 episodes", [(13_000.0, 0.75), (15_000.0, 0.75)], quiet=True))
        caption += " R1 describes a rise until about 13,000 episodes; only the final value is stated."
    axes = Axis("episodes", "count"), Axis("win rate", "percent", low=-3, high=103)
    return curves(f"r1-{game.name}-training", f"{game.title}: win rate during training", *axes, lines, caption)


def _learnt(found: StudyResults, key: str) -> Table:
    """Tabulate the cost of an error of the Tic Tac Toe learner: wins, kept verdicts and table size with and without."""
    made: list[tuple[Cell, ...]] = []
    for name in ERRORS[key]:
        measured = found.measured(f"{key}-{name}")
        cells: tuple[Cell, ...] = (Blank("not trained"),) * 4
        if measured is not None:
            last = measured["history"][-1]
            wins = win_rates(last) or Blank("not judged")
            cells = (last["episodes"], wins, last["truth"]["keeps the verdict"], last["entries"])
        made.append((name, *cells))
    head, against, title = {
        "symmetry": ("symmetries", "the default opponent", "the learner with the eighth symmetry correct and wrong"),
        "self-play": ("the opponent's best reply", "random", "the learner trained without an opponent"),
    }[key]
    heads = (
        head, "episodes:count", f"wins against {against}:percent",
        "keeps the verdict, of all positions:percent", "positions in the table:count",
    )  # fmt: skip
    return table(f"r1-{key}", f"Tic Tac Toe: {title}", heads, made)


def _shown_errors(found: StudyResults) -> Table:
    """Count how often two errors of the learner mattered in Connect 4 against the default opponent."""
    labels = found.labels("connect4-default")
    games = ended = blocks = left = 0
    for record in found.records("connect4-default"):
        names = [labels.get(spec, spec) for spec in (record.first, record.second)]
        if FIRST_TABLE not in names:
            continue
        learner = names.index(FIRST_TABLE)
        games += 1
        ended += any(move == 0 and ply % 2 != learner for ply, move in enumerate(record.all_moves[:-1]))
        position = Position.start(CONNECT4)
        for move in record.all_moves:
            after = position.play(move)
            can_block = position.to_move == learner and not position.winning_moves()
            if can_block and move in position.winning_moves(position.to_move.other):
                blocks += 1
                left += bool(after.winning_moves())
            position = after
    rows: list[tuple[Cell, ...]] = [
        ("the opponent played column 0 before the end; in training this ends the episode", games, ended),
        ("the learner blocked, but the opponent could still win next move; rewarded as a block", blocks, left),
    ]
    heads = "Connect 4, first-seat table | matches or blocks:count | of these:count"
    return table("r1-shown-errors", "Frequency of two errors in this run", heads, rows)
