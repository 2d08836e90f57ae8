"""Every study by name, for the command line and error messages."""

from __future__ import annotations

import importlib
from typing import cast

from inarow.errors import unknown
from inarow.plugins import STUDIES, load_plugin, plugins
from inarow.studies.framework.study import Study, StudyError

_WHERE = {
    "compare": "compare:Compare",
    "r1": "reports.r1:R1",
    "r2": "reports.r2:R2",
    "r3": "reports.r3:R3",
    "r4": "reports.r4:R4",
    "r5": "reports.r5:R5",
    "reports": "reports.overview:Reports",
    "scaling": "scaling:Scaling",
    "pruning": "pruning:Pruning",
    "limits": "limits:Limits",
    "learning": "learning:Learning",
    "seats": "seats:Seats",
}


def study_names() -> list[str]:
    """The names of all studies: ours, then those of installed packages, which can't replace ours."""
    return [*_WHERE, *(name for name in plugins(STUDIES) if name not in _WHERE)]


def study(name: str) -> Study:
    """The study of this name."""
    if name in _WHERE:
        module, _, kind = _WHERE[name].partition(":")
        return cast(Study, getattr(importlib.import_module(f"inarow.studies.{module}"), kind)())
    if name in study_names():
        return cast(Study, load_plugin(STUDIES, name, Study)())
    raise StudyError(unknown("study", name, study_names(), "`inarow study` lists them."))
