"""Build an opening book, of scores or of verdicts.

Scores are solved ply by ply, so a complete book of fewer plies can be written at any time, and the scores of one ply
narrow the searches of the next: no move is better than its position (score(child) ≥ −score(parent)). At the end the
earlier plies are derived from the last one by minimax and compared with the solved scores. For a book of verdicts only
the last ply is solved, with replies that keep the verdict; the earlier plies are derived.

Each result is appended immediately to a progress file, as a line ``key score checksum``, so that the work can be
stopped and resumed at any time. Threads share one transposition table, which is kept between positions because
neighbours share many entries.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import repeat
from pathlib import Path

from inarow.kernels.solver.analyse import WIDEST
from inarow.paths import write_text
from inarow.rules import Game, Position
from inarow.solver.analysis import win_score
from inarow.solver.book import MAX_POSITIONS, SCORES, VERDICTS, Book, BookError, folded_key, make_book
from inarow.solver.cache import parse_score_lines, score_line
from inarow.solver.engine import Engine
from inarow.stopping import SYSTEM_CLOCK, Stop

Plies = list[dict[int, Position]]


def early_positions(game: Game, plies: int) -> Plies:
    """Return each ply's unfinished positions by folded key, one of each mirror pair, with neighbours in sequence."""
    levels: Plies = [{folded_key(Position.start(game)): Position.start(game)}]
    for _ in range(plies):
        level: dict[int, Position] = {}
        for position in levels[-1].values():
            for move in position.legal_moves():
                child = position.play(move)
                if child.outcome() is None:
                    level.setdefault(folded_key(child), child)
            if len(level) > MAX_POSITIONS:
                raise BookError(
                    f"{game} has more than {MAX_POSITIONS:,} positions at ply {len(levels)}; give fewer plies"
                )
        levels.append(level)
    return levels


def wins_at_once(position: Position) -> bool:
    """Return True if the side to move has a winning move; books omit such positions."""
    return bool(position.winning_moves())


def to_solve(levels: Plies) -> list[Position]:
    """Return the positions of the last ply that must be searched."""
    return [position for position in levels[-1].values() if not wins_at_once(position)]


def read_progress(path: Path, game: Game, verdicts: bool = False) -> tuple[dict[int, int], int]:
    """Return the scores or verdicts so far, by folded key, and the number of damaged lines skipped.

    Raises `BookError` if the file can't be read and written, or is not a progress file of this book.
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
    seeds: Sequence[Book] = (),
    threads: int = 1,
    tt_mb: int = 256,
    each: Callable[..., Iterable[dict[int, int]]] | None = None,
    stop: Stop | None = None,
    progress: Callable[[int, int, int], None] = lambda ply, done, total: None,
) -> dict[int, int]:
    """Solve the positions missing in ``path`` and append them; return all results by folded key.

    Books in ``seeds`` are trusted: scores replace a search, verdicts narrow it. ``progress`` is called with the ply and
    the number of solved positions. The threads run at low priority; ``each`` (such as `map`) replaces them, for example
    to solve positions in other processes.
    """
    known, damaged = read_progress(path, game, verdicts)

    def lines(found: dict[int, int]) -> str:
        return "".join(score_line(game, key, score, verdict=verdicts) for key, score in found.items())

    if damaged:
        write_text(path, lines(known), BookError)
    scores = [] if verdicts else [seed for seed in seeds if not seed.verdicts]
    for seed in scores:
        known.update(zip(seed.keys, (value - 128 for value in seed.values), strict=True))
    signs = [seed for seed in seeds if seed.verdicts]
    least: dict[int, int] = {}
    ply = done = total = 0
    end = Stop(within=stop)

    def solve(engine: Engine, position: Position) -> dict[int, int]:
        return _solve(engine, position, _known_window(position, least, signs), verdicts, known, end)

    def keep(found: dict[int, int]) -> None:
        nonlocal done
        with path.open("a", newline="\n") as file:
            file.write(lines(found))
        known.update(found)
        done += 1
        progress(ply, done, total)

    engine = Engine(game, 1 if each is not None else tt_mb)
    engine.use_whole_table()
    levels = early_positions(game, plies)
    for ply in range(plies if verdicts else 1 + max((seed.plies for seed in scores), default=-1), plies + 1):
        quiet = to_solve(levels[: ply + 1])
        least = {} if verdicts or ply == 0 else _least_scores(levels[ply - 1], known)
        waiting = [position for position in quiet if folded_key(position) not in known]
        total = len(quiet)
        done = total - len(waiting)
        progress(ply, done, total)
        try:
            if each is None:
                _solve_each(waiting, solve, keep, [engine.twin() for _ in range(threads)], end)
            else:
                windows = [_known_window(position, least, signs) for position in waiting]
                tables = repeat(game), repeat(tt_mb)
                for found in each(_solve_alone, *tables, waiting, windows, repeat(verdicts)):
                    keep(found)
        except OSError as error:
            raise BookError(
                f"{path} can't be written: {error.strerror}; the results in it are kept, run the command again"
            ) from error
        if end.is_set():
            break
    return known


@cache
def _engine(game: Game, tt_mb: int) -> Engine:
    """Return the engine of this process, whose table is kept between positions."""
    return Engine(game, tt_mb)


def _solve_alone(game: Game, tt_mb: int, position: Position, window: tuple[int, int], verdicts: bool) -> dict[int, int]:
    """Solve a position, in a worker process."""
    return _solve(_engine(game, tt_mb), position, window, verdicts, {}, Stop())


def _solve_each(
    positions: Iterable[Position],
    solve: Callable[[Engine, Position], dict[int, int]],
    keep: Callable[[dict[int, int]], None],
    engines: Sequence[Engine],
    end: Stop,
) -> None:
    """Solve positions with one thread per engine, and pass results on one at a time, until all are done or ``end`` is
    set. Exceptions of the threads are raised here."""
    waiting = iter(positions)
    lock = threading.Lock()

    def work(engine: Engine) -> None:
        with contextlib.suppress(AttributeError, OSError):
            os.nice(19)  # for this thread only, where the system supports it (Linux)
        try:
            while not end.is_set():
                with lock:
                    position = next(waiting, None)
                if position is None:
                    return
                if found := solve(engine, position):
                    with lock:
                        keep(found)
        except BaseException:
            end.set()
            raise

    with SYSTEM_CLOCK.alarm(None, end), ThreadPoolExecutor(len(engines)) as pool:
        for task in [pool.submit(work, engine) for engine in engines]:
            task.result()


def _least_scores(parents: dict[int, Position], known: dict[int, int]) -> dict[int, int]:
    """Return the lower bound of each position's score, given its parents, by folded key."""
    least: dict[int, int] = {}
    for key, parent in parents.items():
        score = known.get(key)
        if score is not None:
            for move in parent.legal_moves():
                child = folded_key(parent.play(move))
                least[child] = max(least.get(child, -WIDEST), -score)
    return least


def _known_window(position: Position, least: dict[int, int], signs: Sequence[Book]) -> tuple[int, int]:
    """Return the bounds of a score that follow from parents and books of verdicts."""
    low, high = least.get(folded_key(position), -WIDEST), WIDEST
    for book in signs:
        verdict = book.get(position)
        if verdict is not None:
            low = max(low, verdict if verdict >= 0 else -WIDEST)
            high = min(high, verdict if verdict <= 0 else WIDEST)
    return low, high


def _ask(engine: Engine, position: Position, low: int, high: int, stop: Stop) -> tuple[int, int]:
    return engine.narrow(position.own, position.opp, low, high, stop)[:2]


def _solve(
    engine: Engine, position: Position, window: tuple[int, int], verdicts: bool, known: dict[int, int], stop: Stop
) -> dict[int, int]:
    """Return the score of a position, which is within ``window``, by folded key; empty if stopped.

    With ``verdicts`` return its verdict instead, with a reply that keeps it unless the position is lost or ``known``
    has one. Known replies are preferred, so that few are stored, depending on the order of solving.
    """
    engine.forget_order()
    score, high = _ask(engine, position, *((-1, 1) if verdicts else window), stop)
    if score != high:
        return {}
    found = {folded_key(position): score}
    if score < 0 or not verdicts:
        return found
    for child in sorted(map(position.play, position.legal_moves()), key=lambda child: folded_key(child) not in known):
        if child.outcome() is not None or wins_at_once(child):
            continue
        worth = known.get(folded_key(child))
        if worth is None:
            low, high = _ask(engine, child, -score, 1 - score, stop)
            if low != high:
                return {}
            worth = high if high <= -score else None
        if worth == -score:
            return {folded_key(child): worth, **found}
    return found  # the move that keeps it ends the game


def derive(game: Game, plies: int, known: dict[int, int], verdicts: bool = False) -> Book:
    """Make the book of all plies up to this one by minimax from the last one, and check it against known results."""
    levels = early_positions(game, plies)
    last = [folded_key(position) for position in to_solve(levels)]
    missing = sum(key not in known for key in last)
    if missing:
        raise BookError(f"{missing} of the positions at ply {plies} are not solved yet; run the command again")
    kept = dict(known) if verdicts else {key: known[key] for key in last}
    scores = dict(kept)
    for position in levels[-1].values():
        if wins_at_once(position):
            scores[folded_key(position)] = 1 if verdicts else win_score(position)
    for level in reversed(levels[:-1]):
        for key, position in level.items():
            if wins_at_once(position):
                scores[key] = 1 if verdicts else win_score(position)
            else:
                children = (position.play(move) for move in position.legal_moves())
                scores[key] = kept[key] = max(_score_after(child, scores) for child in children)
                if known.get(key, kept[key]) != kept[key]:
                    raise BookError(f"key {key} was solved as {known[key]}, but its moves give {kept[key]}")
    return make_book(game, plies, kept, verdicts=verdicts)


def _score_after(child: Position, scores: dict[int, int]) -> int:
    return 0 if child.outcome() is not None else -scores[folded_key(child)]
