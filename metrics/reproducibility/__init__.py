"""Reproducibility: how near a run comes to the one that it replicates."""
