"""The study ``compare``: minimax, alpha–beta, MCTS and Q-learning at equal time on Connect 4 and Tic Tac Toe.

`lineup` says who plays under which limits, `measuring` what is measured besides matches, `findings` turns the stored
results into sentences and tables, `study` declares the experiments and lays out the page.
"""

from inarow.studies.compare.study import Compare

__all__ = ["Compare"]
