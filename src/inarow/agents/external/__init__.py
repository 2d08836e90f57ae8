"""Agents from files, each in its own process, confined by the operating system where it can."""
