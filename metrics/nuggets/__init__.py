"""Scores of answers from their nuggets and from the support of their citations."""
