"""Decisions and records measured against the exact solver, and a set of positions whose truth is known."""

from inarow.truth.measures import Measure, Summary, measure_move, measure_record, summarise
from inarow.truth.truth_set import Known, truth_set

__all__ = ["Known", "Measure", "Summary", "measure_move", "measure_record", "summarise", "truth_set"]
