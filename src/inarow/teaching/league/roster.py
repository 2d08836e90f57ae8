"""Who is who: a roster as spreadsheets and learning platforms write it, and marks in the form that they import.

A roster is CSV with commas, semicolons or tabs, in UTF-8, UTF-16 or Latin-1. Its first line names the columns. A list
of participants from Moodle or Canvas will do: columns are known by several names, and all others are kept.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from inarow.errors import printable
from inarow.paths import MOST_TEXT
from inarow.teaching.league.settings import LeagueError

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
"""What a column holds, by its names in lower case."""
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


@dataclass(frozen=True)
class Student:
    """A row of a roster."""

    name: str
    file: str = ""
    """What was handed in; empty if it is to be found by name, number, login or e-mail address."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """All columns of the roster, as they were."""

    def get(self, kind: str) -> str:
        """Return the first column of a kind that is not empty."""
        found = (value for head, value in self.columns.items() if head.strip().lower() in _KNOWN[kind])
        return next(filter(None, found), "")

    @property
    def keys(self) -> set[str]:
        """What a hand-in without a file name in the roster may be called, in lower case."""
        mail = self.get("mail")
        words = (self.name, self.get("id"), self.get("login"), mail, mail.partition("@")[0])
        return {word.casefold() for word in words if word}

    @property
    def submitted(self) -> datetime | None:
        """When it was handed in, if the roster says so. Raises `LeagueError` if that is no time."""
        text = self.get("submitted")
        try:
            return datetime.fromisoformat(text).astimezone() if text else None
        except ValueError:
            raise LeagueError(
                f"the roster has {text!r:.40} as the time at which {self.name} submitted; "
                "a time such as 2026-11-20T23:59 was expected"
            ) from None

    @property
    def late_days(self) -> int | None:
        """How many late days are left, if the roster says so. Raises `LeagueError` if that is no number."""
        text = self.get("late days")
        if text and not (text.isascii() and text.isdigit() and len(text) < 5):
            raise LeagueError(f"the roster has {text!r:.40} late days of {self.name}; a whole number was expected")
        return int(text) if text else None


def read_roster(path: Path) -> list[Student]:
    """Read a roster. Raises `LeagueError` that says which line is wrong."""
    text = _decoded(path)
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    students: list[Student] = []
    try:
        names = [name.strip() for name in reader.fieldnames or ()]
        lower = [name.lower() for name in names]
        if not any(name in _KNOWN["name"] for name in lower) and not {*_KNOWN["last"]} & {*lower}:
            given = ", ".join(names) or "nothing"
            raise LeagueError(
                f"{path} has no column name; its first line must name the columns, such as file, name: {given}"
            )
        reader.fieldnames = names
        for values in reader:
            cells = {key: (value or "").strip() for key, value in values.items() if key and not isinstance(value, list)}
            if any(cells.values()) and not next(iter(cells.values())).lower().startswith("points possible"):  # Canvas
                students.append(_student(cells, f"{path}, line {reader.line_num}"))
    except csv.Error as error:
        raise LeagueError(f"{path}, line {reader.line_num}: {error}") from None
    _refuse_twice(path, students)
    return students


def _decoded(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise LeagueError(f"{path} can't be read: {error.strerror}") from None
    if len(data) > MOST_TEXT:
        raise LeagueError(f"{path} can't be read: it is longer than {MOST_TEXT:,} characters")
    marked = [encoding for mark, encoding in _MARKS.items() if data.startswith(mark)]
    for encoding in (*marked, "utf-8", "cp1252"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
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


def _refuse_twice(path: Path, students: Sequence[Student]) -> None:
    seen: set[str] = set()
    for one in students:
        if one.name.casefold() in seen:
            raise LeagueError(f"{path} has the name {one.name} twice; add something that tells the two apart")
        seen.add(one.name.casefold())


@dataclass(frozen=True)
class StudentMark:
    """What a platform is told about one student."""

    student: Student
    points: float
    feedback: str
    """One line."""


def cell(text: str) -> str:
    """Return text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t")) else text


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV with commas; no cell is a formula."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([cell(str(value)) if isinstance(value, str) else value for value in row] for row in rows)
    return text.getvalue()


def moodle_csv(marks: Sequence[StudentMark], most: float) -> str:
    """Return marks as Moodle imports them: its own grading worksheet filled in, or a table for the gradebook."""
    heads = list(marks[0].student.columns) if marks else []
    if {"Identifier", "Grade"} <= {*heads}:
        filled = {"Maximum Grade": f"{most:g}"}
        rows = []
        for one in marks:
            own = {"Grade": f"{one.points:g}", "Feedback comments": one.feedback, **filled}
            rows.append([own.get(head, one.student.columns.get(head, "")) for head in heads])
        return csv_text([heads, *rows])
    head = ["Username", "ID number", "Email address", "Full name", "Grade", "Feedback comments"]
    return csv_text(
        [
            head,
            *(
                [
                    *(one.student.get(kind) for kind in ("login", "id", "mail")),
                    one.student.name,
                    f"{one.points:g}",
                    one.feedback,
                ]
                for one in marks
            ),
        ]
    )


def canvas_csv(marks: Sequence[StudentMark], title: str, most: float) -> str:
    """Return marks as Canvas's gradebook imports them."""
    known = ("ID", "SIS User ID", "SIS Login ID", "Section")
    rows: list[list[str]] = [["Student", *known, title], ["    Points Possible", "", "", "", "", f"{most:g}"]]
    for one in marks:
        columns = {head.lower(): value for head, value in one.student.columns.items()}
        kinds = {"SIS User ID": "id", "SIS Login ID": "login", "Section": "group"}
        others = [
            columns.get(head.lower()) or (one.student.get(kinds[head]) if head in kinds else "") for head in known
        ]
        rows.append([one.student.name, *others, f"{one.points:g}"])
    return csv_text(rows)


_ADJECTIVES = """
amber azure bold brave calm clever copper coral crimson eager gentle golden green happy ivory jolly keen lively lucky
merry mild noble olive proud purple quick quiet ruby rusty scarlet silver sunny swift teal violet wise"""
_ANIMALS = """
badger beaver bison cat crane crow deer dolphin eagle falcon fox gecko goose hare heron horse ibis jackdaw kestrel koala
lark lemur lynx marten mole newt otter owl panda puffin rabbit raven robin seal stork swan tiger turtle walrus weasel
wolf wren zebra"""


def pseudonyms(names: Iterable[str], draw: Mapping[str, int]) -> dict[str, str]:
    """Return a public name for each name, by a secret number that belongs to it; no two are the same."""
    adjectives, animals = _ADJECTIVES.split(), _ANIMALS.split()
    found: dict[str, str] = {}
    for name in sorted(names, key=lambda one: (draw[one], one)):  # whatever the order in which they are given
        first = f"{adjectives[draw[name] % len(adjectives)]} {animals[draw[name] // 64 % len(animals)]}"
        others = (f"{first} {number}" for number in range(2, len(found) + 3))
        found[name] = next(one for one in (first, *others) if one not in found.values())
    return found
