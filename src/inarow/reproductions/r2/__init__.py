"""Report R2: program, published tables and experiments."""
