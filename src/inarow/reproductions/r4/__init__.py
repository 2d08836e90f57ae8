"""Report R4: program, published tables and experiments."""
