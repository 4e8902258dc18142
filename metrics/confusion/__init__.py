"""Confusion of classes: two sources of labels, class by class, with micro and macro averages."""
