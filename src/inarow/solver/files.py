"""Files of the solver: one line of JSON (the manifest), then a body whose checksum is in the manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inarow.errors import InarowError
from inarow.paths import binary_writer, parse_json
from inarow.rules import Game, game


@dataclass(frozen=True)
class FileKind:
    """A kind of file: its name in messages, the error that it raises, and the types of its manifest's entries."""

    name: str
    error: type[InarowError]
    entries: Mapping[str, type]
    version: int | None = None

    def damaged(self, path: Path, why: str) -> InarowError:
        """Return the error for a damaged file."""
        return self.error(f"the {self.name} {path} is damaged: {why}")

    def write(self, path: Path, board: Game, entries: Mapping[str, Any], body: Sequence[bytes | memoryview]) -> int:
        """Write a file; return its size in bytes."""
        digest = hashlib.sha256()
        for part in body:
            digest.update(part)
        manifest = {"format": f"inarow {self.name}", "version": self.version, "game": board.name, **entries}
        if self.version is None:
            del manifest["version"]
        with binary_writer(path, self.error) as out:
            out.write(json.dumps({**manifest, "sha256": digest.hexdigest()}).encode() + b"\n")
            for part in body:
                out.write(part)
        return path.stat().st_size

    def read(
        self, path: Path, wanted: Game | None = None, most: int | None = None
    ) -> tuple[dict[str, Any], Game, bytes]:
        """Return a file's manifest, game and body, which may have at most ``most`` bytes.

        Raises an error if the file is damaged, of another kind, or not of the game ``wanted``.
        """
        try:
            with path.open("rb") as file:
                manifest = self._manifest(path, file.readline(200_000))
                if most is not None and path.stat().st_size > most:
                    raise self.error(f"the {self.name} {path} is too large; it may have at most {most:,} bytes")
                body = file.read()
        except OSError as error:
            raise self.error(f"the {self.name} {path} can't be read: {error.strerror}") from None
        if hashlib.sha256(body).hexdigest() != manifest["sha256"]:
            raise self.damaged(path, "its checksum does not match")
        try:
            board = game(manifest["game"])
        except InarowError:
            raise self.error(
                f"the manifest of the {self.name} {path} has an invalid game: {manifest['game']!r:.40}"
            ) from None
        if wanted not in (None, board):
            raise self.error(f"the {self.name} {path} is of {board}, not of {wanted}")
        return manifest, board, body

    def _manifest(self, path: Path, line: bytes) -> dict[str, Any]:
        try:
            manifest = parse_json(line)
        except ValueError:
            manifest = None
        if not isinstance(manifest, dict) or manifest.get("format") != f"inarow {self.name}":
            raise self.error(f"{path} is not a {self.name}: it does not start with a manifest")
        if (version := manifest.get("version")) != self.version:
            raise self.error(
                f"the {self.name} {path} has version {version!r:.20}; this inarow reads version {self.version}"
            )
        for entry, kind in {"game": str, "sha256": str, **self.entries}.items():
            if type(manifest.get(entry)) is not kind:
                raise self.error(f"the manifest of the {self.name} {path} has no {entry!r}, or it is invalid")
        return manifest
