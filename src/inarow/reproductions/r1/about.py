"""R1 at a glance: what it is, the commands for each of its features, and its figures."""

from __future__ import annotations

from inarow.play.setup import HUMAN, Level, Lineup, Mode
from inarow.reproductions.about import Feature, PublishedFigure, Report

REPORT = Report(
    "r1", "minimax and Q-learning, a desktop app, metrics", "Tic Tac Toe, Connect 4",
    "a semi-intelligent default opponent; minimax with and without alpha–beta; tabular Q-learning",
    "A desktop app with five modes, two algorithms that are compared with a default opponent and with each other, and "
    "the metrics of each.",
    (
        ("Play", (
            Feature("the five modes: human–human, human–AI, human–semi-intelligent, AI–semi-intelligent, AI–AI",
                    ("inarow play tictactoe --lineup r1 --mode 'human - human'", "inarow play connect4 --lineup r1 --mode 'human - ai'",
                     "inarow play connect4 --lineup r1 --mode 'human - semi'", "inarow play tictactoe --lineup r1 --mode 'ai - semi'",
                     "inarow play tictactoe --lineup r1 --mode 'ai - ai'")),
            Feature("a person against any player", ("inarow play connect4 human r1-minimax", "inarow play tictactoe human r1-qlearning")),
            Feature("the window: title, mode, whose turn, result, R to restart; a cell or column by click, preview on "
                    "hover, falling disc, delay of 0.5 s; the menu with R1’s modes and players",
                    ("inarow play --ui desktop --lineup r1",), "play.md"),
        )),
        ("Players", (
            Feature("rules apart from the interface: state, legal moves, a move, an illegal one refused, over, winner",
                    ("inarow show connect4 4455",), "api.md"),
            Feature("the default opponent of both games", ("inarow match tictactoe r1-default random --matches 4",)),
            Feature("minimax with and without pruning, its states counted",
                    ("inarow decide tictactoe '' r1-minimax:depth=5,pruning=off", "inarow decide connect4 44 r1-minimax")),
            Feature("a depth limit and a time-out", ("inarow match tictactoe r1-minimax:depth=5 r1-default --matches 2 --seconds 5",)),
            Feature("lower rows weigh more, as its text says", ("inarow decide connect4 '' r1-minimax:fixed=on",)),
        )),
        ("Training", (
            Feature("Q-learning against the default opponent, first or second, evaluated every 500 episodes over 50 games",
                    ("inarow train tictactoe r1-qlearning:seat=second --episodes 10000 --eval-every 500 --eval-matches 50 --out r1-second.npz",
                     "inarow train connect4 r1-qlearning:seat=first --episodes 15000 --eval-every 500 --eval-matches 50 --out r1-first.npz")),
            Feature("Q-learning by self-play", ("inarow train tictactoe r1-qlearning --opponent self --episodes 10000 --out r1-alone.npz",)),
            Feature("exploration, seat and episodes from the command line",
                    ("inarow train tictactoe 'r1-qlearning:epsilon=decay(0.2,0.999,0.01),seat=first' --episodes 1000 --out r1-explored.npz",)),
            Feature("rewards and lengths of every episode", ("inarow train tictactoe r1-qlearning --episodes 1000 --log-episodes --out r1-logged.npz",
                    "inarow model curves r1-logged.npz --episodes --out r1-episodes.csv")),
            Feature("saved and loaded with its training history, table size, win rate as a figure",
                    ("inarow model show r1-second.npz", "inarow model curves r1-second.npz --out r1-curves.svg",
                     "inarow play tictactoe r1-qlearning:model=r1-second.npz random --delay 0")),
        )),
        ("Experiments", (
            Feature("table 1: an algorithm against the default opponent, moves, times and states",
                    ("inarow match tictactoe r1-default r1-minimax:depth=5 --matches 10 --json",
                     "inarow match tictactoe r1-default r1-qlearning:model=r1-second.npz --matches 100")),
            Feature("table 2: minimax at depth 5 against Q-learning", ("inarow match connect4 r1-minimax:depth=5 r1-qlearning --matches 100",)),
            Feature("all experiments, tables and figures", ("inarow study r1 --scale full", "inarow reproduce r1 --run")),
        )),
    ),
    (
        PublishedFigure("1, 4", "moves by algorithm, each game", ("r1-tictactoe-moves", "r1-connect4-moves"), "table 1"),
        PublishedFigure("2, 5", "states by algorithm, each game", ("r1-tictactoe-states", "r1-connect4-states"), "table 1"),
        PublishedFigure("3, 6", "time by algorithm, each game", ("r1-tictactoe-time", "r1-connect4-time"), "table 1"),
        PublishedFigure("7", "win rate during training, in the learner’s seat", ("r1-connect4-training", "r1-tictactoe-training"),
                        "about 0.75 from 13,000 episodes (Connect 4)"),
    ),
)  # fmt: skip


SEMI, MINIMAX, QLEARNING = "Semi-intelligent", "AI – minimax", "AI – Q-learning"

LINEUP = Lineup(
    "r1",
    "R1",
    "those of report R1, as its program plays",
    (
        Level(SEMI, ("r1-default",), "wins, blocks, else near the centre", "a beginner"),
        Level(MINIMAX, ("r1-minimax",), "alpha–beta: to the end in Tic Tac Toe, 4 plies in Connect 4"),
        Level(QLEARNING, ("r1-qlearning",), "the table that R1's program learns"),
    ),
    (
        Mode("Human – human", (HUMAN, HUMAN), "two people take turns at this screen"),
        Mode("Human – AI", (HUMAN, MINIMAX), "you against R1's minimax"),
        Mode("Human – semi", (HUMAN, SEMI), "you against R1's semi-intelligent opponent"),
        Mode("AI – semi", (MINIMAX, SEMI), "R1's minimax against its semi-intelligent opponent; you watch"),
        Mode("AI – AI", (MINIMAX, QLEARNING), "R1's minimax against its Q-learner; you watch"),
    ),
)
