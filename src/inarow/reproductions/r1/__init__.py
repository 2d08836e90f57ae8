"""Report R1: its program, its published tables and its experiments."""
