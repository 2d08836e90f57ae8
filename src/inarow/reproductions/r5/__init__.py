"""Report R5: program, published tables and experiments."""
