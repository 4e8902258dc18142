"""Whether more judging would still find something: of all topics, and of one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assess.queries import cached, label_version
from assess.queries.pooled_columns import agreed_columns, order_of_judging, pooled_columns
from pooling.columns import IntVector
from pooling.models import Campaign
from pooling.quality.saturation import Saturation, saturation_columns


class SaturationShown(NamedTuple):
    """topics: those with a judgment. topic: the one that is shown beside all."""

    topics: list[str]
    topic: str
    overall: IntVector
    of_topic: IntVector


def saturation_of(campaign: Campaign) -> Saturation:
    """Return the curves of a campaign's judgments, kept until a label changes them."""
    return cached(campaign, "saturation", label_version(campaign), lambda: _saturation(campaign))


def _saturation(campaign: Campaign) -> Saturation:
    agreed, documents = agreed_columns(campaign), pooled_columns(campaign)
    relevant = np.zeros(len(documents.pk), dtype=bool)
    relevant[agreed.documents] = agreed.grades >= campaign.threshold
    order = order_of_judging(campaign)
    names = list(campaign.topics.values_list("number", flat=True))
    return saturation_columns(documents.topic[order], relevant[order], names)


def saturation_shown(campaign: Campaign, curves: Saturation, topic: str) -> SaturationShown | None:
    """Return the curve of all topics and of one: the first that is judged, when `topic` is not. None without
    a judgment."""
    numbers = campaign.topics.values_list("number", flat=True)
    topics = [number for number in numbers if number in curves.by_topic]
    if not topics:
        return None
    topic = topic if topic in topics else topics[0]
    return SaturationShown(topics, topic, curves.overall, curves.by_topic[topic])
