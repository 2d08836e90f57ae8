"""The study ``r2``: R2's published rows, the runs to compare them with, and its experiments repeated."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any, NamedTuple

from inarow.randomness import derive
from inarow.report.curves import Axis, Curve, curves
from inarow.report.page import Section
from inarow.report.tables import Blank, Cell, Figure, Table, rate_difference, shown, table
from inarow.reproductions import assessment
from inarow.reproductions.assessment import Counts, PublishedRow
from inarow.reproductions.distributions import (
    NOT_PLAYED,
    Batches,
    Source,
    Trial,
    TrialPairing,
    published,
    quoted,
    shipped_runs,
)
from inarow.rules import CONNECT4, TICTACTOE, Game, game
from inarow.stats import wilson
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
from inarow.studies.measurements import nodes_in_time
from inarow.studies.sections import Seats, results_by_seat

BASELINE, LEARNS = "r2-baseline", "r2-qlearning"
BATCHES = (10, 100, 1000)
DEPTHS = {"tictactoe": {"": ""}, "connect4": {" depth 4": ",depth=4", " depth 5": ",depth=5"}}
FRESH, CARRIED = "fresh for each batch", "carried over"

SOURCES: tuple[Source, ...] = tuple(
    Trial(f"{game}{depth}", game, (
        TrialPairing("baseline – minimax", BASELINE, f"r2-minimax:letter=o{given}", 100, lot=True),
    ), runs=40)
    for game, depths in DEPTHS.items() for depth, given in depths.items()
) + tuple(
    Batches(
        f"{game} {name} – learner, {reading}", game, LEARNS, spec, batches, reading == FRESH,
        runs=10 if "depth" in name else 20,
    )
    for game, depths in DEPTHS.items()
    for name, spec in (
        ("baseline", BASELINE),
        *((f"minimax{depth}", f"r2-minimax:letter=x{given}") for depth, given in depths.items()),
    )
    for reading, batches in ((FRESH, BATCHES), (CARRIED, BATCHES * 2))
)  # fmt: skip
"""Runs for ``scripts/report_runs.py r2``. Minimax is X against the learner and O against the baseline."""


def rows() -> list[PublishedRow]:
    """Return every published row of both games."""
    return [_row(game, row) for game in DEPTHS for row in published(f"r2_{game}")]


def _row(game: str, row: Mapping[str, str]) -> PublishedRow:
    runs, size = shipped_runs("r2"), int(row["games"])
    place = BATCHES.index(size)
    keys: dict[str, str] = {}
    for depth in DEPTHS[game]:
        if row["p2"] == "minimax":
            keys[depth.strip()] = f"{game}{depth} / baseline – minimax"
            continue
        name = "baseline" if row["p1"] == "baseline" else f"minimax{depth}"
        prefix = "" if name == "baseline" else f"{depth.strip()}, " if depth else ""
        keys[f"{prefix}learner {FRESH}"] = f"{game} {name} – learner, {FRESH} / {place}"
        for number, again in enumerate(("", ", second pass")):
            batch = place + number * len(BATCHES)
            keys[f"{prefix}learner {CARRIED}{again}"] = f"{game} {name} – learner, {CARRIED} / {batch}"
    readings = {name: runs[key] for name, key in keys.items() if key in runs}
    unstated = [
        *(["whether a saved table was used"] if row["p2"] == "qlearning" else []),
        *(["the depth, 4 or 5"] if game == "connect4" and "minimax" in (row["p1"], row["p2"]) else []),
        *(["how a tie was counted"] if game == "connect4" else []),
    ]
    counts = (int(row["p1_score"]), int(row["ties"]), int(row["p2_score"]))
    pruning = {"yes": ", pruning", "no": ", no pruning"}.get(row["alpha_beta"], "")
    assumed = [
        *(["pruning does not change a move"] if pruning == ", no pruning" else []),
        *(["ties are counted for player 2, because no published row has one"] if game == "connect4" else []),
    ]
    return PublishedRow(
        f"{game} {row['match']}", (game, row["match"], f"{row['p1']} – {row['p2']}{pruning}", row["games"]),
        " / ".join(map(str, counts)), size, [counts], moves=row["avg_moves"], readings=readings,
        ties_to_second=game == "connect4", assumed="; ".join(assumed), open="; ".join(unstated),
    )  # fmt: skip


GAMES = (TICTACTOE, CONNECT4)
KINDS = {"yes": ("pruning", "on"), "no": ("no pruning", "off")}
"""The column ``alpha_beta`` of the published tables: its label, and the parameter ``pruning``."""
FIXED_MINIMAX = "minimax, fixed"
PRINTED, ALL_FIXED = "as printed", "all fixed"
VARIANTS: Mapping[str, str] = {
    PRINTED: "",
    "column 0 is learnt": "fixed=column-0",
    "no value is set directly": "fixed=outright",
    "no update is skipped": "fixed=skips",
    "winning and losing are learnt": "fixed=no-end",
    "the opponent’s threes and twos count against it": "fixed=reward",
    "wins and blocks are never played, as in the listing's indentation": "guided=off",
    ALL_FIXED: "fixed=on",
    "no learning": "fixed=on,alpha=0",
}
"""The Connect 4 learner with errors fixed one by one."""
STATED_STATES = {"with pruning": "266,382,448", "without": "180,474,193"}
STATED_TIMES = (
    (TICTACTOE, "minimax, 10 games", 10, "0.23", 1),
    (TICTACTOE, "minimax, 1,000 games", 1000, "24.6", 1),
    (CONNECT4, "minimax, 1,000 games", 1000, "18.37", 1),
    (CONNECT4, "baseline, 1,000 games", 1000, "0.23", 0),
)
SHOWN_DEPTH = {TICTACTOE: "", CONNECT4: " depth 4"}
"""The depth of minimax in times and figures: the printed program's default."""


def _minimax(kind: str, depth: str) -> str:
    return f"minimax, {kind}{depth}"


def _players(board: Game) -> dict[str, str]:
    made = {"baseline": BASELINE}
    for kind, pruning in KINDS.values():
        made |= {
            _minimax(kind, depth): f"r2-minimax:letter=o,pruning={pruning}{given}"
            for depth, given in DEPTHS[board.name].items()
        }
    if board == CONNECT4:
        made[FIXED_MINIMAX] = "r2-minimax:letter=o,fixed=on"
    return made


def _opponents(board: Game) -> dict[str, str]:
    """Return the learner's opponents; minimax is X."""
    depth = SHOWN_DEPTH[board]
    given = DEPTHS[board.name][depth]
    return {"baseline": BASELINE} | {
        _minimax(kind, depth): f"r2-minimax:letter=x,pruning={pruning}{given}" for kind, pruning in KINDS.values()
    }


class BatchResult(NamedTuple):
    """Games of two players, counted as in the report: player 1, ties, player 2."""

    counts: Counts
    plies: float
    seconds: tuple[float, float]
    """Seconds per move of each player."""
    won: Mapping[str, tuple[float, float]]
    """Mean length, and mean number of the winner's moves, of the games won by each player."""

    @property
    def matches(self) -> int:
        """The number of matches."""
        return sum(self.counts)


@measurement("learn_while_playing")
def learn_while_playing(settings: dict[str, Any]) -> Measured:
    """Play ``batches`` of games against ``opponent`` while learning, starting afresh in each batch."""
    from inarow.training import trainer

    board, made = game(settings["game"]), trainer(settings["trainer"])
    results, timing = [], []
    for number, size in enumerate(settings["batches"]):
        seed = derive(settings["seed"], "batch", number)
        for counted in (False, True):  # the first game may compile, so it is not timed
            learner: Any = made.learner(board, seed, size)
            lengths: dict[str, list[int]] = {"learner": [], "opponent": []}
            begun = time.perf_counter()
            for _ in range(size if counted else 1):
                before = dict(learner.counts)
                learner.episode(settings["opponent"])
                plies = int(learner.counts["plies"] - before["plies"])
                for name, who in (("wins", "learner"), ("losses", "opponent")):
                    if learner.counts[name] > before[name]:
                        lengths[who].append(plies)
            took = time.perf_counter() - begun
        opponent = learner.opponent_seconds
        tally = learner.tally()
        results.append(
            {"games": size, **{name: tally[name] for name in ("wins", "draws", "losses", "plies")}, "lengths": lengths}
        )
        moves = size * tally["plies"] / 2
        timing.append({"learner": (took - opponent) / moves, "opponent": opponent / moves, "seconds": took})
    last = results[-1]
    said = f"{settings['trainer']} won {last['wins']} of its last {last['games']:,} games"
    return Measured({"batches": results, "verdict": said}, {"batches": timing})


def _key(board: Game, opponent: str, variant: str = PRINTED) -> str:
    return f"{board.name}-learner-{opponent}-{variant}".replace(", ", "-").replace(" ", "-")


def _learner(board: Game, opponent: str, spec: str, variant: str, plan: Plan) -> Measurement:
    changed = VARIANTS[variant]
    settings = {
        "trainer": LEARNS + (f":{changed}" if changed else ""), "game": board.name, "opponent": spec,
        "batches": [10 * plan.pick(size // 10, size // 10) for size in BATCHES], "seed": plan.seed,
    }  # fmt: skip
    return Measurement(_key(board, opponent, variant), learn_while_playing, settings, weight=100)


class R2(Study):
    """The second report's experiments."""

    name = "r2"
    title = "R2 again: a baseline, minimax and a Q-learner that learns while it plays"
    summary = "the second report: baseline, minimax and a Q-learner that learns as it plays, 10, 100 and 1000 games"
    figure = "r2-connect4-time"

    def experiments(self, plan: Plan) -> Sequence[Experiment]:
        made: list[Experiment] = []
        for board in GAMES:
            # The report draws the first player at random; here each pair plays both seats.
            key, pairs = f"{board.name}-baseline", plan.pick(60, 500)
            made.append(tournament(key, board, _players(board), pairs, plan, format="gauntlet"))
            for opponent, spec in _opponents(board).items():
                made.append(_learner(board, opponent, spec, PRINTED, plan))
                if board == CONNECT4:
                    made.append(_learner(board, opponent, spec, ALL_FIXED, plan))
        for variant in VARIANTS:
            if variant not in (PRINTED, ALL_FIXED):
                made.append(_learner(CONNECT4, "baseline", BASELINE, variant, plan))
        for name, (_, pruning) in zip(STATED_STATES, KINDS.values(), strict=True):
            settings = {
                "agent": f"r2-minimax:depth=6,pruning={pruning}",
                "game": "connect4",
                "seconds": plan.pick(3, 30),
            }
            made.append(Measurement(f"states-{name.split()[0]}", nodes_in_time, settings, weight=100))
        return made

    def content(self, found: StudyResults) -> Content:
        seats = {board: results_by_seat(found, f"{board.name}-baseline") for board in GAMES}
        assessed = assessment.assess(rows())
        here: dict[str, Any] = {}
        for board in GAMES:
            for row in published(f"r2_{board.name}"):
                batches = [_batch(found, seats[board], board, row, fixed) for fixed in (False, True)]
                here[f"{board.name} {row['match']}"] = [None if one is None else one.counts for one in batches]
        errors = _learner_errors(found)
        inverted, said = _inverted(seats[CONNECT4])
        sections = [
            *(
                Section(f"{board.title}: figures", (*_figures(board, found, there), _times(board, found, there)))
                for board, there in seats.items()
            ),
            Section("One seat is inverted", (inverted,)),
            Section("States and run times", (_states(found), _run_times(seats))),
        ]  # fmt: skip
        lead = (
            "The report’s printed program, with its errors, from the empty board, compared with the published figures "
            "(tinted) and with the same players without the errors. The learner starts with an empty table and "
            "learns while it plays."
        )
        return assessment.report_content(
            found, lead, ("game", "match", "players", "games"), assessed, here,
            [*said, *_learner_sentences(errors)], sections, rows=[_depths(assessed)], errors=[errors],
        )  # fmt: skip


def _batch(
    found: StudyResults, seats: Seats, board: Game, row: Mapping[str, str], fixed: bool = False
) -> BatchResult | None:
    """Return this run's result for a published row, at the program's default depth; ``fixed``: without the errors."""
    depth, kind = SHOWN_DEPTH[board], KINDS.get(row["alpha_beta"], ("", ""))[0]
    if row["p2"] == "minimax":
        return _together(seats, "baseline", FIXED_MINIMAX if fixed and board == CONNECT4 else _minimax(kind, depth))
    opponent = "baseline" if row["p1"] == "baseline" else _minimax(kind, depth)
    variant = ALL_FIXED if fixed and board == CONNECT4 else PRINTED
    return _learnt_batch(found, board, opponent, variant, BATCHES.index(int(row["games"])))


def _together(seats: Seats, a: str, b: str) -> BatchResult | None:
    """Return the results of two players in both seats, counted for ``a``."""
    one, two = seats.get((a, b)), seats.get((b, a))
    if one is None or two is None:
        return None
    counts = (one.wins + two.losses, one.draws + two.draws, one.losses + two.wins)
    times = []
    for first, second in ((one.sides[0], two.sides[1]), (one.sides[1], two.sides[0])):
        times.append((first.seconds + second.seconds) / max(1, first.moves + second.moves))
    games = one.matches + two.matches
    return BatchResult(counts, (one.plies + two.plies) / games, (times[0], times[1]), {})


def _learnt_batch(found: StudyResults, board: Game, opponent: str, variant: str, place: int) -> BatchResult | None:
    measured = found.measured(_key(board, opponent, variant))
    if measured is None:
        return None
    one, clock = measured["batches"][place], measured["timing"]["batches"][place]
    won = {
        name: _mean_lengths(plies)
        for name, plies in zip(("learner", opponent), one["lengths"].values(), strict=True)
        if plies
    }
    counts = (one["losses"], one["draws"], one["wins"])
    return BatchResult(counts, one["plies"], (clock["opponent"], clock["learner"]), won)


def _mean_lengths(plies: Sequence[int]) -> tuple[float, float]:
    """Return the mean length of won games, and the winner's mean number of moves in them."""
    return fmean(plies), fmean((n + 1) // 2 for n in plies)


def _depths(assessed: Sequence[assessment.Assessed]) -> Table:
    """Count the published Connect 4 rows of minimax that fit each reading of its depth and ties."""
    made: list[tuple[Cell, ...]] = []
    rows_of = {
        players: [one.row for one in assessed if one.row.labels[0] == "connect4" and players in one.row.labels[2]]
        for players in ("baseline – minimax", "minimax – qlearning")
    }
    for depth in ("depth 4", "depth 5"):
        for ties in (False, True):
            cells: list[Cell] = []
            for published_rows in rows_of.values():
                fits = 0
                for row in (replace(one, ties_to_second=ties) for one in published_rows):
                    names = [name for name in row.readings if depth in name]
                    fits += any(assessment.p_value(row, name) >= assessment.LEVEL for name in names)
                cells += [fits, len(published_rows)]
            made.append((depth + (", ties counted for player 2" if ties else ""), *cells))
    heads = ["reading"]
    for players in ("baseline – minimax", "minimax – learner"):
        heads += [f"{players}: rows that fit:count", "of:count"]
    return table(
        "r2-depths", "Connect 4: published rows that fit each depth", heads, made,
        "A row fits if its uncorrected p is at least 0.05 for one of the learner’s readings, shares and length "
        "together. The report’s table of parameters has depth 5, its code’s default is 4. No published Connect 4 row "
        "has a tie.",
    )  # fmt: skip


def _inverted(seats: Seats) -> tuple[Table, list[str]]:
    """Tabulate minimax against the baseline by depth: correct for one letter, inverted for the other."""
    made: list[tuple[Cell, ...]] = []
    rates = []
    for name, leaves in (
        (_minimax("pruning", " depth 4"), "correctly"), (_minimax("pruning", " depth 5"), "inverted"),
        (FIXED_MINIMAX, "for the searcher"),
    ):  # fmt: skip
        batch = _together(seats, "baseline", name)
        rates.append(None if batch is None else wilson(batch.counts[2], batch.matches))
        made.append((f"{name}, as O", leaves, rates[-1] or NOT_PLAYED))
    heads = "player | leaves are evaluated | wins against the baseline:percent"
    note = (
        "O always maximises while leaves are evaluated for the side to move there. For X depth 5 is correct "
        "and depth 4 inverted."
    )
    drawn = table("r2-inverted", "Connect 4: one seat is inverted", heads, made, note)
    if None in rates:
        return drawn, []
    four, five, fixed = (shown("percent", rate) for rate in rates if rate is not None)
    return drawn, [
        f"One seat is inverted: as O, R2’s Connect 4 minimax wins {four} against the baseline at depth 4 and {five} at "
        f"depth 5, one ply deeper; with leaves and wins fixed it wins {fixed}."
    ]


def _match_ups(
    board: Game, found: StudyResults, seats: Seats
) -> Iterator[tuple[str, list[tuple[int, BatchResult]], list[dict[str, str]]]]:
    """Yield each match-up with and without pruning: name, this run by batch, and the published rows."""
    stated = published(f"r2_{board.name}")
    for p1, p2 in (("baseline", "minimax"), ("baseline", "qlearning"), ("minimax", "qlearning")):
        for said in ("yes", "no") if "minimax" in (p1, p2) else ("",):
            quotes = [row for row in stated if (row["p1"], row["p2"], row["alpha_beta"]) == (p1, p2, said)]
            known = [(int(row["games"]), batch) for row in quotes if (batch := _batch(found, seats, board, row))]
            yield f"{p1} – {p2}" + (f", {KINDS[said][0]}" if said else ""), known, quotes


def _figures(board: Game, found: StudyResults, seats: Seats) -> list[Figure]:
    """Return the counterparts of figures 1 to 3 (Tic Tac Toe) or 4 to 6 (Connect 4)."""
    times, moves, winners = [], [], dict[str, list[tuple[float, float]]]()
    # the report divides a side's time by its own moves, in Connect 4 by the moves of both sides
    both = 0.5 if board == TICTACTOE else 1.0
    for name, known, quotes in _match_ups(board, found, seats):
        times.append(Curve(name, [(n, sum(one.seconds) * n * one.plies / 2) for n, one in known]))
        moves.append(Curve(name, [(n, one.plies) for n, one in known]))
        spent = [
            (n, both * n * float(q["avg_moves"]) * (float(q["p1_move_s"]) + float(q["p2_move_s"])))
            for q in quotes for n in (float(q["games"]),)
        ]  # fmt: skip
        times.append(Curve(f"{name}, R2", spent, quiet=True))
        moves.append(Curve(f"{name}, R2", [(float(q["games"]), float(q["avg_moves"])) for q in quotes], quiet=True))
        for _, batch in known:
            for winner, point in batch.won.items():
                winners.setdefault(winner, []).append(point)
    for label, ends in _ends(found, board).items():
        winners.setdefault(label, []).append(ends)
    key, games = f"r2-{board.name}", Axis("games", "count", log=True)
    one, two, three = (1, 2, 3) if board == TICTACTOE else (4, 5, 6)
    return [
        curves(
            f"{key}-time", f"{board.title}: execution time against games", games,
            Axis("time of both sides", "seconds", log=True), times,
            f"Figure {one}; R2’s values are its times a move × moves. Ours between the baseline and minimax: the "
            "mean time of a game × games.",
        ),
        curves(f"{key}-moves", f"{board.title}: moves a game", games, Axis("moves a game"), moves, f"Figure {two}."),
        curves(
            f"{key}-winner", f"{board.title}: total moves against the winner’s moves", Axis("moves of both, mean"),
            Axis("moves of the winner, mean"), [Curve(name, sorted(points)) for name, points in winners.items()],
            f"Figure {three}, by algorithm: a point for each batch and match-up with a win. With and without pruning "
            "minimax plays the same moves, so its two lines coincide. R2’s own values are not given as numbers.",
        ),
    ]  # fmt: skip


def _ends(found: StudyResults, board: Game) -> dict[str, tuple[float, float]]:
    """Return the mean length and the winner's mean moves of the games won by the baseline and by minimax."""
    labels, lengths = found.labels(f"{board.name}-baseline"), dict[str, list[int]]()
    for record in found.records(f"{board.name}-baseline"):
        if record.result in ("first", "second"):
            winner = record.first if record.result == "first" else record.second
            lengths.setdefault(labels.get(winner, winner), []).append(len(record.all_moves))
    wanted = ("baseline", *(_minimax(kind, SHOWN_DEPTH[board]) for kind, _ in KINDS.values()))
    return {
        name: _mean_lengths(plies)
        for name, plies in lengths.items() if name in wanted
    }  # fmt: skip


def _times(board: Game, found: StudyResults, seats: Seats) -> Table:
    """Tabulate moves per game and time per move of each published row."""
    made: list[tuple[Cell, ...]] = []
    for row in published(f"r2_{board.name}"):
        batches = [_batch(found, seats, board, row, fixed) for fixed in (False, True)]
        figures = [(NOT_PLAYED,) * 3 if one is None else (one.plies, *one.seconds) for one in batches]
        quotes = [quoted(row[name]) for name in ("avg_moves", "p1_move_s", "p2_move_s")]
        all_three = (part for parts in zip(quotes, *figures, strict=True) for part in parts)
        made.append((row["match"], row["p1"], row["p2"], row["games"], *all_three))
    heads = ["match", *(f"{name}:published" for name in ("p1", "p2", "games"))]
    for name, kind in (("moves", "number"), ("p1 s a move", "seconds"), ("p2 s a move", "seconds")):
        heads += [f"{name}:{kind}:published", f"printed:{kind}", f"correct:{kind}"]
    return table(
        f"r2-{board.name}-times", f"{board.title}: moves and times", heads, made,
        "In Connect 4 the report divides a side’s time by the moves of both sides: 0.0007143 × 25,739 moves are its "
        "18.37 s. Ours is divided by the side’s own moves; the learner’s time includes its learning. Minimax is "
        "compiled here, and at the program’s default depth.",
    )  # fmt: skip


def _states(found: StudyResults) -> Table:
    made: list[tuple[Cell, ...]] = []
    for name, stated in STATED_STATES.items():
        measured = found.measured(f"states-{name.split()[0]}")
        timing = measured["timing"] if measured else None
        ours: tuple[Cell, ...] = (
            (timing["seconds"], timing["nodes"], timing["nodes"] / timing["seconds"], timing["moves"])
            if timing else (NOT_PLAYED,) * 4
        )  # fmt: skip
        made.append((f"depth 6, {name}", stated, "1,800", *ours))
    heads = (
        "search | states:published | seconds:published | our time:seconds | nodes:count | "
        "nodes a second:number | moves decided:count"
    )
    return table(
        "r2-states", "States explored in a given time", heads, made,
        "The report’s run of 30 minutes is shortened here, as stated. It reads its figures as pruning "
        "saving states; they are of equal times, so they only say how many states a second each visits. What pruning "
        "saves is in the last column: how many moves were decided in the same time.",
    )  # fmt: skip


def _run_times(seats: Mapping[Game, Seats]) -> Table:
    made: list[tuple[Cell, ...]] = []
    for board, what, games, theirs, side in STATED_TIMES:
        batch = _together(seats[board], "baseline", _minimax("pruning", SHOWN_DEPTH[board]))
        ours: Cell = NOT_PLAYED if batch is None else batch.seconds[side] * games * batch.plies / 2
        made.append((board.title, what, theirs, ours))
    heads = "game | what | seconds:published | printed program:seconds"
    return table("r2-run-times", "Run times", heads, made, "Of one side, in as many games.")


def _learner_errors(found: StudyResults) -> Table:
    """Tabulate the cost of each error of the Connect 4 learner: wins in the last batch with and without it."""
    last = {name: _learnt_batch(found, CONNECT4, "baseline", name, len(BATCHES) - 1) for name in VARIANTS}
    rates = {name: wilson(one.counts[2], one.matches) if one is not None else None for name, one in last.items()}
    printed = rates[PRINTED]
    made: list[tuple[Cell, ...]] = []
    for name, rate in rates.items():
        said: Cell = Blank("the reference")
        if name != PRINTED and rate is not None and printed is not None:
            gap = rate_difference(rate, printed)
            said = "no significant difference" if gap.covers(0) else "better" if gap.estimate > 0 else "worse"
        made.append((name, rate or Blank("not played"), said))
    heads = "learner | wins:percent | against as printed"
    note = (
        "It wins and blocks by rule before it consults its table. Where a fix shows no difference, look at the last "
        "row: what that rule scores alone."
    )
    return table("r2-learner-errors", "Connect 4: the learner, fresh, against the baseline", heads, made, note)


def _learner_sentences(made: Table) -> list[str]:
    printed = made.rows[0][1]
    return [
        f"Connect 4: with “{name}” R2’s learner is {said}: it wins {shown('percent', rate)}, as printed "
        f"{shown('percent', printed)}."
        for name, rate, said in made.rows
        if said in ("better", "worse")
    ]
