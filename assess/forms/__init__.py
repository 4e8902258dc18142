"""The forms of judging: assignments, plans, labels, adjudication and releases."""
