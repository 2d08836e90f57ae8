"""Searches recorded step by step, by plain twins of the kernels that tests prove equal to them."""

from inarow.tracing.recording import Untraceable, trace
from inarow.tracing.trace import MOST_EVENTS, Event, Kind, Trace

__all__ = ["MOST_EVENTS", "Event", "Kind", "Trace", "Untraceable", "trace"]
