"""OpenSpiel: positions both ways, inarow's agents as its bots and policies, and its bots as agents.

In a spec a bot of OpenSpiel is ``openspiel:bot=mcts,simulations=1000``; use `BotAgent` for any other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from inarow.agents import Agent, Mind, agent
from inarow.agents.openspiel import SpielMind, short_seed, spiel_game, spiel_state
from inarow.errors import InarowError, Unsupported, check_instance
from inarow.rules import TICTACTOE, Game, Player, Position
from inarow.truth.grading import decider

try:
    import pyspiel
except ImportError:
    raise Unsupported("OpenSpiel is not installed: pip install 'inarow[openspiel]'") from None

__all__ = ["BotAgent", "InarowBot", "InarowPolicy", "game_of", "position_of", "spiel_game", "spiel_state"]


class SpielError(InarowError):
    """A game or a state of OpenSpiel that has no counterpart here."""


def game_of(game: Any) -> Game:
    """Convert an OpenSpiel game."""
    check_instance("game", game, pyspiel.Game, "a game of OpenSpiel", SpielError)
    name, given = game.get_type().short_name, game.get_parameters()
    if name == "connect_four":
        sizes = {"columns": 7, "rows": 6, "x_in_row": 4} | {key: value for key, value in given.items() if value}
        return Game(sizes["columns"], sizes["rows"], sizes["x_in_row"], gravity=True)
    if name == "tic_tac_toe":
        return TICTACTOE
    if name == "mnk":
        return Game(given.get("m", 15), given.get("n", 15), given.get("k", 5), gravity=False)
    raise SpielError(f"OpenSpiel's {name} is not a game of k in a row here; connect_four, tic_tac_toe and mnk are")


def position_of(state: Any) -> Position:
    """Convert an OpenSpiel state to a position."""
    check_instance("state", state, pyspiel.State, "a state of OpenSpiel", SpielError)
    return Position.start(game_of(state.get_game()), state.history())


class InarowBot(pyspiel.Bot):
    """An agent of inarow as a bot of OpenSpiel, in one seat (0 or 1), match after match."""

    def __init__(self, game: Any, player: int, spec: Agent | str, seed: int = 0) -> None:
        super().__init__()
        self._agent = agent(spec)
        self._game = game_of(game)
        self._player = Player(player)
        self._seed = seed
        self._mind = self._agent.start(self._game, self._player, seed)

    def restart(self) -> None:
        """Forget the match so far."""
        self.restart_at(None)

    def restart_at(self, state: Any) -> None:
        """Forget the match so far; every position is analysed from scratch anyway."""
        self._mind.close()
        self._mind = self._agent.start(self._game, self._player, self._seed)

    def step(self, state: Any) -> int:
        """Return the move in a state with this player to move."""
        return self._mind.decide(position_of(state)).move

    def provides_policy(self) -> bool:
        """Return False; `InarowPolicy` gives probabilities."""
        return False

    def provides_force_action(self) -> bool:
        """Return True; a mind sees positions, so a forced move needs no handling."""
        return True

    def force_action(self, state: Any, action: int) -> None:
        """Do nothing; the next position shows the move."""

    def inform_action(self, state: Any, player: int, action: int) -> None:
        """Do nothing; the next position shows the move."""


class InarowPolicy(pyspiel.Policy):
    """An agent of inarow as a policy of OpenSpiel: probability 1 for the move that it decides on.

    Each state is decided separately, with a seed derived from the position: the same state always gets the same move.
    """

    def __init__(self, spec: Agent | str, seed: int = 0) -> None:
        super().__init__()
        self._agent = agent(spec)
        self._seed = seed

    def action_probabilities(self, state: Any) -> dict[int, float]:
        """Return the probability of every legal move."""
        position = position_of(state)
        chosen = decider(self._agent, self._seed)(position)
        return {move: float(move == chosen) for move in position.legal_moves()}

    def get_state_policy(self, state: Any, player: int | None = None) -> list[tuple[int, float]]:
        """Return the probabilities as pairs."""
        return list(self.action_probabilities(state).items())

    def get_state_policy_as_parallel_vectors(self, state: Any) -> tuple[list[int], list[float]]:
        """Return the probabilities as two lists."""
        found = self.action_probabilities(state)
        return list(found), list(found.values())


@dataclass(frozen=True, eq=False)
class BotAgent(Agent):
    """Any bot of OpenSpiel, in Python or C++, as an agent for matches in this process.

    ``make(game, player, seed)`` makes the bot, with OpenSpiel's game, a seat of 0 or 1 and a seed below 2³¹, which
    ``np.random.RandomState`` takes; ``title`` is its name in records.
    """

    name = "openspiel-bot"
    summary = "a bot of OpenSpiel made by a function"
    make: Callable[[Any, int, int], Any]
    title: str

    @property
    def spec(self) -> str:
        return f"{self.name}:{self.title}"

    def check(self, game: Game) -> None:
        spiel_game(game)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return SpielMind(self.make(spiel_game(game), int(player), short_seed(seed)))
