"""Agents of other courses: what is found in their files is named, and the wrappers in the docs make them play."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inarow.agents import agent
from inarow.agents.file import NotLoaded
from inarow.match import play_match
from inarow.rules import CONNECT4
from match.test_playing import LOWEST
from support.external_corpus import write

PAGE = Path(__file__).parents[3] / "docs" / "external-agents.md"
BOARDS = """
import numpy as np

def column_of(board, mark):
    \"\"\"The first open column, after a check of the board: its size, whose turn it is, and no floating stones.\"\"\"
    assert isinstance(board, np.ndarray) and board.shape == (6, 7)
    own, other = (board == mark).sum(), (board == 3 - mark).sum()
    assert own + other == (board != 0).sum() and other - own == (mark == 2)
    assert not ((board[:-1] != 0) & (board[1:] == 0)).any()
    return np.flatnonzero(board[0] == 0)[0]
"""
COURSES = {
    "Player": (
        {
            "Player.py": BOARDS
            + """
class AIPlayer:
    def __init__(self, player_number):
        self.player_number = player_number

    def get_alpha_beta_move(self, board):
        return column_of(board, self.player_number)
"""
        },
        "the class AIPlayer with get_alpha_beta_move(self, board)",
    ),
    "minimax": (
        {
            "minimax.py": BOARDS
            + """
def generate_move(board, player, saved_state=None):
    assert board.dtype == np.int8 and type(player) is np.int8
    assert saved_state is None or saved_state in (2, 3)
    return column_of(board[::-1], player), 2 if saved_state is None else 3
"""
        },
        "several functions could be the agent (column_of, generate_move); rename one of them to agent, or define",
    ),
    "assignment": (
        {
            "assignment.py": BOARDS
            + """
class AIAgent(object):
    def __init__(self, player_id=1):
        self.player = player_id

    def make_move(self, state):
        return column_of(state, self.player)
"""
        },
        "the class AIAgent with make_move(self, state)",
    ),
    "StudentAI": (
        {
            "BoardClasses.py": """
class Move:
    def __init__(self, col, row):
        self.col, self.row = col, row

class Board:
    def __init__(self, col, row, k, g):
        self.board = [[0] * col for _ in range(row)]

    def put(self, col, number):
        row = max(row for row, cells in enumerate(self.board) if not cells[col])
        self.board[row][col] = number
        return row
""",
            "StudentAI.py": BOARDS
            + """
from BoardClasses import Board, Move

class StudentAI():
    def __init__(self, col, row, k, g):
        assert (col, row, k, g) == (7, 6, 4, 1)
        self.board = Board(col, row, k, g)
        self.number = 2

    def get_move(self, move):
        if (move.col, move.row) == (-1, -1):
            self.number = 1
        else:
            assert self.board.put(move.col, 3 - self.number) == move.row
        cells = np.array(self.board.board)
        stones = (cells == 1).sum(), (cells == 2).sum()
        assert self.number == 2 or stones == (0, 0)
        return Move(int(np.flatnonzero(cells[0] == 0)[0]), 0)
""",
        },
        "the class StudentAI with get_move(self, move)",
    ),
    "c4agent": (
        {
            "c4agent.py": """
def legal_moves(board):
    return [column for column, stack in enumerate(board) if len(stack) < 6]

class C4Agent:
    def move(self, symbol, board, last_move):
        stones = "".join(board)
        assert len(board) == 7 and set(stones) <= {"X", "O"}
        assert stones.count("X") - stones.count("O") == (symbol == "O")
        assert last_move == -1 or board[last_move][-1] == ("O" if symbol == "X" else "X")
        assert last_move != -1 or len(stones) <= 1
        return legal_moves(board)[0]
"""
        },
        "the class C4Agent with move(self, symbol, board, last_move)",
    ),
}


def wrappers() -> dict[str, str]:
    """The wrappers of the docs, by the module that they import."""
    section = PAGE.read_text(encoding="utf-8").partition("## My course uses another interface")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```python\n# agent.py\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    return {re.findall(r"^from (\w+) import", block, re.MULTILINE)[-1]: block for block in blocks}


@pytest.mark.parametrize("name", COURSES)
def test_a_wrapper_of_the_docs_plays_whole_matches_in_both_seats(name: str, tmp_path: Path) -> None:
    files, _ = COURSES[name]
    for file, source in {**files, "agent.py": wrappers()[name]}.items():
        (tmp_path / file).write_text(source, encoding="utf-8")
    wrapped = agent(f"file:{tmp_path}")
    for pair, opening in (((wrapped, LOWEST), ()), ((LOWEST, wrapped), ()), ((wrapped, LOWEST), (3, 3))):
        record = play_match(CONNECT4, *pair, opening=opening, seed=5)
        assert not record.termination.is_fault, record.fault


@pytest.mark.parametrize("name", COURSES)
def test_what_is_found_in_a_file_of_another_course_is_named(name: str, tmp_path: Path) -> None:
    files, said = COURSES[name]
    for file, source in files.items():
        (tmp_path / file).write_text(source, encoding="utf-8")
    (tmp_path / f"{name}.py").rename(tmp_path / "agent.py")
    with pytest.raises(NotLoaded, match=re.escape(said)) as raised:
        agent(f"file:{tmp_path}").check(CONNECT4)
    assert "'My course uses another interface' in docs/external-agents.md" in str(raised.value)


@pytest.mark.parametrize(
    "head", ["agent(board, player)", "best_move(mark, grid, depth=3)", "play(state, symbol, last)"]
)
def test_a_function_of_a_board_and_a_player_is_not_called_with_an_observation(head: str, tmp_path: Path) -> None:
    path = write(tmp_path, "mine", f"def {head}:\n    return 3\n")
    with pytest.raises(
        NotLoaded, match=r"takes a board and a player; define agent|only play\(state, symbol, last\)"
    ) as raised:
        agent(f"file:{path}").check(CONNECT4)
    assert "My course uses another interface" in str(raised.value)
