"""Every evaluator by name, and the parameters of agents that are evaluators."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from inarow.agents.evaluators import Evaluator, Lines, Windows, Zero
from inarow.agents.grammar import read_arguments
from inarow.agents.learned import Learned
from inarow.agents.parameters import AgentError, Kind
from inarow.errors import unknown

EVALUATORS: dict[str, type[Evaluator]] = {e.name: e for e in (Zero, Windows, Lines, Learned)}

_SPEC = re.compile(r"\s*(\w*)\s*(?:\((.*)\))?\s*", re.DOTALL)


def evaluator(spec: str) -> Evaluator:
    """The evaluator of a spec such as ``windows`` or ``windows(three=5,centre=3)``."""
    match = _SPEC.fullmatch(spec)
    if match is None or not match[1]:
        raise AgentError(
            f"{spec!r} is not an evaluator; write a name, or a name with weights: windows(three=5,centre=3)"
        )
    name, arguments = match.groups()
    if name not in EVALUATORS:
        raise AgentError(unknown("evaluator", name, EVALUATORS))
    kind = EVALUATORS[name]
    if not (arguments or "").strip():
        return kind()
    return kind(**read_arguments(f"evaluator {name}", kind.parameters(), arguments))


@dataclass(frozen=True)
class EvaluatorKind(Kind):
    """A parameter that is an evaluator."""

    @property
    def names(self) -> list[str]:
        """What can be given without weights, for a menu."""
        return list(EVALUATORS)

    @property
    def wanted(self) -> str:
        return f"an evaluator ({', '.join(EVALUATORS)}), with weights in parentheses if wanted"

    def parse(self, owner: str, text: str) -> Any:
        try:
            return evaluator(text)
        except AgentError as error:
            raise AgentError(f"{owner}: {self.name}: {error}") from None

    def fits(self, value: Any) -> bool:
        return isinstance(value, Evaluator)

    def format(self, value: Any) -> str:
        return value.spec if isinstance(value, Evaluator) else repr(value)


@dataclass(frozen=True)
class NetworkKind(EvaluatorKind):
    """A parameter that is a learnt network, or none."""

    @property
    def names(self) -> list[str]:
        return ["none", Learned.name]

    @property
    def wanted(self) -> str:
        return "none, ntuple, or ntuple(model=FILE)"

    def parse(self, owner: str, text: str) -> Any:
        if text == "none":
            return None
        value = super().parse(owner, text)
        self.check(owner, value)
        return value

    def fits(self, value: Any) -> bool:
        return value is None or isinstance(value, Learned)

    def format(self, value: Any) -> str:
        return "none" if value is None else super().format(value)


def network_field(help: str) -> Any:
    """A field for a learnt network; none by default."""
    return field(default=None, metadata={"kind": (NetworkKind, {"help": help})})


def evaluator_field(default: Evaluator, help: str) -> Any:
    """A field for an evaluator."""
    return field(default=default, metadata={"kind": (EvaluatorKind, {"help": help})})
