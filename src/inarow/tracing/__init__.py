"""Searches recorded step by step, by the events of the kernels themselves."""

from inarow.tracing.recording import Untraceable, trace
from inarow.tracing.trace import Event, EventKind, Trace

__all__ = ["Event", "EventKind", "Trace", "Untraceable", "trace"]
