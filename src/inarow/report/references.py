"""The literature behind the methods, and how to cite inarow; for the page and for LaTeX."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from inarow import __version__


class Reference(NamedTuple):
    """A work, under the key by which LaTeX cites it."""

    key: str
    text: str


CITATION = Reference(
    "inarow",
    f"The inarow authors. inarow: a lab for adversarial game AI on games of k in a row, version {__version__}.",
)
STATISTICS = (
    Reference("elo1978", "A. E. Elo. The Rating of Chessplayers, Past and Present. Arco, 1978."),
    Reference(
        "bradley1952",
        "R. A. Bradley and M. E. Terry. Rank analysis of incomplete block designs. Biometrika 39, 324–345, 1952.",
    ),
    Reference(
        "wilson1927",
        "E. B. Wilson. Probable inference, the law of succession, and statistical inference. Journal of the American "
        "Statistical Association 22, 209–212, 1927.",
    ),
    Reference(
        "waudbysmith2024",
        "I. Waudby-Smith and A. Ramdas. Estimating means of bounded random variables by betting. Journal of the Royal "
        "Statistical Society B 86, 1–27, 2024.",
    ),
    Reference(
        "holm1979",
        "S. Holm. A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6, "
        "65–70, 1979.",
    ),
    Reference("cover1991", "T. M. Cover. Universal portfolios. Mathematical Finance 1, 1–29, 1991."),
    Reference(
        "brier1950",
        "G. W. Brier. Verification of forecasts expressed in terms of probability. Monthly Weather Review 78, 1–3, "
        "1950.",
    ),
)
_SHANNON = Reference(
    "shannon1950", "C. E. Shannon. Programming a computer for playing chess. Philosophical Magazine 41, 256–275, 1950."
)
_ALPHABETA = Reference(
    "knuth1975",
    "D. E. Knuth and R. W. Moore. An analysis of alpha-beta pruning. Artificial Intelligence 6, 293–326, 1975.",
)
_NTUPLE = Reference(
    "thill2012",
    "M. Thill, P. Koch and W. Konen. Reinforcement learning with n-tuples on the game Connect-4. Parallel Problem "
    "Solving from Nature XII, 184–194, 2012.",
)
_ALLIS = Reference(
    "allis1988",
    "V. Allis. A knowledge-based approach of Connect-Four: the game is solved, White wins. Master’s thesis, Vrije "
    "Universiteit Amsterdam, 1988.",
)
ALGORITHMS = {
    "minimax": (_SHANNON,),
    "alphabeta": (_ALPHABETA,),
    "mcts": (
        Reference(
            "kocsis2006", "L. Kocsis and C. Szepesvári. Bandit based Monte-Carlo planning. European Conference on "
            "Machine Learning, 282–293, 2006.",
        ),
        Reference(
            "browne2012", "C. Browne et al. A survey of Monte Carlo tree search methods. IEEE Transactions on "
            "Computational Intelligence and AI in Games 4, 1–43, 2012.",
        ),
    ),
    "qlearning": (
        Reference("watkins1992", "C. J. C. H. Watkins and P. Dayan. Q-learning. Machine Learning 8, 279–292, 1992."),
        Reference(
            "sutton2018", "R. S. Sutton and A. G. Barto. Reinforcement Learning: An Introduction. Second edition, "
            "MIT Press, 2018.",
        ),
    ),
    "ntuple": (_NTUPLE,),
    "best": (_ALPHABETA, _NTUPLE),
    "perfect": (_ALPHABETA, _ALLIS),
}  # fmt: skip
"""By the name of the agent."""


def references(agents: Iterable[str]) -> tuple[Reference, ...]:
    """Return what to cite for these agents, by name, and for the statistics, inarow first."""
    of_agents = dict.fromkeys(one for name in agents for one in ALGORITHMS.get(name, ()))
    return (CITATION, *of_agents, *STATISTICS)
