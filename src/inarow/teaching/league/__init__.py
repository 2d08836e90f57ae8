"""A league: a folder of agents handed in, checked, played against reference players, graded, and shown as a site."""
