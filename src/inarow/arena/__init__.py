"""Many matches: tournaments, workers, the store, and results."""

from inarow.arena.executor import Executor, open_executor
from inarow.arena.formats import FORMATS
from inarow.arena.jobs import Job
from inarow.arena.lock import StoreError
from inarow.arena.results import Results, Standing, load, results_json
from inarow.arena.running import FaultFound, Running
from inarow.arena.store import Run, Store
from inarow.arena.tournament import ArenaError, Tournament

__all__ = [
    "FORMATS",
    "ArenaError",
    "Executor",
    "FaultFound",
    "Job",
    "Results",
    "Run",
    "Running",
    "Standing",
    "Store",
    "StoreError",
    "Tournament",
    "load",
    "open_executor",
    "results_json",
]
