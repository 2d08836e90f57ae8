"""Replays of ConnectX (the JSON of ``env.toJSON()`` and of Kaggle's site) as records, and records as replays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inarow.adapters.notations import board_cells
from inarow.errors import InarowError
from inarow.match import MatchRecord
from inarow.match.record import Termination
from inarow.rules import Game, IllegalMove, Outcome, Player, Position
from inarow.rules.game import UnknownGame

_FAULTS = {
    "INVALID": Termination.ILLEGAL_MOVE,
    "TIMEOUT": Termination.OUT_OF_TIME,
    "ERROR": Termination.EXCEPTION,
}
SECONDS = 2
"""What ConnectX gives for a move."""


class ReplayError(InarowError):
    """A replay that can't be read, or a record that ConnectX can't show."""


def record_of_replay(data: Any) -> MatchRecord:
    """The record of a replay; raises `ReplayError` with the step that is wrong."""
    steps = _part(data, "steps", list)
    game = _game(_part(data, "configuration", dict))
    position = Position.start(game)
    moves: list[int] = []
    fault = None
    for number, step in enumerate(steps):
        if not (isinstance(step, list) and len(step) == 2 and all(isinstance(part, dict) for part in step)):
            raise ReplayError(f"step {number} of the replay is not a pair of players; it may be cut short")
        mover = position.to_move
        if number > 0 and position.outcome() is None and fault is None:
            fault = _FAULTS.get(step[mover].get("status"))
            if fault is None:
                position = _play(position, step[mover].get("action"), number)
                moves.append(step[mover]["action"])
        board = step[0].get("observation", {}).get("board")
        if fault is None and board is not None and board != board_cells(position):
            raise ReplayError(f"the board of step {number} is not what the moves lead to")
    return _record(data, game, position, moves, fault)


def _record(
    data: Mapping[str, Any], game: Game, position: Position, moves: Sequence[int], fault: Termination | None
) -> MatchRecord:
    outcome = position.outcome()
    if outcome is None and fault is None:
        raise ReplayError(f"the replay ends after {len(moves)} moves, before the match does; it is cut short")
    if outcome is None:
        outcome, termination = Outcome(position.to_move.other), fault
    else:
        termination = Termination.LINE if outcome.winner is not None else Termination.FULL_BOARD
    names = (data.get("info") or {}).get("TeamNames") or ["kaggle player 1", "kaggle player 2"]
    assert termination is not None
    return MatchRecord(
        game=game,
        first=str(names[0]),
        second=str(names[-1]),
        seed=0,
        opening=(),
        moves=tuple(moves),
        outcome=outcome,
        termination=termination,
        nodes=(0,) * len(moves),
        values=(None,) * len(moves),
        seconds=(0.0,) * len(moves),
        fault=f"{position.to_move.name.lower()} player: {fault.value}, says the replay" if fault else "",
    )


def _part(data: Any, key: str, kind: type) -> Any:
    if not isinstance(data, Mapping) or not isinstance(data.get(key), kind) or not data[key]:
        raise ReplayError(f"this is not a replay of ConnectX: {key!r} is missing or empty")
    return data[key]


def _game(configuration: Mapping[str, Any]) -> Game:
    columns, rows, k = (configuration.get(name) for name in ("columns", "rows", "inarow"))
    if not (isinstance(columns, int) and isinstance(rows, int) and isinstance(k, int)):
        raise ReplayError(
            f"the configuration has columns {columns}, rows {rows}, inarow {k}; whole numbers are expected"
        )
    try:
        return Game(columns, rows, k, gravity=True)
    except UnknownGame as error:
        raise ReplayError(f"the replay's board can't be played here: {error}") from None


def _play(position: Position, action: Any, number: int) -> Position:
    try:
        return position.play(action)
    except IllegalMove as error:
        raise ReplayError(f"step {number} of the replay can't be played: {error}") from None


def replay_of_record(record: MatchRecord) -> dict[str, Any]:
    """A record as a replay that ConnectX's viewer and ``kaggle_environments.make(…, steps=…)`` understand."""
    game = record.game
    if not game.gravity:
        raise ReplayError(f"ConnectX has gravity; {game} can't be shown there")
    if record.outcome is None:
        raise ReplayError("the match was interrupted; a replay is of a finished one")
    position = Position.start(game)
    steps = [_step(position, 0, None, None)]
    for number, move in enumerate(record.all_moves, start=1):
        mover = position.to_move
        position = position.play(move)
        steps.append(_step(position, number, (mover, move), _rewards(record) if position.outcome() else None))
    statuses, rewards = ["DONE", "DONE"], _rewards(record)
    if record.termination not in (Termination.LINE, Termination.FULL_BOARD):
        words = {termination: word for word, termination in _FAULTS.items()}
        statuses[position.to_move] = words.get(record.termination, "ERROR")
        rewards = [None if seat is position.to_move else 0 for seat in Player]  # as ConnectX gives them after a fault
        last = _step(position, len(steps), None, rewards)
        for seat, status in enumerate(statuses):
            last[seat]["status"] = status
        steps.append(last)
    return {
        "name": "connectx",
        "title": "ConnectX",
        "version": "1.0.1",
        "schema_version": 1,
        "configuration": {
            "columns": game.columns,
            "rows": game.rows,
            "inarow": game.k,
            "episodeSteps": 1000,
            "actTimeout": SECONDS,
        },
        "info": {"TeamNames": [record.first, record.second]},
        "steps": steps,
        "rewards": rewards,
        "statuses": statuses,
    }


def _rewards(record: MatchRecord) -> list[int | None]:
    winner = None if record.outcome is None else record.outcome.winner
    return [0, 0] if winner is None else [1 if winner is seat else -1 for seat in Player]


def _step(
    position: Position, number: int, played: tuple[Player, int] | None, rewards: list[int | None] | None
) -> list[dict[str, Any]]:
    """One step of both players; the first has the board."""
    pair = []
    for seat in Player:
        observation: dict[str, Any] = {"remainingOverageTime": 60, "mark": int(seat) + 1}
        if seat is Player.FIRST:
            observation |= {"step": number, "board": board_cells(position)}
        active = "ACTIVE" if position.to_move is seat else "INACTIVE"
        pair.append(
            {
                "action": played[1] if played is not None and played[0] is seat else 0,
                "reward": 0 if rewards is None else rewards[seat],
                "info": {},
                "observation": observation,
                "status": active if rewards is None else "DONE",
            }
        )
    return pair
