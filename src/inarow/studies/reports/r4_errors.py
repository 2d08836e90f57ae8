"""What is in error in r4, and its players as they ran and as they were meant."""

from __future__ import annotations

from collections.abc import Mapping

from inarow.report.cells import Cell, Column, shown
from inarow.report.tables import Table, table
from inarow.rules import CONNECT4, TICTACTOE, Game
from inarow.stats import wilson
from inarow.studies.reports import reported
from inarow.studies.reports.published import published
from inarow.studies.reports.reported import NOT_PLAYED
from inarow.studies.sections.by_seat import Seats, as_first, effort_in

DEFAULT = "default"
MEANT = "Minimax as meant"
MENDED = "Q-learning, mended"
GAMES = {("2", "tictactoe"): 100, ("3", "tictactoe"): 100, ("6", "connect4"): 50, ("7", "connect4"): 20}
"""That the report played for each table."""
WHY = (
    "Where rates differ: the report’s learner may have met another opponent in its Connect 4 training than here, "
    "which it does not state, and its Connect 4 search, as its code is described (5 plies, leaves seen by the "
    "side to move), plays far worse than its figures: those are near the search as it was meant. Twenty games say "
    "little either way."
)
"""What makes rates differ."""


def mended_table(seats: Mapping[Game, Seats]) -> Table:
    """Players as they ran and as they were meant, as first player against the default opponent."""
    stated = {(row["game"], row["row"]): row for row in published("r4_tables")}
    rows: list[tuple[Cell, ...]] = []
    for game, name, what, row in (
        (CONNECT4, "Minimax", "5 plies, leaves seen by the side to move", "Minimax depth 4 vs default"),
        (CONNECT4, MEANT, "4 plies, seen by who searches", "Minimax depth 4 vs default"),
        (TICTACTOE, "Q-learning", "every update marked terminal", "Q-learning vs default"),
        (TICTACTOE, MENDED, "bootstrapping", "Q-learning vs default"),
        (TICTACTOE, "random", "knows nothing", "Q-learning vs default"),
        (CONNECT4, "Q-learning", "every update marked terminal", "Q-learning vs default"),
        (CONNECT4, MENDED, "bootstrapping", "Q-learning vs default"),
        (CONNECT4, "random", "knows nothing", "Q-learning vs default"),
    ):
        published_row = stated[game.name, row]
        games = GAMES[published_row["table"], game.name]
        counts = as_first(seats[game], name, DEFAULT)
        cells: list[Cell] = []
        said = []
        for place, column in enumerate(("first_or_win_pct", "second_or_loss_pct")):
            rate = wilson(counts[2 * place], sum(counts)) if counts is not None else None
            cells += [published_row[column], NOT_PLAYED if rate is None else rate]
            said.append(reported.rate_agreement(published_row[column], games, rate))
        rows.append((game.title, name, what, *cells, "differs" if "differs" in said else said[0]))
    heads: list[Column | str] = ["game", "player", "as it is here"]
    for head in ("wins %", "losses %"):
        heads += [Column(head, "number", published=True), Column("ours", "percent")]
    title = "Against the default opponent, as run and as meant"
    return table("r4-mended", title, [*heads, "near the report’s?"], rows, "Each as first player.")


def fault_table(seats: Mapping[Game, Seats]) -> Table:
    """The errors, with what was measured of them."""
    plain = effort_in(seats[TICTACTOE], "Minimax")
    ours = shown("number", plain.nodes_per_move()) if plain.moves else "–"
    random = seats[TICTACTOE].get(("random", DEFAULT))
    rates = "–" if random is None else " / ".join(
        shown("percent", n / random.games) for n in (random.first_wins, random.draws, random.second_wins)
    )  # fmt: skip
    return reported.faults(
        "r4-errors", "R4",
        [
            ("121 and 58 nodes a move for Tic Tac Toe.",
             f"That can’t be a full search: ours visits {ours} nodes a move in all its matches, and 549,945 for the "
             f"first move alone."),
            ("Depth limit 4 has 2,401 nodes in the table.",
             "Its code looks 5 plies ahead and counts 19,607; the table counts leaves, 7^depth, for depths 1 to 5."),
            ("The text says 20 → 12 nodes (40 %) where the table says 87 %.",
             "See the pruning efficiency by depth above."),
            ("Every Q update is marked terminal, so nothing is bootstrapped.",
             "Trained so here too (gamma=0), and mended: see the table below, as run and as meant."),
            ("Leaves are evaluated for the side to move while wins are always scored for X.",
             "Rebuilt with view=first and depth=5, so that the player is the report’s as it ran."),
            ("4^42 positions.", f"At most 3^42, {shown('number', float(3**42))}: a cell is empty, red or yellow."),
            ("8 % wins and 68 % losses for the Tic Tac Toe learner.",
             f"About what an untrained player scores: our random first player has {rates} against the default "
             "opponent (win / draw / loss; exactly 6.1 / 23.9 / 70.0 %)."),
        ],
    )  # fmt: skip
