"""Panels: judges compare the results of two runs side by side."""
