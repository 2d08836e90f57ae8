"""Two agents, one match, from Python: who won, and the last position."""

from inarow.agents import agent
from inarow.match import play_match
from inarow.rules import game

record = play_match(game("connect4"), agent("rules:style=centre"), agent("random"), seed=7)
print(record.position())
print(f"{record.result} after {len(record.all_moves)} moves, by {record.termination}")
