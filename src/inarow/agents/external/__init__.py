"""Foreign code in processes of its own: a guard against accidents, not a sandbox against malice."""
