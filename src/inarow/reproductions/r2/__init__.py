"""Report R2: its program, its published tables and its experiments."""
