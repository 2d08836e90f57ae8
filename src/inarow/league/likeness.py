"""Hand-ins that are identical, or nearly so: whatever was renamed, reformatted or commented differently."""

from __future__ import annotations

import io
import keyword
import tokenize
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from inarow.agents.external.staging import Snapshot, read
from inarow.league.entrants import Entrant

RUN = 8
"""Tokens in a row that are compared at a time."""
LEAST_RUNS = 60
"""Shorter programs are alike by nature."""
NEAR = 0.7
"""The share of common runs, of all runs of both, from which two programs are flagged."""

_SKIPPED = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)


@dataclass(frozen=True)
class Alike:
    """Two hand-ins that have much in common."""

    a: str
    b: str
    share: float
    """Of what they have in common; 1 if they are the same but for names and layout."""
    identical: bool
    """Whether all bytes are the same."""


def find_alike(entrants: Sequence[Entrant], starter: Path | None = None) -> list[Alike]:
    """All pairs that are identical or nearly so, the most alike first. What the starter has does not count."""
    given = _runs(read(starter)) if starter is not None else frozenset()
    runs = {one.name: _runs(one.agent.snapshot) - given for one in entrants if one.agent is not None}
    found = []
    for a, b in combinations([one for one in entrants if one.agent is not None], 2):
        identical = a.digest == b.digest
        share = 1.0 if identical else _share(runs[a.name], runs[b.name])
        if share >= NEAR:
            found.append(Alike(a.name, b.name, round(share, 3), identical))
    return sorted(found, key=lambda one: (-one.share, not one.identical, one.a, one.b))


def _share(a: frozenset[int], b: frozenset[int]) -> float:
    if min(len(a), len(b)) < LEAST_RUNS:
        return 0.0
    return len(a & b) / len(a | b)


def _runs(snapshot: Snapshot) -> frozenset[int]:
    """Every run of tokens of all Python files, as hashes."""
    found: set[int] = set()
    for name, data in snapshot.files:
        if name.endswith(".py"):
            tokens = list(_tokens(data))
            found.update(hash(tuple(tokens[at : at + RUN])) for at in range(len(tokens) - RUN + 1))
    return frozenset(found)


def _tokens(data: bytes) -> Iterable[str]:
    """What the tokens of a program are, without the author's names, texts, comments and layout."""
    try:
        for token in tokenize.tokenize(io.BytesIO(data).readline):
            if token.type in _SKIPPED:
                continue
            if token.type == tokenize.NAME:
                yield token.string if keyword.iskeyword(token.string) else "name"
            elif token.type == tokenize.STRING:
                yield "text"
            else:
                yield token.string
    except (tokenize.TokenError, SyntaxError, UnicodeDecodeError, ValueError):
        return  # what came before the mistake is compared
