"""The window's figures: first frame, frames while an agent thinks, a move's way to the screen, idle use, leaving.

python benchmarks/desktop.py [SPEC]

Runs on a virtual X screen. SPEC is the agent that thinks meanwhile.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.virtual_screen import VirtualScreen, install, virtual_screen

REPEATS = 5

# A window that uses itself: counts its frames, and prints what it measured as JSON.
CHILD = """
import json, resource, sys, time
import pygame
from inarow.agents import agent
from inarow.play import PERSON, Setup, desktop
from inarow.play.desktop import app
from inarow.play.desktop.game import GameScreen
from inarow.rules import CONNECT4

spec, what = sys.argv[1:]
seconds = 3.0

class Measured(app.App):
    began = moved = None
    done = False
    count = 0
    longest = last = 0.0

    def frame(self, events):
        now = time.perf_counter()
        super().frame(events)
        if not isinstance(self.screen, GameScreen) or self.done:
            return
        if what == "idle":
            self.idle(now)
        elif self.moved is None:
            self.moved = time.perf_counter()
            pygame.event.post(pygame.Event(pygame.KEYDOWN, key=pygame.K_4, unicode="", mod=0))
        elif self.began is None:
            session = self.screen.session
            assert session.position.ply == 1, "the move is in the frame after the key"
            self.shown = time.perf_counter() - self.moved
            self.began = self.last = time.perf_counter()
        else:
            self.count += 1
            self.longest = max(self.longest, now - self.last)
            self.last = now
            if now - self.began > seconds or self.screen.session.thinking is None:
                print(json.dumps({
                    "frames": self.count / (now - self.began), "longest": self.longest, "shown": self.shown,
                    "thought": now - self.began, "left": time.time(),
                }), flush=True)
                self.leave()

    def leave(self):
        self.done = True
        pygame.event.post(pygame.Event(pygame.QUIT))

    def idle(self, now):
        used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        if self.began is None:
            if now - (self.moved or now) > 2:  # imports and animations are over
                self.began, self.used = now, used
            self.moved = self.moved or now
        elif now - self.began > 5:
            print(json.dumps({"idle": (used - self.used) / (now - self.began), "left": time.time()}), flush=True)
            self.leave()

app.App = Measured
two = PERSON if what == "idle" else agent(spec)
desktop.run(Setup(CONNECT4, (PERSON, two)))
"""

# The command itself, which leaves after its first frame and prints when that was.
FIRST = """
import sys, time
from inarow.cli import main
from inarow.play.desktop import app

class First(app.App):
    def frame(self, events):
        super().frame(events)
        print(time.time(), time.process_time(), flush=True)
        self.quit()

app.App = First
sys.argv = ["inarow", "play", "--ui", "desktop"]
main.run()
"""


def main() -> None:
    """Measure, and print each figure beside what it must reach."""
    spec = sys.argv[1] if len(sys.argv) > 1 else "alphabeta:depth=30"
    subprocess.run([sys.executable, "-m", "inarow.kernels.warm"], check=True)
    with screen() as shown_on, tempfile.TemporaryDirectory() as folder:
        environment = {**shown_on.environment(), "INAROW_CONFIG": folder, "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
        seen, used = map(min, zip(*(first_frame(environment) for _ in range(REPEATS)), strict=True))
        print(
            f"first frame             {seen:6.2f} s     at most 1.5, from the command ({used:.2f} s of a core's work)"
        )
        thinking = [child(environment, spec, "think") for _ in range(REPEATS)]
        frames, longest, shown, left = (
            max(one["frames"] for one in thinking),
            min(one["longest"] for one in thinking),
            min(one["shown"] for one in thinking),
            min(one["gone"] for one in thinking),
        )
        print(f"frames while it thinks  {frames:6.1f} /s    at least 60 ({spec}; longest gap {longest * 1000:.0f} ms)")
        print(f"a move is shown after   {shown * 1000:6.1f} ms    in the next frame")
        print(f"gone after closing      {left:6.2f} s     at most 1, while an agent thinks")
        print(f"load meanwhile          {os.getloadavg()[0]:6.1f}       on {os.cpu_count()} cores")
        idle = min(child(environment, spec, "idle")["idle"] for _ in range(2))
        print(f"idle use of a core      {100 * idle:6.1f} %     under 10")


@contextlib.contextmanager
def screen() -> Iterator[VirtualScreen]:
    """A virtual screen."""
    if not install():
        sys.exit("Xvfb is needed: apt-get install xvfb")
    with tempfile.TemporaryDirectory() as folder, virtual_screen(Path(folder)) as shown:
        yield shown


def first_frame(environment: dict[str, str]) -> tuple[float, float]:
    """Seconds from starting the command until its window is drawn for the first time; and of those at work."""
    begun = time.time()
    process = subprocess.Popen([sys.executable, "-c", FIRST], env=environment, stdout=subprocess.PIPE, text=True)
    output, _ = process.communicate(timeout=120)
    at, used = map(float, output.split())
    return at - begun, used


def child(environment: dict[str, str], spec: str, what: str) -> dict[str, float]:
    """What a window measured of itself, and how long after leaving its process was gone."""
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, spec, what], env=environment, stdout=subprocess.PIPE, text=True
    )
    output, _ = process.communicate(timeout=120)
    measured: dict[str, float] = json.loads(output)
    return {**measured, "gone": time.time() - measured["left"]}


if __name__ == "__main__":
    main()
