"""A person at the board: a session with no screen in it, and the interfaces that draw it."""

from inarow.play.saved import Played
from inarow.play.session import NotNow, Session
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
