"""Explain why a position is won, why a move is best, and why an agent made a mistake.

The facts come from `kernels.facts`, the sentences from `data/sentences.json`. A position's reason is proven where the
solver's parity bound applies; else it is taken from one line of perfect play, and may be one reason among several.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from inarow.agents import Agent, Decision
from inarow.formatting import say
from inarow.kernels import facts
from inarow.kernels.rules import moves_to_end
from inarow.rules import Position, format_move, format_moves
from inarow.solver import Verdict

Scores = Mapping[int, int]
"""The exact score of every legal move, for the side to move."""

_STONES = "XO"


def explain(position: Position, line: Sequence[int]) -> str:
    """Explain a position by one line of perfect play from it; empty if there is nothing to say, as in misère."""
    game = position.game
    if game.misere:
        return ""
    found = facts.why(game.layout, position.first, position.second, line)
    row, column = divmod(found.cell, game.columns)
    row = game.rows - row  # from the bottom, as players count
    values: dict[str, str | int | list[str]] = {
        "mover": _STONES[position.to_move],
        "other": _STONES[position.to_move.other],
        "winner": _STONES[found.winner],
        "loser": _STONES[found.winner == 0],
        "moves": _listed(found.moves),
        "others": _listed(found.others),
        "move": format_move(found.move),
        "column": format_move(column),
        "row": row,
        "above": row + 1,
        "parity": "odd" if row % 2 else "even",
        "made": found.made,
        "proven": found.proven,
        "number": found.number,
    }
    codes = ("urgent", found.urgent), ("threat", found.threat), ("reason", found.reason)
    return " ".join(filter(None, (say(kind, code, **values) for kind, code in codes)))


def reason(position: Position, move: int, score: int | None = None, base: int = 1) -> str:
    """Return a short reason for a move, such as ``4 blocks and draws``; ``score`` is the move's, if known."""
    layout, own, opp = position.game.layout, position.own, position.opp
    code, number = facts.hint(layout, own, opp, move, score is not None, score or 0)
    return say("hint", code, move=format_move(move, base), number=number)


def reason_of(position: Position, hint: Decision, base: int = 1) -> str:
    """Return a short reason for a hint."""
    score = hint.by_move.get("score", {}).get(hint.move) if hint.details.get("solved") else None
    return reason(position, hint.move, None if score is None else int(score), base)


def hint_text(position: Position, hint: Decision, base: int = 1) -> str:
    """Return a hint as a sentence: the move, the reason, and the expected line; moves count from ``base``."""
    found = say("phrase", "hint", reason=reason_of(position, hint, base))
    line = format_moves(position.game, hint.line[1:6], base)
    return f"{found} {say('phrase', 'expected', line=line)}" if line else found


@dataclass(frozen=True)
class Misjudgement:
    """Why an agent erred, with the evidence."""

    cause: str
    """``horizon``, ``playouts``, ``unseen``, ``estimate`` or ``other``."""
    text: str


def gives_away(move: int, scores: Scores) -> bool:
    """Return True if a move turns a win into less, or a draw into a loss."""
    return Verdict.of(scores[move]) < Verdict.of(max(scores.values()))


def misled(
    one: Agent, position: Position, decision: Decision, scores: Scores, replies: Callable[[int], Scores | None]
) -> Misjudgement | None:
    """Explain why the agent's move gives a win or draw away; None if it does not.

    ``replies`` returns the exact scores of the replies to a move, for the side that replies, or None if they are
    unknown; it is called only if they matter.
    """
    move, details, line = decision.move, decision.details, decision.line
    kind = _kind(one)
    answers = (replies(move) if kind == facts.TREE and gives_away(move, scores) else None) or {}
    depth = (
        int(details.get("tree_depth", 0)) if kind == facts.TREE else -1 if decision.depth is None else decision.depth
    )
    expected = line[1] if len(line) > 1 else -1
    size = position.game.moves
    found = facts.misled(
        position.game.layout, position.ply, _set(scores), [scores.get(m, 0) for m in range(size)], move, kind, depth,
        expected, _set(answers), [answers.get(m, 0) for m in range(size)], bool(details.get("known", True)),
        bool(details.get("guided")),
    )  # fmt: skip
    if found.cause == facts.NOT_MISLED:
        return None
    names = {"move": format_move(move), "better": format_move(found.better)}
    valued = [
        say("phrase", "valued", move=format_move(m), value=f"{decision.values[m]:+.2f}")
        for m in (move, found.better)
        if m in decision.values
    ]
    compared = " and ".join(valued) or say("phrase", "no_values")
    simulations = int(details.get("simulations", 0)) + int(details.get("simulations_kept", 0))
    text = say(
        "misled", found.cause, **names, depth=depth, decisive=format_move(found.decisive),
        outcome="win" if scores[found.decisive] > 0 else "loss", expected=format_move(expected),
        refutations=_listed(found.refutations), compared=compared,
        simulated=say("phrase", "simulated", simulations=simulations, compared=compared),
        truth=say("phrase", "truth", **names, does=_does(position, scores[move]),
                  better_does=_does(position, scores[found.better])),
    )  # fmt: skip
    return Misjudgement(say("cause", found.cause), text)


def _kind(one: Agent) -> int:
    """Return an agent's method as `facts.misled` expects it."""
    from inarow.agents.alphabeta import Searcher
    from inarow.agents.mcts import Mcts
    from inarow.agents.ntuple import NTupleAgent
    from inarow.agents.qlearning import QLearningAgent

    kinds = {Searcher: facts.SEARCH, Mcts: facts.TREE, QLearningAgent: facts.TABLE, NTupleAgent: facts.NETWORK}
    return next((kind for agent, kind in kinds.items() if isinstance(one, agent)), facts.ANOTHER)


def _does(position: Position, score: int) -> str:
    number = moves_to_end(position.game.layout, position.ply, score) if score else 0
    return say("result", facts.result(score), number=number)


def _set(moves: Scores) -> int:
    return sum(1 << move for move in moves)


def _listed(moves: int) -> list[str]:
    return [format_move(move) for move in range(moves.bit_length()) if moves >> move & 1]
