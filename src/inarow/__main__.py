"""``python -m inarow`` is the command ``inarow``."""

from inarow.cli.main import run

run()
