"""Releases of gradings and matchings: archives of answers, labels and results that never change."""
