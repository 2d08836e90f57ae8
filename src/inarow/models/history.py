"""The history of a training in a model's header: what it must look like to be shown, drawn and continued."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

COUNTS = ("episodes", "wins", "draws", "losses", "entries", "bytes")
NUMBERS = ("plies", "reward", "error")
RESULTS = ("wins", "draws", "losses")
SEATS = ("first", "second")
LARGEST = 2**63 - 1


def history_fault(header: Mapping[str, Any]) -> str | None:
    """What is wrong with the history or timing of a header; None if they are sound."""
    history, timing = header.get("history"), header.get("timing", [])
    if not isinstance(history, list) or not isinstance(timing, list):
        return "its history and timing must be lists"
    for number, entry in enumerate(history, 1):
        if not isinstance(entry, dict) or not _is_entry(entry):
            return f"entry {number} of its history is not an evaluation"
    episodes = [entry["episodes"] for entry in history]
    if episodes != sorted(set(episodes)) or (episodes and episodes[-1] > header["episodes"]):
        return "the episodes of its history do not increase up to those of the training"
    for number, entry in enumerate(timing, 1):
        if not isinstance(entry, dict) or not _is_count(entry.get("episodes")) or not _is_time(entry.get("seconds")):
            return f"entry {number} of its timing does not say episodes and seconds"
    if timing and [entry["episodes"] for entry in timing] != episodes:
        return "its timing is of other episodes than its history"
    return None


def training_fault(training: object) -> str | None:
    """What is wrong with what a header says about the training, besides its history; None if it is sound."""
    if not isinstance(training, dict):
        return "its training is not described"
    earlier = training.get("earlier", [])
    if not isinstance(earlier, list) or not all(
        isinstance(one, dict) and isinstance(one.get("spec"), str) and _is_count(one.get("episodes")) for one in earlier
    ):
        return "its earlier trainings are not described"
    for one in (training, *earlier):
        stages = one.get("opponents", [])
        if not isinstance(stages, list) or not all(isinstance(stage, str) for stage in stages):
            return "its opponents are not names"
    return None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -LARGEST <= value <= LARGEST


def _is_time(value: object) -> bool:
    return _is_number(value) and isinstance(value, int | float) and math.isfinite(value) and value >= 0


def _is_entry(entry: Mapping[str, Any]) -> bool:
    matches, truth = entry.get("matches", {}), entry.get("truth", {})
    return (
        all(_is_count(entry.get(name)) for name in COUNTS)
        and all(_is_number(entry.get(name)) for name in NUMBERS)
        and isinstance(matches, dict)
        and all(_are_results(by_seat) for by_seat in matches.values())
        and isinstance(truth, dict)
        and all(_is_number(value) for value in truth.values())
    )


def _are_results(by_seat: object) -> bool:
    return (
        isinstance(by_seat, dict)
        and 0 < len(by_seat) <= len(SEATS)
        and set(by_seat) <= set(SEATS)
        and all(
            isinstance(counts, dict) and all(_is_count(counts.get(name)) for name in RESULTS)
            for counts in by_seat.values()
        )
    )
