"""Current labels as columns, and whose they are."""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from django.db.models import QuerySet
from django.db.models.functions import Coalesce

from assess.event_columns import Ints
from assess.models import Judgment
from assess.no_grade import NoGrade


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


def label_columns(judgments: QuerySet[Judgment]) -> CurrentLabels:
    """Return judgments as columns, sorted."""
    grade = Coalesce("relevance", NoGrade.REFUSED.value)
    rows = judgments.order_by().values_list("judge", "pooled__topic", "pooled", grade)
    numbers = chain.from_iterable(rows.iterator(chunk_size=10_000))
    judge, topic, pooled, relevance = np.fromiter(numbers, dtype=np.int64).reshape(-1, 4).T
    order = np.lexsort((judge, pooled, topic))
    return CurrentLabels(judge[order], topic[order], pooled[order], relevance[order])


class LabelsBySource:
    """The current labels that count. There is no reading of them that does not say whose labels it takes."""

    def __init__(self, labels: CurrentLabels, machines: list[int]) -> None:
        """machines: the keys of the users who are machine judges."""
        self.all = labels
        self.by_machine = np.isin(labels.judge, machines)
        """Which labels of `all` are those of machine judges."""

    @cached_property
    def people(self) -> CurrentLabels:
        return self.all.where(~self.by_machine)
