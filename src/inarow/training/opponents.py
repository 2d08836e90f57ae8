"""Training opponents: the learner itself, an agent, a mix of several, or one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inarow.agents import Agent, AgentError, agent
from inarow.agents.learner_presets import PRESET_OPPONENTS
from inarow.agents.qlearning import QLearning
from inarow.kernels.qlearning import opponents
from inarow.rules import Game

# Agents with a compiled twin inside the training kernel, by canonical spec.
_COMPILED = {
    "self": opponents.SELF,
    "random": opponents.RANDOM,
    "rules": opponents.RULES_RANDOM,
    "rules:style=centre": opponents.RULES_CENTRE,
    "rules:style=corners": opponents.RULES_CORNERS,
}


@dataclass(frozen=True)
class Stage:
    """A part of a training: each episode is against one of these opponents, chosen uniformly at random."""

    opponents: tuple[str, ...]

    @property
    def codes(self) -> list[int] | None:
        """The opponents as the kernel knows them; None if one of them plays outside it."""
        codes = [_COMPILED.get(spec) for spec in self.opponents]
        return None if None in codes else [code for code in codes if code is not None]

    def agent(self, index: int) -> Agent | None:
        """The opponent of this index; None for the learner itself."""
        return None if self.opponents[index] == "self" else agent(self.opponents[index])

    def __str__(self) -> str:
        return " | ".join(self.opponents)


def parse_stages(texts: Sequence[str], game: Game) -> tuple[Stage, ...]:
    """The stages of a training, one text each: ``self`` or an agent, or several separated by ``|``. All are checked."""
    stages = []
    for text in texts:
        specs = []
        for part in text.split("|"):
            name = part.strip()
            if not name:
                raise AgentError(f"{text!r} is not an opponent; write self, an agent, or several separated by |")
            if name != "self":
                opponent = agent(name)
                opponent.check(game)
                name = opponent.spec
            specs.append(name)
        stages.append(Stage(tuple(specs)))
    return tuple(stages)


def stage_at(stages: Sequence[Stage], episode: int, episodes: int) -> tuple[Stage, int]:
    """The stage of an episode and where it ends: the stages take equal parts of all episodes."""
    for index, stage in enumerate(stages):
        end = episodes * (index + 1) // len(stages)
        if episode < end:
            return stage, end
    return stages[-1], episodes


def defaults(learner: Agent, game: Game) -> tuple[Sequence[str], int]:
    """The default opponents and number of episodes of a learner."""
    if isinstance(learner, QLearning) and learner.preset != "none":
        learner.settled(game)
        return PRESET_OPPONENTS[learner.preset][game]
    from inarow.training.learner import Learner, plugin_learner

    return (plugin_learner(learner) or Learner).defaults(learner, game)
