"""Kaggle's ConnectX: submission files made of agents, and replays of matches both ways."""

from inarow.adapters.kaggle.export import export_agent
from inarow.adapters.kaggle.replay import ReplayError, record_of_replay, replay_of_record

__all__ = ["ReplayError", "export_agent", "record_of_replay", "replay_of_record"]
