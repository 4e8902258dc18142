"""The current labels of a campaign as columns, cached by their version."""

from __future__ import annotations

from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from django.db.models import QuerySet
from django.db.models.functions import Coalesce

from assess.event_columns import Ints
from assess.models import Judgment
from assess.no_grade import NoGrade
from assess.queries.caching import cached, label_version
from assess.queries.labels import judgments_with_machines
from pooling.models import Campaign


class CurrentLabels(NamedTuple):
    """Current labels, sorted by topic, document, judge. All of shape (labels,).

    judge, topic, pooled: primary keys. relevance: a grade, or NoGrade.REFUSED.
    """

    judge: Ints
    topic: Ints
    pooled: Ints
    relevance: Ints

    def where(self, chosen: npt.NDArray[Any]) -> CurrentLabels:
        return CurrentLabels._make(column[chosen] for column in self)


def current_labels(campaign: Campaign, version: str = "") -> CurrentLabels:
    """Return all current labels that count, also of machines. version: if it was read already."""
    version = version or label_version(campaign)
    return cached(campaign, "current-labels", version, lambda: columns_of(judgments_with_machines(campaign)))


def people_of(campaign: Campaign, labels: CurrentLabels) -> CurrentLabels:
    """Return the labels of people, without those of machines."""
    machines = list(campaign.machines.values_list("user", flat=True))
    return labels.where(~np.isin(labels.judge, machines))


def columns_of(judgments: QuerySet[Judgment]) -> CurrentLabels:
    """Return judgments as columns, sorted."""
    grade = Coalesce("relevance", NoGrade.REFUSED.value)
    rows = judgments.order_by().values_list("judge", "pooled__topic", "pooled", grade)
    numbers = chain.from_iterable(rows.iterator(chunk_size=10_000))
    judge, topic, pooled, relevance = np.fromiter(numbers, dtype=np.int64).reshape(-1, 4).T
    order = np.lexsort((judge, pooled, topic))
    return CurrentLabels(judge[order], topic[order], pooled[order], relevance[order])
