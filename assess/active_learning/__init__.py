"""Continuous active learning: features, the learner, the order of review, when to stop, what it costs."""
