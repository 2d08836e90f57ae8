"""Specs of agents, from a seed: what people write, and what nobody should."""

from __future__ import annotations

import random
from collections.abc import Iterator

GOOD = (
    "random", "rules:style=centre", "greedy", "minimax:depth=3", "alphabeta:depth=4,eval=windows(three=5,centre=3)",
    "alphabeta:seconds=0.5,tt_mb=8", "mcts:simulations=100,c=0.5", "qlearning", "ntuple", "perfect:resist=any",
    "qlearning:alpha=decay(0.5,0.99,0.1),epsilon=linear(1,0)", "file:agent.py", "openspiel:name=mcts",
    "ntuple:model=shipped", "minimax:ties=random",
)  # fmt: skip
VALUES = (
    "", "0", "-1", "1e400", "-1e400", "nan", "inf", "9" * 25, "9" * 400, "9" * 5000, "1e-400", "0x10", "1_0", "٣", "½",
    "\x00", "\ud800", "\udcff", '"', '""', '","', "(", ")", "()", "((((", "windows()", "windows(three=)", "none", "any",
    "auto", "full", "open", "on", "off", "x" * 300, "/" + "x" * 5000, "/dev/null", "/dev/zero", "/", ".", "..", "~",
    " ", "\n", "=", ",", ":", "decay(1,1)", "linear(0,9e999)", "visits(nan)", "decay(1,1,1,moves)",
    "linear(0,1," + "9" * 400 + ")",
)  # fmt: skip


def fuzzed_specs(count: int, seed: int) -> Iterator[str]:
    """That many specs, most of them wrong; the same seed gives the same."""
    chance = random.Random(seed)
    for _ in range(count):
        spec = chance.choice(GOOD)
        for _ in range(chance.choice((1, 1, 1, 2))):
            spec = _changed(spec, chance)
        yield spec


def _changed(spec: str, chance: random.Random) -> str:
    deed = chance.randrange(5)
    at = chance.randrange(len(spec) + 1)
    if deed == 0:  # another value after an equals sign
        head, equals, _ = spec.rpartition("=")
        return head + equals + chance.choice(VALUES) if equals else f"{spec}:depth={chance.choice(VALUES)}"
    if deed == 1:
        return spec[:at] + chance.choice(VALUES) + spec[at:]
    if deed == 2:
        return spec[:at] + spec[at + chance.randint(1, 4) :]
    if deed == 3:
        names = ("depth", "nodes", "seconds", "c", "eval", "model", "memory", "tt_mb", "win", "alpha", "x", "ties")
        join = "," if ":" in spec else ":"
        return f"{spec}{join}{chance.choice(names)}={chance.choice(VALUES)}"
    return spec[:at] + chr(chance.choice((chance.randrange(256), chance.randrange(0x110000)))) + spec[at:]
