"""Pooling strategies: which documents of each topic are judged, and in which order."""
