"""What the errors of r1 do: a wrong symmetry rebuilt, and two others counted in the matches of its learner."""

from __future__ import annotations

from inarow.report.cells import Blank, Cell, Column, shown
from inarow.report.tables import Table, table
from inarow.rules import CONNECT4, TICTACTOE, Position
from inarow.stats import Interval, wilson
from inarow.studies.framework.study import Measurement, Plan
from inarow.studies.framework.study_results import StudyResults
from inarow.studies.handwritten_qlearner import train_by_hand
from inarow.studies.sections.trainings import training, win_rates

SYMMETRIES = {"all eight right": (), "one diagonal’s board with the other’s move": ("diagonal",)}


def symmetry_trainings(opponent: str, plan: Plan) -> list[Measurement]:
    """The Tic Tac Toe learner with the eighth symmetry right and wrong."""
    made = []
    for name, faults in SYMMETRIES.items():
        settings = training(
            "qlearning:preset=r1", TICTACTOE, plan.pick(3_000, 20_000), plan, matches=plan.pick(100, 500),
            opponents=[opponent], against=[opponent], truth=True,
        )  # fmt: skip
        made.append(Measurement(f"symmetry-{name}", train_by_hand, {**settings, "faults": list(faults)}, weight=50))
    return made


def symmetry_table(found: StudyResults) -> Table:
    """What the wrong symmetry costs."""
    rows: list[tuple[Cell, ...]] = []
    for name in SYMMETRIES:
        measured = found.measured(f"symmetry-{name}")
        cells: tuple[Cell, ...] = (Blank("not trained"),) * 4
        if measured is not None:
            last = measured["history"][-1]
            wins = win_rates(last) or Blank("not judged")
            cells = (last["episodes"], wins, last["truth"]["keeps the verdict"], last["entries"])
        rows.append((name, *cells))
    heads = (
        "symmetries", Column("episodes", "count"), Column("wins against the default opponent", "percent"),
        Column("keeps the verdict, of all positions", "percent"), Column("positions in the table", "count"),
    )  # fmt: skip
    return table("r1-symmetry", "Tic Tac Toe: the learner with its eighth symmetry right and wrong", heads, rows)


def shown_errors(found: StudyResults) -> tuple[str, str]:
    """In the learner's Connect 4 matches against the default opponent: the share in which that played the first column
    before the end, and the share of the learner's blocks after which the opponent could still win at once."""
    labels = found.labels("connect4-default")
    games = ended = blocks = left = 0
    for record in found.records("connect4-default"):
        names = [labels.get(spec, spec) for spec in (record.first, record.second)]
        if "Q-learning trained" not in names:
            continue
        learner = names.index("Q-learning trained")
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
    return _said(wilson(ended, games)), _said(wilson(left, blocks))


def _said(rate: Interval | None) -> str:
    return "–" if rate is None else shown("percent", rate)
