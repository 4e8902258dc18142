"""Saturation: whether more judging of a topic would find more relevant documents."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assess.queries.caching import cached
from assess.queries.pooled_columns import judging_order, pooled_columns
from assess.queries.queues import plan_of
from assess.queries.release_draft import agreed_columns, agreed_version
from assess.queries.releases import default_plan
from assess.queue import POLICIES
from assess.release.plan import ReleasePlan
from pooling.arrays import IntVector
from pooling.models import Campaign
from pooling.quality.saturation import saturation_curves
from pooling.strategies.registry import STRATEGIES


class SaturationShown(NamedTuple):
    """The saturation curve of one topic.

    topics: those with a judgment. topic: the one that is shown. promising_first: whether the judging order
    puts the most promising documents first and is not random.
    """

    topics: list[str]
    topic: str
    curve: IntVector
    promising_first: bool


def saturation_of(campaign: Campaign) -> dict[str, IntVector]:
    """Return topic -> curve of a campaign's judgments; cached until a label changes them.

    Relevant documents are those that are relevant in a release by the campaign's default rule.
    """
    plan = default_plan(campaign)
    version = agreed_version(campaign, plan)
    return cached(campaign, "saturation-by-topic", version, lambda: _saturation(campaign, plan))


def _saturation(campaign: Campaign, plan: ReleasePlan) -> dict[str, IntVector]:
    agreed, documents = agreed_columns(campaign, plan), pooled_columns(campaign)
    relevant = np.zeros(len(documents.pk), dtype=bool)
    relevant[agreed.documents] = agreed.grades >= campaign.threshold
    order = judging_order(campaign)
    names = list(campaign.topics.values_list("number", flat=True))
    return saturation_curves(documents.topic[order], relevant[order], names)


def saturation_shown(campaign: Campaign, curves: dict[str, IntVector], topic: str) -> SaturationShown | None:
    """Return the curve of one topic, or of the first judged topic if `topic` has no judgment.

    None without a judgment.
    """
    numbers = campaign.topics.values_list("number", flat=True)
    topics = [number for number in numbers if number in curves]
    if not topics:
        return None
    topic = topic if topic in topics else topics[0]
    return SaturationShown(topics, topic, curves[topic], _promising_first(campaign))


def _promising_first(campaign: Campaign) -> bool:
    live = any(STRATEGIES[pool.strategy].live for pool in campaign.pools.all() if pool.strategy in STRATEGIES)
    return live or POLICIES[plan_of(campaign).order].reads_places
