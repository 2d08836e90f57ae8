"""A board as text and as SVG, from one palette and one geometry, for terminal, window, reports and notebooks."""
