"""Hand-ins that are identical, or nearly so: whatever was renamed, reformatted or commented differently."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from inarow.agents.external.staging import Snapshot, read
from inarow.teaching.league import tokens
from inarow.teaching.league.entrants import Entrant
from inarow.teaching.league.settings import LeagueError

LEAST_RUNS = 60
"""Shorter programs are alike by nature."""
NEAR = 0.7
"""The share of common runs, of all runs of both, from which two programs are flagged."""
MOST_BYTES = 512 << 10
"""Of Python in one hand-in; larger ones are compared byte by byte only."""
SECONDS = 10.0
"""For reading one hand-in."""


@dataclass(frozen=True)
class Alike:
    """Two hand-ins that have much in common."""

    a: str
    b: str
    share: float
    """Of what they have in common; 1 if they are the same but for names and layout."""
    identical: bool
    """Whether all bytes are the same."""


@dataclass
class Likeness:
    """The pairs that look copied, and what could not be compared."""

    alike: list[Alike] = field(default_factory=list)
    """The most alike first."""
    skipped: dict[str, str] = field(default_factory=dict)
    """By entrant: which file was compared byte by byte only, and why."""


def find_alike(entrants: Sequence[Entrant], starter: Path | None = None) -> Likeness:
    """Find all pairs that are identical or nearly so. What the starter has does not count."""
    found = Likeness()
    able = [one for one in entrants if one.agent is not None]
    snapshots = {one.digest: one.agent.snapshot for one in able if one.agent is not None}
    given = _starter_runs(starter) if starter is not None else frozenset()
    runs: dict[str, frozenset[int]] = {}
    for digest, snapshot in snapshots.items():
        try:
            runs[digest] = _runs(snapshot) - given
        except _Skipped as reason:
            runs[digest] = frozenset()
            found.skipped |= {one.name: f"{one.file} {reason}" for one in able if one.digest == digest}
    for a, b in combinations(able, 2):
        identical = a.digest == b.digest
        share = 1.0 if identical else _share(runs[a.digest], runs[b.digest])
        if share >= NEAR:
            found.alike.append(Alike(a.name, b.name, round(share, 3), identical))
    found.alike.sort(key=lambda one: (-one.share, not one.identical, one.a, one.b))
    return found


def _starter_runs(starter: Path) -> frozenset[int]:
    try:
        return _runs(read(starter))
    except _Skipped as reason:
        raise LeagueError(f"the starter {starter} {reason}") from None


def _share(a: frozenset[int], b: frozenset[int]) -> float:
    if min(len(a), len(b)) < LEAST_RUNS:
        return 0.0
    return len(a & b) / len(a | b)


class _Skipped(Exception):
    """A program that is not compared; the message says why."""


def _runs(snapshot: Snapshot) -> frozenset[int]:
    """Return the runs of tokens of all Python files, read by a child process (see `tokens`).

    Raises `_Skipped` if they can't be read within the limits.
    """
    sources = [data for name, data in snapshot.files if name.endswith(".py")]
    if sum(map(len, sources)) > MOST_BYTES:
        raise _Skipped(f"has more than {MOST_BYTES >> 10} kB of Python")
    question = json.dumps([data.decode("latin-1") for data in sources]).encode()
    try:
        command = [sys.executable, "-I", "-S", tokens.__file__]
        done = subprocess.run(command, input=question, capture_output=True, timeout=SECONDS, check=True)
        return frozenset(json.loads(done.stdout))
    except (subprocess.SubprocessError, ValueError):
        raise _Skipped(f"can't be read as Python within {SECONDS:g} s and {tokens.MEGABYTES} MB") from None
