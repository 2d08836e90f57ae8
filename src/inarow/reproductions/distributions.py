"""Read and write the data of a report: its README, its published tables, and runs of its program.

Its README has what the report does not state and where it errs, which the study's page shows. Its folder ``published``
has its tables as CSV, ``runs.json`` (what repeated runs of its printed program gave, made by
``scripts/report_runs.py``) and ``SHA256SUMS`` over all of them, so that a file edited by hand is noticed.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from inarow.errors import InarowError
from inarow.report.tables import Blank, Cell, Table, table

FOLDER = Path(__file__).parent
RUNS, SUMS = "runs.json", "SHA256SUMS"
NOT_PLAYED = Blank("not played here")
NOT_GIVEN = Blank("the report gives no figure")


class DataError(InarowError):
    """A published or shipped file that is missing or not as it was shipped."""


@dataclass(frozen=True)
class ProgramRun:
    """One repetition of an experiment: outcomes for the first named player, plies and nodes of all its games."""

    counts: tuple[int, int, int]
    plies: int = 0
    nodes: int = 0
    lines: int = 0
    """The number of distinct games."""
    totals: Sequence[int] = ()
    """The different node totals of single games, if they are few."""
    own: Sequence[int] = ()
    """First player: total nodes and moves, nodes of first moves, nodes of last moves, games."""

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(self.counts)


@dataclass(frozen=True)
class Sample:
    """All runs of one pairing of one experiment."""

    key: str
    how: str
    """The players, and how the learner was trained."""
    runs: Sequence[ProgramRun]
    independent: bool = False
    """True if its games are independent: no learner is trained for a run, and no game repeats another."""

    def turned(self) -> Sample:
        """Return the same games, counted for the second player."""
        turned = [replace(run, counts=(run.counts[2], run.counts[1], run.counts[0])) for run in self.runs]
        return replace(self, runs=turned)


def errors_table(report: str) -> Table:
    """Return the errors of a report's program and text, from its README."""
    rows = [row for part in ("program", "text") for row in _readme_rows(report, f"Errors of the {part}")]
    return table(f"{report}-errors", f"Errors of {report.upper()}", ("in the report", "in truth, and here"), rows)


def unstated_table(report: str) -> Table:
    """Return what a report does not state and what is assumed instead, from its README."""
    rows = _readme_rows(report, "What the report does not state")
    title = f"What {report.upper()} does not state"
    return table(f"{report}-unstated", title, ("not stated", "assumed here"), rows)


def _readme_rows(report: str, heading: str) -> list[list[str]]:
    """Return the rows of the table under a heading; none if there is no such heading."""
    text = (FOLDER / report / "README.md").read_text(encoding="utf-8")
    part = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line.strip("| ") for line in part.splitlines() if line.startswith("|")]
    return [re.split(r" *\| *", line) for line in lines[2:]]


def quoted(text: str) -> Cell:
    """Return a published figure exactly as printed, or a blank cell."""
    return text if text else NOT_GIVEN


@cache
def published(name: str) -> tuple[dict[str, str], ...]:
    """Return the rows of one published table, such as ``r3_stated``: strings by column."""
    report, _, stem = name.partition("_")
    text = _checked(FOLDER / report / "published" / f"{stem}.csv")
    return tuple(dict(row) for row in csv.DictReader(text.splitlines()))


@cache
def shipped_runs(report: str) -> Mapping[str, Sample]:
    """Return the shipped runs of a report's printed program, by ``experiment / pairing``."""
    content = json.loads(_checked(FOLDER / report / "published" / RUNS))
    return {
        key: Sample(
            key,
            one["how"],
            [ProgramRun(**{**run, "counts": tuple(run["counts"])}) for run in one["runs"]],
            one["independent"],
        )
        for key, one in content["samples"].items()
    }


def provenance(report: str) -> dict[str, Any]:
    """Return how the shipped runs of a report were made: command, version and first seed."""
    content = json.loads(_checked(FOLDER / report / "published" / RUNS))
    return {name: content[name] for name in ("command", "inarow", "seed")}


def _checked(path: Path) -> str:
    """Read a file. Raises DataError if it is missing or its checksum differs from the shipped one."""
    try:
        content, sums = path.read_bytes(), (path.parent / SUMS).read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"{path} can't be read: {error.strerror}; install inarow again") from None
    expected = {name: value for value, _, name in (line.partition("  ") for line in sums.splitlines())}
    if expected.get(path.name) != hashlib.sha256(content).hexdigest():
        raise DataError(
            f"{path} is not as it was shipped (its checksum differs from {SUMS}); restore the file, or make the runs "
            "again with scripts/report_runs.py"
        )
    return content.decode()


def write_runs(report: str, samples: Mapping[str, Mapping[str, Any]], command: str, version: str) -> Path:
    """Write a report's runs, one line each, and renew the checksums of its folder."""
    folder = FOLDER / report / "published"
    lines = []
    for key, sample in samples.items():
        runs = ",\n    ".join(json.dumps(run) for run in sample["runs"])
        head = json.dumps({name: sample[name] for name in ("how", "independent")}, ensure_ascii=False)[1:-1]
        lines.append(f'  {json.dumps(key, ensure_ascii=False)}: {{{head}, "runs": [\n    {runs}]}}')
    head = json.dumps({"command": command, "inarow": version, "seed": 0})[1:-1]
    path = folder / RUNS
    path.write_text(f'{{{head}, "samples": {{\n' + ",\n".join(lines) + "\n}}\n", encoding="utf-8")
    names = sorted(one.name for one in folder.iterdir() if one.suffix in (".csv", ".json"))
    sums = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    (folder / SUMS).write_text("".join(sums), encoding="utf-8")
    return path
