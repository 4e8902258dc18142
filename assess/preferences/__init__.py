"""Preferences between documents: which of two is better, in stages, for the best documents of a topic."""
