"""What is in error in r2, and what it leaves open."""

from __future__ import annotations

from inarow.report.tables import Table
from inarow.reproductions import reported


def fault_table() -> Table:
    """The report's errors."""
    return reported.faults(
        "r2-errors", "R2",
        [
            ("Leaves are evaluated for the side to move there while O always maximises.",
             "One seat is inverted: depth 4 is right for O, depth 5 for X (view=second)."),
            ("A Connect 4 win scores open columns + 1, at most 8: less than a single open three (10).",
             "win=open; the mended minimax has a win worth more than anything else."),
            ("A window counts only from its own first disc: one that begins with an empty cell counts nothing.",
             "eval=runs with towards=down."),
            ("The learner’s reward adds for the opponent’s threes and twos.", "The table below has it mended."),
            ("A win or block returns before the update, and sets Q to 100 or 80.", "faults=skips and faults=outright."),
            ("Column 0 is never updated (0 read as “none”).", "faults=column-0."),
            ("Connect 4 has no terminal update; a game’s last move is updated in the next game.", "faults=no-end."),
            ("The table of parameters has depth 5, the code’s default is 4.",
             "Both are run: neither fits all tables (the tables of every reading)."),
            ("The listing of the Connect 4 learner has its wins and blocks under “state unknown”, which never holds; "
             "that of the search has its cut outside the loop.",
             "Read as meant; what the first would do to the learner is in the table below."),
            ("As printed the Connect 4 program can’t run: its evaluation asks for a field of another name; a plain "
             "search, the state getter and an import of the learner are missing.",
             "The published figures say that they were there."),
            ("No Connect 4 table has a tie.", "The printed program does tie: counted for player 2, it seems."),
            ("In Connect 4 a side’s time is divided by the moves of both sides, in Tic Tac Toe by its own.",
             "By the side’s own moves in both games."),
            ("States of all decisions are added up: the counter is never reset.", "Each decision counts its own."),
            ("More states with pruning than without in 30 minutes is read as a saving.",
             "It is the speed of visiting them: see the table of states."),
            ("The Tic Tac Toe text quotes 615–385 and “no ties” for Tic Tac Toe.",
             "615–385 is Connect 4’s; the Tic Tac Toe table has 6 ties in its first row."),
        ],
    )  # fmt: skip


def unstated_table() -> Table:
    """What the report leaves open."""
    return reported.unstated(
        "r2-unstated", "R2",
        [
            ("Whether batches of 10, 100 and 1000 games share a learner.", "Both: fresh, and carried over, twice."),
            ("Whether a saved table was loaded before a batch.", "No: a first batch begins with an empty table."),
            ("What an update between two games of the Connect 4 learner was meant to be.",
             "As printed; the mended learner forgets its last pair when a game ends."),
        ],
    )  # fmt: skip
