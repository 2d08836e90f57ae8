"""The solver side by side with bitbully (no book, table emptied before each position), as ratios by class.

python benchmarks/solver.py                # the classes, on the committed positions
python benchmarks/solver.py --make         # make the positions anew (the recipe; takes minutes)
python benchmarks/solver.py --agree 20000  # scores of random positions of all plies, against bitbully with its book
python benchmarks/solver.py --empty        # the empty board (minutes)
python benchmarks/solver.py --book         # early positions and the truth set, with the shipped book
python benchmarks/solver.py --opening 20   # all moves of 20 positions of each ply up to 10, with the shipped books

Tables are printed as docs/solver.md has them.

Times are of this process's processor, so that other work on the machine disturbs less; pin it to one core.
A class is named by the stones on the board (n) and the plies to the forced end (r).
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from pathlib import Path

import bitbully.bitbully_core as rival

from inarow.limits import Limit
from inarow.randomness import Stream
from inarow.rules import CONNECT4, Position, format_moves, parse_moves
from inarow.solver import Oracle, plies_to_end
from inarow.truth import truth_set

FILE = Path(__file__).parent / "data" / "solver_positions.txt"
CLASSES = {
    "late": (29, 41, 200),  # n > 28
    "middle easy": (15, 28, 200),  # r < 14
    "middle hard": (15, 28, 100),  # r ≥ 14
    "early easy": (8, 14, 100),  # r < 14
    "early medium": (8, 14, 40),  # 14 ≤ r < 28
    "early hard": (8, 14, 12),  # r ≥ 28
}
"""The least and the most stones, and how many positions."""


def class_of(position: Position, score: int) -> str:
    """The class of a position with this score."""
    left = plies_to_end(position, score)
    if position.ply > 28:
        return "late"
    kind = "easy" if left < 14 else "hard"
    if position.ply > 14:
        return f"middle {kind}"
    return "early medium" if 14 <= left < 28 else f"early {kind}"


def random_moves(plies: int, stream: Stream) -> tuple[int, ...]:
    """Moves of an unfinished random game."""
    while True:
        moves: list[int] = []
        position = Position.start(CONNECT4)
        while len(moves) < plies and position.outcome() is None:
            moves.append(stream.choice(position.legal_moves()))
            position = position.play(moves[-1])
        if position.outcome() is None:
            return tuple(moves)


def make() -> None:
    """Write the sample sets: random games, sorted into classes by the solver, until each class is full."""
    stream = Stream(20)
    oracle = Oracle(CONNECT4)
    sets: dict[str, dict[str, int]] = {name: {} for name in CLASSES}
    for name, (least, most, count) in CLASSES.items():
        while len(sets[name]) < count:
            moves = random_moves(least + stream.below(most - least + 1), stream)
            position = Position.start(CONNECT4, moves)
            score = oracle.score(position)
            found = class_of(position, score)
            if len(sets[found]) < CLASSES[found][2]:
                sets[found][format_moves(CONNECT4, moves)] = score
        print(f"{name}: {count} positions", flush=True)
    FILE.parent.mkdir(exist_ok=True)
    lines = [f"{moves} {score} {name}" for name, found in sets.items() for moves, score in found.items()]
    FILE.write_text("\n".join(lines) + "\n")


def rival_board(moves: tuple[int, ...]) -> rival.BoardCore:
    board = rival.BoardCore()
    assert board.play(list(moves)) or not moves
    return board


def seconds_of(ask: Callable[[], int], expected: int) -> float:
    begun = time.process_time()
    score = ask()
    taken = time.process_time() - begun
    assert score == expected, (score, expected)
    return taken


def classes(most: int) -> None:
    """Both solvers, class by class; the rival's better method of each class counts."""
    oracle, other = Oracle(CONNECT4, book=False), rival.BitBullyCore()
    lines = [line.split(" ", 2) for line in FILE.read_text().splitlines()]
    # Loads the kernels, and touches the table: the system hands out its memory at the first use only.
    hard = next(text for text, _, name in lines if name == "early hard")
    oracle.analyse(Position.start(CONNECT4, parse_moves(CONNECT4, hard)), Limit(nodes=1_000_000), moves=False)
    print("| class | positions | inarow | bitbully mtdf | null window | ratio | nodes |\n|---|---|---|---|---|---|---|")
    for name in CLASSES:
        chosen = [line for line in lines if line[2] == name][:most]
        mine = mtdf = null = 0.0
        nodes = 0
        for text, score_text, _ in chosen:  # each solver goes through all, so that none disturbs the other's caches
            moves, score = parse_moves(CONNECT4, text), int(score_text)
            position = Position.start(CONNECT4, moves)
            position = Position(CONNECT4, position.first, position.second)  # its outcome not known yet
            oracle.forget()
            mine += seconds_of(lambda position=position: oracle.score(position), score)  # type: ignore[misc]
            nodes += oracle.nodes
        for text, score_text, _ in chosen:
            score, board = int(score_text), rival_board(parse_moves(CONNECT4, text))
            other.resetTranspositionTable()
            mtdf += seconds_of(lambda board=board: other.mtdf(board, 0), score)  # type: ignore[misc]
            other.resetTranspositionTable()
            null += seconds_of(lambda board=board: other.nullWindow(board), score)  # type: ignore[misc]
        n = len(chosen)
        times = " | ".join(f"{1e3 * seconds / n:#.3g}" for seconds in (mine, mtdf, null))
        print(f"| {name} | {n} | {times} | {min(mtdf, null) / mine:.2f} | {nodes / n:,.0f} |", flush=True)


def agree(count: int) -> None:
    """Scores of random positions of all plies, against bitbully with its exact book."""
    from bitbully_databases import BitBullyDatabases

    other = rival.BitBullyCore(Path(BitBullyDatabases.get_database_path("12-ply-dist")))
    oracle, stream = Oracle(CONNECT4), Stream(99)
    wrong = 0
    for number in range(count):
        moves = random_moves(8 + number % 34, stream)
        wrong += oracle.score(Position.start(CONNECT4, moves)) != other.mtdf(rival_board(moves), 0)
    print(f"{count} positions, {wrong} disagree")


def empty() -> None:
    """The empty board without a book, by the clock: one thread, two, and the rival on one."""
    start = Position.start(CONNECT4)
    seconds = {}
    for threads in (1, 2):
        oracle = Oracle(CONNECT4, book=False, threads=threads)
        assert oracle.score(start) == 1
        seconds[threads] = oracle.seconds
        print(f"inarow, {threads} threads: {oracle.seconds:.1f} s, {oracle.nodes:,} nodes", flush=True)
    begun = time.perf_counter()
    assert rival.BitBullyCore().mtdf(rival.BoardCore(), 0) == 1
    taken = time.perf_counter() - begun
    print(f"bitbully mtdf: {taken:.1f} s; ratios {taken / seconds[1]:.1f} and {taken / seconds[2]:.1f}")


def book(count: int = 40) -> None:
    """With the book: a position that it holds, early ones beyond it, and all moves of the truth set's later ones."""
    oracle, stream = Oracle(CONNECT4), Stream(7)
    held = [Position.start(CONNECT4, random_moves(number % 7, stream)) for number in range(700)]
    oracle.score(held[0])
    print(f"up to 6 plies: at most {1e3 * max(_seconds(oracle, one) for one in held):.3f} ms")
    early = [random_moves(9 + number % 6, stream) for number in range(6 * count)]
    taken = [_seconds(oracle, Position.start(CONNECT4, moves)) for moves in early]
    print(
        f"9 to 14 plies: mean {1e3 * sum(taken) / len(taken):.1f} ms, at most {1e3 * max(taken):.0f} ms ({len(taken)})"
    )
    taken = []
    for one in truth_set():
        if one.position.ply >= 16:
            oracle.forget()
            assert oracle.scores(one.position) == dict(one.scores)
            taken.append(oracle.seconds)
    print(f"all moves, truth set, 16 plies and more: mean {1e3 * sum(taken) / len(taken):.1f} ms ({len(taken)})")
    print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most")


def _seconds(oracle: Oracle, position: Position) -> float:
    oracle.forget()
    oracle.score(position)
    return oracle.seconds


def opening(count: int, plies: int = 10) -> None:
    """All moves of random positions of each ply, by the clock: the time until their verdicts, or scores, are known."""
    oracle, stream = Oracle(CONNECT4), Stream(8)
    oracle.score(Position.start(CONNECT4, random_moves(20, stream)))  # loads the kernels and the books
    print(
        "| ply | positions | verdicts | 95 % | longest | scores | 95 % | longest |\n|---|---|---|---|---|---|---|---|"
    )
    for ply in range(plies + 1):
        drawn = [Position.start(CONNECT4, random_moves(ply, stream)) for _ in range(20 * count)]
        chosen = list({one.canonical_key(): one for one in drawn}.values())[:count]
        figures = []
        for weak in (True, False):
            taken = []
            for position in chosen:
                oracle.forget()
                begun = time.perf_counter()
                found = oracle.move_bounds(position, weak=weak)
                taken.append(1e3 * (time.perf_counter() - begun))
                assert all(bounds.decided if weak else bounds.solved for bounds in found.values())
            taken.sort()
            figures += [f"{taken[round(share * (len(taken) - 1))]:.3g} ms" for share in (0.5, 0.95, 1)]
        print(f"| {ply} | {len(chosen)} | {' | '.join(figures)} |", flush=True)


def overhead() -> None:
    """The least time of one call on a position that is won at once."""
    oracle = Oracle(CONNECT4, book=False)
    start = Position.start(CONNECT4, parse_moves(CONNECT4, "414243"))
    taken = []
    for _ in range(2000):
        position = Position(CONNECT4, start.first, start.second)
        begun = time.perf_counter()
        oracle.score(position)
        taken.append(time.perf_counter() - begun)
    print(f"overhead of a call: {1e6 * min(taken):.1f} µs")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--agree", type=int, metavar="POSITIONS")
    parser.add_argument("--empty", action="store_true")
    parser.add_argument("--book", action="store_true")
    parser.add_argument("--opening", type=int, metavar="POSITIONS")
    parser.add_argument("--most", type=int, default=1000, help="positions of each class at most")
    given = parser.parse_args()
    if given.make:
        make()
    elif given.agree:
        agree(given.agree)
    elif given.empty:
        empty()
    elif given.book:
        book()
    elif given.opening:
        opening(given.opening)
    else:
        overhead()
        classes(given.most)
