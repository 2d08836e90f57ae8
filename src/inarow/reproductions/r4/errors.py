"""What is in error in r4, what it leaves open, and its nodes a move, which no reading gives."""

from __future__ import annotations

from collections.abc import Mapping

from inarow.report.cells import Blank, Cell, Column, shown
from inarow.report.tables import Table, table
from inarow.reproductions import reported, verdicts
from inarow.reproductions.published import published
from inarow.reproductions.reported import NOT_PLAYED, quoted
from inarow.rules import TICTACTOE, Game
from inarow.studies.framework.study_results import StudyResults
from inarow.studies.sections.by_seat import Seats, effort_in

DEFAULT = "default"
MENDED = "Minimax-AB, mended"
LEARNT = "Q-learning, mended"
NEAR = 0.05
"""How near a mean must be to a published one to count as the same."""


def efficiency(found: StudyResults, seats: Mapping[Game, Seats]) -> Table:
    """Nodes and time a move; for nodes the mean of all moves, without the first, and of the last, as first player."""
    rows: list[tuple[Cell, ...]] = []
    for row in published("r4_efficiency"):
        game = next(game for game in seats if game.name == row["game"])
        name = row["agent"]
        effort, mended = effort_in(seats[game], name), effort_in(seats[game], MENDED)
        readings = [] if not row["nodes_per_move"] else _readings(found, game, name)
        theirs = float(row["nodes_per_move"] or 0)
        near = any(abs(value - theirs) <= NEAR * theirs for value in readings)
        verdict = verdicts.OPEN if not readings else verdicts.CONSISTENT if near else verdicts.NOT_REPRODUCED
        said: Cell = " / ".join(shown("number", value) for value in readings) or Blank("it has no nodes")
        has_nodes = bool(row["nodes_per_move"]) and mended.moves
        memory = "a table of values" if name == "Q-learning" else "the line under search"
        rows.append(
            (row["game"], name, quoted(row["nodes_per_move"]), said,
             mended.nodes_per_move if has_nodes else Blank("it has no nodes"), verdict,
             quoted(row["time_per_move_s"]),
             effort.seconds_per_move if effort.moves else NOT_PLAYED, quoted(row["memory"]), memory)
        )  # fmt: skip
    heads = (
        "game", "agent", Column("nodes a move", published=True), "printed program: all / without the first / last move",
        Column("a correct program, pruned", "number"), verdicts.VERDICT, Column("s a move", "seconds", published=True),
        Column("printed program", "seconds"), Column("memory", published=True), "what it keeps",
    )  # fmt: skip
    return table(
        "r4-efficiency", "Nodes and time a move", heads, rows,
        f"Printed program: as first player against the default opponent. A mean within {NEAR:.0%} of the published one "
        "would count as consistent. Correct program and times: over all matches of the pool.",
    )  # fmt: skip


def _readings(found: StudyResults, game: Game, name: str) -> list[float]:
    """The mean nodes of all its moves, of all but the first, and of its last."""
    labels = found.labels(game.name)
    lists = []
    for record in found.records(game.name):
        if labels.get(record.first) == name and labels.get(record.second) == DEFAULT:
            lists.append(list(record.nodes[0::2]))
    if not lists:
        return []
    every = [n for nodes in lists for n in nodes]
    later = [n for nodes in lists for n in nodes[1:]]
    last = [nodes[-1] for nodes in lists]
    return [sum(part) / max(1, len(part)) for part in (every, later, last)]


def savings(seats: Mapping[Game, Seats]) -> Table:
    """The pruning efficiency: nodes with pruning ÷ nodes without."""
    rows: list[tuple[Cell, ...]] = []
    for game, there in seats.items():
        plain, pruned = (effort_in(there, name) for name in ("Minimax", "Minimax-AB"))
        stated = {row["agent"]: row["nodes_per_move"] for row in published("r4_efficiency") if row["game"] == game.name}
        theirs = f"{int(stated['Minimax-AB']) / int(stated['Minimax']):.2f}"
        ratio = pruned.nodes_per_move / plain.nodes_per_move if plain.nodes and pruned.moves else NOT_PLAYED
        rows.append((game.title, theirs, ratio))
    heads = ("game", Column("with ÷ without", published=True), Column("ours", "number"))
    return table("r4-savings", "Pruning efficiency, a move", heads, rows)


def fault_table(seats: Mapping[Game, Seats]) -> Table:
    """The errors, with what was measured of them."""
    random = seats[TICTACTOE].get(("random", DEFAULT))
    rates = "–" if random is None else " / ".join(
        shown("percent", n / random.matches) for n in (random.first_wins, random.draws, random.second_wins)
    )  # fmt: skip
    return reported.faults(
        "r4-errors", "R4",
        [
            ("The learner is trained as X only.",
             "As second player, in tables 3 and 7, it meets no position of its table and moves at random."),
            ("A win counts for X, whoever searches: playing O, minimax helps X.",
             "faults=wins-for-x. So X wins minimax against itself with its third stone, where table 3 has draws only."),
            ("Leaves are evaluated for the side to move, at limit 4 the searcher’s opponent.",
             "view=own: the search is inverted and avoids the centre; table 6’s 100 and 96 % fit the mended search."),
            ("Depth limit 4 has 2,401 nodes in the table.",
             "Its code looks 5 plies ahead (faults=extra-ply) and counts 19,607; the table counts leaves, 7^depth."),
            ("121 and 58 nodes a move for Tic Tac Toe.",
             "That can’t be a full search: 549,945 nodes are needed for the first move alone."),
            ("Every Q update but the last is marked terminal with reward 0.",
             "faults=terminal: earlier moves are pulled to 0, so that openings are never learnt."),
            ("8 % wins and 68 % losses for the Tic Tac Toe learner.",
             f"About what an untrained player scores: a random first player has {rates} against the default opponent."),
            ("Pruned counts of 28, 104, 312 and 936 in table 5.",
             "None of 16 readings gives them; the last three grow by exactly 3."),
            ("The Tic Tac Toe class takes a pruning flag and ignores it.", "Both searches are built here."),
            ("The text says 20 → 12 nodes (40 %) where the table says 87 %.", "See the pruning efficiency above."),
            ("4^42 positions.", f"At most 3^42, {shown('number', float(3**42))}: a cell is empty, red or yellow."),
        ],
    )  # fmt: skip


def unstated_table() -> Table:
    """What the report leaves open."""
    return reported.unstated(
        "r4-unstated", "R4",
        [
            ("The order in which the game classes list moves.", "Row by row; columns from the left."),
            ("The default opponent’s code.", "As its text says: a win at once, any of several blocks, else any move."),
            ("Both alpha–beta routines.", "Each root move with a full window, as its minimax searches root moves."),
            ("Whom the Connect 4 learner met in training.", "random, and the default opponent beside it."),
            ("The seat against the default opponent.", "First, which fits minimax’s rows."),
            ("How many games the default opponent played against random.", "100."),
        ],
    )  # fmt: skip
