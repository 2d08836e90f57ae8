"""Many matches: tournaments, workers, the store, and results."""

from inarow.arena.formats import FORMATS
from inarow.arena.lock import StoreError
from inarow.arena.results import Results, Standing, load, results_json
from inarow.arena.running import FaultFound, Running
from inarow.arena.store import Run, Store
from inarow.arena.tournament import ArenaError, Tournament
from inarow.arena.workers import Crew, crew

__all__ = [
    "FORMATS",
    "ArenaError",
    "Crew",
    "FaultFound",
    "Results",
    "Run",
    "Running",
    "Standing",
    "Store",
    "StoreError",
    "Tournament",
    "crew",
    "load",
    "results_json",
]
