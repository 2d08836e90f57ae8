"""Agents: one file per algorithm, one registry of names."""

from inarow.agents.base import Agent, Decision, Mind
from inarow.agents.parameters import AgentError
from inarow.agents.registry import agent, agent_class, agent_names
from inarow.limits import NO_LIMIT, Limit

__all__ = ["NO_LIMIT", "Agent", "AgentError", "Decision", "Limit", "Mind", "agent", "agent_class", "agent_names"]
