"""R5 at a glance: what it is, and the commands for each of its features; it has logs of matches, no figures."""

from __future__ import annotations

from inarow.reproductions.about import Feature, Report

REPORT = Report(
    "r5", "Monte Carlo tree search against alpha–beta", "Connect 4",
    "UCT with exploration √2; alpha–beta with several evaluations; a one-ply player; random",
    "Terminal programs for a person against either search, four matches between the two, and a discussion.",
    (
        ("Play", (
            Feature("human against MCTS, 2 s a move", ("inarow play connect4 human r5-mcts:seconds=2",)),
            Feature("human against alpha–beta, depth 5", ("inarow play connect4 human r5-alphabeta-human",)),
            Feature("computer against computer, move by move", ("inarow play connect4 r5-oneply r5-oneply --delay 0", "inarow play connect4 r5-oneply r5-random --delay 0")),
        )),
        ("Players", (
            Feature("MCTS with its own credit, and corrected; roll-outs and time shown",
                    ("inarow decide connect4 '' r5-mcts:simulations=2000", "inarow decide connect4 '' r5-mcts:simulations=2000,fixed=on")),
            Feature("alpha–beta of the matches: depth 6, depth 8, deepening for 3 s",
                    ("inarow decide connect4 4 r5-alphabeta:depth=6", "inarow decide connect4 4 r5-alphabeta:depth=8,fixed=on",
                     "inarow decide connect4 4 r5-alphabeta:threes=diagonals,deepening=3,fixed=on")),
            Feature("random; one-ply", ("inarow match connect4 r5-oneply r5-random --matches 2",)),
        )),
        ("Experiments", (
            Feature("a match of the two, without their errors", ("inarow match connect4 r5-mcts:fixed=on,seconds=1 r5-alphabeta:depth=6,fixed=on --matches 2",)),
            Feature("the four matches as printed and run properly, and five points of comparison",
                    ("inarow study r5 --scale full", "inarow reproduce r5 --run")),
        )),
    ),
    (),
)  # fmt: skip
