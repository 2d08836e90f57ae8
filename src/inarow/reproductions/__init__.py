"""Reproductions of five student reports (R1–R5): their programs, experiments and published figures."""
