"""Find similar submissions, even if code was renamed, reordered, reformatted or added, and show both side by side.

Two programs are compared by their fingerprints (see `tokens`): the share of each that the other contains. Padding
lowers the share of the padded program, not that of the original. Similarity is a reason to look, not a proof.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, product
from pathlib import Path
from typing import Any

from inarow.agents.external.staging import Snapshot, read
from inarow.agents.parameters import AgentError
from inarow.teaching.league import tokens
from inarow.teaching.league.entrants import LeagueError, is_junk, take_in

MIN_COMMON = 24
"""Minimum number of common fingerprints of a listed pair; short programs are always similar."""
NEAR = 0.5
"""Minimum share of the smaller program that the other contains."""
MAX_BYTES = 512 << 10
"""Maximum bytes of Python in a submission; larger ones are compared byte by byte only."""
SECONDS = 10.0
"""Time limit for reading one submission."""


@dataclass(frozen=True)
class ComparedProgram:
    """A submission, or one of an earlier year."""

    name: str
    snapshot: Snapshot
    reference: bool = False
    """True if it is compared with submissions only, not with other references."""

    @cached_property
    def sources(self) -> list[tuple[str, bytes]]:
        """The Python files by name."""
        return [(name, data) for name, data in self.snapshot.files if name.endswith(".py")]


Places = Mapping[int, Sequence[tuple[int, int, int]]]
"""The places of each fingerprint: index of the file, first and last line."""


@dataclass(frozen=True)
class Similar:
    """A pair of similar programs."""

    a: ComparedProgram
    b: ComparedProgram
    of_a: float
    """The share of a's fingerprints that b contains."""
    of_b: float
    identical: bool
    """True if all bytes are the same."""
    places: tuple[Places, Places] = field(default=({}, {}), compare=False, repr=False)
    """The places of common fingerprints in both."""


@dataclass(frozen=True)
class SimilarCluster:
    """Programs that similar pairs connect, directly or through others."""

    programs: tuple[ComparedProgram, ...]
    links: tuple[Similar, ...] = ()
    """The most similar pairs that connect all of them, one fewer than programs."""

    @property
    def identical(self) -> list[list[str]]:
        """The names of programs whose bytes are all the same, in groups, the largest first."""
        groups: dict[str, list[str]] = {}
        for one in self.programs:
            groups.setdefault(one.snapshot.digest, []).append(one.name)
        return sorted(
            (sorted(group) for group in groups.values() if len(group) > 1), key=lambda group: (-len(group), group)
        )

    @property
    def near(self) -> list[str]:
        """The names of the other programs."""
        identical = {name for group in self.identical for name in group}
        return sorted(one.name for one in self.programs if one.name not in identical)


@dataclass
class Similarity:
    """Similar pairs, and programs that could not be compared."""

    pairs: list[Similar] = field(default_factory=list)
    """The most similar first."""
    skipped: dict[str, str] = field(default_factory=dict)
    """The reason why a program was compared byte by byte only, or not at all, by name."""

    @property
    def clusters(self) -> list[SimilarCluster]:
        """The clusters of similar programs, the largest first."""
        found: dict[str, SimilarCluster] = {}
        for pair in self.pairs:  # the best first, so that the first to connect two clusters are the best to look at
            a, b = (found.get(one.name) or SimilarCluster((one,)) for one in (pair.a, pair.b))
            if a is not b:
                joined = SimilarCluster(a.programs + b.programs, (*a.links, *b.links, pair))
                found |= {one.name: joined for one in joined.programs}
        distinct = {id(one): one for one in found.values()}.values()
        return sorted(distinct, key=lambda one: (-len(one.programs), one.programs[0].name))


def find_similar(
    programs: Sequence[ComparedProgram], *, starter: Path | None = None, references: Sequence[Path] = ()
) -> Similarity:
    """Find all pairs that are identical or similar. Fingerprints of the starter do not count.

    ``references`` are folders of earlier submissions; they are compared with the programs, not among themselves.
    """
    found = Similarity()
    earlier = [one for folder in references for one in _read_references(folder, found)]
    given = set() if starter is None else set(_fingerprints(ComparedProgram("the starter", read(starter))))
    known: dict[str, Places] = {}
    for one in (*programs, *earlier):
        if one.snapshot.digest in known:
            continue
        try:
            known[one.snapshot.digest] = {k: v for k, v in _fingerprints(one).items() if k not in given}
        except _Skipped as reason:
            known[one.snapshot.digest] = {}
            same = (other.name for other in (*programs, *earlier) if other.snapshot.digest == one.snapshot.digest)
            found.skipped |= dict.fromkeys(same, f"only compared byte by byte: it {reason}")
    for a, b in (*combinations(programs, 2), *product(programs, earlier)):
        pair = _compare(a, b, known[a.snapshot.digest], known[b.snapshot.digest])
        if pair is not None:
            found.pairs.append(pair)
    found.pairs.sort(key=lambda one: (-max(one.of_a, one.of_b), not one.identical, one.a.name, one.b.name))
    return found


def _compare(a: ComparedProgram, b: ComparedProgram, of_a: Places, of_b: Places) -> Similar | None:
    common = of_a.keys() & of_b.keys()
    places = tuple({one: places[one] for one in common} for places in (of_a, of_b))
    if a.snapshot.digest == b.snapshot.digest:
        return Similar(a, b, 1.0, 1.0, identical=True, places=(places[0], places[1]))
    if len(common) < MIN_COMMON or len(common) / min(len(of_a), len(of_b)) < NEAR:
        return None
    mine, theirs = (round(len(common) / len(one), 3) for one in (of_a, of_b))
    return Similar(a, b, mine, theirs, identical=False, places=(places[0], places[1]))


def _read_references(folder: Path, found: Similarity) -> Iterator[ComparedProgram]:
    if not folder.is_dir():
        raise LeagueError(f"{folder} is not a folder; references are folders of earlier submissions")
    for path in sorted(folder.iterdir()):
        if not is_junk(path.name):
            name = f"{folder.name}/{path.name}"
            try:
                yield ComparedProgram(name, take_in(path), reference=True)
            except AgentError as error:
                found.skipped[name] = f"not compared: {error}"


class _Skipped(LeagueError):
    """A program can't be compared; the message is the reason."""


def _fingerprints(program: ComparedProgram) -> Places:
    """Return a program's fingerprints, computed by a child process (see `tokens`).

    Raises `_Skipped` if it can't be read within the limits.
    """
    sources = [data for _, data in program.sources]
    if sum(map(len, sources)) > MAX_BYTES:
        raise _Skipped(f"has more than {MAX_BYTES >> 10} kB of Python")
    question = json.dumps([data.decode("latin-1") for data in sources]).encode()
    try:
        command = [sys.executable, "-I", "-S", tokens.__file__]
        done = subprocess.run(command, input=question, capture_output=True, timeout=SECONDS, check=True)
        places: dict[int, list[tuple[int, int, int]]] = {}
        for code, file, first, last in json.loads(done.stdout):
            places.setdefault(code, []).append((file, first, last))
        return places
    except (subprocess.SubprocessError, ValueError):
        raise _Skipped(f"can't be read as Python within {SECONDS:g} s and {tokens.MEGABYTES} MB") from None


def side_by_side(pair: Similar) -> list[list[dict[str, Any]]]:
    """Return both programs as lines for a page; common passages have the same number in both.

    A passage is a range of lines of a that common fingerprints cover without a gap.
    """
    numbers: dict[int, int] = {}  # of fingerprints
    covered: dict[tuple[int, int], int] = {}  # lines of a
    passage, end = 0, (-1, -1)
    for file, first, last, code in sorted(
        (*place, code) for code, places in pair.places[0].items() for place in places
    ):
        if file != end[0] or first > end[1] + 1:
            passage, end = passage + 1, (file, last)
        end = (file, max(end[1], last))
        numbers.setdefault(code, passage)
        for line in range(first, last + 1):
            covered[file, line] = passage
    other: dict[tuple[int, int], int] = {}
    for code, places in pair.places[1].items():
        for file, first, last in places:
            for line in range(first, last + 1):
                other[file, line] = min(numbers[code], other.get((file, line), passage))
    return [list(_lines(one, marks)) for one, marks in ((pair.a, covered), (pair.b, other))]


def _lines(program: ComparedProgram, marks: Mapping[tuple[int, int], int]) -> Iterator[dict[str, Any]]:
    seen: set[int] = set()
    for file, (name, data) in enumerate(program.sources):
        if len(program.sources) > 1:
            yield {"number": "", "text": name, "passage": 0, "first": False}
        for number, text in enumerate(data.decode("utf-8", errors="replace").splitlines(), start=1):
            passage = marks.get((file, number), 0)
            yield {"number": number, "text": text, "passage": passage, "first": bool(passage) and passage not in seen}
            seen.add(passage)


def programs_of(entrants: Iterable[Any]) -> list[ComparedProgram]:
    """Return the readable submissions of entrants."""
    return [ComparedProgram(one.name, one.agent.snapshot) for one in entrants if one.agent is not None]
