"""Learners in ordinary Python, one file each, to be read: Q-learning, SARSA and REINFORCE with a table.

All three learn by self-play: one table holds both seats, and every value is for the side to move. So a
position's value for the opponent counts against the move that leads there. ``python -m inarow.training.plain sarsa``
trains one.
"""
