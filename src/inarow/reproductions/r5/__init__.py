"""Report R5: its program, its published tables and its experiments."""
