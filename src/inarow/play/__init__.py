"""A person at the board: a session with no screen in it, and the interfaces that draw it."""

from inarow.play.saved import Played
from inarow.play.session import NotNow, Session, Tally
from inarow.play.setup import PERSON, Person, Setup, SetupError, Sitter, Starts, sitter

__all__ = [
    "PERSON",
    "NotNow",
    "Person",
    "Played",
    "Session",
    "Setup",
    "SetupError",
    "Sitter",
    "Starts",
    "Tally",
    "sitter",
]
