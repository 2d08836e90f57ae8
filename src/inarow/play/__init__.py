"""A person at the board: a session without a screen, and the interfaces that draw it."""

from inarow.play.session import NotNow, Played, Session
from inarow.play.setup import PERSON, Participant, Person, SeriesScore, Setup, SetupError, Starts, participant

__all__ = [
    "PERSON",
    "NotNow",
    "Participant",
    "Person",
    "Played",
    "SeriesScore",
    "Session",
    "Setup",
    "SetupError",
    "Starts",
    "participant",
]
