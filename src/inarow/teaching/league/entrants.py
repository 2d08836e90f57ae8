"""The entrants of a league: the files and folders of a folder, and the roster that names their authors.

Everything in the folder is an entrant, with an agent or with the reason why it has none. Settings and rosters are
never read from there, where any entrant could have put them. A roster is CSV with commas, semicolons or tabs, in
UTF-8, UTF-16 or Latin-1. Its first line names the columns; the names that Moodle and Canvas use for them are known, and
unknown columns are kept.

A submission is a Python file, a folder, an archive or a notebook. Reading it executes and writes nothing; archives are
unpacked in memory, with the same limits as folders. Its agent is identified by its content alone, not by its author,
its name or its location.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import gzip
import hashlib
import io
import json
import os
import re
import stat
import tarfile
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import count, islice
from pathlib import Path, PurePosixPath
from typing import TypeVar

from inarow.agents import Agent
from inarow.agents.external import USUAL_PACKAGES, Policy, current, using
from inarow.agents.external.staging import (
    LEFT_OUT,
    MAX_BYTES,
    MAX_DEPTH,
    MAX_FILES,
    Declared,
    Snapshot,
    choose_entry,
    read_files,
)
from inarow.agents.file import File, refuse_unsafe
from inarow.agents.parameters import AgentError
from inarow.errors import InarowError, printable
from inarow.paths import MAX_TEXT
from inarow.rules import Game

NAME_LENGTH = 60
_KNOWN = {
    "file": ("file", "folder"),
    "name": ("name", "full name", "student", "student name"),
    "first": ("first name", "given name"),
    "last": ("last name", "surname", "family name"),
    "team": ("team",),
    "group": ("group", "section"),
    "id": ("id number", "id", "student id", "sis user id"),
    "login": ("username", "login", "sis login id"),
    "mail": ("email address", "email", "e-mail", "mail"),
    "submitted": ("submitted", "submission time"),
    "late days": ("late days", "late_days"),
}
"""The meaning of a column, by its names in lower case."""
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


@dataclass(frozen=True)
class Student:
    """A row of a roster."""

    name: str
    file: str = ""
    """The name of the submission; empty if it is found by name, number, login or e-mail address."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """All columns of the roster, unchanged."""

    def get(self, kind: str) -> str:
        """Return the first value of a kind of column (see `_KNOWN`) that is not empty."""
        found = (value for head, value in self.columns.items() if head.strip().lower() in _KNOWN[kind])
        return next(filter(None, found), "")

    @property
    def keys(self) -> set[str]:
        """The names under which a submission is found if the roster names no file, in lower case."""
        mail = self.get("mail")
        words = (self.name, self.get("id"), self.get("login"), mail, mail.partition("@")[0])
        return {word.casefold() for word in words if word}

    @property
    def submitted(self) -> datetime | None:
        """The time of submission, if the roster has it. Raises `LeagueError` if it is invalid."""
        text = self.get("submitted")
        try:
            return datetime.fromisoformat(text).astimezone() if text else None
        except ValueError:
            raise LeagueError(
                f"the roster has {text!r:.40} as the time of submission of {self.name}; "
                "expected a time such as 2026-11-20T23:59"
            ) from None

    @property
    def late_days(self) -> int | None:
        """The late days left, if the roster has them. Raises `LeagueError` if the number is invalid."""
        text = self.get("late days")
        if text and not (text.isascii() and text.isdigit() and len(text) < 5):
            raise LeagueError(f"the roster has {text!r:.40} late days for {self.name}; expected an integer")
        return int(text) if text else None


Named = TypeVar("Named", "Student", "Entrant")


def read_roster(path: Path) -> list[Student]:
    """Read a roster. Raises `LeagueError` with the number of an invalid line."""
    text = _decoded(path)
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    students: list[Student] = []
    try:
        names = [name.strip() for name in reader.fieldnames or ()]
        lower = [name.lower() for name in names]
        if not any(name in _KNOWN["name"] for name in lower) and not {*_KNOWN["last"]} & {*lower}:
            found = ", ".join(names) or "nothing"
            raise LeagueError(
                f"{path} has no column name; its first line must name the columns, such as file, name: {found}"
            )
        reader.fieldnames = names
        for values in reader:
            cells = {key: (value or "").strip() for key, value in values.items() if key and not isinstance(value, list)}
            if any(cells.values()) and not next(iter(cells.values())).lower().startswith("points possible"):  # Canvas
                students.append(_student(cells, f"{path}, line {reader.line_num}"))
    except csv.Error as error:
        raise LeagueError(f"{path}, line {max(1, reader.line_num)}: {error}") from None
    if (one := _first_repeated(students)) is not None:
        raise LeagueError(f"{path} has the name {one[1].name} twice; add something that tells the two apart")
    return students


def _decoded(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise LeagueError(f"{path} can't be read: {error.strerror}") from None
    if len(data) > MAX_TEXT:
        raise LeagueError(f"{path} can't be read: it is longer than {MAX_TEXT:,} characters")
    marked = [encoding for mark, encoding in _MARKS.items() if data.startswith(mark)]
    for encoding in (*marked, "utf-8", "cp1252"):
        with contextlib.suppress(UnicodeDecodeError):
            if "\0" not in (text := data.decode(encoding)):
                return text
    raise LeagueError(f"{path} can't be read: it is not a text file; save it as CSV in UTF-8")


def _student(cells: dict[str, str], place: str) -> Student:
    row = Student("", "", cells)
    name = printable(row.get("name") or f"{row.get('first')} {row.get('last')}".strip(), NAME_LENGTH)
    if not name:
        raise LeagueError(f"{place}: a name is needed; given: {', '.join(filter(None, cells.values()))}")
    file = row.get("file")
    if "/" in file or "\\" in file:
        raise LeagueError(f"{place}: {file} is not a file or folder right below the league's folder")
    student = Student(name, file, cells)
    _ = student.submitted, student.late_days  # raise if they can't be read
    return student


def _first_repeated(named: Iterable[Named]) -> tuple[Named, Named] | None:
    """Return the first two with the same name, ignoring case."""
    seen: dict[str, Named] = {}
    for one in named:
        if (other := seen.setdefault(one.name.casefold(), one)) is not one:
            return other, one
    return None


_ADJECTIVES = """
amber azure bold brave calm clever copper coral crimson eager gentle golden green happy ivory jolly keen lively lucky
merry mild noble olive proud purple quick quiet ruby rusty scarlet silver sunny swift teal violet wise"""
_ANIMALS = """
badger beaver bison cat crane crow deer dolphin eagle falcon fox gecko goose hare heron horse ibis jackdaw kestrel koala
lark lemur lynx marten mole newt otter owl panda puffin rabbit raven robin seal stork swan tiger turtle walrus weasel
wolf wren zebra"""


def pseudonyms(names: Iterable[str], draw: Mapping[str, int]) -> dict[str, str]:
    """Return a unique public name for each name, chosen by the name's secret random number."""
    adjectives, animals = _ADJECTIVES.split(), _ANIMALS.split()
    found: dict[str, str] = {}
    for name in sorted(names, key=lambda one: (draw[one], one)):  # independent of the order of the names
        first = f"{adjectives[draw[name] % len(adjectives)]} {animals[draw[name] // 64 % len(animals)]}"
        others = (f"{first} {number}" for number in range(2, len(found) + 3))
        found[name] = next(one for one in (first, *others) if one not in found.values())
    return found


ROSTER = "roster.csv"
SETTINGS = "league.toml"


@dataclass(frozen=True)
class Entrant:
    """An entrant, with an agent or with the reason why it has none."""

    name: str
    group: str
    file: str
    """The name of the file or folder; empty if nothing was handed in."""
    agent: SubmittedFile | None
    problem: str = ""
    """Why it can't play."""
    students: tuple[Student, ...] = ()
    """Its students on the roster; several are a team."""
    submitted: datetime | None = None
    """The time in the roster, else that of the newest file."""
    alias: str = ""
    """A pseudonym for the site."""

    @property
    def public(self) -> str:
        """The name on the site."""
        return self.alias or self.name

    @property
    def digest(self) -> str:
        """The SHA-256 of what was handed in; empty if it could not be read."""
        return "" if self.agent is None else self.agent.digest

    @property
    def authors(self) -> tuple[Student, ...]:
        """Its students; one with its own name if the roster has none."""
        return self.students or (Student(self.name),)

    def is_called(self, name: str) -> bool:
        """Return True if this is the name of the entrant or of one of its students, ignoring case."""
        return name.casefold() in {self.name.casefold(), *(student.name.casefold() for student in self.students)}


def page_name(name: str) -> str:
    """Return the name of an entrant's files: its letters in any script, and a hash that differs between names."""
    kept = "".join(letter if unicodedata.category(letter)[0] in "LMN" else " " for letter in name.casefold())
    tag = hashlib.blake2b(name.encode(), digest_size=8).hexdigest()
    return "-".join([*kept[:40].split(), tag])


def read_entrants(
    folder: Path, roster: Path | None = None, policy: Policy | None = None, besides: Iterable[Path] = ()
) -> list[Entrant]:
    """Read the entrants of a folder, sorted by name. Raises `LeagueError` if it is empty or the roster is wrong.

    Each file and each subfolder is an entrant, named like it unless the roster has a name for it. Several rows of the
    roster with the same file are a team. Students who handed nothing in are entrants, too. The paths ``besides``, such
    as the league's own results, are not. Submissions that share a name with another, ignoring case, can't play.
    """
    if not folder.is_dir():
        raise LeagueError(f"{folder} is not a folder; give the folder with what was handed in")
    left_out = {os.path.realpath(path) for path in besides}
    found = {
        path.name: path
        for path in sorted(folder.iterdir())
        if os.path.realpath(path) not in left_out and not is_junk(path.name)
    }
    teams, absent = _assign(read_roster(roster) if roster is not None else [], found)
    names = _names(found, teams, absent)
    with using(policy or Policy(packages=USUAL_PACKAGES)):
        entrants = [_entrant(path, names[file], teams.get(file, ())) for file, path in found.items()]
    entrants += [
        Entrant(_called(team), team[0].get("group"), "", None, "nothing was handed in", tuple(team)) for team in absent
    ]
    if not entrants:
        raise LeagueError(f"{folder} is empty; put a file or folder there for each entrant")
    return sorted(_told_apart(entrants), key=lambda entrant: (entrant.name.casefold(), entrant.name))


def _told_apart(entrants: Sequence[Entrant]) -> Iterator[Entrant]:
    """Yield the entrants, those that share a name with a number and without an agent, unless the roster named them."""
    if (same := _first_repeated(one for one in entrants if one.students)) is not None:
        files = " and ".join(one.file or "(nothing handed in)" for one in same)
        raise LeagueError(f"the roster gives two entrants the name {same[1].name}: {files}; tell them apart there")
    names = Counter(one.name.casefold() for one in entrants)
    for one in entrants:
        if one.students or names[one.name.casefold()] == 1:
            yield one
            continue
        number = next(n for n in count(1) if f"{one.name} ({n})".casefold() not in names)
        names[f"{one.name} ({number})".casefold()] = 1
        files = " and ".join(other.file for other in entrants if other.name.casefold() == one.name.casefold())
        reason = f"several submissions have this name ({files}); rename them, or name them in a roster"
        yield replace(one, name=f"{one.name} ({number})", agent=None, problem=reason)


Teams = dict[str, list[Student]]
"""Students by the submitted file."""


def _assign(students: Sequence[Student], files: dict[str, Path]) -> tuple[Teams, list[list[Student]]]:
    """Return the students of each submission, and the teams without one."""
    titles = {title_of(file).casefold(): file for file in reversed(files)}
    by_team = {one.get("team"): one.file for one in students if one.file and one.get("team")}
    teams: Teams = {}
    absent: Teams = {}
    for one in students:
        keys = {*one.keys, one.get("team").casefold()}
        found = one.file or by_team.get(one.get("team"), "") or next((titles[k] for k in keys if k in titles), "")
        place = teams if found in files else absent
        place.setdefault(found or f"/{one.get('team') or one.name}", []).append(one)
    return teams, list(absent.values())


def _called(team: Sequence[Student]) -> str:
    """Return the name of one student, or of a team: its own, or those of its members."""
    named = next(filter(None, (one.get("team") for one in team)), "") if len(team) > 1 else ""
    return printable(named or " & ".join(one.name for one in team), NAME_LENGTH)


def _names(files: Iterable[str], teams: Teams, absent: Sequence[Sequence[Student]]) -> dict[str, str]:
    """Return the name of each file's author: as the roster says, else the file's own, in full if others share it."""
    short = {file: _called(teams[file]) if file in teams else printable(title_of(file), NAME_LENGTH) for file in files}
    count = Counter(name.casefold() for name in (*short.values(), *map(_called, absent)))
    return {
        file: name if file in teams or count[name.casefold()] == 1 else printable(file, NAME_LENGTH)
        for file, name in short.items()
    }


def _entrant(path: Path, name: str, students: Sequence[Student]) -> Entrant:
    group = printable(students[0].get("group"), NAME_LENGTH) if students else ""
    file, members, time = printable(path.name, 0), tuple(students), _submitted(path, students)
    try:
        return Entrant(name, group, file, SubmittedFile.made_of(take_in(path)), "", members, time)
    except AgentError as error:
        reason = str(error).removeprefix("agent file: ").replace(str(path), file)
        return Entrant(name, group, file, None, printable(reason), members, time)


def read_one(path: Path, policy: Policy) -> Entrant:
    """Read a single submission. Raises `LeagueError` if it does not exist."""
    if not path.exists():
        raise LeagueError(f"{path} does not exist; give the file, folder or archive to hand in")
    with using(policy):
        return _entrant(path, printable(title_of(path.name), NAME_LENGTH), ())


def _submitted(path: Path, students: Sequence[Student]) -> datetime | None:
    """Return the latest time in the roster, else that of the newest file."""
    if given := [one.submitted for one in students if one.submitted is not None]:
        return max(given)
    try:
        files = [path] if not path.is_dir() else [*islice((one for one in path.rglob("*") if one.is_file()), 1000)]
        newest = max((one.lstat().st_mtime for one in files), default=None)
    except OSError:
        return None
    return None if newest is None else datetime.fromtimestamp(int(newest), UTC)


ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz")
NOTEBOOK = ".ipynb"
KINDS = (".py", NOTEBOOK, *ARCHIVES)
_DIRECTORY_BYTES = 1 << 20
"""The largest list of files that a zip archive may have."""
_NESTED_ARCHIVES = 3
_KEPT_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun")
"""Cells that begin with one of these are Python."""

_DAMAGED = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, OSError, ValueError, RuntimeError)
"""The exceptions of damaged or unusual archives."""

Files = Mapping[str, bytes]
"""Content by path, with ``/`` between folders."""


class LeagueError(InarowError):
    """The settings, the roster, the submissions or the command of a league are invalid."""


def is_junk(name: str) -> bool:
    """Return True for files that systems add to folders and archives: hidden files, caches, thumbnails."""
    return name.startswith(".") or name in (*LEFT_OUT, "__MACOSX", "Thumbs.db", "desktop.ini")


def kind_of(name: str) -> str:
    """Return a file's suffix, one of `KINDS`; empty if the file can't be used."""
    return next((suffix for suffix in KINDS if name.lower().endswith(suffix)), "")


def title_of(name: str) -> str:
    """Return a submission's name without the suffix and without Moodle's additions."""
    stem = name[: len(name) - len(kind_of(name))]
    return re.sub(r"_\d+_assignsubmission_\w*$", "", stem) or name


def take_in(path: Path) -> Snapshot:
    """Read a submission. Raises `AgentError` with the reason if it can't be used."""
    files = read_files(path)
    if not path.is_dir() and not kind_of(path.name):
        kind = f"a {path.suffix.lower()} file" if path.suffix else "a file without a suffix"
        hint = "; rename it to .py if it is Python" if path.suffix.lower() == ".txt" else ""
        raise AgentError(
            f"{kind} can't be used: expected a .py file, a folder, a notebook (.ipynb) or an archive "
            f"({', '.join(ARCHIVES)}){hint}"
        )
    return _project(files, path.name)


def _project(files: Files, name: str) -> Snapshot:
    """Find the only project among files: descend into folders and archives while only one is possible."""
    files = _without_junk(files)
    folder, archives = name, 0
    while True:
        if any(kind_of(at) == ".py" for at in files if "/" not in at):
            lower = {f"{at[:-3]}.py" if kind_of(at) == ".py" else at: data for at, data in files.items()}
            return Snapshot(choose_entry(lower, Path(folder)), tuple(sorted(lower.items())))
        usable = sorted({at.partition("/")[0] for at in files if kind_of(at)})
        if len(usable) != 1:
            found = f"has {', '.join(usable[:5])}; hand in one of them" if usable else "has no Python file"
            raise AgentError(f"{name} {found}")
        (folder,) = usable
        if folder not in files:
            files = {at.partition("/")[2]: data for at, data in files.items() if at.startswith(f"{folder}/")}
        elif kind_of(folder) == NOTEBOOK:
            return Snapshot("agent.py", (("agent.py", notebook_source(files[folder], folder)),))
        else:
            archives += 1
            if archives > _NESTED_ARCHIVES:
                raise AgentError(f"{name} has archives nested more than {_NESTED_ARCHIVES} deep")
            files = _without_junk(dict(unpack(files[folder], folder)))


def _without_junk(files: Files) -> dict[str, bytes]:
    return {name: data for name, data in files.items() if not any(map(is_junk, PurePosixPath(name).parts))}


def unpack(data: bytes, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an archive. Raises `AgentError` if it is damaged, too large or has unsafe names or links."""
    try:
        size = count = 0
        for member, content in _zip(data, name) if kind_of(name) == ".zip" else _tar(data, name):
            parts = PurePosixPath(member).parts
            if "\\" in member or "\0" in member or ":" in member or member.startswith("/") or ".." in parts:
                raise AgentError(f"{name} has the unsafe file name {member!r:.60}")
            if len(parts) > MAX_DEPTH:
                raise AgentError(f"{name} has folders nested more than {MAX_DEPTH} deep")
            size, count = size + len(content), count + 1
            if count > MAX_FILES or size > MAX_BYTES:
                raise _too_large(name)
            yield str(PurePosixPath(member)), content
    except AgentError:
        raise
    except _DAMAGED as error:
        raise AgentError(f"{name} can't be unpacked: {str(error) or type(error).__name__}") from None


def _too_large(name: str) -> AgentError:
    return AgentError(f"{name} unpacks to more than {MAX_FILES} files or {MAX_BYTES >> 20} MB")


def _zip(data: bytes, name: str) -> Iterator[tuple[str, bytes]]:
    end = data.rfind(b"PK\5\6")
    if end >= 0 and int.from_bytes(data[end + 12 : end + 16], "little") > _DIRECTORY_BYTES:
        raise _too_large(name)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            if info.is_dir():
                continue
            if stat.S_ISLNK(info.external_attr >> 16):
                raise AgentError(f"{name} has the link {info.filename!r:.60}; an archive must hold its files itself")
            if info.flag_bits & 1:
                raise AgentError(f"{name} is encrypted")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise AgentError(f"{name} is compressed in an unusual way; make a usual .zip archive")
            with archive.open(info) as file:
                yield info.filename, file.read(MAX_BYTES + 1)


def _tar(data: bytes, name: str) -> Iterator[tuple[str, bytes]]:
    if kind_of(name) != ".tar":
        with gzip.open(io.BytesIO(data)) as packed:
            data = packed.read(2 * MAX_BYTES)
            if packed.read(1):
                raise _too_large(name)
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        for member in archive:
            if member.isdir():
                continue
            if not member.isreg() or member.issparse():
                raise AgentError(f"{name} has {member.name!r:.60}, which is a link or not a file")
            file = archive.extractfile(member)
            assert file is not None
            yield member.name, file.read(MAX_BYTES + 1)


def notebook_source(data: bytes, name: str) -> bytes:
    """Return the code cells of a Jupyter notebook as one program, without IPython commands."""
    try:
        cells = json.loads(data)["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]  # a string, or its lines
    except (ValueError, KeyError, TypeError, RecursionError):
        raise AgentError(f"{name} is not a Jupyter notebook of format 4") from None
    python = [text for text in sources if not text.startswith("%%") or text.startswith(_KEPT_MAGICS)]
    program = "\n\n".join(re.sub(r"^(\s*)([%!].*)$", r"\1pass  # \2", text, flags=re.MULTILINE) for text in python)
    if not program.strip():
        raise AgentError(f"{name} has no code cells")
    return program.encode(errors="replace") + b"\n"


ENTRY = "agent.py"
"""The name of a single file during play, so that its own name makes no difference."""


@dataclass(frozen=True)
class SubmittedFile(File):
    """A file or folder that is identified by its content, so that identical submissions share stored results."""

    name = "submission"
    summary = "a file or folder that was handed in to a league"

    @classmethod
    def made_of(cls, snapshot: Snapshot) -> SubmittedFile:
        """Make an agent of files under the current policy, without parsing them."""
        if len(snapshot.files) == 1:
            snapshot = Snapshot(ENTRY, ((ENTRY, snapshot.files[0][1]),))
        policy = current()
        refuse_unsafe(policy)
        agent = object.__new__(cls)
        agent.__dict__.update(path=ENTRY, given="", values={}, policy=policy, snapshot=snapshot)
        return agent

    @property
    def spec(self) -> str:
        return f"submission@{self.digest[:12]}"

    @property
    def label(self) -> str:
        return self.spec

    @cached_property
    def declared(self) -> Declared:
        return Declared()

    def check(self, game: Game) -> None:
        """Check the system only: workers load the file, and a league goes on if that fails."""
        Agent.check(self, game)
        refuse_unsafe(self.policy)

    @cached_property
    def identity(self) -> str:
        names = self.policy.packages
        packages = " with any package" if names is None else "".join(f" with {name}" for name in sorted(names))
        return f"submission#{self.digest}{packages}" + (" with solvers" if self.policy.allow_solver else "")
