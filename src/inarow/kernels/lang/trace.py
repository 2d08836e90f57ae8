"""Events of kernels: statements such as ``trace.enter(own, opp, depth, alpha, beta)``.

Compiled they are nothing, not even their arguments are evaluated. Where the source of a kernel runs as Python
(`jit.source_of`) within `recording`, each calls the method of its name of the recorder; so does a traced build for the
browser (`lang.wasm`), of a recorder there. So the algorithm that is watched is the
real one, and events cost nothing otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

_RECORDER: ContextVar[Any] = ContextVar("recorder", default=None)


@contextmanager
def recording(recorder: Any) -> Iterator[None]:
    """Have events in this block, in this thread, call the recorder's methods. NumPy's integers wrap around, as
    compiled ones do."""
    before = _RECORDER.set(recorder)
    try:
        with np.errstate(over="ignore"):
            yield
    finally:
        _RECORDER.reset(before)


def _event(name: str) -> Callable[..., None]:
    def event(*values: Any) -> None:
        recorder = _RECORDER.get()
        if recorder is not None:
            getattr(recorder, name)(*[value.item() if isinstance(value, np.generic) else value for value in values])

    event.__name__ = name
    return event


# Of alpha–beta: a search begins; a position is entered; the table answers; a move has its value; moves are cut off.
begin, enter, known, backup, cutoff = map(_event, ("begin", "enter", "known", "backup", "cutoff"))
# Of MCTS, besides: a child is selected; a node gets children; it is proven; a move of a rollout; the result of a
# rollout, or the value of an evaluator.
select, expand, prove, play, rollout = map(_event, ("select", "expand", "prove", "play", "rollout"))
evaluate = _event("evaluate")
# Of learning: a value changes.
update = _event("update")


def tell(value: Any) -> None:
    """Tell the host of a traced build one value of an event; the compiler writes this."""


EVENTS = (begin, enter, known, backup, cutoff, select, expand, prove, play, rollout, update, evaluate)
