"""Audits of machine judges by people: the random sample, and what its labels say about the machine's."""
