"""Releases of labels of answers: archives of answers, labels and results that never change."""
