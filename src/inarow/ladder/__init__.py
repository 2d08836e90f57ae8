"""The ladder: reference players of a game with ratings that stay as they are, and agents placed among them."""

from inarow.ladder.shipped import Ladder, LadderError, LadderPlayer, elo_text, known_ratings, ladder, staff

__all__ = ["Ladder", "LadderError", "LadderPlayer", "elo_text", "known_ratings", "ladder", "staff"]
