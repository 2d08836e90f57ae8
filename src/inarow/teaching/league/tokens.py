"""Fingerprint programs by winnowing, in a separate process with little memory and time: they are not trusted.

The parent writes a JSON list of Latin-1 strings, the bytes of a program's files, and gets a list of fingerprints back:
``[hash, file, first line, last line]``. Only the standard library is imported, so that it starts quickly.

Winnowing (Schleimer, Wilkerson and Aiken, 2003) hashes every run of `RUN` tokens and keeps the smallest hash of every
`WINDOW` in a row, so that any passage of RUN + WINDOW − 1 tokens that two programs share is found in both.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import json
import keyword
import sys
import tokenize
import zlib
from collections.abc import Iterator

RUN = 12
WINDOW = 5
MEGABYTES = 512
"""Memory limit of the process."""

_SKIPPED = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)
_STRINGS = (tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1))
_KEPT = {*keyword.kwlist, *dir(builtins)}
"""Names that can't be changed without changing the program."""


def tokens(data: bytes) -> Iterator[tuple[str, int]]:
    """Yield a program's tokens with their lines, up to an error; without chosen names, strings, comments and layout."""
    try:
        alone = True  # whether a statement begins: a string there is a docstring
        for token in tokenize.tokenize(io.BytesIO(data).readline):
            begins, alone = alone, token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
            if token.type in _SKIPPED:
                alone = alone or begins
                continue
            if token.type == tokenize.NAME:
                yield token.string if token.string in _KEPT else "name", token.start[0]
            elif token.type in _STRINGS:
                if not begins:
                    yield "string", token.start[0]
            else:
                yield token.string, token.start[0]
    except (tokenize.TokenError, SyntaxError, ValueError):
        return


def fingerprints(files: list[bytes]) -> list[tuple[int, int, int, int]]:
    """Return the fingerprints of a program's files, each with its file's index and the lines that it covers."""
    found: dict[tuple[int, int], tuple[int, int, int, int]] = {}
    for index, data in enumerate(files):
        read = [(zlib.crc32(token.encode(errors="replace")), line) for token, line in tokens(data)]
        hashes = [hash(tuple(code for code, _ in read[at : at + RUN])) for at in range(len(read) - RUN + 1)]
        for at in range(max(1, len(hashes) - WINDOW + 1) if hashes else 0):
            window = hashes[at : at + WINDOW]
            smallest = min(window)
            place = at + max(i for i, value in enumerate(window) if value == smallest)
            found[index, place] = (smallest, index, read[place][1], read[place + RUN - 1][1])
    return list(found.values())


def main() -> None:
    """Answer one request, within the memory limit."""
    with contextlib.suppress(ImportError):  # not on Windows
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20, MEGABYTES << 20))
    json.dump(fingerprints([text.encode("latin-1") for text in json.load(sys.stdin)]), sys.stdout)


if __name__ == "__main__":
    main()
