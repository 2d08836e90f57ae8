"""Report R1: program, published tables, experiments, and lineup for the menus."""

from __future__ import annotations

from inarow.play.setup import HUMAN, Level, Lineup, Mode

SEMI, MINIMAX, QLEARNING = "Semi-intelligent", "AI – minimax", "AI – Q-learning"

LINEUP = Lineup(
    "r1",
    "R1",
    "players of report R1",
    (
        Level(SEMI, ("r1-default",), "wins, blocks, else near the centre", "a beginner"),
        Level(MINIMAX, ("r1-minimax",), "alpha–beta: to the end in Tic Tac Toe, 4 plies in Connect 4"),
        Level(QLEARNING, ("r1-qlearning",), "the table learnt by R1's program"),
    ),
    (
        Mode("Human – human", (HUMAN, HUMAN), "two people take turns"),
        Mode("Human – AI", (HUMAN, MINIMAX), "you against R1's minimax"),
        Mode("Human – semi", (HUMAN, SEMI), "you against R1's semi-intelligent opponent"),
        Mode("AI – semi", (MINIMAX, SEMI), "R1's minimax against its semi-intelligent opponent; you watch"),
        Mode("AI – AI", (MINIMAX, QLEARNING), "R1's minimax against its Q-learner; you watch"),
    ),
)
