"""All labels of a campaign as one matrix, cached by the version of the labels."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import NamedTuple

import numpy as np
from django.db.models import Q

from accounts.models import User
from assess.event_columns import unique_of_sorted
from assess.kappa.labels import Labels, checked_scale
from assess.models import Judgment, JudgmentEvent
from assess.no_grade import NoGrade
from assess.queries.campaign_reads import CampaignReads
from assess.queries.label_columns import CurrentLabels
from assess.queries.labels import has_suggestion
from assess.queries.sources import of_people
from pooling.arrays import IntVector
from pooling.models import Campaign

PASSAGE, WHOLE = "passage", "whole"  # what judges read, where a passage comes first


@dataclass(frozen=True, eq=False)
class LabelMatrix:
    """The label matrix of a campaign, with its judges.

    labels: of people, then of machines, by username; items are the keys of pooled documents. machines:
    usernames of machine judges. names: username -> display name. refused: number of *cannot judge* of people,
    which no coefficient counts. keys: username -> primary key.
    """

    labels: Labels
    machines: frozenset[str]
    names: dict[str, str]
    refused: int
    keys: dict[str, int]

    @cached_property
    def people(self) -> Labels:
        """The labels of people, over the documents and topics that any of them judged.

        A bootstrap over topics must not draw topics that only machines judged.
        """
        labels = self.labels.of_judges([judge for judge in self.labels.judges if judge not in self.machines])
        return labels.of_items(np.asarray((labels.places >= 0).any(axis=0)))

    def without(self, hidden: Collection[int]) -> LabelMatrix:
        """Return the labels without these pooled documents, and without judges who then have no label."""
        items = np.array(self.labels.items, dtype=np.int64)
        labels = self.labels.of_items(~np.isin(items, list(hidden)))
        given: list[bool] = np.asarray((labels.places >= 0).any(axis=1)).tolist()
        return replace(self, labels=labels.of_judges([*compress(labels.judges, given)]))

    def without_labels(self, given: Collection[tuple[str, int]]) -> LabelMatrix:
        """Return the labels without those of some (username, pooled document), as if they were not given."""
        places = self.labels.places.copy()
        column = {item: place for place, item in enumerate(self.labels.items)}
        row = {judge: place for place, judge in enumerate(self.labels.judges)}
        for judge, pooled in given:
            if judge in row and pooled in column:
                places[row[judge], column[pooled]] = NoGrade.MISSING
        labels = replace(self.labels, places=places)
        labels = labels.of_items(np.asarray((places >= 0).any(axis=0)))
        left: list[bool] = np.asarray((labels.places >= 0).any(axis=1)).tolist()
        return replace(self, labels=labels.of_judges([*compress(labels.judges, left)]))

    def numbered(self, numbers: Mapping[str, str]) -> LabelMatrix:
        """Return the same labels with numbers for names, in the order of the numbers.

        numbers: username -> number, in order, machines last.
        """
        labels = self.labels.of_judges([judge for judge in numbers if judge in self.labels.judges])
        return LabelMatrix(
            replace(labels, judges=tuple(numbers[judge] for judge in labels.judges)),
            frozenset(numbers[judge] for judge in self.machines if judge in numbers),
            {numbers[judge]: numbers[judge] for judge in self.names if judge in numbers},
            self.refused,
            {numbers[judge]: key for judge, key in self.keys.items() if judge in numbers},
        )


def unsure_labels(campaign: Campaign) -> list[tuple[str, int]]:
    """Return (username, pooled document) of the current labels that their judges marked as unsure."""
    unsure = Judgment.objects.filter(of_people(), event__unsure=True, pooled__topic__campaign=campaign)
    return list(unsure.values_list("judge__username", "pooled"))


def labels_not_read(campaign: Campaign, read: str) -> list[tuple[str, int]]:
    """Return (username, pooled document) of the current labels of people to whom `read` does not apply.

    read: PASSAGE for labels given by the passage alone, WHOLE for those with the whole text on screen.
    """
    labels = Judgment.objects.filter(of_people(), pooled__topic__campaign=campaign)
    by_passage = Q(event__read=JudgmentEvent.Read.PASSAGE)
    others = labels.exclude(by_passage) if read == PASSAGE else labels.filter(by_passage)
    return list(others.order_by().values_list("judge__username", "pooled"))


def label_matrix(reads: CampaignReads) -> LabelMatrix:
    """Return the current labels."""
    labels, refused = reads.cached("label-matrix", reads.version, lambda: _read(reads))
    names = _names(reads, labels.judges)
    return LabelMatrix(labels, frozenset(names.machines), names.shown, refused, names.keys)


class _Names(NamedTuple):
    machines: list[str]
    shown: dict[str, str]
    keys: dict[str, int]


def _names(reads: CampaignReads, judges: Iterable[str]) -> _Names:
    """Read the current names of judges; `shown` is in the order of the judges."""
    sources = {source.user.username: source for source in reads.sources}
    machines = [name for name in judges if sources[name].is_program]
    shown = {
        name: f"{sources[name].user} (machine)" if name in machines else str(sources[name].user)
        for name in judges
    }
    return _Names(machines, shown, {name: sources[name].user_id for name in judges})


def _read(reads: CampaignReads) -> tuple[Labels, int]:
    """Return the label matrix, and the number of *cannot judge* of people.

    Documents whose judge saw the grade of a machine are without labels of machines: a comparison would favour
    the machine.
    """
    labels, by_machine = reads.labels.all, reads.labels.by_machine
    users = [source.user for source in sorted(reads.sources, key=lambda source: source.is_program)]
    refused = labels.relevance == NoGrade.REFUSED
    shown = by_machine & np.isin(labels.pooled, labels.pooled[has_suggestion(reads, labels)])
    return _labels(reads, users, labels.where(~refused & ~shown)), int((refused & ~by_machine).sum())


def _labels(reads: CampaignReads, people: list[User], graded: CurrentLabels) -> Labels:
    """Return labels with the topics and judges that have any; topics in campaign order."""
    judge, topic, pooled = graded.judge, graded.topic, graded.pooled
    campaign = reads.campaign
    scale, threshold = checked_scale([grade.value for grade in campaign.grades], campaign.threshold)
    given, judged = set(judge.tolist()), set(topic.tolist())
    judges = [user for user in people if user.pk in given]
    topics = [each for each in reads.topics if each.pk in judged]
    place = _places([each.pk for each in topics], topic)
    documents, item = unique_of_sorted(pooled)  # labels are sorted by topic and document
    first = np.searchsorted(item, np.arange(len(documents)))
    order = np.argsort(place[first], kind="stable")  # topics in campaign order, documents by key
    column = np.argsort(order)[item]
    first = first[order]
    places = np.full((len(judges), len(first)), NoGrade.MISSING, dtype=np.int8)
    places[_places([user.pk for user in judges], judge), column] = np.searchsorted(scale, graded.relevance)
    return Labels(
        places,
        place[first],
        tuple(user.username for user in judges),
        tuple(each.number for each in topics),
        tuple(pooled[first].tolist()),
        scale,
        threshold,
    )


def _places(keys: list[int], values: IntVector) -> IntVector:
    """Return the place of every value in `keys`; each value is among them."""
    order = np.argsort(np.array(keys, dtype=np.int64))
    return order[np.searchsorted(np.array(keys, dtype=np.int64)[order], values)]
