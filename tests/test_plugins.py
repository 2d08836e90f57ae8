"""An installed package adds agents and studies; one that is broken is reported and harms nobody else."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import inarow
from inarow import plugins
from inarow.agents import agent, agent_names
from inarow.agents.registry import agent_classes, plugin_names
from inarow.play.desktop.cards import catalogue
from inarow.play.setup import Level, Lineup, Mode, lineups
from inarow.studies import study, study_names
from support.commands import inarow as run

ROOT = Path(__file__).parents[1]


def test_the_example_package_is_installed_and_plays_in_workers(tmp_path: Path) -> None:
    target = tmp_path / "installed"
    offline = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--quiet"]
    source = tmp_path / "plugin"
    source.mkdir()
    for file in (ROOT / "examples" / "plugin").iterdir():
        if file.is_file():
            (source / file.name).write_bytes(file.read_bytes())
    install = [sys.executable, "-m", "pip", "install", *offline, "--target", str(target), str(source)]
    subprocess.run(install, check=True, capture_output=True, timeout=120)
    script = (
        "import json\n"
        "from inarow.agents import agent, agent_names\n"
        "from inarow.studies import study, study_names\n"
        "from support.commands import inarow\n"
        "assert 'cautious' in agent_names() and 'caution' in study_names()\n"
        "assert agent('cautious').spec == 'cautious'\n"
        "assert study('caution').title == 'What is caution worth?'\n"
        "arguments = ['connect4', 'cautious', 'random', '--pairs', '2', '--workers', '2']\n"
        "assert 'cautious' in inarow('tournament', *arguments).stdout\n"
        "assert 'Agents of the example plugin' in inarow('agents').stdout\n"
        "learn = ['train', 'tictactoe', 'habit', '--episodes', '300', '--eval-matches', '2', '--resume']\n"
        "inarow(*learn, 'whole.npz')\n"
        "inarow(*learn, 'part.npz', '--minutes', '0.00001')\n"
        "assert 'resuming an unfinished training' in inarow(*learn, 'part.npz').stdout\n"
        "shown = [json.loads(inarow('model', 'show', name, '--json').stdout) for name in ('whole.npz', 'part.npz')]\n"
        "assert shown[0]['rows'] == shown[1]['rows'] > 100 and shown[0]['history'][-1]['entries'] == shown[0]['rows']\n"
        "inarow('model', 'slim', 'whole.npz', '--out', 'slim.npz', '--visits', '3')\n"
        "assert 'habit' in inarow('match', 'tictactoe', 'habit:model=slim.npz', 'random', '-n', '2').stdout\n"
        "from inarow.play.setup import lineup\n"
        "assert lineup('caution').mode_title(('Human', 'Cautious')) == 'Caution: Human – cautious'\n"
        "assert 'cautious plays 3' in inarow('advice', 'tictactoe', '1425').stdout\n"
        "assert 'Print the move that cautious would play' in inarow('--help').stdout\n"
        "assert 'Example: inarow advice' in inarow('help', 'advice').stdout\n"
    )
    paths = [str(Path(inarow.__file__).parents[1]), str(target), str(ROOT / "tests")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, list[EntryPoint]]]:
    """Entry points as if packages had been installed; by group."""
    made: dict[str, list[EntryPoint]] = defaultdict(list)
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: made[group])
    plugins.plugins.cache_clear()
    yield made
    plugins.plugins.cache_clear()


def add(installed: dict[str, list[EntryPoint]], name: str, value: str, group: str = plugins.AGENTS) -> None:
    installed[group].append(EntryPoint(name, value, group))


def test_a_plugin_adds_a_name_and_none_of_ours_can_be_replaced(installed: dict[str, list[EntryPoint]]) -> None:
    add(installed, "scripted", "support.play_doubles:Scripted")
    add(installed, "random", "support.play_doubles:Scripted")
    add(installed, "file", "support.play_doubles:Scripted")
    assert plugin_names() == ["scripted"]
    assert agent_names()[-1] == "scripted"
    assert agent("scripted:way=highest").spec == "scripted:way=highest"
    assert type(agent("random")).__name__ == "Random"
    assert "scripted" in catalogue(), "it is in the window's menu"
    assert "From an installed package." in run("agents").stdout


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("no_such_module:Agent", "can't be imported: ModuleNotFoundError"),
        ("support.play_doubles:ManualClock", "is not a subclass of inarow.agents.base.Agent"),
        ("support.play_doubles:Scripted", "has the name 'scripted'; both names must be the same"),
        ("support.play_doubles:Needy", "can't be used: its field skill has no default"),
        ("support.play_doubles:Opaque", "can't be used: agent broken: the field network can't be written in a spec"),
    ],
)
def test_a_broken_plugin_is_reported_and_the_others_still_play(
    installed: dict[str, list[EntryPoint]], value: str, reason: str
) -> None:
    add(installed, "broken", value)
    assert "broken" not in [kind.name for kind in agent_classes()]
    listed = run("agents")
    assert "rules" in listed.stdout
    assert reason in listed.stderr
    assert reason in run("match", "connect4", "broken", "random", code=2).stderr
    assert "rules" in run("match", "connect4", "rules", "random", "-n", "2").stdout


def test_a_broken_study_is_reported(installed: dict[str, list[EntryPoint]]) -> None:
    add(installed, "mine", "no_such_module:Mine", plugins.STUDIES)
    assert study_names()[-1] == "mine"
    with pytest.raises(plugins.PluginError, match="can't be imported"):
        study("mine")
    listed = run("study")
    assert "compare" in listed.stdout
    assert "can't be imported" in listed.stderr


def test_a_broken_command_is_reported_and_the_others_still_run(installed: dict[str, list[EntryPoint]]) -> None:
    add(installed, "mine", "no_such_module:register", plugins.COMMANDS)
    shown = run("--help").stdout
    assert "annotate" in shown
    assert "The plugin mine (no_such_module:register) can't be imported" in " ".join(shown.split())
    assert "can't be imported" in run("mine", code=2).stderr
    assert "can't be imported" in run("help", "mine", code=2).stderr


def test_a_plugin_without_a_learner_or_of_another_kind_is_refused(installed: dict[str, list[EntryPoint]]) -> None:
    add(installed, "scripted", "support.play_doubles:Scripted")
    assert (
        "is not a trainer; known: qlearning, ntuple"
        in run("train", "connect4", "scripted", "--out", "x.npz", code=2).stderr
    )
    add(installed, "scripted", "support.play_doubles:Scripted", plugins.TRAINERS)
    plugins.plugins.cache_clear()
    assert (
        "is not a subclass of inarow.training.trainer.Trainer"
        in run("train", "connect4", "scripted", "--out", "x.npz", code=2).stderr
    )


def test_a_lineup_that_can_not_be_used_is_left_out_of_the_menu(installed: dict[str, list[EntryPoint]]) -> None:
    add(installed, "ghost", "no_such_module:LINEUP", plugins.LINEUPS)
    add(installed, "caution", "inarow.play.setup:USUAL", plugins.LINEUPS)
    lineups.cache_clear()
    try:
        assert [one.name for one in lineups()] == ["inarow"]
    finally:
        lineups.cache_clear()


def test_a_mode_of_a_lineup_names_its_own_players() -> None:
    level = Level("Novice", ("random",), "moves at random")
    for levels, modes in (((level,), (Mode("Duel", ("Novice", "Master"), "two"),)), ((level, level), ())):
        with pytest.raises(inarow.InarowError, match="lineup club: labels must differ, and modes name them"):
            Lineup("club", "Club", "players", levels, modes)
