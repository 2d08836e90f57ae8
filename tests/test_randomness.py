"""Streams of random numbers: the same for one seed, fair, and apart for different names."""

from __future__ import annotations

from collections import Counter

import pytest

from inarow.randomness import Stream, advance, derive, mix, opened_streams


def test_the_numbers_of_a_seed_never_change() -> None:
    stream = Stream(7)
    assert [stream.below(1000) for _ in range(6)] == [690, 3, 743, 707, 928, 655]
    assert derive(7, "pair", 3, "first") == 5400592943787129808


def test_a_stream_is_the_generator_that_kernels_run() -> None:
    stream = Stream(42)
    state = mix(42)
    for _ in range(20):
        state = advance(state)
        assert stream.number() == mix(state)


def test_names_give_seeds_of_their_own() -> None:
    names = [derive(1, "pair", i, seat) for i in range(100) for seat in ("first", "second")]
    assert len(set(names)) == 200
    assert derive(1, "pair", 3) == derive(1, "pair", 3)
    assert derive(1, "pair", 3) != derive(2, "pair", 3)
    assert all(0 <= seed < 2**63 for seed in names)


def test_numbers_below_n_are_spread_evenly() -> None:
    stream = Stream(1)
    counts = Counter(stream.below(7) for _ in range(70_000))
    # Chi-square with 6 degrees of freedom: 22.5 is exceeded once in a thousand.
    assert sum((n - 10_000) ** 2 / 10_000 for n in counts.values()) < 22.5
    assert set(counts) == set(range(7))
    assert 0.49 < sum(stream.uniform() for _ in range(20_000)) / 20_000 < 0.51


def test_a_weighted_choice_follows_the_weights() -> None:
    stream = Stream(2)
    counts = Counter(stream.weighted("abc", [1, 0, 3]) for _ in range(4000))
    assert counts["b"] == 0
    assert 900 < counts["a"] < 1100
    with pytest.raises(ValueError, match="positive weight"):
        stream.weighted([], [])


def test_a_shuffle_keeps_the_items() -> None:
    items = list(range(50))
    Stream(3).shuffle(items)
    assert sorted(items) == list(range(50))
    assert items != list(range(50))


def test_a_stream_knows_whether_a_number_could_have_decided_something() -> None:
    with opened_streams() as opened:
        idle, used = Stream(1), Stream(2)
    later = Stream(3)
    for stream in (idle, used):
        stream.choice(["only"])
        stream.weighted(["only"], [7])
        stream.below(1)
        stream.shuffle(["only"])
    used.choice("ab")
    later.uniform()
    assert [stream.used for stream in opened] == [False, True]
    assert later.used
