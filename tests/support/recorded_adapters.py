"""Calls of kernels whose arguments have changed since their calls were recorded.

An adapter takes the recorded arguments; it returns those of today, and a function that writes what the kernel changed
back to the recorded arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inarow.kernels.batch.step import new_setup
from inarow.kernels.solver.state import Search

Adapted = tuple[list[Any], Callable[[], None]]

# The solver's memory as one array: these fields, from word 32 on the history, and behind it the lists of moves.
SOLVER = (
    "nodes", "look", "limit", "stopped", "low", "high", "columns", "stride", "board", "bottom", "cells", "k", "spare",
    "claimed", "tag_bits", "key_mask", "generation", "tt_until", "mirror_until", "parity_from",
)  # fmt: skip
LIST, HISTORY, LISTS = 20, 32, 32 + 16 * 64


def _solver(given: list[Any]) -> Adapted:
    memory, tt, stop, *rest = given
    search = Search()
    for at, name in enumerate(SOLVER):
        setattr(search, name, bool(memory[at]) if name == "stopped" else int(memory[at]))
    search.tt, search.stop = tt, stop
    search.history[:] = memory[HISTORY:LISTS].reshape(16, 64)
    entries = [
        (move, name, LISTS + ply * int(memory[LIST]) + 3 * i + at)
        for ply in range(64)
        for i, move in enumerate(list(search.moves[ply])[: search.columns])
        for at, name in enumerate(("worth", "move", "wins"))
        if memory[LIST] != 0
    ]
    for move, name, at in entries:
        setattr(move, name, int(memory[at]))

    def write_back() -> None:
        for at, name in enumerate(SOLVER):
            memory[at] = getattr(search, name)
        memory[HISTORY:LISTS] = search.history.reshape(-1)
        for move, name, at in entries:
            memory[at] = getattr(move, name)

    return [search, *rest], write_back


def _batch(given: list[Any]) -> Adapted:
    *others, setup = given
    names = ("k", "stride", "board", "bottom", "gravity", "moves", "columns", "rows", "opponent", "seat")
    return [*others, new_setup(masks=setup[10:], **dict(zip(names, setup.tolist(), strict=False)))], lambda: None


ADAPTERS: dict[str, Callable[[list[Any]], Adapted]] = {
    "inarow.kernels.batch.step.clear_all": _batch,
    "inarow.kernels.batch.step.step": _batch,
    "inarow.kernels.solver.solve.solve": _solver,
    "inarow.kernels.solver.solve_free.solve_free": _solver,
}


def adapted(kernel: str, given: list[Any]) -> Adapted:
    """Return the arguments of today for a recorded call, and what writes the changes back."""
    adapter = ADAPTERS.get(kernel)
    return (given, lambda: None) if adapter is None else adapter(given)
