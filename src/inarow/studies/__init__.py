"""Named experiments: what is played, trained and measured, and the page that shows it."""

from inarow.studies.framework.running import Progress, do_experiments, run_study, write_report
from inarow.studies.framework.study import (
    Content,
    Measured,
    Measurement,
    Plan,
    Study,
    StudyError,
    measurement,
    study,
    study_names,
)
from inarow.studies.framework.study_results import StudyResults
from inarow.studies.sections import tournament_sections

__all__ = [
    "Content",
    "Measured",
    "Measurement",
    "Plan",
    "Progress",
    "Study",
    "StudyError",
    "StudyResults",
    "do_experiments",
    "measurement",
    "run_study",
    "study",
    "study_names",
    "tournament_sections",
    "write_report",
]
