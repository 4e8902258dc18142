"""Intake of files: what a file is, and which of its fields holds what. The same rules at every entrance."""
