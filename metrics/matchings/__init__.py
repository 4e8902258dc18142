"""Scores of answers from the nuggets that judges found in them."""
