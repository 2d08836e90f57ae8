"""Presets: an agent with the settings of one of the reports for the game at hand."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field, fields
from typing import Any, ClassVar, Self

from inarow.agents.base import Agent, Mind
from inarow.agents.parameters import AgentError, Kind, choice
from inarow.rules import Game, Player

Presets = Mapping[str, Mapping[Game, Mapping[str, Any]]]


def preset_field(presets: Presets) -> Any:
    """A field for the name of a preset."""
    return choice(
        "none", ("none", *presets), "the settings of one of the reports; other parameters given override them"
    )


@dataclass(frozen=True)
class PresetAgent(Agent):
    """An agent with presets: it plays by the preset's settings, except for the parameters that were given."""

    presets: ClassVar[Presets]
    preset: str = preset_field({})
    given: frozenset[str] = field(init=False, repr=False)
    """With a preset: the parameters that were given beside it, also those given their default."""
    beside: InitVar[frozenset[str] | None] = field(default=None, kw_only=True)
    """``given`` of the agent that `dataclasses.replace` copies: it passes every field, given or not."""

    def __new__(cls, *arguments: Any, **named: Any) -> Self:
        made = super().__new__(cls)
        by_place = [f.name for f in fields(cls) if f.init][: len(arguments)]
        object.__setattr__(made, "given", frozenset(by_place) | frozenset(named))
        return made

    def __post_init__(self, beside: frozenset[str] | None) -> None:
        super().__post_init__()
        given = self.given
        if beside is not None:
            given = beside | {one.name for one in self.parameters() if getattr(self, one.name) != one.default}
        given = frozenset() if self.preset == "none" else given - {"preset", "beside"}
        object.__setattr__(self, "given", given)
        object.__setattr__(self, "beside", given)

    def differs(self, parameter: Kind, value: Any) -> bool:
        return super().differs(parameter, value) or parameter.name in self.given

    def settled(self, game: Game) -> Self:
        """Itself without a preset: what the preset says for this game, changed by what was given."""
        if self.preset == "none":
            return self
        for_games = self.presets[self.preset]
        if game not in for_games:
            known = " and ".join(known.name for known in for_games)
            raise AgentError(f"agent {self.name}: preset={self.preset} has settings for {known}, not for {game}")
        names = {parameter.name for parameter in self.parameters()}
        settings = {name: value for name, value in for_games[game].items() if name in names}
        return type(self)(**settings | {name: getattr(self, name) for name in self.given})

    def effective(self, game: Game) -> str:
        return super(PresetAgent, self.settled(game)).effective(game)

    def check(self, game: Game) -> None:
        self.settled(game).check_settings(game)

    def mind(self, game: Game, player: Player, seed: int) -> Mind:
        return self.settled(game).settled_mind(game, player, seed)

    def check_settings(self, game: Game) -> None:
        """Raise `AgentError` if this agent, which has no preset, can't play this game."""

    @abstractmethod
    def settled_mind(self, game: Game, player: Player, seed: int) -> Mind:
        """A new mind of this agent, which has no preset; the game fits."""
