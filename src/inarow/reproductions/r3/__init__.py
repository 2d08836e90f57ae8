"""Report R3: its program, its published tables and its experiments."""
