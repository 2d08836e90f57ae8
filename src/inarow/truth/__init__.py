"""Decisions and records measured against the exact solver."""

from inarow.truth.measures import Measure, Summary, measure_move, measure_record, summarise

__all__ = ["Measure", "Summary", "measure_move", "measure_record", "summarise"]
