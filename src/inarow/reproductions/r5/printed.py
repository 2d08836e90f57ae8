"""R5's matches with its players as printed, roll-outs for its seconds, and what its credit error does."""

from __future__ import annotations

from collections.abc import Sequence

from inarow.report.cells import Cell, Column, shown
from inarow.report.tables import Table, table
from inarow.reproductions import reported, verdicts
from inarow.reproductions.r3.parts import play_alone
from inarow.reproductions.reported import NOT_GIVEN, NOT_PLAYED
from inarow.rules import CONNECT4
from inarow.studies.framework.line_ups import tournament
from inarow.studies.framework.measurements import think
from inarow.studies.framework.study import Experiment, Measurement, Plan
from inarow.studies.framework.study_results import StudyResults
from inarow.studies.sections.by_seat import SeatResults, results_by_seat

RATE = 1_500
"""Roll-outs a second of the report's program: about 20,000 in 10 to 15 s."""
ROLLOUTS = 20_000
MATCHES = {
    # Key: what it is called, the printed MCTS, the printed alpha–beta, the two without errors.
    "printed-2": (
        "match 2: MCTS, 1 s – alpha-beta, depth 6", f"mcts:preset=r5-match,simulations={RATE}",
        "alphabeta:preset=r5-match,depth=6", f"mcts:preset=r5,faults=none,simulations={RATE}",
        "alphabeta:preset=r5,depth=6",
    ),
    "printed-3": (
        "match 3: MCTS, 3 s – alpha-beta, depth 8", f"mcts:preset=r5-match,simulations={3 * RATE}",
        "alphabeta:preset=r5-match,depth=8", f"mcts:preset=r5,faults=none,simulations={3 * RATE}",
        "alphabeta:preset=r5,depth=8",
    ),
}  # fmt: skip
MCTS, ALPHABETA = "MCTS", "alpha-beta"
CREDIT = {
    "printed credit": "mcts:preset=r5,simulations=400",
    "corrected credit": "mcts:preset=r5,faults=none,simulations=400",
    "alpha-beta, depth 5": "alphabeta:preset=r5",
    "random": "random",
}
ASKED, REPLIES = ("5", "546", "54643"), "4, 4, 4"
"""What a person played against alpha–beta in the report's log, and its replies; columns from 1."""
ONE_PLY_LOG = "3 3 2 2 4"


def experiments(plan: Plan) -> list[Experiment]:
    """The second and third match as printed and without errors; what the credit error does; logs and speed."""
    made: list[Experiment] = []
    for key, (_, mcts, alphabeta, right_mcts, right_alphabeta) in MATCHES.items():
        printed, right = {MCTS: mcts, ALPHABETA: alphabeta}, {MCTS: right_mcts, ALPHABETA: right_alphabeta}
        made.append(tournament(key, CONNECT4, printed, plan.pick(12, 50), plan))
        made.append(tournament(f"{key}-correct", CONNECT4, right, plan.pick(6, 15), plan, openings="random:2"))
    made.append(tournament("credit", CONNECT4, CREDIT, plan.pick(8, 100), plan))
    alone = {"agent": "greedy:preset=r5", "game": CONNECT4.name, "seed": plan.seed}
    made.append(Measurement("one-ply-alone", play_alone, alone))
    replies = {"agent": "alphabeta:preset=r5", "game": CONNECT4.name, "positions": list(ASKED)}
    made.append(Measurement("replies", think, replies))
    speed = {"agent": f"mcts:simulations={ROLLOUTS}", "game": CONNECT4.name, "positions": [""]}
    made.append(Measurement("rollouts", think, speed, weight=10))
    as_printed = {"agent": f"mcts:preset=r5,simulations={ROLLOUTS}", "game": CONNECT4.name, "positions": [""]}
    made.append(Measurement("rollouts-printed", think, as_printed, weight=10))
    return made


def _first(found: StudyResults, key: str) -> tuple[int, int, int] | None:
    seated = results_by_seat(found, key).get((MCTS, ALPHABETA))
    return None if seated is None else (seated.first_wins, seated.draws, seated.second_wins)


def matches(found: StudyResults) -> verdicts.Group:
    """The published winners beside the printed players, MCTS first as in the report."""
    rows = [
        verdicts.Row(
            ("match 1: alpha-beta, depth 5 – MCTS, 8 s",), "a draw", None, None, "see the section on matches",
            "not played: the printed program filled its board with '0' strings, so that no column was legal",
        )
    ]  # fmt: skip
    for key, (name, mcts, alphabeta, _, _) in MATCHES.items():
        rows.append(
            verdicts.Row(
                (name,), "1 / 0 / 0", (1, 0, 0), _first(found, key), _both(found, f"{key}-correct"),
                f"{mcts} first, {alphabeta}",
            )
        )  # fmt: skip
    rows.append(
        verdicts.Row(
            ("match 4: MCTS, 3 s – alpha-beta, 3 s",), "not legible", None, None, "see the section on matches",
            "its result can’t be read",
        )
    )  # fmt: skip
    return verdicts.Group(
        "r5-printed", "MCTS wins / draws / alpha–beta wins, the players as printed", ("match",), rows,
        (f"A second of the report’s is {RATE:,} roll-outs here. The printed alpha–beta plays its score, 0, as a "
         "column; the printed MCTS searches the empty board at every turn. A full column loses.",),
    )  # fmt: skip


def _both(found: StudyResults, key: str) -> tuple[int, int, int] | None:
    seats = results_by_seat(found, key)
    one, two = seats.get((MCTS, ALPHABETA), SeatResults()), seats.get((ALPHABETA, MCTS), SeatResults())
    if not one.matches + two.matches:
        return None
    return one.first_wins + two.second_wins, one.draws + two.draws, one.second_wins + two.first_wins


def logs(found: StudyResults) -> Table:
    """What the report's logs show, move by move."""
    alone, replies = found.measured("one-ply-alone"), found.measured("replies")
    rows: list[tuple[Cell, ...]] = []
    moves = "" if alone is None else alone["moves"]
    said = verdicts.EXACT if moves.startswith(ONE_PLY_LOG) else verdicts.NOT_REPRODUCED
    rows.append(("one-ply against itself, columns from 0", f"{ONE_PLY_LOG} …", moves or NOT_PLAYED, said))
    answered = "" if replies is None else ", ".join(replies["moves"])
    said = verdicts.EXACT if answered == REPLIES else verdicts.NOT_REPRODUCED
    rows.append(("alpha–beta, depth 5, after a person’s 5, 6 and 3", REPLIES, answered or NOT_PLAYED, said))
    heads = ("log", Column("published", published=True), "printed program, run again", verdicts.VERDICT)
    return table("r5-logs", "The report’s logs, as far as they are legible", heads, rows)


def speed(found: StudyResults) -> Table:
    """The report's 20,000 roll-outs beside ours."""
    rows: list[tuple[Cell, ...]] = []
    for name, key in (("its own search, compiled", "rollouts-printed"), ("mcts, as it is by default", "rollouts")):
        measured = found.measured(key)
        seconds: Cell = NOT_PLAYED if measured is None else measured["timing"]["seconds"][0]
        rows.append((name, "10–15", seconds, ROLLOUTS))
    heads = ("search", Column("seconds", published=True), Column("ours", "seconds"), Column("roll-outs", "count"))
    return table("r5-rollouts", "About 20,000 roll-outs from the empty board", heads, rows)


def credit(found: StudyResults) -> tuple[Table, list[str]]:
    """MCTS of 400 roll-outs with the printed and the corrected credit, both seats together."""
    seats = results_by_seat(found, "credit")
    rows: list[tuple[Cell, ...]] = []
    won: dict[tuple[str, str], str] = {}
    for name in ("printed credit", "corrected credit"):
        for other in ("alpha-beta, depth 5", "random"):
            one, two = seats.get((name, other), SeatResults()), seats.get((other, name), SeatResults())
            games = one.matches + two.matches
            wins = one.first_wins + two.second_wins
            won[name, other] = f"{wins} of {games}"
            rows.append((name, other, NOT_GIVEN, f"{wins} of {games}", (one.plies + two.plies) / max(1, games)))
    heads = ("MCTS, 400 roll-outs", "against", Column("won", published=True), "won here", Column("plies", "number"))
    made = table(
        "r5-credit", "What the credit error costs, both seats together", heads, rows,
        "With the printed credit a leaf counts as won after every roll-out, whoever won it: only games that end inside "
        "the tree tell moves apart.",
    )  # fmt: skip
    strong = "alpha-beta, depth 5"
    return made, [
        "R5’s MCTS never used who won a roll-out: against its own alpha–beta it wins "
        f"{won['printed credit', strong]} with the printed credit and {won['corrected credit', strong]} with the "
        "corrected one."
    ]


def unstated_table() -> Table:
    """What the report leaves open."""
    return reported.unstated(
        "r5-unstated", "R5",
        [
            ("The result of match 4, which is not legible.", "Left open; both players are run at equal times."),
            ("How many roll-outs a match’s seconds were.", f"{RATE:,} a second, from about 20,000 in 10 to 15 s."),
            ("The value of a win in alpha–beta against a person: the line is lost.",
             "About 10^14; that of a loss, −10^13, is printed."),
        ],
    )  # fmt: skip


def speed_sentence(found: StudyResults) -> Sequence[str]:
    """How long ours takes."""
    measured = found.measured("rollouts-printed")
    if measured is None:
        return []
    seconds = shown("seconds", measured["timing"]["seconds"][0])
    return [f"Its search, compiled, makes {ROLLOUTS:,} roll-outs in {seconds}, where the report took 10–15 s."]
