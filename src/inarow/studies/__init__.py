"""Named experiments: what is played, trained and measured, and the page that shows it."""

from inarow.studies.base import Measure, Measured, Plan, Play, Study, StudyError
from inarow.studies.found import Found
from inarow.studies.registry import study, study_names
from inarow.studies.running import Watch, do_experiments, run_study, write_report

__all__ = [
    "Found",
    "Measure",
    "Measured",
    "Plan",
    "Play",
    "Study",
    "StudyError",
    "Watch",
    "do_experiments",
    "run_study",
    "study",
    "study_names",
    "write_report",
]
