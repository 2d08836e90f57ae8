"""R3 at a glance: what it is, the commands for each of its features, and its figures."""

from __future__ import annotations

from inarow.play.setup import Level, Lineup
from inarow.reproductions.about import Feature, PublishedFigure, Report

REPORT = Report(
    "r3", "an app for any pair of players, and a full cross table", "Tic Tac Toe, Connect 4",
    "Easy (random); Medium (win, block, random); minimax with alpha–beta; tabular Q-learning",
    "An app whose menu sets each seat to a human or a level, and every algorithm against every one and itself.",
    (
        ("Play", (
            Feature("a menu for each seat, delay, games in a row, window size; Clear, Menu, Quit; the menu with R3’s levels",
                    ("inarow play --ui desktop --lineup r3",), "play.md"),
            Feature("Easy, Medium, Hard – minimax, Hard – Q-learning",
                    ("inarow play connect4 human r3-easy", "inarow play connect4 human r3-medium",
                     "inarow play connect4 human r3-minimax", "inarow play connect4 human r3-qlearning")),
            Feature("any pair, games in a row, the board resets itself", ("inarow play tictactoe r3-medium r3-easy --matches 3 --delay 0",)),
        )),
        ("Players", (
            Feature("minimax, its order of moves", ("inarow decide connect4 '' r3-minimax", "inarow decide connect4 '' r3-minimax:order=left")),
        )),
        ("Training", (
            Feature("Tic Tac Toe against Medium", ("inarow train tictactoe r3-qlearning --opponent r3-medium --episodes 20000 --out r3-tictactoe.npz",)),
            Feature("Connect 4 in stages: Easy, Medium, Medium with falling exploration, each other",
                    ("inarow train connect4 r3-qlearning --stage 'opponent=r3-easy,episodes=20000,epsilon=0.2' "
                     "--stage 'opponent=r3-medium,episodes=40000,epsilon=0.2' --stage 'opponent=r3-medium,episodes=100000,epsilon=linear(0.6,0)' "
                     "--stage 'opponent=self,episodes=10000,epsilon=0.2' --out r3-connect4.npz",)),
            Feature("several runs that continue the same table", ("inarow train tictactoe r3-qlearning --opponent r3-easy --episodes 100 --resume r3-runs.npz",
                    "inarow train tictactoe r3-qlearning --opponent r3-medium --episodes 100 --resume r3-runs.npz")),
            Feature("a table for each seat", ("inarow train tictactoe r3-qlearning:seat=first --opponent r3-medium --episodes 1000 --resume r3-one.npz",
                    "inarow train tictactoe r3-qlearning:seat=second --opponent r3-medium --episodes 1000 --resume r3-two.npz",
                    "inarow match tictactoe r3-qlearning:model=r3-one.npz,second=r3-two.npz r3-medium --matches 10")),
        )),
        ("Experiments", (
            Feature("one cell of the cross table", ("inarow match connect4 r3-minimax r3-medium --matches 100",)),
            Feature("every algorithm against every one and itself, as a matrix", ("inarow study r3 --scale full", "inarow reproduce r3 --run")),
        )),
    ),
    (
        PublishedFigure("1, 3", "a match during and after play, each game", ("r3-tictactoe-match", "r3-connect4-match"), "none: pictures"),
        PublishedFigure("–", "a matrix of outcome shares, each game", ("r3-tictactoe-matrix", "r3-connect4-matrix"), "every stated share"),
    ),
)  # fmt: skip


LINEUP = Lineup(
    "r3",
    "R3",
    "the levels of report R3, as its program plays",
    (
        Level("Easy", ("r3-easy",), "moves at random", "the weakest"),
        Level("Medium", ("r3-medium",), "wins, blocks, else moves at random", "a beginner"),
        Level("Hard – minimax", ("r3-minimax",), "alpha–beta: to the end in Tic Tac Toe, 5 plies in Connect 4"),
        Level("Hard – Q-learning", ("r3-qlearning",), "the tables that R3's program learns, one for each seat"),
    ),
)
