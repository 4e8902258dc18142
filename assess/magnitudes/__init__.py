"""Magnitude estimation of relevance by judges."""
