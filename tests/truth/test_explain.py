"""Reasons in words: every fact in them is on the board, or in the line that is shown."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

import pytest

from inarow.formatting import _sentences
from inarow.kernels import facts, rules
from inarow.kernels.solver.solve import NO_BOUND, follow_up
from inarow.randomness import Stream
from inarow.rules import Position, game
from inarow.rules.notation import parse_position
from inarow.solver import Oracle
from inarow.truth.explain import explain, reason
from inarow.truth.positions import truth_set
from support import naive_parity
from support.naive import Naive
from support.naive_network import random_position
from support.parity_kernel import kernel_bounds

CONNECT4 = game("connect4")
oracle_of = functools.cache(Oracle)


@pytest.mark.parametrize(
    ("moves", "move", "score", "says"),
    [
        ("414141", 3, 18, "4 wins now"),
        ("41414", 3, 0, "4 blocks and draws"),
        ("41414", 3, -2, "4 blocks, but loses in 17 moves"),
        ("41414", 3, None, "4 blocks"),
        ("4", 3, 3, "4 wins in 19 moves"),
        ("4", 3, -3, "4 holds out longest, but loses in 18 moves"),
        ("4", 3, 0, "4 draws"),
        ("4", 3, None, "4 looks best to a search"),
    ],
)
def test_a_hint_says_what_its_move_does(moves: str, move: int, score: int | None, says: str) -> None:
    assert reason(parse_position(CONNECT4, moves), move, score) == says


@pytest.mark.parametrize(
    ("moves", "says"),
    [
        ("414141", "X completes a line with 4."),
        ("41414", "O must block 4, where X would complete a line."),
        ("37475", "X threatens to complete a line with 2 or 6; O can block only one of them."),
    ],
)
def test_what_one_move_ahead_shows_comes_first(moves: str, says: str) -> None:
    position = parse_position(CONNECT4, moves)
    assert explain(position, (0,)) == says


def test_nothing_is_said_of_a_finished_game_or_without_a_line() -> None:
    assert explain(parse_position(CONNECT4, "4141414"), (0,)) == ""
    assert explain(Position.start(CONNECT4), ()) == ""
    assert explain(Position.start(CONNECT4), (3, 3)) == "", "a line that ends before the game does"


def test_every_code_has_its_sentence() -> None:
    for kind in ("urgent", "threat", "reason", "score", "result", "hint", "misled", "cause"):
        codes = [getattr(facts, name.upper(), None) for name in _sentences()[kind]]
        assert codes == list(range(len(codes))), kind


def explained() -> Iterator[tuple[Position, Sequence[int]]]:
    """Yield positions of several boards, each with a line of perfect play."""
    oracle = oracle_of(CONNECT4)
    for known in truth_set()[::12]:
        yield known.position, oracle.line(known.position)
    stream = Stream(6)
    for name in ("5x4x4", "4x5x4", "4x4x3-free", "tictactoe"):
        board = game(name)
        oracle = oracle_of(board)
        for _ in range(30):
            position = random_position(board, stream, stream.below(board.cells - 2))
            if position.outcome() is None:
                yield position, oracle.line(position)


def grid_of(position: Position) -> Naive:
    board = position.game
    naive = Naive(board.columns, board.rows, board.k, board.gravity)
    naive.grid = [["." if stone is None else "XO"[stone] for stone in row] for row in position.grid()]
    return naive


def open_threats(position: Position, stone: str) -> list[int]:
    """The moves with which this stone would complete a line at once."""
    naive, board = grid_of(position), position.game
    cells = {divmod(cell, board.columns) for cell in naive.threats(stone)}
    falls = [(row, column) for row, column in cells if row + 1 == board.rows or naive.grid[row + 1][column] != "."]
    reached = falls if board.gravity else cells
    return sorted(column if board.gravity else row * board.columns + column for row, column in reached)


def numbers(moves: Sequence[int]) -> str:
    return re.sub(r", (\d+)$", r" or \1", ", ".join(str(move + 1) for move in moves))


def test_every_fact_is_on_the_board_or_in_the_line() -> None:
    said = [explanation_checked(position, line) for position, line in explained()]
    assert len(said) > 250
    seen = {key for keys in said for key in keys}
    assert seen == {
        "completes", "cannot block", "must block", "has", "gets", "fills up", "answers", "two threats", "stacked",
        "zugzwang", "after", "loses too",
    }  # fmt: skip


def explanation_checked(position: Position, line: Sequence[int]) -> list[str]:
    """Compare what is said of a position with slow computations; return what was said."""
    text, board = explain(position, line), position.game
    mover, other = "XO"[position.to_move], "OX"[position.to_move]
    along = [position]
    for move in line:
        along.append(along[-1].play(move))
    wins, blocks = open_threats(position, mover), open_threats(position, other)
    if wins:
        assert text == f"{mover} completes a line with {numbers(wins)}."
        return ["completes"]
    if len(blocks) > 1:
        assert text.startswith(f"{other} threatens to complete a line with {numbers(blocks)}; {mover} can block only")
        return ["cannot block"]
    said = []
    if blocks:
        said.append("must block")
        begin = f"{mover} must block {blocks[0] + 1}, where {other} would complete a line. "
        assert text.startswith(begin)
        text = text.removeprefix(begin)
    outcome = along[-1].outcome()
    assert outcome is not None
    if outcome.winner is None:
        if "answer" in text:
            assert text.startswith(f"{other} can answer every move of {mover}")
            held = naive_parity.follow_up(position)
            assert held is not None
            assert held.score == 0
            return [*said, "answers"]
        assert re.search(r"remaining (\d+) cells?\.", text)[1] == str(board.cells - position.ply)  # type: ignore[index]
        return [*said, "fills up"]
    winner = "XO"[outcome.winner]
    own_moves = sum(one.to_move is outcome.winner for one in along[:-1])
    choice = along[-3]  # the loser's last one
    last = board.cell_bits.index(along[-2].stone(line[-1]))
    if found := re.search(r"wins in (\d+) moves?", text):
        assert found[1] == str(own_moves)
    if "two threats" in text:
        assert text.startswith(f"{winner} makes two threats at once with {line[-3] + 1} ")
        assert len(open_threats(choice, winner)) > 1
        assert len(open_threats(along[-4], winner)) < 2
        return [*said, "two threats"]
    if "one above the other" in text:
        found = re.search(r"rows (\d+) and (\d+) of column (\d+)", text)
        assert found is not None
        low, high, place = map(int, found.groups())
        assert high == low + 1
        cells = {(board.rows - row) * board.columns + place - 1 for row in (low, high)}
        assert cells <= grid_of(choice).threats(winner)
        assert open_threats(choice, winner) == [place - 1]
        return [*said, "stacked"]
    threat = rf"{winner} (has|gets) a threat in column (\d+), row (\d+) \((odd|even)\)(?: in (\d+) moves?)?"
    found = re.search(threat, text)
    assert found is not None, text
    verb, column, row, parity, made = found.groups()
    assert (board.rows - int(row)) * board.columns + int(column) - 1 == last
    assert parity == ("odd" if int(row) % 2 else "even")
    assert (verb == "gets") == (made is not None)
    done = 0
    for one in along[:-1]:
        assert (last in grid_of(one).threats(winner)) == (done >= int(made or 0))
        done += one.to_move is outcome.winner
    said.append(verb)
    if "zugzwang" in text:
        after = re.search(rf"After (\d+) moves? by {winner}, ", text)
        done = int(after[1]) if after else 0
        index = 2 * done - (position.to_move is outcome.winner) if done else 0
        assert along[index].to_move is not outcome.winner
        proven = naive_parity.follow_up(along[index])
        assert proven is not None
        assert proven.score < 0
        assert proven.alone == ("even number of cells" in text)
        if proven.alone:
            assert proven.threat == last
            grid = along[index].grid()
            columns = [i for i in range(board.columns) if i != last % board.columns]
            assert sum(cells[i] is None for cells in grid for i in columns) % 2 == 0
        return [*said, "zugzwang", *(["after"] if after else [])]
    others = [move for move in choice.legal_moves() if move != line[-1]]
    assert text.endswith(f"and {winner} wins in {own_moves} move{'s' if own_moves > 1 else ''}.")
    assert "loses too" in text
    assert all(score < 0 for score in oracle_of(board).scores(choice).values())
    listed = re.search(r"every other move \((.*?)\)", text)
    assert (listed is not None) == (len(others) <= 3)
    assert listed is None or listed[1] == numbers(others)
    return [*said, "loses too"]


def second_halves(name: str, matches: int) -> list[Position]:
    """The positions of random matches, in the second half of each."""
    stream = Stream(5)
    found = []
    for _ in range(matches):
        position = Position.start(game(name))
        while position.outcome() is None:
            if position.ply >= position.game.cells // 2:
                found.append(position)
            position = position.play(stream.choice(position.legal_moves()))
    return found


@pytest.mark.parametrize("name", ["connect4", "5x5x4", "6x5x4", "4x6x4"])
def test_following_up_proves_what_a_plain_reading_does(name: str) -> None:
    """Bounds and deciding cells, as Python runs the kernel's function, and its bounds compiled."""
    layout = game(name).layout
    positions = [one for one in second_halves(name, 300) if not one.winning_moves()]
    plain = [naive_parity.follow_up(one) for one in positions]
    assert [NO_BOUND if one is None else one.score for one in plain] == kernel_bounds(positions).tolist()
    named = 0
    for position, one in zip(positions, plain, strict=True):
        own, occupied = position.own, position.occupied
        wins = rules.threats(layout, position.opp, occupied)
        bound, cells = follow_up(layout, own, occupied, rules.open_cells(layout, occupied), wins)
        assert bound == (NO_BOUND if one is None else one.score)
        assert cells & ~wins == 0
        threat = None if one is None else one.threat
        assert (cells == 0) == (threat is None)
        assert threat is None or cells & position.game.cell_bits[threat]
        named += threat is not None
    assert named > 5
