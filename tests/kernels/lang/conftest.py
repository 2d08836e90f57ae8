"""A cache of their own for tests of the compiler: nothing that they compile is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarow.kernels import cache


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every kernel compiled anew."""
    monkeypatch.setattr(cache, "folder", lambda: tmp_path)
