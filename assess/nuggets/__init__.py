"""Nuggets: the facts that answers to a topic should hold, and which of them each answer supports."""
