"""Learners in plain Python for reading, one file each: tabular Q-learning, SARSA and REINFORCE.

All three learn by self-play: one table serves both seats, and every value is for the side to move, so a position's
value for the opponent counts against the move that leads there. ``python -m inarow.training.plain sarsa`` trains one.
"""
