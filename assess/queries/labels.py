"""The labels of a campaign: as rows, as columns, as records. For organisers, never for a judge."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from accounts.models import User
from assess.event_columns import Bools, Ints
from assess.models import Judgment, JudgmentEvent, MachineJudge, Probe, Progress, QueueEntry
from assess.no_grade import NoGrade
from assess.queries.caching import cached, label_version
from assess.queries.gold import not_gold_or_training
from assess.queries.independence import hidden_from
from assess.release.sources import source_of_label
from pooling.models import Campaign, Document, PooledDocument, Role, Topic
from pooling.queries.documents import import_version
from pooling.strategies.candidates import pair_keys


def documents_to_judge(campaign: Campaign) -> QuerySet[PooledDocument]:
    """Return the pooled documents whose labels count: all but gold and training documents."""
    return PooledDocument.objects.filter(not_gold_or_training("pk"), pool__in=_pools(campaign))


def keys_of(rows: QuerySet[Any]) -> list[int]:
    """Return the primary keys of a few rows, to filter by them."""
    return list(rows.order_by().values_list("pk", flat=True))


def _pools(campaign: Campaign) -> list[int]:
    """Return the keys of a campaign's pools.

    PostgreSQL estimates a filter by keys correctly. A join with the few pools gives it no statistics.
    """
    return keys_of(campaign.pools.all())


def count_documents_to_judge(campaign: Campaign) -> int:
    """Return the number of documents of `documents_to_judge`, cached by pools and gold documents."""
    pools, probes = _pools(campaign), list(Probe.objects.order_by("pooled").values_list("pooled", flat=True))

    def count() -> int:
        pooled = PooledDocument.objects.filter(pool__in=pools)
        return pooled.count() - pooled.filter(pk__in=probes).count()

    return cached(campaign, "pooled", (pools, probes), count)


def _machines(campaign: Campaign) -> list[int]:
    """Return the keys of the users who are machine judges of a campaign; keys as in `_pools`."""
    return list(campaign.machines.order_by().values_list("user", flat=True))


def judgments_in(campaign: Campaign) -> QuerySet[Judgment]:
    """Return the current labels of people. Those of machines count only where they are named."""
    return judgments_with_machines(campaign).exclude(judge__in=_machines(campaign))


class LabelCounts(NamedTuple):
    """labels: of people, with *cannot judge*. judges: people with a label."""

    labels: int
    judges: int


def label_counts(campaign: Campaign) -> LabelCounts:
    """Count labels of people and judges, from the counters of progress."""
    judged = Progress.objects.filter(topic__campaign=campaign, labels__gt=0)
    people = judged.exclude(judge__in=_machines(campaign))
    counts = people.aggregate(labels=Sum("labels"), judges=Count("judge", distinct=True))
    return LabelCounts(counts["labels"] or 0, counts["judges"])


def judgments_with_machines(campaign: Campaign) -> QuerySet[Judgment]:
    """Return the current labels that count: none of gold or training documents."""
    return Judgment.objects.filter(not_gold_or_training(), pooled__pool__in=_pools(campaign))


def events_in(campaign: Campaign) -> QuerySet[JudgmentEvent]:
    """Return the label events that count: neither training nor gold nor hidden repeats."""
    events = JudgmentEvent.objects.filter(not_gold_or_training(), pooled__pool__in=_pools(campaign))
    return events.filter(kind=QueueEntry.Kind.JUDGING)


def machines_with_labels(campaign: Campaign) -> QuerySet[MachineJudge]:
    """Return the machine judges with `label_count`."""
    machines = campaign.machines.select_related("user", "loaded_by")
    return machines.annotate(label_count=Count("user__judgments"))


def judges_of(campaign: Campaign) -> QuerySet[User]:
    """Return every person who may judge here, or has judged here."""
    members = campaign.memberships.filter(role=Role.JUDGE)
    judged = Progress.objects.filter(topic__campaign=campaign, labels__gt=0)
    people = User.objects.filter(machine=None)
    return people.filter(Q(pk__in=members.values("user")) | Q(pk__in=judged.values("judge"))).order_by(
        "username"
    )


def by_topic(campaign: Campaign, hidden: Collection[int], *fields: str) -> Iterator[list[Any]]:
    """Yield these fields of every current label, by topic, docno and judge.

    It reads one topic at a time, so that a response can begin at once.
    """
    for topic in campaign.topics.order_by("place"):
        labels = Judgment.objects.filter(not_gold_or_training(), pooled__topic=topic)
        rows = labels.order_by("pooled__docno", "judge__username").values_list("pooled", *fields)
        yield from (values for pooled, *values in rows.iterator() if pooled not in hidden)


class LabelRecord(NamedTuple):
    """The current label of a judge. relevance: None where there is a reason instead.

    suggested: the grade of a machine judge that was on screen; None where there was none. source: as in
    `assess.release.sources`. comment: for organisers and adjudicators. evidence: as the label event has it.
    """

    topic: str
    docno: str
    judge: str
    machine: bool
    relevance: int | None
    reason: str
    at: datetime
    suggested: int | None
    source: str
    comment: str
    evidence: dict[str, Any] | None


def label_records(campaign: Campaign, hidden: Collection[int] = frozenset()) -> Iterator[LabelRecord]:
    """Yield every current label, by topic, docno and judge, without hidden pooled documents."""
    fields = (
        "pooled__topic__number", "pooled__docno", "judge__username", "judge__machine__kind", "relevance",
        "event__reason", "event__at", "event__suggested", "event__comment", "event__evidence",
    )  # fmt: skip
    rows = by_topic(campaign, hidden, *fields)
    for topic, docno, judge, kind, grade, reason, at, shown, comment, evidence in rows:
        source = source_of_label(kind or "", shown is not None)
        label = grade, reason, at, shown, source, comment, evidence
        yield LabelRecord(topic, docno, judge, kind is not None, *label)


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
    return cached(
        campaign, "current-labels", version, lambda: label_columns(judgments_with_machines(campaign))
    )


def without_machines(campaign: Campaign, labels: CurrentLabels) -> CurrentLabels:
    """Return the labels of people, without those of machines."""
    machines = list(campaign.machines.values_list("user", flat=True))
    return labels.where(~np.isin(labels.judge, machines))


def has_suggestion(campaign: Campaign, labels: CurrentLabels) -> Bools:
    """Return which labels were given with the grade of a machine judge on screen."""
    given = Judgment.objects.filter(event__suggested__isnull=False, pooled__pool__in=_pools(campaign))
    rows = np.array(given.values_list("judge", "pooled"), dtype=np.int64).reshape(-1, 2)
    shown: Bools = np.isin(pair_keys(labels.judge, labels.pooled), pair_keys(*rows.T))
    return shown


def count_suggested(campaign: Campaign, topic: Topic | None = None) -> int:
    """Return how many current labels were given with the grade of a machine judge on screen."""
    labels = judgments_in(campaign).filter(event__suggested__isnull=False)
    return (labels.filter(pooled__topic=topic) if topic else labels).count()


def label_columns(judgments: QuerySet[Judgment]) -> CurrentLabels:
    """Return judgments as columns, sorted."""
    grade = Coalesce("relevance", NoGrade.REFUSED.value)
    rows = judgments.order_by().values_list("judge", "pooled__topic", "pooled", grade)
    numbers = chain.from_iterable(rows.iterator(chunk_size=10_000))
    judge, topic, pooled, relevance = np.fromiter(numbers, dtype=np.int64).reshape(-1, 4).T
    order = np.lexsort((judge, pooled, topic))
    return CurrentLabels(judge[order], topic[order], pooled[order], relevance[order])


def count_labels_of_earlier_texts(campaign: Campaign) -> int:
    """Return how many current labels of people were given here to a text that was replaced later."""
    version = label_version(campaign), import_version(campaign)
    return cached(
        campaign,
        "earlier-texts",
        version,
        lambda: only_earlier_texts(campaign, judgments_in(campaign)).count(),
    )


def only_earlier_texts(campaign: Campaign, labels: QuerySet[Judgment]) -> QuerySet[Judgment]:
    """Return those of these labels that were given here to a text that was replaced later."""
    documents = Document.objects.filter(campaign=campaign, docno=OuterRef("pooled__docno"))
    replaced = documents.exclude(text_hash=OuterRef("event__text_hash"))
    return labels.exclude(event__source="import").filter(Exists(replaced))


def refusals(
    campaign: Campaign, reader: User | None = None, reason: str = "", judge: str = "", topic: str = ""
) -> QuerySet[JudgmentEvent]:
    """Return the *cannot judge* events that are current or were returned to the judge, newest first.

    reader: documents of `hidden_from` for this user are left out. reason, judge (username), topic (number):
    filters, if not empty. Adds `current`: the key of the event of the judge's current label of the document;
    None while it is open again.
    """
    now = Judgment.objects.filter(judge=OuterRef("judge"), pooled=OuterRef("pooled"))
    events = events_in(campaign).filter(relevance=None).annotate(current=Subquery(now.values("event")[:1]))
    events = events.filter(Q(current=F("pk")) | Q(returned__isnull=False))
    if reader:
        events = events.exclude(pooled__in=hidden_from(reader, campaign))
    wanted = {"reason": reason, "judge__username": judge, "pooled__topic__number": topic}
    events = events.filter(**{field: value for field, value in wanted.items() if value})
    return events.select_related("judge", "pooled__topic", "returned__by").order_by("-pk")
