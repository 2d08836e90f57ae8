"""Building an opening book, of scores or of verdicts: solve every position at its last ply, and derive earlier plies.

Each score is written to a progress file at once, as a line ``key score checksum``, so that the work can be stopped at
any time and resumed. Threads share one table, kept from position to position: neighbours have much in common.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from pathlib import Path

from inarow.atomic import write_text
from inarow.rules import Game, Position
from inarow.solver.analysis import win_score
from inarow.solver.book import MOST, SCORES, VERDICTS, Book, BookError, folded_key, make_book
from inarow.solver.engine import WIDEST, Engine
from inarow.solver.score_lines import parse_score_lines, score_line
from inarow.stopping import SYSTEM_CLOCK, Stop

Plies = list[dict[int, Position]]


def early_positions(game: Game, plies: int) -> Plies:
    """For each ply the positions that are not over, one of each mirror pair, by folded key; neighbours in sequence."""
    levels: Plies = [{folded_key(Position.start(game)): Position.start(game)}]
    for _ in range(plies):
        level: dict[int, Position] = {}
        for position in levels[-1].values():
            for move in position.legal_moves():
                child = position.play(move)
                if child.outcome() is None:
                    level.setdefault(folded_key(child), child)
            if len(level) > MOST:
                raise BookError(f"{game} has more than {MOST:,} positions at ply {len(levels)}; give fewer plies")
        levels.append(level)
    return levels


def wins_at_once(position: Position) -> bool:
    """Whether the side to move has a winning move: such positions are not in a book."""
    return bool(position.winning_moves())


def to_solve(levels: Plies) -> list[Position]:
    """The positions of the last ply whose score must be searched for."""
    return [position for position in levels[-1].values() if not wins_at_once(position)]


def read_progress(path: Path, game: Game, verdicts: bool = False) -> tuple[dict[int, int], int]:
    """The scores or verdicts found so far, by folded key, and how many damaged lines were left out.

    Raises `BookError` if the file can't be read and written, or holds something else.
    """
    try:
        with path.open("a+", encoding="ascii", errors="replace", newline="\n") as file:
            file.seek(0)
            text = file.read()
    except OSError as error:
        raise BookError(f"the progress file {path} can't be used: {error.strerror}; give another --work") from None
    found = list(parse_score_lines(game, text, verdicts=verdicts))
    known = dict(line for line in found if line is not None)
    if found and not known:
        kind = VERDICTS if verdicts else SCORES
        raise BookError(f"{path} is not a progress file of {game} with {kind}; give another --work, or remove it")
    return known, found.count(None)


def solve_all(
    game: Game,
    plies: int,
    path: Path,
    *,
    verdicts: bool = False,
    threads: int = 1,
    table_mb: int = 256,
    stop: Stop | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[int, int]:
    """Solve the positions at this ply whose scores ``path`` lacks, and append them; returns all that it then has, by
    folded key: the scores of the ply, or its verdicts and those of replies that keep them. Its threads have
    a low priority."""
    known, damaged = read_progress(path, game, verdicts)

    def lines(found: dict[int, int]) -> str:
        return "".join(score_line(game, key, score, verdict=verdicts) for key, score in found.items())

    if damaged:
        write_text(path, lines(known), BookError)
    engine = Engine(game, table_mb)
    positions = to_solve(early_positions(game, plies))
    waiting = iter([position for position in positions if folded_key(position) not in known])
    wanted = {folded_key(position) for position in positions}
    done = len(wanted & known.keys())
    progress(done, len(wanted))
    lock = threading.Lock()
    end = Stop(within=stop)
    failures: list[BaseException] = []

    def work(engine: Engine) -> None:
        nonlocal done
        with contextlib.suppress(AttributeError, OSError):
            os.nice(19)  # of this thread alone where the system allows it, as Linux does
        try:
            while not end.is_set():
                with lock:
                    position = next(waiting, None)
                if position is None:
                    return
                engine.forget_order()
                found = _verdict_and_reply(engine, position, known, end) if verdicts else _score(engine, position, end)
                if not found:
                    return
                with lock, path.open("a", newline="\n") as file:
                    file.write(lines(found))
                    known.update(found)
                    done += 1
                    progress(done, len(wanted))
        except BaseException as failure:
            failures.append(failure)
            end.set()

    workers = [threading.Thread(target=work, args=(engine.twin(),), daemon=True) for _ in range(threads)]
    with SYSTEM_CLOCK.alarm(None, end):
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    if failures and isinstance(failures[0], OSError):
        raise BookError(
            f"{path} can't be written: {failures[0].strerror}; what is in it is kept, run it again"
        ) from failures[0]
    if failures:
        raise failures[0]
    return known if verdicts else {key: known[key] for key in wanted & known.keys()}


def _ask(engine: Engine, position: Position, low: int, high: int, stop: Stop) -> tuple[int, int]:
    return engine.narrow(position.mover, position.occupied, position.ply, low, high, None, stop)[:2]


def _score(engine: Engine, position: Position, stop: Stop) -> dict[int, int]:
    """The score of a position by folded key; nothing if stopped."""
    low, high = _ask(engine, position, -WIDEST, WIDEST, stop)
    return {folded_key(position): low} if low == high else {}


def _verdict_and_reply(engine: Engine, position: Position, known: dict[int, int], stop: Stop) -> dict[int, int]:
    """The verdict of a position, and of a reply that keeps it if it is not lost and ``known`` has none; nothing if
    stopped. Replies that are known come first, so that few are stored: which, depends on the order of solving."""
    verdict, high = _ask(engine, position, -1, 1, stop)
    if verdict != high:
        return {}
    found = {folded_key(position): verdict}
    if verdict < 0:
        return found
    for child in sorted(map(position.play, position.legal_moves()), key=lambda child: folded_key(child) not in known):
        if child.outcome() is not None or wins_at_once(child):
            continue
        worth = known.get(folded_key(child))
        if worth is None:
            low, high = _ask(engine, child, -verdict, 1 - verdict, stop)
            if low != high:
                return {}
            worth = high if high <= -verdict else None
        if worth == -verdict:
            return {folded_key(child): worth, **found}
    return found  # the move that keeps it ends the game


def derive(game: Game, plies: int, last: dict[int, int], verdicts: bool = False) -> Book:
    """The book of all plies up to this one, from the scores or verdicts of the last ply, by minimax."""
    levels = early_positions(game, plies)
    missing = sum(folded_key(position) not in last for position in to_solve(levels))
    if missing:
        raise BookError(f"{missing} of the positions at ply {plies} are not solved yet; run the command again")
    scores = dict(last)
    kept = dict(last) if verdicts else {folded_key(one): last[folded_key(one)] for one in to_solve(levels)}
    for position in levels[-1].values():
        if wins_at_once(position):
            scores[folded_key(position)] = 1 if verdicts else win_score(position)
    for level in reversed(levels[:-1]):
        for key, position in level.items():
            if wins_at_once(position):
                scores[key] = 1 if verdicts else win_score(position)
            else:
                children = (position.play(move) for move in position.legal_moves())
                scores[key] = max(_score_after(child, scores) for child in children)
                kept[key] = scores[key]
    return make_book(game, plies, kept, verdicts=verdicts)


def _score_after(child: Position, scores: dict[int, int]) -> int:
    return 0 if child.outcome() is not None else -scores[folded_key(child)]
