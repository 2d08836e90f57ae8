"""What r2's games cost: times a move, run times against the number of matches, states in a given time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inarow.report.cells import Blank, Cell, Column
from inarow.report.charts import cost_dots
from inarow.report.curves import Axis, Curve, curves
from inarow.report.style import Figure
from inarow.report.tables import Table, table
from inarow.reproductions.published import published
from inarow.reproductions.r2.learning import BASELINE, BATCHES, FRESH, OPPONENTS, Batch, batch
from inarow.reproductions.reported import NOT_PLAYED, quoted
from inarow.rules import CONNECT4, TICTACTOE, Game
from inarow.stats import wilson
from inarow.studies.framework.measurements import nodes_in_time
from inarow.studies.framework.study import Measurement, Plan
from inarow.studies.framework.study_results import StudyResults
from inarow.studies.sections.by_seat import SeatResults

PRUNED_ONLY = Blank("the learner met the pruned search only")
STATED_STATES = {"with pruning": "266,382,448", "without": "180,474,193"}
STATED_TIMES = (
    (TICTACTOE, "minimax, 10 games", 10, "0.23", 1),
    (TICTACTOE, "minimax, 1,000 games", 1000, "24.6", 1),
    (CONNECT4, "minimax, 1,000 games", 1000, "18.37", 1),
    (CONNECT4, "baseline, 1,000 games", 1000, "0.23", 0),
)


def state_measurements(plan: Plan) -> list[Measurement]:
    """The report's run at depth 6, for a shorter time."""
    made = []
    for name, kind in (("with pruning", "alphabeta"), ("without", "minimax")):
        settings = {"agent": f"{kind}:preset=r2,depth=6", "game": "connect4", "seconds": plan.pick(3, 30)}
        made.append(Measurement(f"states-{name.split()[0]}", nodes_in_time, settings, weight=100))
    return made


def _times(made: Batch | None) -> tuple[Cell, ...]:
    return (NOT_PLAYED,) * 3 if made is None else (made.plies, *made.seconds)


def times_table(game: Game, printed: Sequence[Batch | None], correct: Sequence[Batch | None]) -> Table:
    """Moves a game and time a move of each published row, the printed program's from the first reading of the row."""
    rows: list[tuple[Cell, ...]] = []
    for row, *batches in zip(published(f"r2_{game.name}"), printed, correct, strict=True):
        figures = [_times(batch) for batch in batches]
        if row["p1"] == "minimax" and row["alpha_beta"] == "no":
            figures = [(moves, PRUNED_ONLY, learner) for moves, _, learner in figures]
        quotes = [quoted(row[name]) for name in ("avg_moves", "p1_move_s", "p2_move_s")]
        all_three = (part for parts in zip(quotes, *figures, strict=True) for part in parts)
        rows.append((row["match"], row["p1"], row["p2"], row["games"], *all_three))
    heads: list[Column | str] = ["match", Column("p1", published=True), Column("p2", published=True)]
    heads.append(Column("games", published=True))
    for name, kind in (("moves", "number"), ("p1 s a move", "seconds"), ("p2 s a move", "seconds")):
        heads += [Column(name, kind, published=True), Column("printed", kind), Column("correct", kind)]
    return table(
        f"r2-{game.name}-times", f"{game.title}: moves and times", heads, rows,
        "In Connect 4 the report divides a side’s time by the moves of both sides: 0.0007143 × 25,739 moves are its "
        "18.37 s. Ours is divided by the side’s own moves; the learner’s time includes its learning. Minimax is "
        "compiled here. The learner met minimax with pruning only, which plays the same moves as without.",
    )  # fmt: skip


def figures(game: Game, found: StudyResults) -> list[Figure]:
    """The report's figures: time against matches, moves a game, total moves against the winner's."""
    times, wins, moves = [], [], []
    for opponent in OPPONENTS[game]:
        known = [(size, made) for size in BATCHES if (made := batch(found, game, opponent, FRESH, size)) is not None]
        points = [(float(made.matches), sum(made.seconds) * made.matches * made.plies / 2) for _, made in known]
        times.append(Curve(f"learner – {opponent}", points))
        rates = [(float(made.matches), wilson(made.wins, made.matches)) for _, made in known]
        wins.append(Curve(f"against {opponent}", [(at, rate) for at, rate in rates if rate is not None]))
        moves += [(f"learner – {opponent}, {made.matches} games", made.plies) for _, made in known]
    ends: dict[str, dict[int, int]] = {}
    for record in found.records(f"{game.name}-baseline"):
        if record.result in ("first", "second"):
            total = len(record.all_moves)
            won = (total + 1) // 2 if record.result == "first" else total // 2
            ends.setdefault(f"{record.result} player won", {})[total] = won
    winners = [Curve(name, [(float(t), float(w)) for t, w in sorted(by.items())]) for name, by in sorted(ends.items())]
    key, games = f"r2-{game.name}", Axis("matches", "count", log=True)
    number = {TICTACTOE: "1", CONNECT4: "4"}[game]
    return [
        curves(
            f"{key}-time", f"{game.title}: execution time against matches", games,
            Axis("time of both sides", "seconds", log=True), times,
            f"The learner’s match-ups of the report’s figure {number}.",
        ),
        curves(
            f"{key}-learner", f"{game.title}: the learner’s wins, batch by batch, fresh for each", games,
            Axis("share of wins", "percent", low=-3, high=103), wins, "Bands: 95 % intervals.",
        ),
        cost_dots(f"{key}-moves", f"{game.title}: moves a game", moves, "moves a game"),
        curves(
            f"{key}-winner", f"{game.title}: total moves against the winner’s moves", Axis("moves of both", whole=True),
            Axis("moves of the winner", whole=True), winners,
            "The winner made half of all moves, rounded up for the first player. The report’s figure is by algorithm.",
        ),
    ]  # fmt: skip


def states(found: StudyResults) -> Table:
    """The states of a given time."""
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


def run_times(found: StudyResults, seats: Mapping[Game, Mapping[tuple[str, str], SeatResults]]) -> Table:
    """The report's run times beside those of as many of our games."""
    rows: list[tuple[Cell, ...]] = []
    for game, what, games, theirs, side in STATED_TIMES:
        label = "minimax, pruning" + (" depth 4" if game == CONNECT4 else "")
        sat = [s for names in ((BASELINE, label), (label, BASELINE)) if (s := seats[game].get(names)) is not None]
        ours: Cell = NOT_PLAYED
        if sat:
            places = [(side, 1 - side)[index] for index in range(len(sat))]
            seconds = sum(s.effort[place].seconds for s, place in zip(sat, places, strict=True))
            ours = seconds * games / sum(s.matches for s in sat)
        rows.append((game.title, what, theirs, ours))
    heads = ("game", "what", Column("seconds", published=True), Column("printed program", "seconds"))
    return table("r2-run-times", "Run times", heads, rows, "Of one side, in as many games.")
