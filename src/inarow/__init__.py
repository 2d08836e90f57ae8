"""inarow: a lab for adversarial game AI on games of k in a row."""

__version__ = "0.1.0"
