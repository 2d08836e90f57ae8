"""Learnt models: Q-tables, n-tuple networks, and their files."""
