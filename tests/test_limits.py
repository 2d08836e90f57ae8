"""Limits are positive, and combine to the narrower one."""

from __future__ import annotations

import pytest

from inarow import agents
from inarow.limits import NO_LIMIT, Limit, LimitError, check_count


def test_a_limit_can_be_tightened_and_never_widened() -> None:
    own = Limit(depth=6, seconds=2.0)
    assert own.tightened(Limit(depth=8, nodes=100)) == Limit(depth=6, nodes=100, seconds=2.0)
    assert own.tightened(Limit(seconds=0.5)) == Limit(depth=6, seconds=0.5)
    assert own.tightened(Limit()) == own


@pytest.mark.parametrize("limit", [{"depth": 0}, {"seconds": -1.0}, {"nodes": 0}, {"seconds": float("nan")}])
def test_a_limit_that_leaves_nothing_is_refused(limit: dict[str, float]) -> None:
    with pytest.raises(LimitError, match="must be positive, got"):
        Limit(**limit)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "limit",
    [{"seconds": 1e308}, {"seconds": float("inf")}, {"nodes": 1 << 61}, {"simulations": 10**10}, {"depth": 10**400}],
)
def test_a_limit_that_never_ends_is_refused(limit: dict[str, float]) -> None:
    with pytest.raises(LimitError, match="is too large; give at most"):
        Limit(**limit)  # type: ignore[arg-type]


def test_a_count_that_never_ends_is_refused() -> None:
    check_count("episodes", 10, 10)
    with pytest.raises(LimitError, match=r"1e\+14 episodes are too many; give at most 1,000"):
        check_count("episodes", 10**14, 1000)
    with pytest.raises(LimitError, match=r"over 10\^308 pairs are too many"):
        check_count("pairs", 10**400, 1000)


def test_agents_in_files_find_the_limit_where_they_expect_it() -> None:
    assert (agents.Limit, agents.NO_LIMIT) == (Limit, NO_LIMIT)
