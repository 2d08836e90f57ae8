"""Record searches step by step from the kernels' events."""

from inarow.tracing.recording import Untraceable, trace
from inarow.tracing.trace import Event, EventKind, Trace

__all__ = ["Event", "EventKind", "Trace", "Untraceable", "trace"]
