"""Searches recorded step by step, by plain twins of the kernels that tests prove equal to them."""

from inarow.tracing.recording import Untraceable, trace
from inarow.tracing.trace import Event, Kind, Trace

__all__ = ["Event", "Kind", "Trace", "Untraceable", "trace"]
