"""Settings of the whole suite: no test depends on speed, and in CI nothing important is skipped."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

settings.register_profile(
    "suite", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("suite")

# A suite started in the background of a script is told to ignore Ctrl-C, and so would be what it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _settings_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's remembered settings."""
    monkeypatch.setenv("INAROW_CONFIG", str(tmp_path / "settings"))


@pytest.fixture(autouse=True)
def _signals_as_before() -> Iterator[None]:
    """A command that is interrupted in this process leaves no handler behind, which children would inherit."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for a module. Its driver keeps an event loop running in this thread, so it ends with the module."""
    from support.chromium import open_browser

    yield from open_browser()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Rerun a failed test of the browser once; the summary lists every rerun."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """State in one line how many tests were skipped for want of Chromium."""
    skipped = terminalreporter.stats.get("skipped", [])
    count = sum("need Chromium" in str(report.longrepr) for report in skipped)
    if count:
        terminalreporter.write_line(f"{count} browser tests were skipped: Chromium is not installed", yellow=True)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """In CI a skipped test is a failure: what can't run there has not been shown to work."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter is not None and reporter.stats.get("skipped") and exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        reporter.write_line("tests were skipped, and in CI none may be", red=True)
