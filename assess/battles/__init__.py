"""Battles: judges compare two answers to a topic without seeing the names of the systems."""
