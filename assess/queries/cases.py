"""What a rule makes of the labels of now, document by document, as columns."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from accounts.models import User
from assess.consensus import Decision
from assess.consensus_columns import NOTHING, decisions
from assess.event_columns import REFUSED, Ints, distinct
from assess.models import AdjudicationEvent
from assess.queries.caching import cached, label_version
from assess.queries.current_labels import CurrentLabels, current_labels
from assess.queries.labels import keys_of
from assess.queries.pooled_columns import PooledColumns, pooled_columns, to_judge_columns
from assess.queries.releases import pools_in, primary_judges, settled_grades, topics_in
from assess.release_plan import ReleasePlan
from pooling.columns import Flags
from pooling.models import Campaign


class Decided(NamedTuple):
    """The documents in the scope of a plan that have a label, and what its rule says of them.

    documents: places in `pooled_columns`. decisions: those that occur. decision: of each document, the place
    of its own among them. graders: how many judges gave each a grade. settled: which an adjudicator
    settled. waiting: which nobody settled, and those who are read gave different grades.
    """

    documents: Ints
    decisions: list[Decision]
    decision: Ints
    graders: Ints
    settled: Flags
    waiting: Flags


def decided(campaign: Campaign, plan: ReleasePlan) -> Decided:
    """Return what a release made now would say, as `release_lines` does line by line."""
    labels, pooled = current_labels(campaign), pooled_columns(campaign)
    judges, scale = _admitted(plan, labels), [grade.value for grade in campaign.grades]
    found, grades = _grades(labels, judges)
    documents = np.searchsorted(pooled.pk, found)
    inside = scope_columns(campaign, plan)[documents]
    documents, grades, names = documents[inside], grades[inside], [*judges.values()]
    primary = _primary_judges(campaign, pooled.where(documents), names)
    settled = _settled(campaign, pooled.pk)[documents]
    said = decisions(plan.rule, names, grades, primary, settled, plan.judge, scale)
    is_settled, graded = settled != NOTHING, grades > REFUSED
    highest = np.where(graded, grades, -1).max(axis=1, initial=-1)
    differ = (graded & (grades < highest[:, np.newaxis])).any(axis=1)
    return Decided(documents, *said, graded.sum(axis=1), is_settled, differ & ~is_settled)


class AgreedColumns(NamedTuple):
    """documents: places in `pooled_columns`, by topic, then key. grades: what a release would say of them."""

    documents: Ints
    grades: Ints


def agreed_columns(campaign: Campaign, plan: ReleasePlan) -> AgreedColumns:
    """Return the grades that a release made now by this plan would have; cached until one may differ."""
    return cached(campaign, "agreed", agreed_version(campaign, plan), lambda: _agreed(campaign, plan))


def agreed_version(campaign: Campaign, plan: ReleasePlan) -> tuple[object, ...]:
    """Return what changes whenever the grades by a plan may change."""
    primary = tuple(sorted(primary_judges(campaign).items()))
    return label_version(campaign), plan, campaign.pools.count(), primary


def _agreed(campaign: Campaign, plan: ReleasePlan) -> AgreedColumns:
    found = decided(campaign, plan)
    written = [plan.written(decision) for decision in found.decisions]
    grades = np.array([NOTHING if grade is None else grade for grade in written], dtype=np.int64)
    graded = grades[found.decision] > REFUSED
    documents, grades = found.documents[graded], grades[found.decision][graded]
    order = np.argsort(pooled_columns(campaign).topic[documents], kind="stable")
    return AgreedColumns(documents[order], grades[order])


def scope_columns(campaign: Campaign, plan: ReleasePlan) -> Flags:
    """Tell of every document in `pooled_columns` whether it is in the scope of a plan: see `scope_of`."""
    documents, wanted = pooled_columns(campaign), set(keys_of(topics_in(campaign, plan)))
    topics = [key in wanted for key in campaign.topics.values_list("pk", flat=True)]
    inside: Flags = np.isin(documents.pool, keys_of(pools_in(campaign, plan)))
    inside &= np.array(topics, dtype=bool)[documents.topic] & to_judge_columns(campaign)
    return inside


def _admitted(plan: ReleasePlan, labels: CurrentLabels) -> dict[int, str]:
    """Return judge -> username, of all whose labels the plan reads, by key."""
    people = User.objects.filter(pk__in=np.unique(labels.judge).tolist()).order_by("pk")
    rows = people.values_list("pk", "username", "machine")
    return {pk: name for pk, name, machine in rows if plan.admits(name, machine is not None)}


def _grades(labels: CurrentLabels, judges: Mapping[int, str]) -> tuple[Ints, Ints]:
    """Return the documents that these judges labelled, and their grades as `decisions` takes them."""
    keys = list(judges)
    read = np.isin(labels.judge, keys)
    documents, row = distinct(labels.pooled[read])  # labels come by topic and document
    grades = np.full((len(documents), len(keys)), NOTHING)
    grades[row, np.searchsorted(keys, labels.judge[read])] = labels.relevance[read]
    return documents, grades


def _primary_judges(campaign: Campaign, documents: PooledColumns, judges: Sequence[str]) -> Ints:
    """Return the place of each document's primary judge among the judges, -1 where that is none of them."""
    pools = campaign.pools.order_by("pk").values_list("pk", "number")
    topics = _places(campaign.topics.values_list("number", flat=True))
    numbers, row_of = _places(number for _, number in pools), _places(judges)
    of_part = np.full((len(topics), len(numbers)), -1)
    for (topic, pool), judge in primary_judges(campaign).items():
        of_part[topics[topic], numbers[pool]] = row_of.get(judge, -1)
    return of_part[documents.topic, np.searchsorted([key for key, _ in pools], documents.pool)]


def _places(values: Iterable[Hashable]) -> dict[Hashable, int]:
    return {value: place for place, value in enumerate(values)}


def _settled(campaign: Campaign, keys: Ints) -> Ints:
    """Return the adjudicated grade of each pooled document, NOTHING without one. keys: ascending."""
    settled = settled_grades(AdjudicationEvent.objects.filter(pooled__pool__campaign=campaign))
    grades = np.full(len(keys), NOTHING)
    grades[np.searchsorted(keys, list(settled))] = [each.relevance for each in settled.values()]
    return grades
