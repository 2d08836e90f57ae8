"""Minimax and alpha–beta."""
