"""Everybody's labels as one matrix, read once however many figures of a page are computed from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain, compress
from typing import TypeVar

import numpy as np
from django.core.cache import cache
from django.db.models import Value
from django.db.models.functions import Coalesce

from accounts.models import User
from assess.kappa import Labels
from assess.kappa.labels import MISSING, checked_scale
from assess.models import JudgmentEvent, Return
from assess.queries.labels import judgments_with_machines
from pooling.columns import IntVector
from pooling.models import Campaign

Kept = TypeVar("Kept")
REFUSED = -1
HOUR = 3600


@dataclass(frozen=True, eq=False)
class Jury:
    """The labels of a campaign. labels: of people, then of machines, by username; items are the keys of
    pooled documents. machines: usernames of those that are no people. names: username -> what a page shows.
    refused: how many times people could not judge; no coefficient counts these.
    """

    labels: Labels
    machines: frozenset[str]
    names: dict[str, str]
    refused: int

    @property
    def people(self) -> Labels:
        """The labels of people alone, over the documents and topics that any of them judged.

        A topic that machines alone judged would be drawn in vain by a bootstrap over topics.
        """
        labels = self.labels.of_judges([judge for judge in self.labels.judges if judge not in self.machines])
        seen = np.asarray((labels.places >= 0).any(axis=0))
        codes, topic = np.unique(labels.topic[seen], return_inverse=True)
        return replace(
            labels,
            places=labels.places[:, seen],
            topic=topic,
            topics=tuple(labels.topics[code] for code in codes.tolist()),
            items=tuple(compress(labels.items, seen.tolist())),
        )


def stamp_of(campaign: Campaign) -> str:
    """Return what changes whenever a label, or what a label counts as, changes."""
    events = JudgmentEvent.objects.filter(pooled__pool__campaign=campaign).order_by("-pk")
    returns = Return.objects.filter(event__pooled__pool__campaign=campaign).order_by("-pk")
    last = [rows.values_list("pk", flat=True).first() or 0 for rows in (events, returns)]
    return "-".join(map(str, (*last, campaign.threshold, len(campaign.grades))))


def kept(campaign: Campaign, name: str, stamp: str, make: Callable[[], Kept]) -> Kept:
    """Return what was made for this stamp; else make it anew, in the place of what is out of date.

    So a campaign takes no more room while labels come in. name: without blanks, of what is kept.
    """
    key = f"jury-{campaign.pk}-{name}"
    found = cache.get(key)
    if found is None or found[0] != stamp:
        found = stamp, make()
        cache.set(key, found, HOUR)
    value: Kept = found[1]
    return value


def jury_of(campaign: Campaign, stamp: str = "") -> Jury:
    """Return the labels as they are now."""
    return kept(campaign, "labels", stamp or stamp_of(campaign), lambda: _read(campaign))


def _read(campaign: Campaign) -> Jury:
    """Three queries; all that is read of a label is four numbers."""
    rows = judgments_with_machines(campaign).values_list(
        "judge", "pooled__topic", "pooled", Coalesce("relevance", Value(REFUSED))
    )
    numbers = chain.from_iterable(rows.order_by().iterator(chunk_size=10_000))
    judge, topic, pooled, relevance = np.fromiter(numbers, dtype=np.int64).reshape(-1, 4).T
    people = list(User.objects.filter(pk__in=np.unique(judge).tolist()).select_related("machine"))
    people.sort(key=lambda user: (hasattr(user, "machine"), user.username))
    machines = frozenset(user.username for user in people if hasattr(user, "machine"))
    by_machine = np.isin(judge, [user.pk for user in people if user.username in machines])
    graded = relevance != REFUSED
    labels = _labels(campaign, people, (judge[graded], topic[graded], pooled[graded], relevance[graded]))
    names = {
        user.username: f"{user} (machine)" if user.username in machines else str(user) for user in people
    }
    return Jury(labels, machines, names, int((~graded & ~by_machine).sum()))


def _labels(
    campaign: Campaign, people: list[User], columns: tuple[IntVector, IntVector, IntVector, IntVector]
) -> Labels:
    """Return labels whose topics and judges are those that have any; topics in campaign order."""
    judge, topic, pooled, relevance = columns
    scale, threshold = checked_scale([grade.value for grade in campaign.grades], campaign.threshold)
    given, judged = set(judge.tolist()), set(topic.tolist())
    judges = [user for user in people if user.pk in given]
    topics = [row for row in campaign.topics.values_list("pk", "number") if row[0] in judged]
    place = _places([pk for pk, _ in topics], topic)
    items, first, column = np.unique(
        place << 40 | pooled,
        return_index=True,
        return_inverse=True,  # by topic, then by pooled document
    )
    places = np.full((len(judges), len(items)), MISSING, dtype=np.int8)
    places[_places([user.pk for user in judges], judge), column] = np.searchsorted(scale, relevance)
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
