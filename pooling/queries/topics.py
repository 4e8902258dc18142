"""The wordings of a topic."""

from __future__ import annotations

from typing import NamedTuple

from pooling.models import Campaign, Topic, TopicRevision
from pooling.queries.documents import pooled_in

REWORDED, REMOVED = "reworded a topic", "removed a topic"  # verbs of the audit log


class EarlierWording(NamedTuple):
    revision: TopicRevision
    reason: str


def earlier_wordings(topic: Topic) -> list[EarlierWording]:
    """Return the earlier wordings of a topic, newest first, each with the reason why it was replaced."""
    revisions = list(topic.revisions.select_related("replaced_by"))
    if not revisions:
        return []
    entries = topic.campaign.audit_log.filter(verb=REWORDED, details__number=topic.number)
    reasons = {entry.details["revision"]: entry.details["reason"] for entry in entries}
    return [EarlierWording(revision, reasons.get(revision.pk, "")) for revision in revisions]


def is_pooled_topic(topic: Topic) -> bool:
    return topic.pooled.exists()


def topics_to_record(campaign: Campaign) -> tuple[str, ...] | None:
    """Return the topics that the manifest of a pool of all topics must name; None while it need not.

    Runs have results for a removed topic. If it is added again, a pool that is rebuilt must still leave it
    out.
    """
    if not campaign.audit_log.filter(verb=REMOVED).exists():
        return None
    return tuple(campaign.topics.values_list("number", flat=True))


def topics_to_top_up(campaign: Campaign) -> tuple[str, ...] | None:
    """Return the topics that the manifest of a further pool must name; None while it need not name any.

    A topic of which no document is pooled is not judged in this campaign, or not yet: a further pool leaves
    it out.
    """
    pooled = pooled_in(campaign).order_by().values("topic")
    if not campaign.topics.exclude(pk__in=pooled).exists():
        return topics_to_record(campaign)
    return tuple(campaign.topics.filter(pk__in=pooled).values_list("number", flat=True))
