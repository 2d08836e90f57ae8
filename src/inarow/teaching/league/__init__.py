"""A league: a folder of agents handed in, checked, played against reference players, graded, and shown as a site."""

from inarow.teaching.league.entrants import Entrant, read_entrants
from inarow.teaching.league.running import run_league
from inarow.teaching.league.settings import LeagueError, Settings, read_settings

__all__ = ["Entrant", "LeagueError", "Settings", "read_entrants", "read_settings", "run_league"]
