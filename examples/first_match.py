"""Two agents, one match, from Python: who won, and the last position."""

import inarow

record = inarow.play_match("connect4", "rules:style=centre", "random", seed=7)
print(record.position())
print(f"{record.result} after {len(record.all_moves)} moves, by {record.termination}")
