"""Read programs as sequences of tokens, in a process of its own with little memory and time: they are not trusted.

The parent writes a JSON list of Latin-1 strings, the bytes of a program's files, and gets a list back: the hashes of
all runs of `RUN` tokens. Only the standard library is imported, so that it starts quickly.
"""

from __future__ import annotations

import contextlib
import io
import json
import keyword
import sys
import tokenize
import zlib
from collections.abc import Iterator

RUN = 8
"""Tokens in a row that are compared at a time."""
MEGABYTES = 512
"""Of memory that the process may have."""

_SKIPPED = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)


def tokens(data: bytes) -> Iterator[str]:
    """Yield the tokens of a program without the author's names, strings, comments and layout, up to an error."""
    try:
        for token in tokenize.tokenize(io.BytesIO(data).readline):
            if token.type in _SKIPPED:
                continue
            if token.type == tokenize.NAME:
                yield token.string if keyword.iskeyword(token.string) else "name"
            elif token.type == tokenize.STRING:
                yield "string"
            else:
                yield token.string
    except (tokenize.TokenError, SyntaxError, ValueError):
        return


def runs(files: list[bytes]) -> list[int]:
    """Return a hash of every run of tokens of these files."""
    found: set[int] = set()
    for data in files:
        hashes = [zlib.crc32(token.encode(errors="replace")) for token in tokens(data)]
        found.update(hash(tuple(hashes[at : at + RUN])) for at in range(len(hashes) - RUN + 1))
    return sorted(found)


def main() -> None:
    """Answer once, within the limit of memory."""
    with contextlib.suppress(ImportError):  # not on Windows
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20, MEGABYTES << 20))
    json.dump(runs([text.encode("latin-1") for text in json.load(sys.stdin)]), sys.stdout)


if __name__ == "__main__":
    main()
