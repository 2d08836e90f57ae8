"""Report R3: program, published tables, experiments, and lineup for the menus."""

from __future__ import annotations

from inarow.play.setup import Level, Lineup

LINEUP = Lineup(
    "r3",
    "R3",
    "levels of report R3",
    (
        Level("Easy", ("r3-easy",), "moves at random", "the weakest"),
        Level("Medium", ("r3-medium",), "wins, blocks, else moves at random", "a beginner"),
        Level("Hard – minimax", ("r3-minimax",), "alpha–beta: to the end in Tic Tac Toe, 5 plies in Connect 4"),
        Level("Hard – Q-learning", ("r3-qlearning",), "the tables learnt by R3's program, one per seat"),
    ),
)
