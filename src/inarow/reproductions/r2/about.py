"""R2 at a glance: what it is, the commands for each of its features, and its figures."""

from __future__ import annotations

from inarow.reproductions.about import Feature, PublishedFigure, Report

REPORT = Report(
    "r2", "a baseline, minimax and a Q-learner that learns while it plays", "Tic Tac Toe, Connect 4",
    "baseline (win, block, random); minimax with and without alpha–beta; tabular Q-learning during the scored games",
    "Terminal programs for both games, and match-ups in batches of 10, 100 and 1,000 games with the first mover drawn.",
    (
        ("Play", (
            Feature("human against any algorithm in the terminal, the first mover at random, wrong input asked again",
                    ("inarow play connect4 human r2-qlearning --starts lot", "inarow play tictactoe human r2-minimax --starts lot",
                     "inarow play connect4 human r2-baseline --starts lot")),
            Feature("the question for pruning and the numbered match-ups", ("inarow r2",)),
        )),
        ("Players", (
            Feature("baseline", ("inarow match tictactoe r2-baseline random --matches 4",)),
            Feature("minimax, a win by free moves, depth 5 or 4, X or O", ("inarow decide connect4 '' r2-minimax:depth=5,letter=o",)),
            Feature("without pruning", ("inarow decide connect4 '' r2-minimax:depth=4,letter=x,pruning=off",)),
            Feature("a time limit inside the search, which then evaluates where it stands", ("inarow decide connect4 '' r2-minimax:depth=6,seconds=1800",)),
        )),
        ("Training", (
            Feature("a learner that learns while it plays, the first mover drawn; saved at intervals with dated backups",
                    ("inarow train connect4 r2-qlearning --opponent r2-baseline --episodes 1000 --save-every 500 --backups --out r2.npz",)),
            Feature("a saved table is loaded if it exists, else a fresh one is started",
                    ("inarow train tictactoe r2-qlearning --opponent r2-baseline --episodes 100 --resume r2-table.npz",
                     "inarow train tictactoe r2-qlearning --opponent r2-minimax --episodes 1000 --resume r2-table.npz")),
        )),
        ("Experiments", (
            Feature("baseline–minimax, with and without alpha–beta", ("inarow r2 connect4 --match-up 1 --pruning --games 100",
                    "inarow r2 connect4 --match-up 1 --no-pruning --games 100 --out r2-plain.csv")),
            Feature("baseline–learner, minimax–learner and learner–minimax, learning as they play, one table throughout",
                    ("inarow r2 tictactoe --match-up 2 --games 10 --table r2-batches.npz", "inarow r2 tictactoe --match-up 2 --games 100 --table r2-batches.npz",
                     "inarow r2 connect4 --match-up 3 --pruning --games 1000 --out r2-minimax.csv", "inarow r2 connect4 --match-up 4 --pruning --games 1000")),
            Feature("all batches of 10, 100 and 1,000 games, CSV files and plots", ("inarow study r2 --scale full", "inarow reproduce r2 --run")),
        )),
    ),
    (
        PublishedFigure("1, 4", "execution time against games, every match-up", ("r2-tictactoe-time", "r2-connect4-time"),
                        "times a move × moves of its tables"),
        PublishedFigure("2, 5", "moves a game, every match-up", ("r2-tictactoe-moves", "r2-connect4-moves"), "its tables"),
        PublishedFigure("3, 6", "total moves against the winner’s moves, by algorithm", ("r2-tictactoe-winner", "r2-connect4-winner"),
                        "none are given as numbers"),
    ),
)  # fmt: skip
