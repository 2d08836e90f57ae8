"""The oracle tells the truth: against a naive full search, an independent solver, and published results."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from inarow.formatting import signed
from inarow.kernels.solver.solve import Search
from inarow.kernels.solver.solve_free import WORDS
from inarow.limits import Limit
from inarow.randomness import Stream
from inarow.rules import Game, Position, game
from inarow.rules.notation import parse_position
from inarow.solver import Bounds, Oracle, OverError, Unsolved, Verdict, WrongGameError, plies_to_end, score_in_words
from inarow.solver.engine import Engine
from inarow.stopping import Clock, Stop
from inarow.truth import truth_set
from support.naive_solver import naive_score, naive_score_of_move
from support.rival_solver import rival_score, rival_solver

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "solved.json").read_text())


def random_position(board: Game, plies: int, stream: Stream) -> Position:
    """An unfinished position after so many random moves."""
    while True:
        position = Position.start(board)
        while position.ply < plies and position.outcome() is None:
            position = position.play(stream.choice(position.legal_moves()))
        if position.outcome() is None:
            return position


SMALL = ["4x4x3", "4x4x4", "5x4x4", "4x5x4", "5x5x4", "6x4x4", "7x4x4", "7x3x4", "3x7x4", "9x2x3", "12x1x3", "2x20x4"]


@pytest.mark.parametrize(
    "name",
    [*SMALL, "connect4", "7x8x5", "9x6x4", "tictactoe", "4x4x3-free", "5x4x4-free", "5x4x4-cylinder", "6x4x4-misere"],
)
def test_scores_agree_with_a_naive_full_search(name: str) -> None:
    board = game(name)
    stream = Stream(3)
    oracle = Oracle(board, tt_mb=1)
    known: dict[tuple[int, int], int] = {}
    left = 9 if board.gravity else 7
    for _ in range(120):
        plies = max(0, board.cells - 1 - stream.below(left))
        try:
            position = bounded_random_position(board, plies, stream)
        except LookupError:
            continue
        assert oracle.score(position) == naive_score(position, known), repr(position)
        scores = {move: naive_score_of_move(position, move, known) for move in position.legal_moves()}
        assert oracle.scores(position) == scores


def bounded_random_position(board: Game, plies: int, stream: Stream) -> Position:
    """As above, where most games end before: the last unfinished position of several tries, near the ply wanted."""
    best = None
    for _ in range(60):
        position = Position.start(board)
        while position.ply < plies:
            after = position.play(stream.choice(position.legal_moves()))
            if after.outcome() is not None:
                break
            position = after
        if best is None or position.ply > best.ply:
            best = position
        if best.ply == plies:
            break
    assert best is not None
    if board.cells - best.ply > 11:
        raise LookupError
    return best


@pytest.mark.parametrize("name", ["3x5x3", "5x3x3", "6x2x3", "3x6x3"])
def test_every_position_of_a_small_board_is_scored_as_by_full_search(name: str) -> None:
    board = game(name)
    oracle = Oracle(board, tt_mb=1)
    known: dict[tuple[int, int], int] = {}
    naive_score(Position.start(board), known)
    stream = Stream(9)
    items = list(known.items())
    stream.shuffle(items)
    for (first, second), score in items[:6000]:
        assert oracle.score(Position(board, first, second)) == score


def test_connect4_scores_agree_with_an_independent_solver() -> None:
    board = game("connect4")
    stream = Stream(17)
    rival = rival_solver(book=False)
    oracle = Oracle(board, book=False)
    for number in range(1200):
        position = random_position(board, 16 + number % 24, stream)
        assert oracle.score(position) == rival_score(position, rival), repr(position)


def test_mirrored_positions_score_the_same_and_a_score_is_minus_the_best_childs() -> None:
    board = game("connect4")
    stream = Stream(23)
    oracle = Oracle(board)
    for number in range(60):
        position = random_position(board, 18 + number % 20, stream)
        score = oracle.score(position)
        assert oracle.score(position.mirrored()) == score
        scores = oracle.scores(position)
        assert max(scores.values()) == score
        assert oracle.best_moves(position) == tuple(m for m, s in scores.items() if s == score)
        assert oracle.verdict(position) == Verdict.of(score)
        line = oracle.line(position)
        assert len(line) == plies_to_end(position, score)
        last = Position.start(board, ()) if not line else position
        for move in line:
            last = last.play(move)
        assert last.outcome() is not None


@pytest.mark.parametrize(("moves", "score"), [("4455", 18), ("44455554221", -15)])
def test_scores_are_the_stones_in_hand_before_the_winning_move(moves: str, score: int) -> None:
    assert Oracle(game("connect4")).score(parse_position(game("connect4"), moves)) == score


@pytest.mark.parametrize("entry", GOLDEN["boards"], ids=lambda entry: entry["game"])
def test_published_results_of_whole_boards(entry: dict[str, str]) -> None:
    board = game(entry["game"])
    verdict = {"first": Verdict.WIN, "draw": Verdict.DRAW, "second": Verdict.LOSS}[entry["result"]]
    assert Oracle(board).verdict(Position.start(board)) == verdict


def test_words_say_who_wins_and_with_which_stone() -> None:
    board = game("connect4")
    empty = Position.start(board)
    assert score_in_words(empty, 1) == "first player wins with its 21st disc"
    assert score_in_words(empty, 0) == "a draw"
    assert score_in_words(empty.play(0), 2) == "second player wins with its 20th disc"
    assert score_in_words(Position.start(game("tictactoe")), -1) == "second player wins with its 4th stone"


def test_a_limit_gives_bounds_and_never_a_guess() -> None:
    board = game("connect4")
    oracle = Oracle(board, book=False)
    start = Position.start(board)
    found = oracle.analyse(start, Limit(nodes=12_345), moves=False)
    assert not found.solved
    assert found.bounds.low <= 1 <= found.bounds.high
    assert found.nodes == 12_345 == oracle.nodes
    with pytest.raises(Unsolved, match=r"not solved within the limit: the score is from −\d+ to \+\d+") as caught:
        oracle.score(start, Limit(nodes=1000))
    assert caught.value.low <= 1 <= caught.value.high
    with pytest.raises(Unsolved):
        oracle.scores(start, Limit(nodes=1000))
    with pytest.raises(Unsolved):
        oracle.verdict(start, Limit(nodes=1000))
    with pytest.raises(Unsolved):
        oracle.line(start, Limit(nodes=1000))


@pytest.mark.parametrize(("moves", "sign"), [("4334434433674171", 1), ("44455554221", -1)])
def test_the_bounds_of_a_verdict_do_not_cross(moves: str, sign: int) -> None:
    oracle = Oracle(game("connect4"))
    found = oracle.analyse(parse_position(game("connect4"), moves), weak=True)
    assert (*found.bounds, found.verdict) == (sign, sign, sign)
    assert max(bounds.verdict for bounds in found.moves.values()) == sign


class RingingClock(Clock):
    """A clock whose alarms go off at once."""

    def alarm(self, seconds: float | None, stop: Stop):  # type: ignore[no-untyped-def]
        if seconds is not None:
            stop.set()
        return super().alarm(None, stop)


def test_a_limit_in_seconds_and_a_stop_end_the_search() -> None:
    board = game("connect4")
    start = Position.start(board)
    assert not Oracle(board, book=False, clock=RingingClock()).analyse(start, Limit(seconds=5)).solved
    stop = Stop()
    stop.set()
    assert not Oracle(board, book=False).analyse(start, stop=stop).solved


def test_an_analysis_is_what_the_single_questions_say() -> None:
    board = game("connect4")
    position = parse_position(board, "4444423333312")
    found = Oracle(board).analyse(position, line=True)
    one = Oracle(board)
    assert found.score == one.score(position)
    assert {move: bounds.score for move, bounds in found.moves.items()} == one.scores(position)
    assert found.line == one.line(position)
    assert found.verdict == one.verdict(position)
    assert found.words == score_in_words(position, found.score)
    bare = one.analyse(position, moves=False)
    assert (bare.moves, bare.line) == ({}, None)


def test_all_parts_of_an_analysis_share_one_limit_in_nodes() -> None:
    board = game("connect4")
    oracle = Oracle(board, book=False)
    start = Position.start(board)
    found = oracle.analyse(start, Limit(nodes=20_000), line=True)
    assert found.nodes == oracle.nodes == 20_000
    assert (
        found.words
        == f"not solved within the limit: the score is from {signed(found.bounds.low)} to +{found.bounds.high}"
    )
    assert all(bounds.low <= bounds.high for bounds in found.moves.values())
    assert len(found.moves) == 7
    assert found.line is None


class SlowClock(Clock):
    """A clock on which every search takes a second."""

    def __init__(self) -> None:
        self.time = 0.0
        self.asked: list[float | None] = []

    def now(self) -> float:
        return self.time

    def alarm(self, seconds: float | None, stop: Stop):  # type: ignore[no-untyped-def]
        self.asked.append(seconds)
        self.time += 1
        stop.set()
        return super().alarm(None, stop)


def test_all_parts_of_an_analysis_share_one_limit_in_seconds() -> None:
    board = game("connect4")
    clock = SlowClock()
    found = Oracle(board, book=False, clock=clock).analyse(Position.start(board), Limit(seconds=3), line=True)
    assert clock.asked == [3]
    assert found.seconds == 1
    steps: list[float] = []
    clock.asked.clear()
    oracle = Oracle(board, book=False, clock=clock)
    oracle.analyse(Position.start(board), Limit(seconds=3), on_progress=lambda now: steps.append(now.seconds))
    assert clock.asked[:3] == [3, 2, 1]
    assert clock.asked[3:] == [pytest.approx(0, abs=1e-3)] * 5
    assert steps == [0, *range(1, 9), 8]


def test_threads_that_share_an_oracle_get_exact_scores() -> None:
    known = [one for one in truth_set() if one.position.ply >= 14][::3]
    oracle = Oracle(game("connect4"), book=False)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(oracle.score, [one.position for one in known]))
    assert found == [max(one.scores.values()) for one in known]


@pytest.mark.parametrize("name", ["4x3x3-free", "4x4x4-free"])
def test_an_entry_that_two_threads_wrote_at_once_is_not_believed(name: str) -> None:
    board, stream = game(name), Stream(5)
    positions = [random_position(board, 5, stream) for _ in range(30)]
    oracle = Oracle(board, tt_mb=1)
    truth = [oracle.score(position) for position in positions]
    entries = oracle._engine.table.reshape(-1, WORDS)
    written = np.flatnonzero(entries.any(axis=1))
    for word in range(WORDS):  # one word of each entry is that of another
        mixed = Oracle(board, tt_mb=1)
        mixed._engine.table[:] = oracle._engine.table
        torn = mixed._engine.table.reshape(-1, WORDS)
        torn[written, word] = np.roll(entries[written, word], 1)
        assert [mixed.score(position) for position in positions] == truth


@pytest.mark.parametrize(("name", "plies"), [("connect4", 17), ("4x4x4-free", 4), ("5x5x4-misere", 8)])
def test_any_number_of_threads_finds_the_same(name: str, plies: int) -> None:
    board = game(name)
    oracles = [Oracle(board, book=False, threads=threads) for threads in (1, 2, 4)]
    stream = Stream(31)
    for _ in range(5):
        position = random_position(board, plies, stream)
        assert len({oracle.score(position) for oracle in oracles}) == 1


def test_forgetting_makes_the_nodes_the_same_again() -> None:
    board = game("connect4")
    oracle = Oracle(board, book=False)
    position = parse_position(board, "4444423333312")
    oracle.forget()
    first = oracle.analyse(position, line=True).nodes
    oracle.forget()
    assert oracle.analyse(position, line=True).nodes == first


def test_many_generations_of_a_small_table_never_mix() -> None:
    board = game("7x8x5")  # so large that a generation has few bits in an entry
    oracle = Oracle(board, tt_mb=1)
    stream = Stream(41)
    positions = [random_position(board, 44, stream) for _ in range(20)]
    scores = [oracle.score(position) for position in positions]
    for position, score in zip(positions, scores, strict=True):
        for _ in range(5):
            oracle.forget()
            assert oracle.score(position) == score


@pytest.mark.parametrize(
    ("name", "plies", "slot_bits"), [("connect4", 14, 10), ("6x5x4", 4, 4), ("4x5x4-cylinder", 0, 2)]
)
def test_scores_do_not_depend_on_a_table_that_grows(name: str, plies: int, slot_bits: int) -> None:
    board = game(name)
    growing, whole = Engine(board, tt_mb=16), Engine(board, tt_mb=16)
    whole.use_whole_table()
    key_bits = board.layout.columns * board.layout.stride
    growing._first_tag_bits = key_bits - slot_bits
    stream, grown = Stream(5), 0
    for _ in range(12):
        position = random_position(board, plies, stream)
        ask = position.own, position.opp, -21, 21, Stop()
        growing.forget()
        for _ in range(2):  # the second time from what the table has kept
            assert growing.narrow(*ask)[:2] == whole.narrow(*ask)[:2]
        search = growing.searches[0]
        assert isinstance(search, Search)
        grown = max(grown, key_bits - search.tag_bits)
    assert grown > slot_bits + 2


def test_a_finished_position_and_a_foreign_game_are_refused() -> None:
    board = game("connect4")
    over = parse_position(board, "4142434")
    oracle = Oracle(board)
    for ask in (oracle.score, oracle.scores, oracle.analyse, oracle.verdict, oracle.best_moves, oracle.line):
        with pytest.raises(OverError, match="the game is over"):
            ask(over)
    with pytest.raises(
        WrongGameError, match="this oracle is for connect4, but the position is of tictactoe; make one for tictactoe"
    ):
        oracle.score(Position.start(game("tictactoe")))


def test_bounds_on_one_side_of_0_have_a_verdict() -> None:
    assert Bounds(1, 5).verdict == Verdict.WIN
    assert Bounds(-5, -1).verdict == Verdict.LOSS
    assert Bounds(0, 0).verdict == Verdict.DRAW
    with pytest.raises(Unsolved):
        _ = Bounds(0, 2).verdict
    with pytest.raises(Unsolved):
        _ = Bounds(1, 5).score
