"""Scores of runs with near duplicates: with propagated labels, and with later members non-relevant."""
