"""Tables, figures, sentences and one HTML page: a pure function of stored results.

The parts that a study of your own needs are exported here.
"""

from inarow.report.curves import Axis, Curve, curves
from inarow.report.page import Section
from inarow.report.tables import Column, Figure, Table, meeting_sentence, table

__all__ = ["Axis", "Column", "Curve", "Figure", "Section", "Table", "curves", "meeting_sentence", "table"]
