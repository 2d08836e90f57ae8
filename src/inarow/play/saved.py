"""Matches on disk: saved ones, which can be resumed, and the unfinished one, which is kept move by move."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from inarow.errors import InarowError
from inarow.match import MatchRecord, RecordError
from inarow.match.record import read_records, write_json_lines, write_records
from inarow.paths import settings_folder, text_writer, write_bytes
from inarow.play.session import Session
from inarow.play.setup import Setup, participant
from inarow.rules import Game

PICTURE = ".png"


def save_records(records: Sequence[MatchRecord], path: Path) -> None:
    """Write records to a new file. Raises RecordError if the list is empty or the file exists."""
    if not records:
        raise RecordError("no move has been made yet; there is nothing to save")
    if path.exists():
        raise RecordError(f"{path} exists; give another name")
    write_records(records, path)


def load_record(path: Path) -> MatchRecord:
    """Return the last record of a file, which is the one to resume."""
    last = None
    for last in read_records(path):  # noqa: B007
        pass
    if last is None:
        raise RecordError(f"{path} holds no record")
    return last


def setup_of(record: MatchRecord) -> Setup:
    """Return the settings for resuming a saved match: the same participants in the same seats."""
    return Setup(
        game=record.game,
        participants=(participant(record.first), participant(record.second)),
        opening=record.opening,
        seed=record.seed,
    )


# The folder of saved matches.


def matches_folder() -> Path:
    """Return the folder where matches are saved by default; create it if it is missing."""
    folder = settings_folder() / "matches"
    with contextlib.suppress(OSError):
        folder.mkdir(exist_ok=True)
    return folder


def saved_matches() -> list[Path]:
    """Return the saved matches, newest first."""
    try:
        files = [
            (one.stat().st_mtime, one) for one in matches_folder().iterdir() if one.is_file() and one.suffix != PICTURE
        ]
    except OSError:
        return []
    return [one for _, one in sorted(files, key=lambda pair: (-pair[0], pair[1].name))]


def free_name(game: Game, suffix: str = ".txt") -> str:
    """Return a file name that no saved match or picture of this game has yet."""
    number = 1
    while (matches_folder() / f"{game.name} {number}{suffix}").exists():
        number += 1
    return f"{game.name} {number}{suffix}"


def save_picture(game: Game, data: bytes) -> Path:
    """Save a picture in the folder of matches."""
    path = matches_folder() / free_name(game, PICTURE)
    write_bytes(path, data, InarowError)
    return path


def named(text: str) -> Path:
    """Return the path of a typed name: in the folder of matches, unless it is a path itself."""
    if not text.strip():
        raise InarowError("no file was named; type a name, such as match.txt")
    return matches_folder() / Path(text.strip()).expanduser()


# The unfinished match.


def _unfinished_file() -> Path:
    return settings_folder() / "unfinished.jsonl"


def keep_unfinished(session: Session) -> None:
    """Save a person's unfinished match in place of the previous one; delete the file once the match is finished.

    A folder that can't be written is ignored.
    """
    if session.setup.watched:
        return
    if session.ending is None and session.played:
        # Not durable: waiting for the disk would show in the window's animation.
        with contextlib.suppress(InarowError), text_writer(_unfinished_file(), durable=False) as out:
            write_json_lines([session.records()[-1]], out)
    else:
        _forget_unfinished()


def unfinished_match() -> MatchRecord | None:
    """Return the unfinished match, or None."""
    try:
        return load_record(_unfinished_file())
    except InarowError:
        return None


def _forget_unfinished() -> None:
    with contextlib.suppress(OSError):
        _unfinished_file().unlink(missing_ok=True)


def put_unfinished_aside() -> str:
    """Move the unfinished match to the saved ones before a new match; return its file's name, or an empty string."""
    record = unfinished_match()
    if record is None:
        return ""
    name = free_name(record.game)
    try:
        save_records([record], named(name))
    except InarowError:
        return ""
    _forget_unfinished()
    return name
