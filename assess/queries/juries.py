"""Everybody's labels as one matrix, read once however many figures of a page are computed from it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress

import numpy as np

from accounts.models import User
from assess.event_columns import REFUSED, EventColumns, distinct
from assess.kappa import Labels
from assess.kappa.labels import MISSING, checked_scale
from assess.models import Probe, Return
from assess.queries.event_logs import newest_event, standing_of
from assess.queries.keeping import kept
from pooling.columns import IntVector
from pooling.models import Campaign


@dataclass(frozen=True, eq=False)
class Jury:
    """The labels of a campaign. labels: of people, then of machines, by username; items are the keys of
    pooled documents. machines: usernames of those that are no people. names: username -> what a page shows.
    refused: how many times people could not judge; no coefficient counts these. keys: username -> key.
    """

    labels: Labels
    machines: frozenset[str]
    names: dict[str, str]
    refused: int
    keys: dict[str, int]

    @cached_property
    def people(self) -> Labels:
        """The labels of people alone, over the documents and topics that any of them judged.

        A topic that machines alone judged would be drawn in vain by a bootstrap over topics.
        """
        labels = self.labels.of_judges([judge for judge in self.labels.judges if judge not in self.machines])
        return labels.of_items(np.asarray((labels.places >= 0).any(axis=0)))

    def without(self, hidden: Collection[int]) -> Jury:
        """Return the labels of all pooled documents but these, and the judges who have one of them."""
        items = np.array(self.labels.items, dtype=np.int64)
        labels = self.labels.of_items(~np.isin(items, list(hidden)))
        given: list[bool] = np.asarray((labels.places >= 0).any(axis=1)).tolist()
        return replace(self, labels=labels.of_judges([*compress(labels.judges, given)]))

    def numbered(self, numbers: Mapping[str, str]) -> Jury:
        """Return the same labels with numbers for names, in the order of the numbers.

        numbers: username -> what stands for it, in order, machines last.
        """
        labels = self.labels.of_judges([judge for judge in numbers if judge in self.labels.judges])
        return Jury(
            replace(labels, judges=tuple(numbers[judge] for judge in labels.judges)),
            frozenset(numbers[judge] for judge in self.machines if judge in numbers),
            {numbers[judge]: numbers[judge] for judge in self.names if judge in numbers},
            self.refused,
            {numbers[judge]: key for judge, key in self.keys.items() if judge in numbers},
        )


def stamp_of(campaign: Campaign) -> str:
    """Return what changes whenever a label, or what a label counts as, changes."""
    rows = Return.objects.order_by("-pk"), Probe.objects.order_by("-pk")  # anywhere: they only tell a change
    last = [each.values_list("pk", flat=True).first() or 0 for each in rows]
    return "-".join(map(str, (newest_event(campaign), *last, campaign.threshold, len(campaign.grades))))


def jury_of(campaign: Campaign, stamp: str = "") -> Jury:
    """Return the labels as they are now."""
    return kept(campaign, "labels", stamp or stamp_of(campaign), lambda: _read(campaign))


def _read(campaign: Campaign) -> Jury:
    labels = standing_of(campaign)
    people = list(User.objects.filter(pk__in=np.unique(labels.judge).tolist()).select_related("machine"))
    people.sort(key=lambda user: (hasattr(user, "machine"), user.username))
    machines = frozenset(user.username for user in people if hasattr(user, "machine"))
    by_machine = np.isin(labels.judge, [user.pk for user in people if user.username in machines])
    refused = labels.relevance == REFUSED
    names = {
        user.username: f"{user} (machine)" if user.username in machines else str(user) for user in people
    }
    return Jury(
        _labels(campaign, people, labels.where(~refused)),
        machines,
        names,
        int((refused & ~by_machine).sum()),
        {user.username: user.pk for user in people},
    )


def _labels(campaign: Campaign, people: list[User], graded: EventColumns) -> Labels:
    """Return labels whose topics and judges are those that have any; topics in campaign order."""
    judge, topic, pooled = graded.judge, graded.topic, graded.pooled
    scale, threshold = checked_scale([grade.value for grade in campaign.grades], campaign.threshold)
    given, judged = set(judge.tolist()), set(topic.tolist())
    judges = [user for user in people if user.pk in given]
    topics = [row for row in campaign.topics.values_list("pk", "number") if row[0] in judged]
    place = _places([pk for pk, _ in topics], topic)
    documents, item = distinct(pooled)  # labels come by topic and document
    first = np.searchsorted(item, np.arange(len(documents)))
    order = np.argsort(place[first], kind="stable")  # topics in campaign order, in each of them as they came
    column = np.argsort(order)[item]
    first = first[order]
    places = np.full((len(judges), len(first)), MISSING, dtype=np.int8)
    places[_places([user.pk for user in judges], judge), column] = np.searchsorted(scale, graded.relevance)
    return Labels(
        places,
        place[first],
        tuple(user.username for user in judges),
        tuple(number for _, number in topics),
        tuple(pooled[first].tolist()),
        scale,
        threshold,
    )


def _places(keys: list[int], values: IntVector) -> IntVector:
    """Return the place in `keys` of every value; each is there."""
    order = np.argsort(np.array(keys, dtype=np.int64))
    return order[np.searchsorted(np.array(keys, dtype=np.int64)[order], values)]
