"""A league that is killed anywhere and held again ends with the same site, byte for byte."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from inarow.teaching.checking import CheckReport
from support import league_killed
from support.league_doubles import ANY_FREE, CRASHES, FIRST_FREE, hand_in, hold, written


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no such signal")
def test_a_league_killed_at_any_moment_ends_with_the_same_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = hand_in(tmp_path / "class", ada=FIRST_FREE, bob=ANY_FREE, cleo=CRASHES)
    script = Path(league_killed.__file__)
    path = os.pathsep.join([str(script.parents[1]), *sys.path])
    moments = random.Random(21)
    endings = []
    for most in (12, 60, 70):
        moment = moments.randint(3, most)
        command = [sys.executable, str(script), str(folder), str(tmp_path / "out"), str(moment)]
        done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, check=False, timeout=300)
        endings.append(done.returncode)
    assert endings.count(-signal.SIGKILL) >= 2, endings
    monkeypatch.setattr("inarow.teaching.league.judging.check_agent", lambda *_, **more: CheckReport())
    hold(folder, tmp_path / "out")
    hold(folder, tmp_path / "whole")
    assert written(tmp_path / "out") == written(tmp_path / "whole")
