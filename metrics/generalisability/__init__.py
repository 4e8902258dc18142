"""Generalisability: how many topics a stable order of runs needs (G and D studies)."""
