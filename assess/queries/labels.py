"""The labels of a campaign: as rows, as columns, as records. For organisers, never for a judge."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Count, Exists, F, Min, OuterRef, Q, QuerySet, Subquery, Sum

from accounts.models import User
from assess.event_columns import Bools, Ints
from assess.models import Judgment, JudgmentEvent, Progress, Source
from assess.queries.campaign_reads import CampaignReads
from assess.queries.gold import not_gold_or_training
from assess.queries.independence import hidden_from
from assess.queries.label_columns import CurrentLabels
from assess.release.sources import source_of_label
from pooling.models import Campaign, Document, Role, Topic
from pooling.strategies.candidates import pair_keys


def keys_of(rows: QuerySet[Any]) -> list[int]:
    """Return the primary keys of a few rows, to filter by them."""
    return list(rows.order_by().values_list("pk", flat=True))


class LabelCounts(NamedTuple):
    """labels: of people, with *cannot judge*. judges: people with a label."""

    labels: int
    judges: int


def label_counts(reads: CampaignReads) -> LabelCounts:
    """Count labels of people and judges, from the counters of progress."""
    judged = Progress.objects.filter(topic__campaign=reads.campaign, labels__gt=0)
    people = judged.exclude(judge__in=reads.machine_keys)
    counts = people.aggregate(labels=Sum("labels"), judges=Count("judge", distinct=True))
    return LabelCounts(counts["labels"] or 0, counts["judges"])


def machines_with_labels(campaign: Campaign) -> QuerySet[Source]:
    """Return the machine judges with `label_count`."""
    machines = campaign.sources.programs().select_related("user", "loaded_by")
    return machines.annotate(label_count=Count("user__judgments"))


def judges_of(campaign: Campaign) -> QuerySet[User]:
    """Return every person who may judge here, or has judged here."""
    members = campaign.memberships.filter(role=Role.JUDGE)
    judged = Progress.objects.filter(topic__campaign=campaign, labels__gt=0)
    people = User.objects.exclude(pk__in=campaign.sources.programs().values("user"))
    people = people.filter(Q(pk__in=members.values("user")) | Q(pk__in=judged.values("judge")))
    return people.order_by("username")


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
        "pooled__topic__number", "pooled__docno", "judge__username", "relevance", "event__reason",
        "event__at", "event__suggested", "event__comment", "event__evidence",
    )  # fmt: skip
    programs = dict(campaign.sources.programs().values_list("user__username", "kind"))
    rows = by_topic(campaign, hidden, *fields)
    for topic, docno, judge, grade, reason, at, shown, comment, evidence in rows:
        source = source_of_label(programs.get(judge, ""), shown is not None)
        label = grade, reason, at, shown, source, comment, evidence
        yield LabelRecord(topic, docno, judge, judge in programs, *label)


def has_suggestion(reads: CampaignReads, labels: CurrentLabels) -> Bools:
    """Return which labels were given with the grade of a machine judge on screen."""
    given = Judgment.objects.filter(event__in=_with_suggestion(), pooled__pool__in=reads.pool_keys)
    rows = np.array(given.values_list("judge", "pooled"), dtype=np.int64).reshape(-1, 2)
    shown: Bools = np.isin(pair_keys(labels.judge, labels.pooled), pair_keys(*rows.T))
    return shown


def _with_suggestion() -> QuerySet[JudgmentEvent, int]:
    """Return the keys of the events with a suggestion: few, which a subquery reads from their own index."""
    return JudgmentEvent.objects.filter(suggested__isnull=False).order_by().values_list("pk", flat=True)


def judging_order(reads: CampaignReads) -> Ints:
    """Return documents graded by people, as places in `CampaignReads.pooled`, by the first press."""
    graded = reads.events().exclude(judge__in=reads.machine_keys).filter(relevance__isnull=False)
    first = graded.order_by().values("pooled").annotate(first=Min("pressed_at"), key=Min("pk"))
    rows = first.order_by("first", "key").values_list("pooled", flat=True)
    judged = np.fromiter(rows.iterator(chunk_size=10_000), dtype=np.int64)
    return np.searchsorted(reads.pooled.pk, judged)


def count_suggested(reads: CampaignReads, topic: Topic | None = None) -> int:
    """Return how many current labels were given with the grade of a machine judge on screen."""
    labels = reads.judgments_of_people().filter(event__in=_with_suggestion())
    return (labels.filter(pooled__topic=topic) if topic else labels).count()


def labels_of_earlier_texts(reads: CampaignReads) -> Ints:
    """Return the document of each current label of people that was given here to a text replaced later."""

    def read() -> Ints:
        labels = only_earlier_texts(reads.campaign, reads.judgments_of_people()).order_by()
        return np.fromiter(labels.values_list("pooled", flat=True), dtype=np.int64)

    return reads.cached("labels-of-earlier-texts", (reads.version, reads.import_version), read)


def only_earlier_texts(campaign: Campaign, labels: QuerySet[Judgment]) -> QuerySet[Judgment]:
    """Return those of these labels that were given here to a text that was replaced later."""
    documents = Document.objects.filter(campaign=campaign, docno=OuterRef("pooled__docno"))
    replaced = documents.exclude(text_hash=OuterRef("event__text_hash"))
    return labels.exclude(event__source="import").filter(Exists(replaced))


def refusals(
    reads: CampaignReads, reader: User | None = None, reason: str = "", judge: str = "", topic: str = ""
) -> QuerySet[JudgmentEvent]:
    """Return the *cannot judge* events that are current or were returned to the judge, newest first.

    reader: documents of `hidden_from` for this user are left out. reason, judge (username), topic (number):
    filters, if not empty. Adds `current`: the key of the event of the judge's current label of the document;
    None while it is open again.
    """
    now = Judgment.objects.filter(judge=OuterRef("judge"), pooled=OuterRef("pooled"))
    events = reads.events().filter(relevance=None).annotate(current=Subquery(now.values("event")[:1]))
    events = events.filter(Q(current=F("pk")) | Q(returned__isnull=False))
    if reader:
        events = events.exclude(pooled__in=hidden_from(reader, reads.campaign))
    wanted = {"reason": reason, "judge__username": judge, "pooled__topic__number": topic}
    events = events.filter(**{field: value for field, value in wanted.items() if value})
    return events.select_related("judge", "pooled__topic", "returned__by").order_by("-pk")
