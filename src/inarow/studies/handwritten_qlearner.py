"""A Q-learner as it is often written by hand, a dictionary and a loop, with the usual faults as switches.

The compiled learner has none of them; here each can be switched on to see what it costs. All values are for the side
that makes the move. With both seats together a move is worth its reward less what the opponent's best reply is worth;
apart, its reward and what the same side's next turn is worth.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from inarow.agents import Agent, Decision, Limit, Mind, agent
from inarow.agents.qlearning import QLearning
from inarow.kernels.qlearning.rates import rate_now
from inarow.match import play_match
from inarow.randomness import Stream, derive
from inarow.rules import Game, Player, Position, game
from inarow.stopping import Stop
from inarow.studies.framework.study import Measured, measurement
from inarow.studies.sections.trainings import truth_of
from inarow.training.evaluation import Evaluation, Held

FAULTS: Mapping[str, str] = {
    "no-loss": "the loser’s last move never learns of the loss",
    "plus": "the opponent’s best reply counts for a move, not against it",
    "last-only": "only the last move of a game is learnt",
    "explores": "exploration stays on while it is judged",
    "first-tie": "of equal moves always the first is played",
}


class Turn(NamedTuple):
    """A move whose worth is not yet known."""

    position: Position
    move: int
    after: Position


class HandLearner:
    """The table and how it is learnt, with the settings of a `QLearning` agent."""

    def __init__(self, settings: QLearning, board: Game, seed: int, episodes: int, faults: frozenset[str]) -> None:
        assert faults <= FAULTS.keys(), faults
        self.settings, self.game, self.faults = settings, board, faults
        self.values: dict[tuple[int, int], list[float]] = {}
        self.stream = Stream(derive(seed, "by hand"))
        self.episodes = self.moves = 0
        self._rates = {name: getattr(settings, name).array(episodes) for name in ("alpha", "epsilon")}
        self._by_move = {name: bool(rates[4]) for name, rates in self._rates.items()}
        for rates in self._rates.values():
            rates[4] = 0  # what is counted is handed in
        maps = board.cell_symmetries
        self._maps = dict(enumerate(maps)) if settings.symmetries else {0: maps[0]}

    def rate(self, name: str) -> float:
        """A learning or exploration rate now."""
        return float(rate_now(self._rates[name], self.moves if self._by_move[name] else self.episodes))

    def row(self, position: Position) -> list[float]:
        """The values of all moves in a position."""
        return self.values.setdefault((position.first, position.second), [self.settings.initial] * self.game.moves)

    def choose(self, position: Position, stream: Stream, explore: bool) -> int:
        """A move."""
        moves = position.legal_moves()
        if explore and stream.uniform() < self.rate("epsilon"):
            return stream.choice(moves)
        row = self.values.get((position.first, position.second))
        if row is None:
            return moves[0] if "first-tie" in self.faults else stream.choice(moves)
        best = max(row[move] for move in moves)
        equal = [move for move in moves if row[move] == best]
        return equal[0] if "first-tie" in self.faults else stream.choice(equal)

    def play(self, position: Position) -> Turn:
        """Make a move of a training match."""
        move = self.choose(position, self.stream, explore=True)
        self.moves += 1
        return Turn(position, move, position.play(move))

    def learn(self, turn: Turn, reward: float = 0.0, now: Position | None = None) -> None:
        """Learn what a move was worth: its reward, and what there is at the learner's next turn, if there is one."""
        if now is not None and "last-only" in self.faults:
            return
        together = self.settings.seats == "together"
        later = 0.0
        if now is not None:
            now = turn.after if together or "plus" in self.faults else now
            row = self.row(now)
            later = max(row[move] for move in now.legal_moves())
            later = -later if together and "plus" not in self.faults else later
        target = self.settings.move + reward + self.settings.gamma * later
        alpha = self.rate("alpha")
        images = turn.position.symmetries() if len(self._maps) > 1 else (turn.position,)
        for index, cells in self._maps.items():
            row = self.row(images[index])
            move = cells[turn.move]
            row[move] += alpha * (target - row[move])

    def mind(self, seed: int) -> Mind:
        """What plays by the table as it is."""
        return HandMind(self, Stream(seed))


class HandMind(Mind):
    """The table at the board: without exploration, unless that is its fault."""

    def __init__(self, learner: HandLearner, stream: Stream) -> None:
        self.learner, self.stream = learner, stream

    def think(self, position: Position, limit: Limit, stop: Stop | None) -> Decision:
        return Decision(self.learner.choose(position, self.stream, "explores" in self.learner.faults))


class Clocked(NamedTuple):
    """A finished training match."""

    plies: int
    score: float
    """Of the learner; of the first player in self-play."""
    seconds: tuple[float, float]
    """The learner's, with its learning, and the opponent's."""
    moves: tuple[int, int]


def _episode(learner: HandLearner, opponent: Agent | None, seed: int) -> Clocked:
    """One match against an opponent, or against itself, learnt from move by move."""
    number, board, settings = learner.episodes, learner.game, learner.settings
    seat = Player(number & 1)
    mind = None if opponent is None else opponent.start(board, seat.other, derive(seed, "opponent", number))
    position = Position.start(board)
    for _ in range(learner.stream.below(settings.openings + 1)):
        after = position.play(learner.stream.choice(position.legal_moves()))
        if after.outcome() is not None:
            break
        position = after
    last: dict[Player, Turn] = {}
    seconds, moves = [0.0, 0.0], [0, 0]
    while (outcome := position.outcome()) is None:
        player, begun = position.to_move, time.perf_counter()
        mine = mind is None or player is seat
        if mine:
            if player in last:
                learner.learn(last[player], now=position)
            last[player] = learner.play(position)
            position = last[player].after
        else:
            assert mind is not None
            position = position.play(mind.decide(position).move)
        seconds[not mine] += time.perf_counter() - begun
        moves[not mine] += 1
    begun = time.perf_counter()
    for player, turn in sorted(last.items(), key=lambda item: -item[1].position.ply):
        if outcome.winner is player.other and "no-loss" in learner.faults:
            continue
        if settings.seats == "together" and turn.after.outcome() is None:
            learner.learn(turn, now=turn.after)
        elif outcome.winner is None:
            learner.learn(turn, settings.draw)
        else:
            learner.learn(turn, settings.win if outcome.winner is player else settings.loss)
    seconds[0] += time.perf_counter() - begun
    learner.episodes += 1
    hero = seat if mind is not None else Player.FIRST
    return Clocked(position.ply, outcome.score(hero), (seconds[0], seconds[1]), (moves[0], moves[1]))


@measurement("train_by_hand")
def train_by_hand(settings: dict[str, Any]) -> Measured:
    """A training as `trainings.train` does it, with the same history, by the learner of this module and with
    ``faults``; one opponent, or none for self-play. The history's times are of moves: learner's and opponent's."""
    board, learnt = game(settings["game"]), agent(settings["agent"])
    assert isinstance(learnt, QLearning)
    learner = HandLearner(learnt, board, settings["seed"], settings["episodes"], frozenset(settings["faults"]))
    opponent = agent(settings["opponents"][0]) if settings["opponents"] else None
    truth = truth_of(board) if settings["truth"] else None
    evaluation = Evaluation(settings["against"], max(1, settings["matches"]), truth)
    history: list[dict[str, Any]] = []
    timing: list[dict[str, Any]] = []
    games: list[Clocked] = []
    begun = time.perf_counter()

    def judge() -> None:
        done = learner.episodes
        scores = Counter(one.score for one in games)
        tally = {"wins": scores[1.0], "draws": scores[0.5], "losses": scores[0.0]}
        found = evaluation.measure(board, learner.mind, derive(settings["seed"], "evaluation", done))
        size = {"entries": len(learner.values), "bytes": 8 * board.moves * len(learner.values)}
        plies = sum(one.plies for one in games) / max(1, len(games))
        history.append({"episodes": done, **tally, "plies": plies, **size, **found})
        sides = {
            side: {"seconds": sum(one.seconds[i] for one in games), "moves": sum(one.moves[i] for one in games)}
            for i, side in enumerate(("learner", "opponent"))
        }
        timing.append({"episodes": done, "seconds": round(time.perf_counter() - begun, 3), **sides})
        games.clear()

    if truth is not None:
        judge()
    while learner.episodes < settings["episodes"]:
        games.append(_episode(learner, opponent, settings["seed"]))
        if learner.episodes == settings["episodes"] or (
            settings["every"] and learner.episodes % settings["every"] == 0
        ):
            judge()
    held = Held(learner.mind)
    alone = play_match(board, held, held, seed=settings["seed"]).result
    said = f"{settings['agent']} by hand, {', '.join(settings['faults']) or 'no fault'}: {learner.episodes:,} episodes"
    return Measured({"history": history, "alone": alone, "verdict": said}, {"history": timing})
