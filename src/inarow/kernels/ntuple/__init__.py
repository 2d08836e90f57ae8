"""N-tuple networks: evaluation, self-play and temporal-difference learning."""
