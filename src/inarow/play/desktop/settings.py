"""The settings of agents that a menu offers, and the widget for each: a slider for a number, a choice for words."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from inarow.agents import Agent
from inarow.agents.parameters import Choice, Kind, Number, Switch
from inarow.agents.registry import agent_classes
from inarow.play.desktop.widgets import Field, Slider, Stepper, Widget

_DECADES = 4  # that a slider covers around a number that has no narrow range
_DEEPEST = 16  # plies on a slider for a depth; more is typed
_NARROW = 12  # a range up to which whole numbers are on a slider one by one


@dataclass(frozen=True)
class Entry:
    """An agent and what can be set at the board."""

    name: str
    summary: str
    parameters: tuple[Kind, ...]


def catalogue() -> list[Entry]:
    """All agents, and files. Imports their modules, which takes a while the first time."""
    from inarow.agents.file import File

    kinds: list[type[Agent]] = [*agent_classes(), File]
    return [Entry(kind.name, kind.summary, tuple(kind.playing_parameters())) for kind in kinds]


def editor(kind: Kind, text: str, changed: Callable[[str], None], entered: Callable[[], None]) -> Widget:
    """The widget that changes a parameter, which has the value of ``text`` now."""
    name = f"parameter {kind.name}"
    options = _options(kind)
    if not options:
        return Field(name, text, kind.wanted, changed, entered)
    if text not in options:
        options = _with(kind, options, text)
    make = Slider if isinstance(kind, Number) else Stepper
    return make(name, options, options.index(text), lambda at: changed(options[at]))


def _options(kind: Kind) -> list[str]:
    """The values on offer, as texts; none if it is typed."""
    if isinstance(kind, Switch):
        return ["off", "on"]
    if isinstance(kind, Choice):
        return list(kind.options)
    if isinstance(kind, Number):
        return _ticks(kind)
    from inarow.agents.evaluator_specs import EvaluatorKind  # with what agents have loaded by now

    return kind.names if isinstance(kind, EvaluatorKind) else []


def _with(kind: Kind, options: list[str], text: str) -> list[str]:
    """The options and a value that was typed elsewhere, in its place."""
    if isinstance(kind, Number):
        try:
            value = kind.read(text)
        except ValueError:
            return [text, *options]
        after = [at for at, one in enumerate(options) if (kind.read(one) or -math.inf) < value]
        at = max(after, default=-1) + 1
        return [*options[:at], text, *options[at:]]
    return [text, *options]


def _ticks(kind: Number) -> list[str]:
    """The values of a slider: steps of a twentieth from 0 to 1, plies and whole numbers of a narrow range one by one,
    else 1, 2, 5, 10 …"""
    words = [] if kind.none is None else [kind.none]
    low, high = kind.low, kind.high
    default = kind.default
    if low == 0 and high == 1:
        values: list[float] = [step / 20 for step in range(21)]
    elif _takes(kind, "full"):
        return [*words, *map(str, range(1, _DEEPEST + 1)), "full"]
    elif kind.whole and low is not None and high is not None and high - low <= _NARROW:
        values = list(range(int(low), int(high) + 1))
    else:
        middle = math.log10(default) if default else 1.0 if not kind.whole else 4.0
        start, end = math.floor(middle - _DECADES / 2), math.ceil(middle + _DECADES / 2)
        values = [step * 10.0**power for power in range(start, end + 1) for step in [1, 2, 5]]
        values = [value for value in values if value >= (1 if kind.whole else 0.001)]
        values = [0, *values] if low == 0 else values
    if default is not None:
        values = sorted({*values, default})
    fitting = [int(value) if kind.whole else float(value) for value in values]
    return [*words, *(kind.format(value) for value in fitting if kind.fits(value))]


def _takes(kind: Kind, text: str) -> bool:
    try:
        kind.read(text)
    except ValueError:
        return False
    return True
