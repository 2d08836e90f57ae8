"""What several kernels share: board arithmetic, evaluators, two-ply tactics, random choices, the search layout."""
