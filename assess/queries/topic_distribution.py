"""Topics that nobody judges yet, with their documents."""

from __future__ import annotations

from collections import Counter

from assess.queries.campaign_reads import CampaignReads
from assess.queries.progress import pool_sizes
from assess.queries.queues import judges_by_topic
from pooling.models import Topic


def free_topics(reads: CampaignReads) -> dict[Topic, int]:
    """Return the topics without a primary or sharing judge -> their documents to judge."""
    documents = Counter[int]()
    for (topic, _), size in pool_sizes(reads).items():
        documents[topic] += size
    judges = judges_by_topic(reads.topics)
    return {
        topic: documents[topic.pk]
        for topic in reads.topics
        if documents[topic.pk] and not (topic.number in judges and judges[topic.number].first)
    }
