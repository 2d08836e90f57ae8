"""Every study by name, for the command line and error messages."""

from __future__ import annotations

import importlib
import inspect
import sys
from pathlib import Path
from typing import Any, cast

from inarow.errors import printable, unknown
from inarow.paths import is_file
from inarow.plugins import STUDIES, load_class, plugins
from inarow.studies.framework.study import Study, StudyError

_WHERE = {
    "compare": "compare:Compare",
    "scaling": "scaling:Scaling",
    "pruning": "pruning:Pruning",
    "limits": "limits:Limits",
    "learning": "learning:Learning",
    "seats": "seats:Seats",
}
_BY_COMMAND = {"sweep": "sweep:Sweep"}
"""Studies with commands of their own."""
BUILT_IN = tuple(_WHERE)
MODULE_SUFFIX = ".py"


def study_names() -> list[str]:
    """The names of all studies: ours, then those of installed packages, which can't replace ours."""
    return [*_WHERE, *(name for name in plugins(STUDIES) if name not in _WHERE)]


def study(name: str, **options: Any) -> Study:
    """Make the study of this name, or the one in a Python file such as ``mystudy.py``, with its options."""
    ours = _WHERE | _BY_COMMAND
    if name in ours:
        module, _, kind = ours[name].partition(":")
        return _make(name, getattr(importlib.import_module(f"inarow.studies.{module}"), kind), options)
    if name in study_names():
        return _make(name, load_class(STUDIES, name, Study), options)
    if name.endswith(MODULE_SUFFIX):
        return _make(name, _from_file(Path(name)), options)
    raise StudyError(unknown("study", name, study_names(), "`inarow study` lists them."))


def _make(name: str, kind: type, options: dict[str, Any]) -> Study:
    unknown_options = sorted(set(options) - set(inspect.signature(kind).parameters))
    if unknown_options:
        raise StudyError(f"the study {name} does not take {', '.join(unknown_options)}")
    return cast(Study, kind(**options))


def _from_file(path: Path) -> type[Study]:
    """Import a file and return the last study that it defines.

    It is imported by the name of the file, with its folder on the path, so that worker processes can import it too.
    """
    if not is_file(path):
        raise StudyError(f"there is no study file {printable(str(path))}")
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    if path.stem in sys.modules and getattr(sys.modules[path.stem], "__file__", None) != str(path.resolve()):
        raise StudyError(f"{path.name} has the name of another module; rename the file")
    try:
        module = importlib.import_module(path.stem)
    except Exception as error:
        raise StudyError(f"{path} can't be imported: {type(error).__name__}: {error}") from error
    kinds = [
        one for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, Study) and one.__module__ == module.__name__
    ]  # fmt: skip
    if not kinds:
        raise StudyError(f"{path} defines no study; derive a class from inarow.Study")
    kinds[-1].name = str(path.resolve())
    return kinds[-1]
