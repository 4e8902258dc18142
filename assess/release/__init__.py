"""A release of qrels: its plan, lines, files and manifest."""
