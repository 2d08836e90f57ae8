"""Every example in the README and the docs runs, and prints what it says it prints."""

from __future__ import annotations

import doctest
import re
import shlex
import sys
import tomllib
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from support.commands import inarow

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Step(NamedTuple):
    """One command or piece of Python of a document, and what it should print ('' for whatever)."""

    kind: str
    source: str
    wanted: str


def steps(document: Path) -> list[Step]:
    """The examples of a document, in order.

    A ``console`` block holds ``$ inarow …`` lines and their output; a ``python`` block that begins with ``# name.py``
    is a file of that name.
    """
    found = []
    for kind, body in FENCE.findall(document.read_text(encoding="utf-8")):
        if kind == "console":
            for piece in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                command, _, wanted = piece.partition("\n")
                found.append(Step("console", command, wanted.strip()))
        elif kind == "python":
            found.append(Step("python", body, ""))
    return found


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_examples_of_a_document_run(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sys.path_importer_cache.pop(".", None)  # of another folder
    scope: dict[str, object] = {"__name__": "example"}
    for step in steps(document):
        if step.kind == "python":
            name = re.match(r"# (\w+\.py)\n", step.source)
            if name:
                Path(name[1]).write_text(step.source, encoding="utf-8")
            elif ">>>" in step.source:
                runner = doctest.DocTestRunner(optionflags=FLAGS)
                test = doctest.DocTestParser().get_doctest(step.source, scope, document.name, None, None)
                runner.run(test, clear_globs=False)
                scope |= test.globs
                assert runner.summarize(verbose=False).failed == 0
            else:
                exec(compile(step.source, str(document), "exec", dont_inherit=True), scope)
            continue
        words = shlex.split(step.source, comments=True)
        if words[0] in ("make", "git", "pip", "python", "cd", "pre-commit") or words[0].startswith(".venv"):
            continue  # set-up, shown to be right by the set-up itself
        assert words[0] == "inarow", f"{document.name}: only inarow commands are run, not {step.source!r}"
        done = inarow(*words[1:])
        if step.wanted:
            wanted = step.wanted.replace("…", "...")
            got = done.stdout.replace("…", "...")
            assert doctest.OutputChecker().check_output(wanted + "\n", got.strip() + "\n", FLAGS), got


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_program_runs(example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(example)])
    exec(compile(example.read_text(encoding="utf-8"), str(example), "exec"), {"__name__": "__main__"})


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and the documentation make them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_lead_somewhere() -> None:
    wrong = []
    for page in [*DOCUMENTS, *ROOT.glob("*.md"), *ROOT.glob("src/inarow/reproductions/*/README.md")]:
        for target in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", page.read_text(encoding="utf-8"))):
            place, _, anchor = target.partition("#")
            if ":" in place:
                sound = re.fullmatch(r"https://[\w.-]+\.\w+(/[\w./~%@?=&;,:+-]*)?", place) is not None
            else:
                to = page.parent / place if place else page
                sound = to.exists() and (not anchor or to.suffix != ".md" or anchor in anchors(to))
            wrong += [] if sound else [f"{page.relative_to(ROOT)} links to {target}"]
    assert not wrong


def test_every_script_that_a_page_names_exists() -> None:
    named = {
        name
        for page in [*DOCUMENTS, *ROOT.glob("*.md")]
        for name in re.findall(r"\b(?:benchmarks|scripts|examples)/\w+\.\w+", page.read_text(encoding="utf-8"))
    }
    assert len(named) > 30
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_the_container_runs_modules_that_exist() -> None:
    modules = re.findall(r"python -m ([\w.]+)", (ROOT / "Containerfile").read_text(encoding="utf-8"))
    assert modules
    assert all(find_spec(module) for module in modules)


def test_the_readme_loads_its_pictures_from_here_and_its_badges_are_true() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pictures = re.findall(r"!\[([^]]*)\]\(([^)]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert all((ROOT / place).is_file() for _, place in pictures)
    badges = {words: (ROOT / place).read_text(encoding="utf-8") for words, place in pictures if "badge" in place}
    oldest = project["requires-python"].removeprefix(">=")
    assert list(badges) == [f"Python {oldest}+", f"License {project['license']}"]
    for words, drawn in badges.items():
        assert f"<title>{escape(words)}</title>" in drawn
    assert any(
        "animation" in (ROOT / place).read_text(encoding="utf-8") for _, place in pictures if place.endswith("svg")
    )


def test_every_path_in_the_map_exists() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    paths = set(re.findall(r"`((?:[a-z_0-9]+/)+[a-z_0-9.]+)`", page))
    assert len(paths) > 30
    missing = [path for path in paths if not (ROOT / "src" / "inarow" / path).exists() and not (ROOT / path).exists()]
    assert not missing
