"""What a client may ask for: no files, no more memory than allowed, only positions that are possible."""

from __future__ import annotations

import contextlib
from typing import NamedTuple

from inarow import bits
from inarow.adapters.notations import FORMATS, Entry, notation
from inarow.agents import Agent, Limit, agent
from inarow.agents.parameters import Configured, Kind
from inarow.agents.registry import is_file
from inarow.errors import InarowError
from inarow.play.setup import PERSON, Participant, is_person
from inarow.rules import Game, Position, format_moves, game
from inarow.rules.notation import parse_drawing
from inarow.rules.position import draw_row
from inarow.web.messages import GameInfo, LimitRequest, PositionInfo, PositionRequest
from inarow.web.settings import WebSettings

_MEMORY = ("memory", "table_mb")
"""Parameters that say how many MB an agent may use."""


class Refused(InarowError):
    """A request that this server does not fulfil; the message says why."""


def allowed_agent(spec: str, settings: WebSettings) -> Agent:
    """The agent of a client's spec; raises if it would open a file or take too much memory."""
    if spec in settings.agents:
        return agent(spec)
    if is_file(spec) or spec.strip().lower().startswith("file"):
        named = ", ".join(settings.agents) or "none"
        raise Refused(f"this server runs only the files that it was started with ({named})")
    found = agent(spec)
    _check(found, settings)
    return found


def _check(one: Configured, settings: WebSettings) -> None:
    for parameter in one.parameters():
        value = getattr(one, parameter.name)
        if isinstance(value, Configured):
            _check(value, settings)
        elif type(parameter) is Kind and value != parameter.default:
            raise Refused(f"{one.name}: {parameter.name} names a file or a text, which this server does not accept")
        elif parameter.name in _MEMORY and value > settings.memory_mb:
            raise Refused(f"{one.name}: {parameter.name}={value} is more than the {settings.memory_mb} MB allowed here")


def participant(spec: str, settings: WebSettings) -> Participant:
    """A person or an agent."""
    return PERSON if is_person(spec) else allowed_agent(spec, settings)


class ReadPosition(NamedTuple):
    """A position of a request, moves that lead to it (None if no order does), and the notation it was written in."""

    position: Position
    moves: tuple[int, ...] | None
    notation: str


def read_position(request: PositionRequest) -> ReadPosition:
    """The position of a request; for stones without moves some order of moves that the rules allow."""
    board = game(request.game)
    given = [field for field in ("moves", "text", "rows") if getattr(request, field) is not None]
    if len(given) > 1:
        raise Refused(f"{' and '.join(given)} were given; give the position once")
    if request.rows is not None:
        position = parse_drawing(board, "\n".join(request.rows))
        return ReadPosition(position, position.history(), "drawing")
    if request.text is not None:
        name, entry = _entry(board, request.text, request.notation)
        moves = entry.position.history() if entry.moves is None else entry.moves
        return ReadPosition(entry.position, moves, name)
    moves = tuple(request.moves or ())
    return ReadPosition(Position.start(board, moves), moves, "moves")


def _entry(board: Game, text: str, wanted: str) -> tuple[str, Entry]:
    """The position of a text and the name of its notation: the one wanted, or the first in which it can be read."""
    if wanted != "auto":
        return wanted, notation(wanted).parse(board, text)
    for name in FORMATS:
        with contextlib.suppress(InarowError):
            return name, notation(name).parse(board, text)
    return "moves", notation("moves").parse(board, text)  # raises with what is wrong in our own notation


def read_limit(request: LimitRequest) -> Limit:
    """The limit of a request."""
    return Limit(request.depth, request.nodes, request.simulations, request.seconds)


def game_info(board: Game) -> GameInfo:
    """A game for the page."""
    return GameInfo(
        name=board.name,
        title=board.title,
        columns=board.columns,
        rows=board.rows,
        k=board.k,
        gravity=board.gravity,
        moves=board.moves,
    )


def position_info(position: Position, moves: tuple[int, ...] | None, notation: str = "moves") -> PositionInfo:
    """A position for the page."""
    board = position.game
    outcome = position.outcome()
    ended = None
    if outcome is not None:
        ended = "draw" if outcome.winner is None else outcome.winner.name.lower()
    legal = position.legal_moves()
    return PositionInfo(
        game=game_info(board),
        rows=[draw_row(row) for row in position.grid()],
        moves=None if moves is None else list(moves),
        text=None if moves is None else format_moves(board, moves),
        to_move=int(position.to_move),
        legal=list(legal),
        ply=position.ply,
        landing={move: board.cell_bits.index(position.stone(move)) for move in legal},
        outcome=ended,
        winning=list(position.winning_cells()),
        notation=notation,
        threats=[[], []] if outcome is not None else [list(cells) for cells in threats(position)],
    )


def threats(position: Position) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """For each player, the empty cells that would complete a line of theirs, whether or not playable now."""
    board = position.game
    found = []
    for stones in (position.first, position.second):
        cells = bits.winning_cells(stones, board.k, board.stride, board.board) & ~position.occupied
        found.append(tuple(cell for cell, bit in enumerate(board.cell_bits) if cells & bit))
    return found[0], found[1]
