"""R4 at a glance: what it is, the commands for each of its features, and its figures."""

from __future__ import annotations

from inarow.reproductions.about import Feature, PublishedFigure, Report

REPORT = Report(
    "r4", "minimax, minimax with pruning and Q-learning: nodes, efficiency, scalability", "Tic Tac Toe, Connect 4",
    "a default opponent (win, block, random); minimax with and without alpha–beta; tabular Q-learning, on a reduced "
    "state in Connect 4",
    "Each algorithm against a default opponent and each other, with nodes, times, memory and the effect of depth.",
    (
        ("Players", (
            Feature("default opponent", ("inarow match connect4 r4-default random --matches 100",)),
            Feature("minimax and minimax with pruning, equal moves at random in Connect 4",
                    ("inarow decide connect4 '' r4-minimax:depth=3,pruning=off", "inarow decide connect4 '' r4-minimax:depth=4")),
            Feature("human against any of them", ("inarow play connect4 human r4-minimax",)),
        )),
        ("Training", (
            Feature("Tic Tac Toe against random, 10,000 episodes", ("inarow train tictactoe r4-qlearning --opponent random --episodes 10000 --out r4-tictactoe.npz",)),
            Feature("Connect 4 with a reduced state, 5,000 episodes", ("inarow train connect4 r4-qlearning --opponent random --episodes 5000 --out r4-connect4.npz",)),
        )),
        ("Experiments", (
            Feature("tables 2 and 6: against the default opponent", ("inarow match tictactoe r4-minimax r4-default --matches 100",
                    "inarow match connect4 r4-qlearning r4-default --matches 50")),
            Feature("tables 3 and 7: against each other", ("inarow match tictactoe r4-minimax:pruning=off r4-minimax --matches 100 --json",
                    "inarow match connect4 r4-minimax r4-qlearning --matches 20")),
            Feature("50 games of Connect 4 against random", ("inarow match connect4 r4-minimax random --matches 50",)),
            Feature("table 5: nodes by depth limit", ("inarow decide connect4 '' r4-minimax:depth=5,pruning=off --json",)),
            Feature("all tables and figures, memory measured", ("inarow study r4 --scale full", "inarow reproduce r4 --run")),
        )),
    ),
    (
        PublishedFigure("1", "nodes a move", ("r4-nodes",), "121, 58, 20 and 12"),
        PublishedFigure("2", "outcome distribution, stacked", ("r4-outcomes",), "tables 2 and 6"),
        PublishedFigure("3", "execution time", ("r4-time",), "Tic Tac Toe’s three times a move"),
        PublishedFigure("4", "win rate of each algorithm in both games", ("r4-rates",), "tables 2 and 6"),
        PublishedFigure("5", "win rate, 1 − execution time and search complexity by algorithm",
                        ("r4-tictactoe-overview", "r4-connect4-overview"), "the win rates"),
    ),
)  # fmt: skip
