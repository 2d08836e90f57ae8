"""Many matches: tournaments, workers, the store, and results."""

from inarow.arena.executor import Executor, Job, open_executor
from inarow.arena.results import Results, Standing, load, results_json
from inarow.arena.running import FaultFound, Running
from inarow.arena.store import Run, Store, StoreError
from inarow.arena.tournament import FORMATS, ArenaError, Tournament

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
