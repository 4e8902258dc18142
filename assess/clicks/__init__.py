"""Clicks of users: logs of shown results, and models that estimate relevance from them."""
