"""Copies are found, whatever was renamed, reordered or added; independent solutions and starter code are not listed."""

from __future__ import annotations

import ast
import csv
import keyword
import re
from pathlib import Path

import pytest

from inarow.agents.external.staging import Snapshot
from inarow.teaching.league.entrants import LeagueError
from inarow.teaching.league.similarity import ComparedProgram, Similarity, find_similar, side_by_side
from inarow.teaching.league.writing import similar_csv, similar_files
from support.league_doubles import FIRST_FREE, LAST_FREE, hand_in

DATA = Path(__file__).parents[2] / "data" / "similarity"
INDEPENDENT = {path.name.partition(".")[0]: path.read_text(encoding="utf-8") for path in sorted(DATA.glob("*.py.txt"))}
STARTER = INDEPENDENT.pop("starter")
PADDING = ast.unparse(ast.parse(Path(csv.__file__).read_text(encoding="utf-8")))


def renamed(source: str) -> str:
    """Rename whatever the author named, and reformat."""
    tree = ast.parse(source)
    own = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    own |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    own |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    for name in own - {"self", *keyword.kwlist}:
        source = re.sub(rf"\b{name}\b", f"my_{name}_2", source)
    return "# all my own work\n" + source.replace("    ", "  ")


def reordered(source: str) -> str:
    """Put the functions in the opposite order, and drop docstrings and comments."""
    tree = ast.parse(source)
    tree.body = tree.body[::-1]
    return ast.unparse(tree)


def padded(source: str) -> str:
    """Add more unused code than there was."""
    return f"{source}\n{PADDING}"


def compared(*sources: str, starter: Path | None = None) -> Similarity:
    programs = [
        ComparedProgram(f"p{number}", Snapshot("agent.py", (("agent.py", source.encode()),)))
        for number, source in enumerate(sources)
    ]
    return find_similar(programs, starter=starter)


@pytest.mark.parametrize("name", INDEPENDENT)
def test_renamed_reordered_and_padded_copies_are_found(name: str) -> None:
    source = INDEPENDENT[name]
    copies = [renamed(source), reordered(source), padded(source), padded(renamed(reordered(source)))]
    found = compared(source, *copies)
    assert {(pair.a.name, pair.b.name) for pair in found.pairs} >= {("p0", f"p{i}") for i in range(1, 5)}
    against = {pair.b.name: pair for pair in found.pairs if pair.a.name == "p0"}
    assert against["p1"].of_a == against["p1"].of_b == 1.0
    assert against["p3"].of_a > 0.9 > against["p3"].of_b, "padding lowers one share only"


def test_independent_solutions_of_one_exercise_are_not_listed() -> None:
    assert compared(*INDEPENDENT.values()).pairs == []


def test_starter_code_does_not_count(tmp_path: Path) -> None:
    starter = tmp_path / "starter.py"
    starter.write_text(STARTER, encoding="utf-8")
    both = [f"{STARTER}\n{INDEPENDENT[name]}" for name in ("bitboards", "strings")]
    assert len(compared(*both).pairs) == 1
    assert compared(*both, starter=starter).pairs == []
    copied = compared(both[0], padded(renamed(both[0])), starter=starter)
    assert len(copied.pairs) == 1, "what is not the starter's still counts"


def test_identical_short_programs_are_listed_others_are_not() -> None:
    found = compared(FIRST_FREE, LAST_FREE, FIRST_FREE)
    assert [(pair.a.name, pair.b.name, pair.identical) for pair in found.pairs] == [("p0", "p2", True)]


def test_hand_ins_of_earlier_years_are_compared_with_those_of_this_one_only(tmp_path: Path) -> None:
    source = INDEPENDENT["functions"]
    hand_in(tmp_path / "2024", eve=source, zoe=source + "\n\n")
    (tmp_path / "2024" / "essay.pdf").write_bytes(b"%PDF")
    programs = [ComparedProgram("ada", Snapshot("agent.py", (("agent.py", renamed(source).encode()),)))]
    found = find_similar(programs, references=[tmp_path / "2024"])
    assert [(pair.a.name, pair.b.name) for pair in found.pairs] == [("ada", "2024/eve.py"), ("ada", "2024/zoe.py")]
    assert "not compared: a .pdf file" in found.skipped["2024/essay.pdf"]
    with pytest.raises(LeagueError, match="is not a folder; references are folders of earlier submissions"):
        find_similar(programs, references=[tmp_path / "2023"])


def test_common_passages_have_one_number_in_both_programs() -> None:
    source = INDEPENDENT["functions"]
    (pair,) = compared(source, padded(renamed(source))).pairs
    left, right = side_by_side(pair)
    assert [line["text"] for line in left] == source.splitlines()
    numbers = {line["passage"] for line in left} - {0}
    assert numbers
    assert {line["passage"] for line in right} - {0} == numbers
    (mine,) = (line["passage"] for line in left if line["text"] == "def utility(board):")
    (theirs,) = (line["passage"] for line in right if line["text"] == "def my_utility_2(my_board_2):")
    assert mine == theirs > 0
    assert not any(line["passage"] for line in right[len(left) + 5 :]), "padding is not marked"


def test_a_class_of_copies_is_one_cluster_with_a_page_for_each_link() -> None:
    source, other = INDEPENDENT["functions"], INDEPENDENT["strings"]
    found = compared(*[source] * 4, renamed(source), reordered(source), other, padded(other), INDEPENDENT["bitboards"])
    assert len(found.pairs) == 6 * 5 // 2 + 1
    large, small = found.clusters
    assert (large.identical, large.near) == ([["p0", "p1", "p2", "p3"]], ["p4", "p5"])
    assert (small.identical, small.near) == ([], ["p6", "p7"])
    assert [len(one.links) for one in (large, small)] == [5, 1]
    assert sum(pair.identical for pair in large.links) == 3
    files = similar_files(found)
    pages = {f"similar/pair-{number:03}.html" for number in range(1, 7)}
    assert set(files) == {"similar.csv", "similar/index.html", "similar/style.css", *pages}
    assert "Identical, byte for byte (4): p0, p1, p2, p3." in files["similar/index.html"]
    assert "Near (2): p4, p5." in files["similar/index.html"]
    rows = list(csv.DictReader(files["similar.csv"].splitlines()))
    assert {row["page"] for row in rows} == pages | {""}
    assert all(f'href="{page.partition("/")[2]}"' in files["similar/index.html"] for page in pages)


def test_the_table_never_accuses(tmp_path: Path) -> None:
    text = similar_csv(compared(INDEPENDENT["strings"], renamed(INDEPENDENT["strings"])))
    assert list(csv.DictReader(text.splitlines())) == [
        {
            "cluster": "1",
            "a": "p0",
            "b": "p1",
            "share of a": "1.000",
            "share of b": "1.000",
            "identical": "no",
            "page": "similar/pair-001.html",
            "remark": "",
        }
    ]


def test_a_file_that_does_not_parse_is_compared_as_far_as_it_goes() -> None:
    source = INDEPENDENT["pruning_rows"]
    found = compared(source, source + "\ndef x(:\n  '''", "\0")
    assert [(pair.a.name, pair.b.name) for pair in found.pairs] == [("p0", "p1")]


def test_a_program_beyond_the_limits_is_named_and_still_compared_byte_by_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    large = "x = 1\n" * 100_000
    found = compared(large, large, STARTER)
    assert [(pair.a.name, pair.b.name, pair.identical) for pair in found.pairs] == [("p0", "p1", True)]
    reason = "only compared byte by byte: it has more than 512 kB of Python"
    assert found.skipped == {"p0": reason, "p1": reason}
    monkeypatch.setattr("inarow.teaching.league.similarity.SECONDS", 0.0)
    assert "can't be read as Python within 0 s and 512 MB" in compared(STARTER).skipped["p0"]
