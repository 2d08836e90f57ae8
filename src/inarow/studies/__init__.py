"""Named experiments: matches, trainings and measurements, and the page of results."""

from inarow.studies import sections
from inarow.studies.base import (
    Content,
    Measured,
    Measurement,
    Plan,
    Study,
    StudyError,
    StudyResults,
    measurement,
    study,
    study_names,
)
from inarow.studies.running import StudyProgress, do_experiments, run_study, write_report

__all__ = [
    "Content",
    "Measured",
    "Measurement",
    "Plan",
    "Study",
    "StudyError",
    "StudyProgress",
    "StudyResults",
    "do_experiments",
    "measurement",
    "run_study",
    "sections",
    "study",
    "study_names",
    "write_report",
]
