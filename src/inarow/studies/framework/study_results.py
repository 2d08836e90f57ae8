"""The content of a study's store: the manifest, tournaments and measurements, each found by its key."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from inarow import __version__
from inarow.agents import agent
from inarow.arena import Results, Run, Store, Tournament, load
from inarow.arena.executor import cores
from inarow.errors import InarowError
from inarow.match import MatchRecord
from inarow.studies.framework.study import Experiment, Plan, Study, StudyError, declared_hash

MANIFEST = {"kind": "study"}


def manifest_of(study: Study, plan: Plan, experiments: Sequence[Experiment]) -> dict[str, Any]:
    """What is to be done, as it is stored."""
    return {
        "study": study.name,
        **({"options": study.options} if study.options else {}),
        "scale": plan.scale,
        "seed": plan.seed,
        **({"fixed": plan.fixed} if plan.fixed is not None else {}),
        "experiments": [
            {
                "key": experiment.key,
                "kind": "tournament" if isinstance(experiment, Tournament) else "measurement",
                "hash": declared_hash(experiment),
                "config": experiment.declared(),
                "labels": dict(experiment.labels) if isinstance(experiment, Tournament) else {},
            }
            for experiment in experiments
        ],
    }


def machine() -> dict[str, Any]:
    """Where and when a study was started."""
    packages = ("numpy", "llvmlite", "matplotlib")
    return {
        "inarow": __version__,
        "python": sys.version.split()[0],
        **{name: metadata.version(name) for name in packages},
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": cores(),
        "begun": time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()),
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:  # noqa: PTH123
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


class StudyResults:
    """The results of a study, read from its store; or of any store, by a manifest made of what is in it."""

    def __init__(self, store: Store, notes: Sequence[str] = (), manifest: dict[str, Any] | None = None) -> None:
        kept = manifest or store.measured(MANIFEST)
        if kept is None and notes:
            raise StudyError(f"{notes[0].rpartition(';')[0]}; the name of the study can't be read")
        if kept is None:
            raise StudyError(f"{store.path} holds no study; `inarow results` shows what is in it")
        self._store = store
        self.machine: dict[str, Any] = kept.pop("timing")
        self.manifest = kept
        self.plan = Plan(kept.get("scale", "quick"), kept.get("seed", 0), kept.get("fixed"))
        self.notes = list(notes)
        self._by_key = {entry["key"]: entry for entry in kept["experiments"]}
        runs = {run.id: run for run in store.runs()}
        self._runs = {run.name: run for run in runs.values()}
        self._runs |= {key: runs[entry["run"]] for key, entry in self._by_key.items() if "run" in entry}

    @property
    def folder(self) -> Path:
        """The folder of the store and of the models that the study trained."""
        return self._store.path.parent

    @property
    def study(self) -> str:
        """The study's name; empty if the store holds none."""
        return str(self.manifest.get("study", ""))

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of the study."""
        options: dict[str, Any] = self.manifest.get("options", {})
        return options

    def keys(self, kind: str = "") -> list[str]:
        """The experiments' keys in order: of each ``tournament``, of each ``measurement``, or all."""
        return [key for key, entry in self._by_key.items() if not kind or entry["kind"] == kind]

    def config(self, key: str) -> dict[str, Any]:
        """The configuration of an experiment."""
        config: dict[str, Any] = self._by_key[key]["config"]
        return config

    def labels(self, key: str) -> dict[str, str]:
        """What agents of a tournament are called, by spec."""
        labels: dict[str, str] = self._by_key[key]["labels"] if key in self._by_key else {}
        return labels

    def run(self, key: str) -> Run | None:
        """The stored tournament of this key, if it was begun."""
        return self._runs.get(key)

    def results(self, key: str) -> Results | None:
        """What a tournament shows, with agents called by their labels; None if it was not begun."""
        run = self._runs.get(key)
        if run is None:
            return None
        results = load(self._store, run)
        rename(results, self.labels(key))
        return results

    def measured(self, key: str) -> dict[str, Any] | None:
        """What a measurement found, with its ``timing``; None if it was not done."""
        if key not in self._by_key:
            return None
        return self._store.measured(self._by_key[key]["config"])

    def records(self, key: str) -> Iterator[MatchRecord]:
        """Every record of a tournament."""
        run = self._runs.get(key)
        if run is not None:
            yield from (record for _, _, record in self._store.records(run))

    def specs(self) -> dict[str, str]:
        """Every agent that an experiment names, by spec, with the game that it plays."""
        found: dict[str, str] = {}
        for entry in self._by_key.values():
            config = entry["config"]
            if entry["kind"] == "tournament":
                found |= {one["spec"]: config["game"] for one in config["agents"]}
            elif spec := config["settings"].get("agent"):
                found.setdefault(spec, config["settings"]["game"])
        return found

    def unloadable(self) -> list[str]:
        """A warning for each agent that can't be loaded now: its results are shown, its parameters can't be."""
        said = []
        for spec in self.specs():
            try:
                agent(spec)
            except InarowError as error:
                reason = str(error).partition("; ")[0].partition(". ")[0]
                said.append(f"The agent {spec} can’t be loaded now, so that its parameters are missing: {reason}.")
        return said

    def unfinished(self) -> list[str]:
        """The keys of experiments that are not done in full."""
        left = []
        for key, entry in self._by_key.items():
            if entry["kind"] == "measurement":
                done = self._store.measured(entry["config"]) is not None
            else:
                run = self._runs.get(key)
                done = run is not None and load(self._store, run).finished
            if not done:
                left.append(key)
        return left


def rename(results: Results, labels: Mapping[str, str]) -> None:
    """Replace the specs of agents by their labels."""
    results.agents = [labels.get(spec, spec) for spec in results.agents]
    for series in results.series.values():
        for side in series.sides:
            side.spec = labels.get(side.spec, side.spec)
