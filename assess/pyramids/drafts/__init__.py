"""Pyramids that people make on a page: units marked in model summaries."""
