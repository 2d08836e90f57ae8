"""Limits are positive, and combine to the narrower one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from inarow import agents
from inarow.limits import NO_LIMIT, Limit, LimitError


def test_a_limit_can_be_tightened_and_never_widened() -> None:
    own = Limit(depth=6, seconds=2.0)
    assert own.tightened(Limit(depth=8, nodes=100)) == Limit(depth=6, nodes=100, seconds=2.0)
    assert own.tightened(Limit(seconds=0.5)) == Limit(depth=6, seconds=0.5)
    assert own.tightened(Limit()) == own


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ({"depth": 0}, r"depth must be an integer from 1 to 1,073,741,824, got 0"),
        ({"depth": 2.5}, r"depth must be an integer from 1 to .*, got 2\.5"),
        ({"depth": True}, r"depth must be an integer from 1 to .*, got True"),
        ({"depth": "3"}, r"depth must be an integer from 1 to .*, got '3'"),
        ({"depth": 10**400}, r"depth must be an integer from 1 to .*, got over 10\^308"),
        ({"nodes": 1 << 61}, r"nodes must be an integer from 1 to .*, got 2\.306e\+18"),
        ({"simulations": 10**10}, r"simulations must be an integer from 1 to 1,000,000,000, got 10000000000"),
        ({"seconds": -1.0}, r"seconds must be a positive number up to 2,592,000, got -1\.0"),
        ({"seconds": math.nan}, r"seconds must be a positive number up to .*, got nan"),
        ({"seconds": math.inf}, r"seconds must be a positive number up to .*, got inf"),
        ({"seconds": "1"}, r"seconds must be a positive number up to .*, got '1'"),
        ({"match_seconds": True}, r"match_seconds must be a positive number up to .*, got True"),
    ],
)
def test_a_limit_is_a_positive_number_that_ends(limit: dict[str, Any], reason: str) -> None:
    with pytest.raises(LimitError, match=f"^{reason}$"):
        Limit(**limit)


def test_numbers_of_numpy_become_those_of_python() -> None:
    limit = Limit(depth=np.int64(3), seconds=np.float32(0.5))  # type: ignore[arg-type]
    assert limit == Limit(depth=3, seconds=0.5)
    assert (type(limit.depth), type(limit.seconds)) == (int, float)


def test_agents_in_files_find_the_limit_where_they_expect_it() -> None:
    assert (agents.Limit, agents.NO_LIMIT) == (Limit, NO_LIMIT)
