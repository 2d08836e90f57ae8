"""Boards as text, SVG and animations, with one palette and one geometry for every interface."""
