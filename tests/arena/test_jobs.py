"""Calls for other processes: sent by value from a notebook, and refused where agents are not the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from inarow.agents import agent
from inarow.arena.executor import Job, Provenance, WrongProcess, agents_in, run
from support.arena_doubles import Reading

NOTEBOOK = """
import sys, threading
from dataclasses import dataclass, field
import inarow

@dataclass(frozen=True)
class Left(inarow.Agent):
    name = "left"
    summary = "defined in a notebook"
    skill: int = 0
    lock: object = field(default=None, compare=False)

    def mind(self, game, player, seed):
        return LeftMind()

class LeftMind(inarow.Mind):
    def think(self, position, limit, stop):
        return inarow.Decision(position.legal_moves()[0])

def play(*agents):
    try:
        return inarow.play_tournament(inarow.Tournament.of("tictactoe", agents, pairs=4), workers=2).matches
    except inarow.InarowError as error:
        return error

print(play("random", Left(1), Left(2)))
print(play("random", Left(lock=threading.Lock())))
sys.modules["cloudpickle"] = None
print(play("random", Left(1)))
"""


def test_agents_of_a_notebook_play_in_worker_processes() -> None:
    done = subprocess.run([sys.executable, "-c", NOTEBOOK], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        "24",
        "left can't be sent to another process: TypeError: cannot pickle '_thread.lock' object; remove it, "
        "or give workers=1",
        "left:skill=1 can't be sent to another process: its class is defined in a notebook or a function; "
        "move it to a module, pip install cloudpickle, or give workers=1",
    ], done.stderr


def test_a_process_with_another_file_or_version_is_the_wrong_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("player").write_text("rules")
    mine = Reading("player")
    expected = Provenance.of([mine])
    assert run(Job(type, (mine,)).pack(expected)) is Reading
    assert set(expected.packages) == {"inarow", "support.arena_doubles"}
    Path("player").write_text("random")
    with pytest.raises(WrongProcess, match=r"has another file for reading:path=player; copy it there"):
        expected.check([mine])
    Path("player").unlink()
    with pytest.raises(WrongProcess, match=r"can't play: agent reading: path=player can't be read"):
        expected.check([mine])
    other = expected._replace(packages={**expected.packages, "support.arena_doubles": "2.0"})
    Path("player").write_text("rules")
    with pytest.raises(WrongProcess, match=r"has support.arena_doubles .*, this is 2\.0, so reading:path=player may"):
        other.check([mine])


def test_agents_are_found_in_arguments() -> None:
    assert list(agents_in(["x", mine := agent("random"), Provenance])) == [mine]
