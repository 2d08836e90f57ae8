"""openspiel: a bot of OpenSpiel as an agent. OpenSpiel (``inarow[openspiel]``) is imported on first use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from inarow.agents.base import Agent, Decision, Mind
from inarow.agents.parameters import AgentError, integer, number, string, switch
from inarow.errors import Unsupported
from inarow.limits import Limit
from inarow.rules import TICTACTOE, Game, IllegalMove, Player, Position
from inarow.stopping import Stop


def spiel() -> Any:
    """Import ``pyspiel``. Raises `Unsupported` with install instructions if it is missing."""
    try:
        import pyspiel
    except ImportError:
        raise Unsupported("OpenSpiel is not installed: pip install 'inarow[openspiel]'") from None
    return pyspiel


@lru_cache(maxsize=64)
def spiel_game(game: Game) -> Any:
    """Return OpenSpiel's game: ``connect_four`` with gravity, else ``tic_tac_toe`` or ``mnk``."""
    if game.gravity:
        return spiel().load_game("connect_four", {"rows": game.rows, "columns": game.columns, "x_in_row": game.k})
    if game == TICTACTOE:
        return spiel().load_game("tic_tac_toe")
    return spiel().load_game("mnk", {"m": game.columns, "n": game.rows, "k": game.k})


def spiel_state(position: Position) -> Any:
    """Return OpenSpiel's state of the position, reached by one of its possible histories."""
    moves = position.history()
    if moves is None:
        raise IllegalMove(f"no order of moves leads to {position!r}")
    state = spiel_game(position.game).new_initial_state()
    for move in moves:
        state.apply_action(move)
    return state


@dataclass(frozen=True)
class OpenSpiel(Agent):
    """OpenSpiel's Monte Carlo tree search, or one of its registered bots by name."""

    name = "openspiel"
    summary = "a bot of OpenSpiel: its Monte Carlo tree search, or a registered one by name"
    bot: str = string("mcts", "mcts, or a name of pyspiel.registered_bots(), such as uniform_random")
    simulations: int = integer(1000, "simulations of mcts per decision", low=1)
    c: float = number(2, "exploration constant of mcts", low=0)
    leaf_rollouts: int = integer(1, "rollouts per leaf of mcts", low=1)
    prove: bool = switch(True, "back up proven results in mcts")

    def check(self, game: Game) -> None:
        super().check(game)
        bots = ["mcts", *spiel().bots_that_can_play_game(spiel_game(game))]
        if self.bot not in bots:
            raise AgentError(f"agent openspiel: bot={self.bot} can't play {game}; available: {', '.join(bots)}")

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        pyspiel, board = spiel(), spiel_game(game)
        short = short_seed(seed)
        if self.bot == "mcts":
            evaluator = pyspiel.RandomRolloutEvaluator(self.leaf_rollouts, short)
            bot = pyspiel.MCTSBot(board, evaluator, self.c, self.simulations, 1000, self.prove, short, False)
        elif self.bot == "uniform_random":
            bot = pyspiel.make_uniform_random_bot(int(player), short)
        else:
            bot = pyspiel.load_bot(self.bot, board, int(player))
        return SpielMind(bot)


def short_seed(seed: int) -> int:
    """Return a seed of 31 bits, as OpenSpiel's bots and NumPy's ``RandomState`` require."""
    return seed % (1 << 31)


class SpielMind(Mind):
    """A bot of OpenSpiel in one seat."""

    def __init__(self, bot: Any) -> None:
        self.bot = bot

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        return Decision(int(self.bot.step(spiel_state(position))))
