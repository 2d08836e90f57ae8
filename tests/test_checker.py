"""Certificates: what the solver writes is proven by a checker that knows nothing of it, and nothing else is."""

from __future__ import annotations

import ast
import contextlib
import csv
import json
import random
from pathlib import Path

import pytest

import inarow.checker
from inarow import stopping
from inarow.checker import MOVES, Checker, InvalidCertificate, check
from inarow.kernels.solver import certify
from inarow.kernels.solver.solve import Search
from inarow.rules import Position, game
from inarow.rules.notation import parse_position
from inarow.solver import Oracle
from inarow.solver.certificate import Interrupted, certificate
from inarow.solver.engine import Engine
from inarow.stopping import Stop
from support.commands import inarow as command
from support.naive_solver import naive_score

SOURCE = Path(inarow.checker.__file__).read_text(encoding="utf-8")


def test_the_checker_is_short_and_shares_no_code() -> None:
    tree = ast.parse(SOURCE)
    plain = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    parts = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert plain | parts == {"__future__", "json", "sys", "pathlib", "typing"}
    docs: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            docs |= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    code = [number for number, line in enumerate(SOURCE.splitlines(), start=1) if line.strip() and number not in docs]
    assert len(code) <= 150


@pytest.mark.parametrize(
    ("name", "moves"),
    [("tictactoe", ""), ("tictactoe", "12"), ("4x3x3-free", ""), ("4x4x4", ""), ("4x4x4-free", ""), ("6x4x4", "4")],
)
def test_a_certificate_proves_the_verdict(name: str, moves: str) -> None:
    board = game(name)
    position, oracle = parse_position(board, moves), Oracle(board)
    content, found = check(certificate(position, oracle))
    verdict = int(oracle.verdict(position)) * (1 if position.to_move == 0 else -1)
    assert [(one.player, one.win) for one in found] == {1: [(0, True)], 0: [(0, False), (1, False)], -1: [(1, True)]}[
        verdict
    ]
    assert content["moves"] == [int(move) - 1 for move in moves]


@pytest.mark.parametrize("name", ["4x4x4", "5x3x3"])
def test_following_up_proves_nothing_false_in_any_position(name: str) -> None:
    board = game(name)
    known: dict[tuple[int, int], int] = {}
    naive_score(Position.start(board), known)
    search, closed = Engine(board, 1).searches[0], 0
    assert isinstance(search, Search)
    strategies = {win: certify.new_strategy(win, board.columns, 16) for win in (False, True)}
    cells = [(1 << cell, bit) for cell, bit in enumerate(board.cell_bits)]
    for (first, second), score in random.Random(1).sample(sorted(known.items()), 600):
        stones = [sum(cell for cell, bit in cells if s & bit) for s in (first, second)]
        mover = (first | second).bit_count() % 2
        opp, own = (first, second)[mover], (first, second)[1 - mover]  # the follower waits
        for win, strategy in strategies.items():
            proven = []
            for column in range(board.columns):
                checker = Checker(board.columns, board.rows, board.k, True, 1 - mover, "win" if win else "draw", "")
                with contextlib.suppress(InvalidCertificate):
                    checker.follow_up(stones[1 - mover], stones[mover], column)
                    proven.append(column)
            assert certify.closing(strategy, search, own, opp) == min(proven, default=-1)
            closed += bool(proven)
            assert not proven or score < (0 if win else 1)
    assert closed > 50


def test_a_changed_certificate_is_refused_or_still_proves_its_claim() -> None:
    board = game("4x4x4")
    text = certificate(parse_position(board, "21"), Oracle(board))
    content = json.loads(text)
    chance, strategy = random.Random(3), content["claims"][0]["strategy"]
    refused = 0
    for _ in range(40):
        at = chance.randrange(len(strategy))
        content["claims"][0]["strategy"] = strategy[:at] + chance.choice(MOVES[:4] + "ABCD(.") + strategy[at + 1 :]
        try:
            check(json.dumps(content))
        except InvalidCertificate:
            refused += 1
    assert refused > 20
    for claim in ({"result": "win"}, {"player": 2}, {"result": "loss"}, {"strategy": ""}, {"strategy": strategy + "1"}):
        content["claims"] = [{**json.loads(text)["claims"][0], **claim}]
        with pytest.raises(InvalidCertificate):
            check(json.dumps(content))
    for bad in ("", "{}", "[]", "null", text[:-9], text.replace('"rows": 4', '"rows": 40'), text.replace("[1,", "[9,")):
        with pytest.raises(InvalidCertificate):
            check(bad)


def test_the_command_writes_a_certificate_and_verifies_it(tmp_path: Path) -> None:
    path = tmp_path / "a.certificate"
    done = command("solve", "4x3x3-free", "--no-book", "--certificate", str(path))
    assert f"{path} proves it: 76 answers, 0 positions closed by a rule" in done.stderr
    assert command("verify", str(path)).stdout == (
        "Proven on 4x3x3-free: the first player wins (76 answers, 0 positions closed by a rule).\n"
    )
    deck = tmp_path / "cards.csv"
    shown = command("verify", str(path), "--cards", str(deck)).stdout
    rows = list(csv.reader(deck.read_text().splitlines(keepends=True)))
    assert f"{deck}: {len(rows)} card" in shown
    assert rows[0] == ["<pre>. . . .\n. . . .\n. . . .\nX to move</pre>", "2"]
    assert "exists" in command("verify", str(path), "--cards", str(deck), code=2).stderr
    assert "exists; give another name" in command("solve", "tictactoe", "--certificate", str(path), code=2).stderr
    path.write_text(path.read_text().replace('"player": 0', '"player": 1'))
    assert f"{path} proves nothing: " in command("verify", str(path), code=2).stderr
    file = tmp_path / "positions"
    file.write_text("1\n")
    refused = command("solve", "tictactoe", "--file", str(file), "--certificate", str(tmp_path / "b"), code=2)
    assert "--certificate is for one position" in refused.stderr
    unsolved = ["solve", "connect4", "--no-book", "--nodes", "100", "--certificate", str(tmp_path / "b")]
    assert "cannot write a certificate of an unsolved position" in command(*unsolved, code=2).stderr
    assert not (tmp_path / "b").exists()


def test_ctrl_c_ends_the_search_for_a_certificate() -> None:
    stop, listening = Stop(), list[bool]()

    def interrupt(answers: int) -> None:
        listening.append(stop in stopping._running)  # what Ctrl-C raises
        stop.set()

    with pytest.raises(Interrupted, match="interrupted before the certificate was finished"):
        certificate(parse_position(game("5x4x4"), ""), Oracle("5x4x4"), stop, interrupt)
    assert listening == [True]
