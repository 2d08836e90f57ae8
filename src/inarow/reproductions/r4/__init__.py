"""Report R4: its program, its published tables and its experiments."""
