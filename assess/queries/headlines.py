"""What every page says of a campaign's labels: how many, how far judges agree, what waits to be settled.

A label changes one topic, so these are summed up from what each topic comes to.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from accounts.models import User
from assess.disputes import LabelColumns, disputes_of
from assess.event_columns import REFUSED, EventColumns, Ints, distinct
from assess.kappa import Coefficient, light_of_tables
from assess.kappa.confusion import Counts, pair_tables
from assess.kappa.labels import checked_scale, labels_of
from assess.models import AdjudicationEvent
from assess.queries.disputes import settled_in
from assess.queries.event_logs import of_topics
from assess.queries.juries import stamp_of
from assess.queries.keeping import kept
from pooling.models import Campaign

_NONE = np.zeros(0, dtype=np.int64)


class _Share(NamedTuple):
    """One topic, its labels of people. differ: the documents that got different grades. several: how many
    documents have two grades. judges: who gave a grade. tables: (judge, later judge) -> confusion matrix."""

    labels: int
    differ: Ints
    several: int
    judges: list[int]
    tables: dict[tuple[int, int], Counts]


class Headlines:
    """The figures of a campaign as its labels are now."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self._scale = checked_scale([grade.value for grade in campaign.grades], campaign.threshold)[0]

    @cached_property
    def _shares(self) -> list[_Share]:
        machines = tuple(self.campaign.machines.order_by("user").values_list("user", flat=True))
        made = partial(_share, machines=machines, scale=self._scale)
        return list(of_topics(self.campaign, "headlines", (machines, self._scale), made).values())

    @cached_property
    def _stamp(self) -> str:
        return stamp_of(self.campaign)

    @property
    def labels(self) -> int:
        """How many labels of people there are, *cannot judge* too."""
        return kept(self.campaign, "count-of-labels", self._stamp, self._labels)

    @property
    def waiting(self) -> int:
        """On how many documents people gave different grades that nobody has settled."""
        decision = AdjudicationEvent.objects.order_by("-pk").values_list("pk", flat=True).first()  # anywhere
        return kept(self.campaign, "waiting", f"{self._stamp}-{decision}", self._waiting)

    @property
    def kappa(self) -> Coefficient:
        """The mean over pairs of people of Cohen's kappa (Light's), without an interval."""
        return kept(self.campaign, "light", self._stamp, self._kappa)

    def _labels(self) -> int:
        return sum(share.labels for share in self._shares)

    def _waiting(self) -> int:
        differ = np.concatenate([_NONE, *(share.differ for share in self._shares)])
        settled = settled_in(self.campaign).order_by().values_list("pooled", flat=True)
        return int((~np.isin(differ, np.fromiter(settled, dtype=np.int64))).sum())

    def _kappa(self) -> Coefficient:
        given = {judge for share in self._shares for judge in share.judges}
        people = User.objects.filter(pk__in=given).values_list("username", "pk")
        place_of = {pk: place for place, (_, pk) in enumerate(sorted(people))}
        sums: dict[tuple[int, int], Counts] = {}
        for share in self._shares:
            for (first, second), counts in share.tables.items():
                pair = place_of[first], place_of[second]
                pair, counts = (pair, counts) if pair[0] < pair[1] else (pair[::-1], counts.T)
                sums[pair] = sums[pair] + counts if pair in sums else counts
        tables = np.zeros((len(sums), len(self._scale), len(self._scale)))
        for row, pair in enumerate(sorted(sums)):
            tables[row] = sums[pair]
        several = sum(share.several for share in self._shares)
        return light_of_tables(tables, self._scale, several, len(given))


def _share(labels: EventColumns, machines: Sequence[int], scale: Sequence[int]) -> _Share:
    people = labels.where(~np.isin(labels.judge, machines))
    disputes = disputes_of(LabelColumns(people.pooled, people.judge, people.relevance))
    graded = people.where(people.relevance != REFUSED)
    judges, row = np.unique(graded.judge, return_inverse=True)
    items, column = distinct(graded.pooled)
    places = np.full((len(judges), len(items)), -1, dtype=np.int8)
    places[row, column] = np.searchsorted(scale, graded.relevance)
    found = pair_tables(labels_of(places, scale))
    pairs = zip(judges[found.first].tolist(), judges[found.second].tolist(), strict=True)
    tables = dict(zip(pairs, found.counts[0].astype(np.int64), strict=True))
    several = int((np.bincount(column, minlength=1) > 1).sum())
    return _Share(
        len(people.key), disputes.documents[disputes.distance > 0], several, judges.tolist(), tables
    )
