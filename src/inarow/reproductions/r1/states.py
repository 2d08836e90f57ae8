"""R1's totals of states: which are sums of its printed program's games, to the state, and which tables play them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inarow.randomness import derive
from inarow.report.cells import Blank, Cell, Column, shown
from inarow.report.tables import Table, table
from inarow.reproductions import verdicts
from inarow.reproductions.published import published
from inarow.reproductions.r1.players import DEFAULT, FIRST_TABLE, MENDED, OPPONENT, PLAYERS, SECOND_TABLE, correct_one
from inarow.rules import CONNECT4
from inarow.studies.framework.study import Measured, Measurement, Plan, measurement
from inarow.studies.framework.study_results import StudyResults

MET = {("connect4", "Q-learning"): FIRST_TABLE}
"""Whose table played a row of table 2: the second seat's, where it is not said otherwise."""
CENTRE, EQUAL = 3, (1, 2, 4, 5)
"""After six discs in the centre the guides find these columns equal: the table decides."""
KNOWN_MATCH = "3 3 3 3 3 3 4 2 5 6 4 4 5 4 5 5"
"""Moves of the match that has as many states as the published row, from 0."""


@measurement("r1_table_match")
def table_match(settings: dict[str, Any]) -> Measured:
    """Train R1's Connect 4 learner for the first seat, and let it play one match against minimax."""
    from inarow.agents import agent
    from inarow.match import play_match
    from inarow.stopping import Stop
    from inarow.training import Stage, new_learner
    from inarow.training.evaluation import Held

    learner = new_learner(agent(settings["agent"]), CONNECT4, settings["seed"], settings["episodes"])
    learner.run(Stage((settings["opponent"],)), settings["episodes"], Stop())
    record = play_match(CONNECT4, Held(learner.mind), agent(settings["against"]), seed=settings["seed"])
    moves, states = " ".join(map(str, record.moves)), sum(record.nodes)
    return Measured({"moves": moves, "states": states, "verdict": f"{len(record.moves)} moves, {states:,} states"}, {})


@measurement("r1_tipped_match")
def tipped_match(settings: dict[str, Any]) -> Measured:
    """One match of R1's Connect 4 learner, empty but for one row that prefers ``column``, against minimax."""
    from inarow.agents import agent
    from inarow.match import play_match
    from inarow.rules import Position
    from inarow.training import new_learner
    from inarow.training.evaluation import Held
    from inarow.training.report_learner import ReportLearner

    learner = new_learner(agent(settings["agent"]), CONNECT4, 0, 1)
    assert isinstance(learner, ReportLearner)
    key = learner.table.key(Position.start(CONNECT4, (CENTRE,) * CONNECT4.rows))
    learner.table.rows[key] = {move: -0.01 for move in EQUAL if move != settings["column"]}
    record = play_match(CONNECT4, Held(learner.mind), agent(settings["against"]))
    moves, states = " ".join(map(str, record.moves)), sum(record.nodes)
    return Measured({"moves": moves, "states": states, "verdict": f"{len(record.moves)} moves, {states:,} states"}, {})


def table_matches(plan: Plan) -> list[Measurement]:
    """Several tables for the first seat, each trained from a seed of its own; and each column that a table can prefer
    where the guides leave four equal."""
    players = PLAYERS[CONNECT4]
    made = []
    for column in EQUAL:
        settings = {
            "agent": "qlearning:preset=r1", "game": CONNECT4.name, "against": players[OPPONENT], "episodes": 0,
            "column": column,
        }  # fmt: skip
        made.append(Measurement(f"tipped-{column}", tipped_match, settings))
    for seed in range(plan.pick(8, 12)):
        settings = {
            "agent": "qlearning:preset=r1,seat=first", "game": CONNECT4.name,
            "opponent": players[DEFAULT], "against": players[OPPONENT],
            "episodes": plan.pick(2_000, 1_000 * (2 + seed)), "seed": derive(plan.seed, "table", seed),
        }  # fmt: skip
        made.append(Measurement(f"table-{seed}", table_match, settings, weight=plan.pick(20, 60)))
    return made


def matches_table(found: StudyResults) -> tuple[Table, list[str]]:
    """The match that follows from each column a table can prefer, and how many trained tables play it."""
    trained = [
        m["moves"] for key in found.keys("measurement") if key.startswith("table-") and (m := found.measured(key))
    ]
    rows: list[tuple[Cell, ...]] = []
    for column in EQUAL:
        measured = found.measured(f"tipped-{column}")
        if measured is None:
            continue
        moves = measured["moves"]
        same = "exactly" if moves == KNOWN_MATCH else "no"
        rows.append((column, len(moves.split()), measured["states"], trained.count(moves), same, moves))
    others = len(trained) - sum(int(str(row[3])) for row in rows)
    rows.append(("any other", *(Blank("several matches"),) * 2, others, "no", Blank("several matches")))
    heads = (
        "seventh move", Column("moves", "count"), Column("states", "count"), Column("trained tables", "count"),
        "published: 8 + 8 moves, 22,128 states", "the match",
    )  # fmt: skip
    made = table(
        "r1-tables", "Connect 4: the match of a first-seat table against minimax, depth 5", heads, rows,
        "Columns from 0. Neither player has chance in it: a table plays one match. After six discs in the centre the "
        "guides find columns 1, 2, 4 and 5 equal (an untrained learner takes the lowest), so the table decides. Moves "
        "and states of a row: with a table that is empty but for this one preference. Trained tables: each with a seed "
        "of its own.",
    )  # fmt: skip
    exact = trained.count(KNOWN_MATCH)
    said = f"{exact} of {len(trained)} tables that were trained for the first seat play" if trained else ""
    return made, [f"{said} R1’s published Connect 4 match of 22,128 states, to the state."] if trained else []


def state_table(found: StudyResults) -> Table:
    """Every published total of states, as a sum of games of the printed program, or beside their mean."""
    rows: list[tuple[Cell, ...]] = []
    games: dict[tuple[str, str, str], list[int]] = {}
    for game in PLAYERS:
        for key in (f"{game.name}-default", f"{game.name}-each-other"):
            labels = found.labels(key)
            for record in found.records(key):
                names = (labels.get(record.first, record.first), labels.get(record.second, record.second))
                games.setdefault((game.name, *names), []).append(sum(record.nodes))
    for row in published("r1_vs_default"):
        if row["states"]:
            names = (row["agent"], DEFAULT) if row["seat"] == "1" else (DEFAULT, row["agent"])
            correct: Cell = verdicts.SAME
            if row["game"] == "connect4":
                right = (correct_one(CONNECT4, names[0]) or names[0], correct_one(CONNECT4, names[1]) or names[1])
                correct = _mean(row, games.get((row["game"], *right), []) if right != names else [])
            seen = games.get((row["game"], *names), [])
            rows.append(_states(row, f"{row['agent']}, seat {row['seat']}", seen, correct))
    for row in published("r1_head_to_head"):
        table_used = MET.get((row["game"], row["first"]), SECOND_TABLE)
        names = (OPPONENT, table_used) if row["first"] == "Minimax" else (table_used, OPPONENT)
        seen = games.get((row["game"], *names), [])
        right = (MENDED.get(names[0], names[0]), MENDED.get(names[1], names[1]))
        correct = _mean(row, games.get((row["game"], *right), []))
        rows.append(_states(row, f"{row['first']} – {row['second']} ({table_used})", seen, correct, found))
    heads = (
        "game", "row", Column("states", published=True), Column("games", published=True),
        Column("printed program: mean", "number"), "states of one game", "as a sum of its games",
        Column("a correct program: mean", "number"), verdicts.VERDICT,
    )  # fmt: skip
    return table(
        "r1-states", "States, to the state", heads, rows,
        "States are positions below the root, over all games of a run. Where a game has more than five totals, a sum "
        "shows nothing: there the published total is compared with the mean (normal approximation, 5 %).",
    )  # fmt: skip


def _mean(row: Mapping[str, str], seen: Sequence[int]) -> Cell:
    """The mean total of as many games as the row has."""
    return int(row["games"]) * sum(seen) / len(seen) if seen else Blank(verdicts.NOT_RUN)


def _states(
    row: Mapping[str, str], name: str, seen: Sequence[int], correct: Cell, found: StudyResults | None = None
) -> tuple[Cell, ...]:
    total, games = int(row["states"]), int(row["games"])
    head: tuple[Cell, ...] = (row["game"], name, row["states"], row["games"])
    values = sorted(set(seen))
    if found is not None and row["game"] == "connect4" and row["first"] != "Minimax":
        per_table = [found.measured(key) for key in found.keys("measurement") if key.startswith("table-")]
        values = sorted({*values, *(m["states"] for m in per_table if m is not None)})
    if not values:
        return (*head, *(Blank(verdicts.NOT_RUN),) * 3, correct, verdicts.OPEN)
    mean = games * sum(seen) / max(1, len(seen)) if seen else float(games * values[0])
    few = ", ".join(f"{value:,}" for value in values) if len(values) <= 5 else f"{values[0]:,} to {values[-1]:,}"
    sum_of = verdicts.decomposed(total, games, values) if games <= 10 else ""
    if games > 10 and total % games == 0 and total // games in values:
        sum_of = f"{games} × {total // games:,}"
    if sum_of:
        return (*head, mean, few, sum_of, correct, verdicts.EXACT)
    if len(set(seen)) < 2:
        return (*head, mean, few, Blank("none of the trained tables here plays that match"), correct, verdicts.OPEN)
    p = verdicts.total_p(total, games, seen)
    verdict = verdicts.CONSISTENT if p >= verdicts.LEVEL else verdicts.NOT_REPRODUCED
    return (*head, mean, few, f"no sum shown; p = {shown('number', p)}", correct, verdict)
