"""Grades of whole answers by several criteria, each with a scale of its own."""
