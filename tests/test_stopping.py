"""Deadlines and Ctrl-C raise the flag that kernels look at."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
from pathlib import Path

from inarow.stopping import SYSTEM_CLOCK, Stop


def _raised_within(stop: Stop, seconds: float) -> bool:
    until = time.perf_counter() + seconds
    while not stop.is_set() and time.perf_counter() < until:
        time.sleep(0.002)
    return stop.is_set()


def test_an_alarm_raises_its_flag_and_no_other() -> None:
    early, late, never = Stop(), Stop(), Stop()
    with (
        SYSTEM_CLOCK.alarm(30.0, late),
        SYSTEM_CLOCK.alarm(0.01, early),
        SYSTEM_CLOCK.alarm(None, never),
    ):
        assert _raised_within(early, 10)
        assert not late.is_set()
        assert not never.is_set()


def test_an_alarm_that_is_left_in_time_raises_nothing() -> None:
    stop, other = Stop(), Stop()
    with SYSTEM_CLOCK.alarm(0.05, stop):
        pass
    with SYSTEM_CLOCK.alarm(0.15, other):
        assert _raised_within(other, 10)
    assert not stop.is_set()


def test_ctrl_c_ends_a_kernel_on_the_main_thread(tmp_path: Path) -> None:
    script = textwrap.dedent(
        """
        import os, signal, threading
        import numpy as np
        from inarow.stopping import raised
        from inarow.kernels.lang.jit import kernel
        from inarow.stopping import SYSTEM_CLOCK, Stop, stop_on_interrupt

        @kernel
        def spin(flag) -> int:
            n = 0
            while not raised(flag):
                n += 1
            return n

        stop_on_interrupt()
        spin(np.ones(1, dtype=np.int64))  # compiled before the signal is sent
        stop = Stop()
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            with SYSTEM_CLOCK.alarm(None, stop):
                spin(stop.flag)
        except KeyboardInterrupt:
            print("interrupted", stop.is_set())
        """
    )
    (tmp_path / "spin.py").write_text(script)  # kernels are compiled from their files
    command = [sys.executable, str(tmp_path / "spin.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.strip() == "interrupted True", done.stderr


def test_listening_for_interrupts_leaves_other_threads_and_libraries_alone() -> None:
    script = """
        import signal, socket, threading
        from inarow.stopping import stop_on_interrupt

        thread = threading.Thread(target=stop_on_interrupt)
        thread.start()
        thread.join()
        assert signal.set_wakeup_fd(-1) == -1
        ours, theirs = socket.socketpair()
        theirs.setblocking(False)
        signal.set_wakeup_fd(theirs.fileno())
        stop_on_interrupt()
        assert signal.set_wakeup_fd(-1) == theirs.fileno()
        stop_on_interrupt()
        assert signal.set_wakeup_fd(-1) != -1
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
