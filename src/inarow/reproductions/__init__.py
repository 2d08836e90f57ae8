"""The experiments of five student reports (R1–R5), run again beside their published figures."""
