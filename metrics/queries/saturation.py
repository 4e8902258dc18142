"""Whether more judging would still find something: of all topics, and of one."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from assess.consensus import MAJORITY
from assess.models import AdjudicationEvent
from assess.queries import agreed_grades, judging_order_of, kept, stamp_of
from pooling.columns import IntVector
from pooling.models import Campaign
from pooling.quality import Saturation, saturation


class SaturationShown(NamedTuple):
    """topics: those with a judgment. topic: the one that is shown beside all."""

    topics: list[str]
    topic: str
    overall: IntVector
    of_topic: IntVector


def saturation_of(campaign: Campaign, relevant: Collection[tuple[str, str]] | None = None) -> Saturation:
    """Return the curves of a campaign's judgments, kept until a label or a decision changes them.

    relevant: the agreed (topic, docno), if known already.
    """
    settled = AdjudicationEvent.objects.order_by("-pk").values_list("pk", flat=True).first()  # anywhere
    told = f"{stamp_of(campaign)}-{settled}"
    return kept(campaign, "saturation", told, lambda: _saturation(campaign, relevant))


def _saturation(campaign: Campaign, relevant: Collection[tuple[str, str]] | None) -> Saturation:
    if relevant is None:
        agreed = agreed_grades(campaign, MAJORITY)
        relevant = {(row.topic, row.docno) for row in agreed if row.relevance >= campaign.threshold}
    order = [(topic, (topic, docno) in relevant) for topic, docno in judging_order_of(campaign)]
    return saturation(order)


def saturation_shown(campaign: Campaign, curves: Saturation, topic: str) -> SaturationShown | None:
    """Return the curve of all topics and of one: the first that is judged, when `topic` is not. None without
    a judgment."""
    numbers = campaign.topics.values_list("number", flat=True)
    topics = [number for number in numbers if number in curves.by_topic]
    if not topics:
        return None
    topic = topic if topic in topics else topics[0]
    return SaturationShown(topics, topic, curves.overall, curves.by_topic[topic])
