"""Run the reports' printed programs many times and ship what they gave: python scripts/report_runs.py r1 [r2 …]

Each run repeats a published experiment from the start, training included; run n has seed n. Finished runs are kept in
build/report-runs.jsonl, so that an interrupted computation continues; the data file is written from those that are
there. At full length all five take hours.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import inarow
from inarow.reproductions.distributions import FOLDER, RUNS, SUMS, Source

KEPT = Path("build") / "report-runs.jsonl"


def sources(report: str) -> tuple[Source, ...]:
    """Return what is run for a report."""
    found: tuple[Source, ...] = importlib.import_module(f"inarow.reproductions.{report}.study").SOURCES
    return found


def all_runs(sources: Sequence[Source]) -> Iterator[tuple[Source, int]]:
    """Yield every run, the first of each source first, so that an interrupted computation has some of each."""
    for number in range(max(source.runs for source in sources)):
        for source in sources:
            if number < source.runs:
                yield source, number


def write_runs(report: str, samples: Mapping[str, Mapping[str, Any]], command: str, version: str) -> Path:
    """Write a report's runs, one per line, and update the checksums of its folder."""
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


def main(reports: list[str]) -> None:
    """Do the runs that are missing, then write the data file of each report."""
    KEPT.parent.mkdir(exist_ok=True)
    lines = KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else []
    done: dict[tuple[str, str, int], dict[str, Any]] = {}
    for line in lines:
        entry = json.loads(line)
        done[entry["report"], entry["source"], entry["run"]] = entry["found"]
    write_only = "--write" in reports
    with KEPT.open("a", encoding="utf-8") as kept:
        for report in [name for name in reports if name != "--write"]:
            for source, number in [] if write_only else all_runs(sources(report)):
                if (report, source.key, number) not in done:
                    found = source.run(number)
                    done[report, source.key, number] = found
                    entry = {"report": report, "source": source.key, "run": number, "found": found}
                    kept.write(json.dumps(entry) + "\n")
                    kept.flush()
                    sys.stdout.write(f"{report} {source.key}: run {number + 1} of {source.runs}\n")
            samples: dict[str, dict[str, Any]] = {}
            for source in sources(report):
                for number in range(source.runs):
                    for name, run in done.get((report, source.key, number), {}).items():
                        key, independent = f"{source.key} / {name}", source.independent(name)
                        if key not in samples:
                            samples[key] = {"how": source.how(name), "independent": independent, "runs": []}
                        samples[key]["runs"].append(run)
            command = f"python scripts/report_runs.py {report}"
            sys.stdout.write(f"{write_runs(report, samples, command, inarow.__version__)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
