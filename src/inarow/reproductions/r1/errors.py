"""What the errors of r1 do: a wrong symmetry rebuilt, and two others counted in the matches of its learner."""

from __future__ import annotations

from collections.abc import Iterable

from inarow.report.cells import Blank, Cell, Column, shown
from inarow.report.tables import Table, table
from inarow.reproductions import reported
from inarow.reproductions.r1.players import FIRST_TABLE
from inarow.rules import CONNECT4, TICTACTOE, Position
from inarow.stats import Interval, wilson
from inarow.studies.framework.study import Measurement, Plan
from inarow.studies.framework.study_results import StudyResults
from inarow.studies.sections.trainings import train, training, win_rates

SYMMETRIES = {"all eight right": ",faults=none", "one diagonal’s board with the other’s move": ""}
SELF_PLAY = {"counts against the mover": ",faults=eighth-symmetry", "counts for the mover, as printed": ""}
_JUDGED = (
    Column("episodes", "count"), Column("keeps the verdict, of all positions", "percent"),
    Column("positions in the table", "count"),
)  # fmt: skip


def symmetry_trainings(plan: Plan) -> list[Measurement]:
    """The Tic Tac Toe learner with the eighth symmetry right and wrong."""
    made = []
    for name, changed in SYMMETRIES.items():
        settings = training(
            f"qlearning:preset=r1{changed}", TICTACTOE, plan.pick(3_000, 20_000), plan, matches=plan.pick(100, 500),
            against=["rules:preset=r1"], truth=True,
        )  # fmt: skip
        made.append(Measurement(f"symmetry-{name}", train, settings, weight=50))
    return made


def self_play_trainings(plan: Plan) -> list[Measurement]:
    """The Tic Tac Toe learner without an opponent, with the other side's prospects as its own and negated."""
    made = []
    for name, changed in SELF_PLAY.items():
        settings = training(
            f"qlearning:preset=r1{changed}", TICTACTOE, plan.pick(3_000, 20_000), plan, matches=plan.pick(100, 500),
            opponents=["self"], against=["random"], truth=True,
        )  # fmt: skip
        made.append(Measurement(f"self-play-{name}", train, settings, weight=50))
    return made


def self_play_table(found: StudyResults) -> Table:
    """What crediting both sides with the same sign costs."""
    heads = (
        "what the other side can reach", *_JUDGED[:1], Column("wins against random", "percent"), *_JUDGED[1:],
    )  # fmt: skip
    rows = _learnt(found, "self-play", SELF_PLAY)
    return table("r1-self-play", "Tic Tac Toe: the learner trained without an opponent", heads, rows)


def symmetry_table(found: StudyResults) -> Table:
    """What the wrong symmetry costs."""
    heads = ("symmetries", *_JUDGED[:1], Column("wins against the default opponent", "percent"), *_JUDGED[1:])
    rows = _learnt(found, "symmetry", SYMMETRIES)
    return table("r1-symmetry", "Tic Tac Toe: the learner with its eighth symmetry right and wrong", heads, rows)


def _learnt(found: StudyResults, key: str, names: Iterable[str]) -> list[tuple[Cell, ...]]:
    """Episodes, wins, verdicts kept and rows of each learner."""
    rows: list[tuple[Cell, ...]] = []
    for name in names:
        measured = found.measured(f"{key}-{name}")
        cells: tuple[Cell, ...] = (Blank("not trained"),) * 4
        if measured is not None:
            last = measured["history"][-1]
            wins = win_rates(last) or Blank("not judged")
            cells = (last["episodes"], wins, last["truth"]["keeps the verdict"], last["entries"])
        rows.append((name, *cells))
    return rows


def shown_errors(found: StudyResults) -> tuple[str, str]:
    """In the learner's Connect 4 matches against the default opponent: the share in which that played the first column
    before the end, and the share of the learner's blocks after which the opponent could still win at once."""
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
    return _said(wilson(ended, games)), _said(wilson(left, blocks))


def _said(rate: Interval | None) -> str:
    return "–" if rate is None else shown("percent", rate)


def fault_table(found: StudyResults) -> Table:
    """The report's errors, with what was measured of them."""
    ended, blocked = shown_errors(found)
    return reported.faults(
        "r1-errors", "R1",
        [
            ("The eighth symmetry pairs one diagonal’s board with the other’s move.",
             "faults=eighth-symmetry; the next table has what it costs."),
            ("The opponent’s column 0 ends a training episode (0 read as “no move”).",
             f"faults=column-0. It would have cut short {ended} of the learner’s games against the default opponent."),
            ("“Blocking” is rewarded while the opponent still threatens.",
             f"faults=threat-left. {blocked} of the moves with which the learner blocked left the opponent a win."),
            ("Without an opponent one table moves both sides and credits both with the same sign.",
             "faults=same-sign, in training with --opponent self: the last table has what it costs."),
            ("“Lower rows weigh more” in the centre column, of the search and of the learner.",
             "Both formulas give upper rows more: rows=upper, faults=upper-rows; the correct players have it right."),
            ("The Connect 4 learner is said to converge gradually until about 13,000 episodes, to about 0.75.",
             "An untrained table is compared with a trained one under “what training adds”."),
            ("Tic Tac Toe’s learner as first player meets minimax with 89 losses, 7.07 moves and 142830 states.",
             "That is a table trained for the second seat, or none: see table 2 with each table."),
            ("9! = 362,880 is given as Tic Tac Toe’s number of states.",
             "9! counts orders of nine moves; 5,478 positions can be reached."),
            ("Symmetry is said to reduce the Q-table.", "The program writes all eight rows of a position."),
            ("Draws are said to be many as second player.", "Its own table has 57 as first player and 11 as second."),
            ("7^42 is given as 1.4×10^35 and as the number of positions.",
             f"7^42 is {shown('number', float(7**42))}, and counts sequences of moves; Connect 4 has about 4.5×10^12 "
             "positions."),
        ],
    )  # fmt: skip


def unstated_table() -> Table:
    """What the report leaves open."""
    return reported.unstated(
        "r1-unstated", "R1",
        [
            ("The depth of minimax in table 2.", "5 with pruning: only so are its totals of states exact sums."),
            ("The depth of table 1’s row with pruning and none named.", "Full depth, by its total of states."),
            ("How many episodes were trained (“thousands”; over 13,000 for Connect 4).",
             "10,000 for Tic Tac Toe, its program’s default, and 15,000 for Connect 4; fewer at scale quick."),
            ("The value of the time-out that it mentions.", "None: no search here is cut short."),
            ("Whose table plays Tic Tac Toe’s first seat in table 2.", "The second seat’s, which fits; all are shown."),
            ("Lines that the listing lost: Tic Tac Toe’s change of player, two loop exits of the Connect 4 learner.",
             "The exit of its look-ahead is there: the match of 22,128 states needs it, that of 13,185 comes out "
             "either way. That of its double-threat test is undecided, both fit; here only playable cells are tried."),
            ("The values of a line that lacks one stone, which the listing lost.",
             "±10. From 5 to 20 the totals of states are the same; with 2, 3, 50 or 90 they are not."),
            ("Whether “355.791” states in table 2 has a decimal point.", "355,791: a count of states is whole."),
        ],
    )  # fmt: skip
