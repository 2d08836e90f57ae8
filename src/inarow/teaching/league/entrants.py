"""Who takes part: the files and folders of a folder, and the roster that names their authors.

Whatever is in the folder is an entrant, with an agent or with the reason why it has none. Settings and rosters are
never read from there: anyone who hands something in could have put them there.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from inarow.agents.external.policy import USUAL_PACKAGES, Policy, using
from inarow.agents.parameters import AgentError
from inarow.errors import printable
from inarow.teaching.league.hand_in import HandIn
from inarow.teaching.league.intake import is_junk, take_in, title_of
from inarow.teaching.league.roster import NAME_LENGTH, Student, read_roster
from inarow.teaching.league.settings import LeagueError

ROSTER = "roster.csv"
SETTINGS = "league.toml"


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
    students: tuple[Student, ...] = ()
    """Those of the roster whose hand-in it is; several are a team."""
    submitted: datetime | None = None
    """By the roster, else the time of the newest file."""
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


def read_entrants(
    folder: Path, roster: Path | None = None, policy: Policy | None = None, besides: Iterable[Path] = ()
) -> list[Entrant]:
    """The entrants of a folder, by name; raises `LeagueError` if there are none or two have one name.

    Each file and each subfolder is one, named like it unless the roster has a name for it. Several rows of the roster
    with one file are a team. Who is on the roster but handed nothing in is an entrant as well. Those ``besides`` are
    left out, such as the league's own results.
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
    _refuse_same_names(entrants)
    return sorted(entrants, key=lambda entrant: (entrant.name.casefold(), entrant.name))


Teams = dict[str, list[Student]]
"""By the file that was handed in."""


def _assign(students: Sequence[Student], files: Iterable[str]) -> tuple[Teams, list[list[Student]]]:
    """Find the hand-in of each student; return the students of each, and those without one, by file or team."""
    titles: dict[str, str] = {}
    for file in files:
        titles.setdefault(title_of(file).casefold(), file)
    there = {*files}
    by_team = {one.get("team"): one.file for one in students if one.file and one.get("team")}
    teams: Teams = {}
    absent: Teams = {}
    for one in students:
        keys = {*one.keys, one.get("team").casefold()}
        found = one.file or by_team.get(one.get("team"), "") or next((titles[k] for k in keys if k in titles), "")
        place = teams if found in there else absent
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
        return Entrant(name, group, file, HandIn.made_of(take_in(path)), "", members, time)
    except AgentError as error:
        words = str(error).removeprefix("agent file: ").replace(str(path), file)
        return Entrant(name, group, file, None, printable(words), members, time)


def read_one(path: Path, policy: Policy) -> Entrant:
    """Read a single hand-in. Raises `LeagueError` if it does not exist."""
    if not path.exists():
        raise LeagueError(f"{path} does not exist; give the file, folder or archive to hand in")
    with using(policy):
        return _entrant(path, printable(title_of(path.name), NAME_LENGTH), ())


def _submitted(path: Path, students: Sequence[Student]) -> datetime | None:
    """Return the latest time in the roster, else that of the newest file."""
    said = [one.submitted for one in students if one.submitted is not None]
    if said:
        return max(said)
    try:
        files = [path] if not path.is_dir() else [*islice((one for one in path.rglob("*") if one.is_file()), 1000)]
        newest = max((one.lstat().st_mtime for one in files), default=None)
    except OSError:
        return None
    return None if newest is None else datetime.fromtimestamp(int(newest), UTC)


def _refuse_same_names(entrants: list[Entrant]) -> None:
    seen: dict[str, Entrant] = {}
    for entrant in entrants:
        other = seen.setdefault(entrant.name.casefold(), entrant)
        if other is not entrant:
            files = " and ".join(one.file or "(nothing handed in)" for one in (other, entrant))
            raise LeagueError(f"two entrants are called {entrant.name}: {files}; name them in a roster")
