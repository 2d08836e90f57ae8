"""Where packages are a list, as in leagues, an agent can use those and the standard library, and no search of ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from inarow.agents import Agent, agent
from inarow.agents.external import USUAL_PACKAGES, Policy, client, using
from inarow.agents.external.sandbox import offered
from inarow.match import play_match
from inarow.match.record import MatchRecord
from inarow.rules import CONNECT4
from match.test_playing import LOWEST
from support.external_attacks import DENIED, HEAD, LEGAL
from support.external_corpus import GOOD, bad_source, write

pytestmark = pytest.mark.skipif(not offered().landlock, reason="nothing closes files here")

LIMITED = Policy(packages=USUAL_PACKAGES)
CLOSED = "models or searches (line"
STUBS = """
import sys, types
for name in ("inarow.models", "inarow.solver"):
    sys.modules[name] = types.ModuleType(name)
from inarow.agents import agent as ours
ours("alphabeta:depth=6")
"""


@pytest.fixture(scope="module", autouse=True)
def _server() -> Iterator[None]:
    yield
    client.close_server()


def limited(path: Path, policy: Policy = LIMITED) -> Agent:
    with using(policy):
        return agent(f"file:{path}")


def played(tmp_path: Path, body: str, policy: Policy = LIMITED) -> MatchRecord:
    lines = "\n    ".join(body.strip("\n").splitlines())
    source = f"{HEAD}\ndef agent(observation, configuration):\n    {lines}\n{LEGAL}"
    return play_match(CONNECT4, limited(write(tmp_path, "entrant", source), policy), LOWEST)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "import matplotlib",
            "ImportError: matplotlib is not among the packages that are allowed here (the standard library, numpy)",
        ),
        ("import pyspiel", "ImportError: pyspiel is not among the packages that are allowed here"),
        ("del sys.meta_path[0]\nimport matplotlib", DENIED),
        (
            "import numpy, pathlib\n"
            "open(pathlib.Path(numpy.__file__).parents[1] / 'matplotlib' / '__init__.py').read()",
            DENIED,
        ),
        ("from inarow.agents import agent as ours\nours('alphabeta:depth=6')", CLOSED),
        ("import inarow.kernels.mcts", CLOSED),
        ("from inarow.agents.mcts import Mcts", CLOSED),
        (STUBS, CLOSED),
        ("import inarow.match", "this part of inarow is closed to agents in files (line"),
        ("from inarow import play_match", "this part of inarow is closed to agents in files (line"),
    ],
)
def test_borrowed_searches_are_closed(body: str, said: str, tmp_path: Path) -> None:
    record = played(tmp_path, body)
    assert (record.result, record.termination.value) == ("second", "exception")
    assert said in record.fault


def test_a_part_that_only_needs_the_solver_is_not_called_cheating(tmp_path: Path) -> None:
    """Without a list of packages it is open itself, and fails at what it imports."""
    for body, said in (("import inarow.match", "is closed to agents in files"), ("import inarow.solver", CLOSED)):
        assert said in played(tmp_path, body, Policy()).fault


def test_no_file_of_any_other_package_can_be_read(tmp_path: Path) -> None:
    body = """
import pathlib, site, sysconfig
standard = pathlib.Path(sysconfig.get_path('stdlib'))
found = set()
for folder in {*map(pathlib.Path, sys.path), *map(pathlib.Path, site.getsitepackages()), standard / 'site-packages'}:
    if folder in (standard, standard / 'lib-dynload') or not folder.is_dir() or str(folder) == os.getcwd(): continue
    for path in folder.iterdir():
        for file in [path, path / '__init__.py', *path.glob('*.so')]:
            try: open(file).close(); found.add(path.name.partition('.')[0].partition('-')[0])
            except OSError: pass
raise ValueError(sorted(found))
"""
    assert "ValueError: ['inarow', 'numpy']" in played(tmp_path, body).fault


def test_what_is_listed_works_and_so_do_an_agents_own_modules(tmp_path: Path) -> None:
    for name in ("numpy", "inarow class"):
        record = play_match(CONNECT4, limited(write(tmp_path, name, GOOD[name])), LOWEST)
        assert not record.termination.is_fault, record.fault
    folder = tmp_path / "entrant"
    folder.mkdir()
    (folder / "pyspiel.py").write_text("MOVE = 3", encoding="utf-8")
    (folder / "main.py").write_text(f"import pyspiel\n{GOOD['connectx']}", encoding="utf-8")
    assert not play_match(CONNECT4, limited(folder), LOWEST).termination.is_fault


def test_a_longer_list_and_no_list_open_more(tmp_path: Path) -> None:
    body = "import open_spiel; raise ValueError('imported')"
    for policy in (Policy(packages=("numpy", "open_spiel")), Policy()):
        assert "ValueError: imported" in played(tmp_path, body, policy).fault


def test_an_agent_without_a_sandbox_is_told_about_packages_as_well(tmp_path: Path) -> None:
    trusted = Policy(trust=True, packages=USUAL_PACKAGES)
    record = play_match(CONNECT4, limited(write(tmp_path, "a", bad_source("import matplotlib")), trusted), LOWEST)
    assert "matplotlib is not among the packages" in record.fault


def test_the_imports_of_an_agent_are_listed(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("import numpy as np, math\nfrom scipy.stats import norm\n", encoding="utf-8")
    lines = ["import helper", "from . import helper", "    from json import loads", "lib = __import__('matplotlib')"]
    (tmp_path / "main.py").write_text("\n".join([*lines, "important = 3"]), encoding="utf-8")
    assert limited(tmp_path).snapshot.imports == ("json", "math", "matplotlib", "numpy", "scipy")  # type: ignore[attr-defined]
