"""Who takes part: the files and folders of a folder, and the roster that names their authors.

Whatever is in the folder is an entrant, with an agent or with the reason why it has none. Settings and rosters are
never read from there: anyone who hands something in could have put them there.
"""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from inarow.agents.external.policy import USUAL_PACKAGES, Policy, using
from inarow.agents.parameters import AgentError
from inarow.errors import printable
from inarow.paths import read_text
from inarow.teaching.league.hand_in import HandIn
from inarow.teaching.league.intake import is_junk, take_in, title_of
from inarow.teaching.league.settings import LeagueError

ROSTER = "roster.csv"
SETTINGS = "league.toml"
_NAME_LENGTH = 60


@dataclass(frozen=True)
class Entrant:
    """One who takes part, with an agent or with the reason why there is none."""

    name: str
    group: str
    file: str
    """The name of the file or folder; empty if nothing was handed in."""
    agent: HandIn | None
    problem: str = ""
    """Why it can't play."""

    @property
    def digest(self) -> str:
        """The SHA-256 of what was handed in; empty if it could not be read."""
        return "" if self.agent is None else self.agent.digest


@dataclass(frozen=True)
class Row:
    """A row of the roster."""

    file: str
    name: str
    group: str


def read_entrants(
    folder: Path, roster: Path | None = None, policy: Policy | None = None, besides: Iterable[Path] = ()
) -> list[Entrant]:
    """The entrants of a folder, by name; raises `LeagueError` if there are none or two have one name.

    Each file and each subfolder is one, named like it unless the roster has a name for it. Who is on the roster but
    handed nothing in is an entrant as well. Those ``besides`` are left out, such as the league's own results.
    """
    if not folder.is_dir():
        raise LeagueError(f"{folder} is not a folder; give the folder with what was handed in")
    rows = {row.file: row for row in read_roster(roster)} if roster is not None else {}
    left_out = {os.path.realpath(path) for path in besides}
    found = {
        path.name: path
        for path in sorted(folder.iterdir())
        if os.path.realpath(path) not in left_out and not is_junk(path.name)
    }
    names = _names(found, rows)
    with using(policy or Policy(packages=USUAL_PACKAGES)):
        entrants = [_entrant(path, names[file], rows.get(file)) for file, path in found.items()]
    entrants += [
        Entrant(row.name, row.group, "", None, "nothing was handed in")
        for row in rows.values()
        if row.file not in found
    ]
    if not entrants:
        raise LeagueError(f"{folder} is empty; put a file or folder there for each entrant")
    _refuse_same_names(entrants)
    return sorted(entrants, key=lambda entrant: (entrant.name.casefold(), entrant.name))


def _names(files: Iterable[str], rows: Mapping[str, Row]) -> dict[str, str]:
    """Return the name of each file's author: as the roster says, else the file's own, in full if others share it."""
    short = {file: rows[file].name if file in rows else printable(title_of(file), _NAME_LENGTH) for file in files}
    count = Counter(name.casefold() for name in (*short.values(), *(r.name for f, r in rows.items() if f not in short)))
    return {
        file: name if file in rows or count[name.casefold()] == 1 else printable(file, _NAME_LENGTH)
        for file, name in short.items()
    }


def _entrant(path: Path, name: str, row: Row | None) -> Entrant:
    group = row.group if row is not None else ""
    file = printable(path.name, 0)
    try:
        return Entrant(name, group, file, HandIn.made_of(take_in(path)))
    except AgentError as error:
        words = str(error).removeprefix("agent file: ").replace(str(path), file)
        return Entrant(name, group, file, None, printable(words))


def _refuse_same_names(entrants: list[Entrant]) -> None:
    seen: dict[str, Entrant] = {}
    for entrant in entrants:
        other = seen.setdefault(entrant.name.casefold(), entrant)
        if other is not entrant:
            files = " and ".join(one.file or "(nothing handed in)" for one in (other, entrant))
            raise LeagueError(f"two entrants are called {entrant.name}: {files}; name them in a roster")


def read_roster(path: Path) -> list[Row]:
    """The rows of a roster: CSV with the columns file, name and, if wanted, group; others are ignored."""
    reader = csv.DictReader(io.StringIO(read_text(path, LeagueError)), strict=True)
    rows: list[Row] = []
    try:
        head = [name.strip().lower() for name in reader.fieldnames or ()]
        missing = [name for name in ("file", "name") if name not in head]
        if missing:
            given = ", ".join(head) or "nothing"
            raise LeagueError(
                f"{path} has no column {missing[0]}; its first line must name file, name and group: {given}"
            )
        reader.fieldnames = head
        for values in reader:
            cells = {key: (value or "").strip() for key, value in values.items() if key and not isinstance(value, list)}
            place = f"{path}, line {reader.line_num}"
            row = Row(
                cells["file"], printable(cells["name"], _NAME_LENGTH), printable(cells.get("group", ""), _NAME_LENGTH)
            )
            if not row.file or not row.name:
                raise LeagueError(f"{place}: a file and a name are needed; given: {', '.join(cells.values())}")
            if "/" in row.file or "\\" in row.file:
                raise LeagueError(f"{place}: {row.file} is not a file or folder right below the league's folder")
            rows.append(row)
    except csv.Error as error:
        raise LeagueError(f"{path}, line {reader.line_num}: {error}") from None
    for what, kind in (([row.file for row in rows], "file"), ([row.name.casefold() for row in rows], "name")):
        twice = next((row for row, one in zip(rows, what, strict=True) if what.count(one) > 1), None)
        if twice is not None:
            raise LeagueError(f"{path} has the {kind} {getattr(twice, kind)} twice")
    return rows
