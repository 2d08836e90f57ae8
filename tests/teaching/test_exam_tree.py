"""Exam trees: text round-trips, algorithms agree with minimax, question and solution are written in every format."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from inarow.teaching.exam_tree import (
    DIFFICULTIES,
    Exam,
    StepKind,
    TreeError,
    TreeNode,
    TreeView,
    parse_tree,
    random_tree,
    solve,
)
from support.commands import inarow

TEXTBOOK = "((3 12 8) (2 4 6) (14 5 2))"


def value_of(node: TreeNode) -> float:
    """Return the minimax value of a node."""
    if node.value is not None:
        return node.value
    return (max if node.maximises else min)(map(value_of, node.children))


@pytest.mark.parametrize("text", [TEXTBOOK, "[[3,12,8],[2,4,6],[14,5,2]]", "(3 12 8) (2; 4; 6) (14 5 2)"])
def test_brackets_commas_and_a_missing_root_are_read_alike(text: str) -> None:
    assert parse_tree(text).to_text() == TEXTBOOK
    assert parse_tree(parse_tree(text).to_text()) == parse_tree(text)


def test_the_textbook_tree_is_solved_as_in_the_textbook() -> None:
    tree = parse_tree(TEXTBOOK)
    plain = solve(tree, "minimax")
    assert (plain.marks, plain.line, plain.pruned) == (
        {"B": "3", "C": "2", "D": "2", "A": "3"},
        ["A", "B", "B1"],
        set(),
    )
    pruning = solve(tree, "alphabeta")
    assert pruning.marks == {"B": "3", "C": "≤ 2", "D": "2", "A": "3"}
    assert pruning.pruned == {"C2", "C3"}
    (cutoff,) = [step for step in pruning.steps if step.kind is StepKind.CUTOFF]
    assert cutoff.text == "Cutoff: MIN can hold MAX to 2 at C, but MAX already has 3 elsewhere. Prune C2 and C3."


def test_names_and_the_player_at_the_root_are_kept() -> None:
    tree = parse_tree("start(left(−1 2.5) (0 B(7 1)))", root="min")
    assert [node.name for node in tree.walk() if node.children] == ["start", "left", "A", "B"]
    assert (tree.player, value_of(tree)) == ("MIN", 1.0)


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
@pytest.mark.parametrize("seed", range(4))
def test_alpha_beta_has_the_value_and_the_line_of_minimax_on_random_trees(difficulty: str, seed: int) -> None:
    tree = random_tree(seed, difficulty)
    assert tree == random_tree(seed, difficulty) != random_tree(seed + 9, difficulty)
    plain, pruning = solve(tree, "minimax"), solve(tree, "alphabeta")
    assert plain.marks["A"] == pruning.marks["A"]
    assert plain.line == pruning.line
    assert sum(step.kind is StepKind.CUTOFF for step in pruning.steps) >= DIFFICULTIES[difficulty][2]
    for node in tree.walk():  # every bound that is marked holds
        if node.name in pruning.marks:
            low, high = pruning.marks[node.name].startswith("≥"), pruning.marks[node.name].startswith("≤")
            marked = float(pruning.marks[node.name].lstrip("≤≥ ").replace("−", "-"))
            value = value_of(node)
            assert value >= marked if low else value <= marked if high else value == marked


def test_uct_counts_every_simulation_and_ends_at_the_better_move() -> None:
    tree = parse_tree("((1 1 0) (0 0 1))")
    found = solve(tree, "uct", simulations=30)
    visits = {name: int(mark.split()[0]) for name, mark in found.marks.items()}
    assert visits["A"] == visits["B"] + visits["C"] == 30
    assert visits["B"] == 1 + visits["B1"] + visits["B2"] + visits["B3"]
    backups = [step for step in found.steps if step.kind is StepKind.BACKUP]
    assert [step.simulation for step in backups] == list(range(1, 31))
    assert solve(tree, "uct", simulations=30).steps == found.steps
    assert solve(parse_tree("((9 8) (1 2))"), "uct", simulations=20).best == "B"


def test_a_hand_computed_uct_selection() -> None:
    steps = solve(parse_tree("(1 0)"), "uct", simulations=3).steps
    (select,) = [step for step in steps if step.kind is StepKind.SELECT]
    assert select.text == "Select A1 at A (MAX): A1 2.177, A2 1.177.", "mean + √2 · √(ln 2 / 1)"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the tree has no inner node"),
        ("7", "the tree has no inner node: got '7'"),
        ("((1 2)", "can't be read after '((1 2)': a ) is missing"),
        ("(1 2))", "this ) closes nothing"),
        ("(1 2]", "this ] closes nothing"),
        ("(1 ())", "these brackets are empty"),
        ("(1 x)", "the name x must be followed by a bracket"),
        ("(1 ?)", "'?)' is neither a number, a name nor a bracket"),
        ("a(a(1 2) 3)", "two nodes of the tree are called a"),
        ("(" * 50 + "1" + ")" * 50, "deeper than 10 plies"),
        ("(" + "1 " * 400 + ")", "has 401 nodes; give one of at most 300"),
    ],
)
def test_a_tree_that_does_not_parse_is_one_sentence(text: str, said: str) -> None:
    with pytest.raises(TreeError) as error:
        parse_tree(text)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta", "uct"])
def test_the_question_does_not_contain_the_solution(algorithm: str) -> None:
    exam = Exam(solve(random_tree(3, "medium", algorithm=algorithm), algorithm))
    for solved, view in ((False, TreeView.QUESTION), (True, TreeView.SOLUTION)):
        picture = exam.svg(view)
        ET.fromstring(picture)
        page = exam.html(view)
        assert ("Step by step" in page) is solved
        assert ('class="m' in picture) is solved
        assert ('class="x"' in picture) is (solved and algorithm == "alphabeta")
        assert "http" not in page.replace("http://www.w3.org/2000/svg", ""), "nothing comes from the network"


def test_the_command_writes_question_and_solution_in_the_format_of_the_name(tmp_path: Path) -> None:
    inarow("tree", TEXTBOOK, "--out", str(tmp_path / "exam.svg"))
    ET.parse(tmp_path / "exam-solution.svg")
    inarow("tree", "--seed", "7", "--difficulty", "easy", "--out", str(tmp_path / "exam.html"), "--title", "A <b>")
    assert "A &lt;b&gt;: solution</h1>" in (tmp_path / "exam-solution.html").read_text(encoding="utf-8")
    assert "exists" in inarow("tree", TEXTBOOK, "--out", str(tmp_path / "exam.svg"), code=2).stderr
    assert "expected .html, .svg or .pdf" in inarow("tree", "--out", str(tmp_path / "exam.doc"), code=2).stderr
    found = json.loads(inarow("tree", TEXTBOOK, "--algorithm", "minimax", "--json").stdout)
    assert (found["best"], found["marks"]["A"]) == ("B", "3")
    shown = inarow("tree", TEXTBOOK).stdout
    assert "Cutoff: MIN can hold MAX to 2" in shown
    assert "unknown algorithm 'minmax'; did you mean minimax?" in inarow("tree", "--algorithm", "minmax", code=2).stderr
    assert "unknown difficulty" in inarow("tree", "--difficulty", "harder", code=2).stderr


@pytest.mark.skipif(not shutil.which("chromium"), reason="needs Chromium")
def test_a_pdf_is_printed(tmp_path: Path) -> None:
    exam = Exam(solve(parse_tree(TEXTBOOK), "alphabeta"))
    for path in exam.write(tmp_path / "exam.pdf"):
        assert path.read_bytes().startswith(b"%PDF")
