"""Limits on the number and length of topics and texts, so that pages stay fast."""

from __future__ import annotations

MOST_TOPICS = 10_000  # of a campaign
LONGEST_TITLE = 10_000  # characters of a topic's title; some collections search with whole passages
LONGEST_TOPIC_TEXT = 50_000  # characters of a topic's description, and of its narrative
LONGEST_DESCRIPTION = 10_000  # characters of a campaign's description
LONGEST_GUIDELINES = 50_000  # characters of Markdown, which every page of a judge renders
