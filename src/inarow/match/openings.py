"""Openings: the first plies of a pair of matches, fixed or drawn from a seed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from inarow.errors import InarowError, check_instance
from inarow.paths import read_text
from inarow.randomness import Stream, derive
from inarow.rules import Game, NotationError, Position, format_moves, parse_moves

Line = tuple[int, ...]
T = TypeVar("T")

KINDS = {
    "none": "the empty board",
    "random:PLIES": "random legal plies",
    "all:PLIES": "every position after this many plies",
    "drawn:PLIES": "every position after this many plies that is a draw with perfect play",
    "moves:MOVES": "these moves, such as moves:4453",
    "balanced": "drawn positions that ship with inarow, each with every move solved (Connect 4)",
    "file:PATH": "one line of moves each, such as 4453; # starts a comment",
}
"""Descriptions of the kinds of openings, by the way they are written."""

_MOST = 200_000
_SOLVED_WITHIN = 100_000
"""Nodes in which each position of the kind ``drawn`` must be solved."""


class OpeningError(InarowError):
    """The board does not have these openings."""


@dataclass(frozen=True)
class Openings:
    """A way to choose openings for a game; made by `parse_openings`."""

    game: Game
    kind: str
    plies: int = 0
    lines: tuple[Line, ...] = ()
    """Fixed openings to distinct positions: from a file, the shipped ones, or all or all drawn ones of some plies."""

    def draw(self, count: int, seed: int) -> list[Line]:
        """Draw openings, without repeats while others remain. A larger count begins with the same ones."""
        if self.kind == "none":
            return [()] * count
        if self.lines:
            return _rounds(self.lines, count, Stream(derive(seed, "openings")))
        return draw_openings(self.game, self.plies, count, seed)

    def to_json(self) -> dict[str, Any]:
        """Return a description for a stored configuration; a file is described by its content, not its name."""
        if self.kind == "moves":
            return {"kind": self.kind, "moves": format_moves(self.game, self.lines[0])}
        if self.kind not in ("file", "balanced"):
            return {"kind": self.kind, "plies": self.plies}
        text = "\n".join(format_moves(self.game, line) for line in self.lines)
        return {"kind": self.kind, "count": len(self.lines), "sha256": hashlib.sha256(text.encode()).hexdigest()}


def as_openings(game: Game, openings: Openings | str) -> Openings:
    """Return openings for a game, given by a string such as ``random:4`` or as they are."""
    if isinstance(openings, str):
        return parse_openings(game, openings)
    check_instance("openings", openings, Openings, "openings such as 'random:4'", OpeningError)
    if openings.game != game:
        raise OpeningError(f"the openings are for {openings.game}, not for {game}")
    return openings


def parse_openings(game: Game, text: str) -> Openings:
    """Parse openings such as ``random:4`` (see `KINDS`) and check that this board has them."""
    kind, _, rest = text.partition(":")
    if kind == "none" and not rest:
        return Openings(game, "none")
    if kind == "balanced" and not rest:
        return Openings(game, "balanced", lines=_balanced(game))
    if kind == "file" and rest:
        return Openings(game, "file", lines=read_openings(game, Path(rest)))
    if kind == "moves" and rest:
        return Openings(game, "moves", lines=(_open_line(game, rest),))
    if kind not in ("random", "all", "drawn"):
        raise OpeningError(f"unknown openings {text!r}; give one of {', '.join(KINDS)}")
    if rest and not (rest.isascii() and rest.isdigit()):
        raise OpeningError(f"openings {text!r}: {rest!r} is not a number of plies; write {kind}:4")
    plies = int(rest[:9]) if rest else usual_plies(game)
    check_plies(game, plies)
    if kind == "all":
        lines = tuple(line for line, _ in _all_positions(game, plies))
        if not lines:
            raise OpeningError(f"no opening of {plies} plies on {game} leaves the match undecided; give fewer plies")
        return Openings(game, "all", plies, lines)
    if kind == "drawn":
        return Openings(game, "drawn", plies, _drawn(game, plies))
    return Openings(game, kind, plies)


def _open_line(game: Game, text: str) -> Line:
    """Parse moves that don't end the match."""
    line = parse_moves(game, text)
    position = Position.start(game, line)
    if position.outcome() is not None:
        raise OpeningError(f"{text} is a finished game ({position.result_text()}); give fewer moves")
    return line


def _balanced(game: Game) -> tuple[Line, ...]:
    from inarow.solver.solved import balanced_openings

    found = tuple(opening.moves for opening in balanced_openings(game))
    if not found:
        raise OpeningError(f"no balanced openings ship for {game}; give random:{usual_plies(game)}, or a file of them")
    return found


@cache
def _drawn(game: Game, plies: int) -> tuple[Line, ...]:
    from inarow.limits import Limit
    from inarow.solver import Oracle, Unsolved

    oracle, limit = Oracle(game), Limit(nodes=_SOLVED_WITHIN)
    try:
        lines = [line for line, position in _all_positions(game, plies) if oracle.score(position, limit) == 0]
    except Unsolved:
        raise OpeningError(
            f"the openings of {plies} plies on {game} can't be solved quickly; give random:{plies}"
        ) from None
    if not lines:
        raise OpeningError(f"no opening of {plies} plies on {game} is a draw; give random:{plies}")
    return tuple(lines)


def usual_plies(game: Game) -> int:
    """Return the default number of random plies, which varies matches without deciding them: 4 in Connect 4."""
    return max(1, min(4, game.cells // 8))


def check_plies(game: Game, plies: int) -> None:
    """Raise `OpeningError` if the board has no openings of this length."""
    if not 0 <= plies < game.cells:
        raise OpeningError(f"openings of {plies} plies are not possible on {game}; give 0 to {game.cells - 1}")


def read_openings(game: Game, path: Path) -> tuple[Line, ...]:
    """Read a file of openings, one for each position; a bad one is reported with its line and the reason."""
    lines: dict[int, Line] = {}
    for number, row in enumerate(read_text(path, OpeningError).splitlines(), start=1):
        moves = row.partition("#")[0].strip()
        if not moves:
            continue
        try:
            line = _open_line(game, moves)
        except (NotationError, OpeningError) as error:
            raise OpeningError(f"{path}, line {number}: {error}") from None
        lines.setdefault(Position.start(game, line).key(), line)
    if not lines:
        raise OpeningError(f"{path} has no openings; expected {KINDS['file:PATH']}")
    return tuple(lines.values())


def draw_again(game: Game, config: Mapping[str, Any], count: int, seed: int, played: Mapping[int, str]) -> list[str]:
    """Redraw the openings that `Openings.to_json` describes, in notation.

    The description of a file omits its lines: ``played`` has the openings of pairs by index. Lines that were not played
    are empty.
    """
    kind = config["kind"]
    if kind == "file":
        order = _rounds(range(config["count"]), count, Stream(derive(seed, "openings")))
        lines = {number: played[index] for index, number in enumerate(order) if index in played}
        return [lines.get(number, "") for number in order]
    rest = config.get("moves", config.get("plies"))
    text = kind if kind in ("none", "balanced") else f"{kind}:{rest}"
    return [format_moves(game, line) for line in parse_openings(game, text).draw(count, seed)]


def draw_openings(game: Game, plies: int, count: int, seed: int) -> list[Line]:
    """Draw openings of this many uniformly random legal plies that don't end the match.

    The positions reached are distinct as long as new ones remain.
    """
    check_plies(game, plies)
    stream = Stream(derive(seed, "openings"))
    drawn: list[Line] = []
    seen: set[int] = set()
    repeated = finished = 0  # in a row
    while len(drawn) < count:
        line, position = _random_line(game, plies, stream)
        key = position.key()
        if position.outcome() is not None:
            finished += 1
        elif key in seen:
            repeated += 1
        else:
            repeated = finished = 0
            seen.add(key)
            drawn.append(line)
        if finished >= 10_000 and not seen:
            raise OpeningError(f"no opening of {plies} plies on {game} leaves the match undecided; give fewer plies")
        if repeated >= 100 or finished >= 10_000:  # few or none are left: list them all, and repeat them in rounds
            lines = {after.key(): line for line, after in _all_positions(game, plies)}
            rest = [line for key, line in lines.items() if key not in seen]
            drawn += _rounds(rest, len(rest), stream)
            drawn += _rounds(list(lines.values()), count - len(drawn), stream)
    return drawn[:count]


def _rounds(lines: Sequence[T], count: int, stream: Stream) -> list[T]:
    """Return this many lines in random order, using each once before any is repeated."""
    drawn: list[T] = []
    while len(drawn) < count:
        order = list(lines)
        stream.shuffle(order)
        drawn += order
    return drawn[:count]


def _random_line(game: Game, plies: int, stream: Stream) -> tuple[Line, Position]:
    """Draw a random line of this many plies, shorter if it ends the game; return it with its position."""
    position = Position.start(game)
    line: list[int] = []
    while len(line) < plies and (legal := position.legal_moves()):
        line.append(stream.choice(legal))
        position = position.play(line[-1])
    return tuple(line), position


def _all_positions(game: Game, plies: int) -> list[tuple[Line, Position]]:
    """List every unfinished position of this many plies, with one line that leads to it."""
    from inarow.rules.counting import count_plies

    if any(count.positions > _MOST for count in count_plies(game, plies)):  # much faster than listing them
        raise OpeningError(f"{game} has more than {_MOST:,} positions within {plies} plies; give fewer")
    level: dict[int, tuple[Line, Position]] = {0: ((), Position.start(game))}
    for _ in range(plies):
        after: dict[int, tuple[Line, Position]] = {}
        for line, position in level.values():
            for move in position.legal_moves():
                child = position.play(move)
                if child.outcome() is None:
                    after.setdefault(child.key(), ((*line, move), child))
        level = after
    return list(level.values())
