"""What is learnt: Q-tables, n-tuple networks, their files."""
