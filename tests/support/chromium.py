"""Chromium for tests of the page, driven by Playwright."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

HOW_TO_GET_IT = "the browser tests need Chromium: install it (on Debian and Ubuntu: apt-get install chromium)"
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def chromium_path() -> str | None:
    """Where this machine has Chromium, if it has."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((path for path in map(shutil.which, names) if path), None)


def open_browser() -> Iterator[Browser]:
    """For a fixture: a browser; tests that need it are skipped where there is none."""
    if chromium_path() is None:
        pytest.skip(HOW_TO_GET_IT)
    with chromium() as one:
        yield one


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A browser with no window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=_ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()
