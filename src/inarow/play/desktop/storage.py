"""Matches on disk: the unfinished one, kept move by move, and those that were saved. No screen in it."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from inarow.atomic import text_writer, write_bytes
from inarow.errors import InarowError
from inarow.match import MatchRecord
from inarow.match.files import write_json_lines
from inarow.paths import settings_folder
from inarow.play.saved import load_record, save_records
from inarow.rules import Game

PICTURE = ".png"


def matches_folder() -> Path:
    """Where matches are saved unless a path says otherwise; made if it is missing."""
    folder = settings_folder() / "matches"
    with contextlib.suppress(OSError):
        folder.mkdir(exist_ok=True)
    return folder


def saved_matches() -> list[Path]:
    """The files of the folder of matches, the newest first."""
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
    """Save a picture beside the matches."""
    path = matches_folder() / free_name(game, PICTURE)
    write_bytes(path, data, InarowError)
    return path


def named(text: str) -> Path:
    """The path that a typed name means: inside the folder of matches, unless it is a path of its own."""
    if not text.strip():
        raise InarowError("no file was named; type a name, such as match.txt")
    return matches_folder() / Path(text.strip()).expanduser()


def save(records: Sequence[MatchRecord], text: str) -> Path:
    """Save matches under a name or a path; an existing file is not overwritten."""
    path = named(text)
    save_records(records, path)
    return path


def _autosave() -> Path:
    return settings_folder() / "unfinished.jsonl"


def keep(record: MatchRecord) -> None:
    """Keep the unfinished match in place of the last one; a folder that can't be written is no reason to stop."""
    # Not durable: waiting for the disk would be seen in the falling stone.
    with contextlib.suppress(InarowError), text_writer(_autosave(), durable=False) as out:
        write_json_lines([record], out)


def kept() -> MatchRecord | None:
    """The match that was left unfinished, if there is one that can be read."""
    try:
        return load_record(_autosave())
    except InarowError:
        return None


def drop() -> None:
    """Forget the unfinished match."""
    with contextlib.suppress(OSError):
        _autosave().unlink(missing_ok=True)


def put_aside() -> str:
    """Move the unfinished match to the saved ones before another begins; its file's name, or nothing."""
    record = kept()
    if record is None:
        return ""
    name = free_name(record.game)
    try:
        save([record], name)
    except InarowError:
        return ""
    drop()
    return name
