"""Scores of summaries against pyramids of summary content units."""
