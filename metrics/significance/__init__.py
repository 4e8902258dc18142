"""Significance tests, confidence intervals and effect sizes of differences between systems."""
