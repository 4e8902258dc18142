"""How consistent each judge is, for the organiser alone: nothing of it is in the qrels, nothing is a rank."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
from django.db.models import Sum

from accounts.models import User
from assess.event_columns import EventColumns, event_columns
from assess.flags import Flag, Stream, flags
from assess.kappa.confusion import confusion
from assess.kappa.two_judges import cohen, percent_agreement
from assess.models import JudgmentEvent, Probe, Progress, QueueEntry
from assess.no_grade import NoGrade
from assess.queries.caching import cached
from assess.training import Feedback, HitRate, feedback, hit_rate
from pooling.models import Campaign, Topic

Kind = QueueEntry.Kind


class SelfAgreement(NamedTuple):
    """A judge against themselves on documents that came twice. percent, kappa: None where undefined; why."""

    n: int
    percent: float | None
    kappa: float | None
    why: str


class Suspicion(NamedTuple):
    """A flag, and where its labels are. It is a reason to look, not a verdict."""

    topic: Topic
    flag: Flag


class Consistency(NamedTuple):
    """One judge. medians: topic -> median active seconds, of those that were timed."""

    judge: User
    labels: int
    seconds: float | None
    myself: SelfAgreement
    gold: HitRate
    gold_sides: HitRate
    training: Feedback
    suspicions: list[Suspicion]
    medians: dict[int, float]


def consistency(campaign: Campaign) -> list[Consistency]:
    """Return everybody who has labelled from a queue, by name; worked out anew for whom it has changed."""
    versions = Progress.objects.filter(topic__campaign=campaign, last_at__isnull=False).order_by()
    last = dict(versions.values_list("judge").annotate(Sum("version")))
    people = User.objects.filter(pk__in=last)
    probes, topics = _Probes(campaign), {topic.pk: topic for topic in campaign.topics.all()}
    besides = f"{campaign.threshold}-{len(campaign.grades)}-{probes.gold}-{probes.training}"

    def made(judge: User) -> Consistency:
        return _consistency(campaign, judge, events_of(campaign, judge), probes, topics)

    return [
        cached(
            campaign, f"consistency-{judge.pk}", f"{last[judge.pk]}-{besides}", partial(made, judge)
        )._replace(judge=judge)
        for judge in sorted(people, key=lambda judge: (str(judge).lower(), judge.pk))
    ]


def events_of(campaign: Campaign, judge: User, topic: Topic | None = None) -> EventColumns:
    """Return what a judge did here, in the order of the presses; nothing that was imported."""
    events = JudgmentEvent.objects.filter(judge=judge, pooled__pool__campaign=campaign)
    if topic:
        events = events.filter(pooled__topic=topic)
    rows = events.exclude(source="import").order_by(*JudgmentEvent.PRESS_ORDER)
    fields = "pk", "pooled__topic", "pooled", "relevance", "kind", "active_seconds"
    return event_columns(rows.values_list(*fields).iterator(chunk_size=10_000))


class _Probes:
    """The right grades: pooled document -> grade."""

    def __init__(self, campaign: Campaign) -> None:
        rows = Probe.objects.filter(pooled__pool__campaign=campaign)
        self.training: dict[str, int] = {}
        self.gold: dict[str, int] = {}
        for pooled, kind, relevance, withdrawn in rows.values_list(
            "pooled", "kind", "relevance", "withdrawn"
        ):
            if kind == Probe.Kind.GOLD:
                self.gold[str(pooled)] = relevance
            elif not withdrawn:
                self.training[str(pooled)] = relevance


def _consistency(
    campaign: Campaign, judge: User, labels: EventColumns, probes: _Probes, topics: Mapping[int, Topic]
) -> Consistency:
    scale = [grade.value for grade in campaign.grades]
    gold, training = _last_grades(labels, Kind.GOLD), _last_grades(labels, Kind.TRAINING)
    first = first_presses(labels)
    by_topic = dict(first.by_topic())
    medians = {topic: _median_seconds(labels) for topic, labels in by_topic.items()}
    return Consistency(
        judge,
        len(first.key),
        _median_seconds(first),
        _myself(labels, scale),
        hit_rate(gold, probes.gold),
        hit_rate(gold, probes.gold, campaign.threshold),
        feedback(training, probes.training, scale),
        [
            Suspicion(topic, flag)
            for pk, topic in topics.items()
            if pk in by_topic
            for flag in flags(Stream(by_topic[pk].seconds, by_topic[pk].relevance), campaign.threshold)
        ],
        {topic: median for topic, median in medians.items() if median is not None},
    )


def first_presses(labels: EventColumns) -> EventColumns:
    """Return the first label of each document, in order; a correction is no label more."""
    counted = labels.where(labels.judging)
    _, first = np.unique(counted.pooled, return_index=True)
    return counted.where(np.sort(first))


def _median_seconds(labels: EventColumns) -> float | None:
    """Return the median active seconds of the labels that were timed; None when none was."""
    timed = labels.seconds[~np.isnan(labels.seconds)]
    return float(np.median(timed)) if len(timed) else None


def _grade(relevance: int) -> int | None:
    return None if relevance == NoGrade.REFUSED else relevance


def _last_grades(labels: EventColumns, kind: str) -> dict[str, int]:
    graded = labels.where(labels.of_kind(kind) & (labels.relevance != NoGrade.REFUSED))
    return dict(zip(map(str, graded.pooled.tolist()), graded.relevance.tolist(), strict=True))


def _myself(labels: EventColumns, scale: list[int]) -> SelfAgreement:
    """Compare each repeat with the label that stood when it came; *cannot judge* takes no part."""
    repeated = labels.of_kind(Kind.REPEAT)
    told = labels.where((repeated | labels.judging) & np.isin(labels.pooled, labels.pooled[repeated]))
    standing: dict[int, int | None] = {}
    pairs: dict[int, tuple[int | None, int | None]] = {}
    columns = told.pooled.tolist(), told.relevance.tolist(), told.judging.tolist()
    for pooled, relevance, is_first in zip(*columns, strict=True):
        if is_first:
            standing[pooled] = _grade(relevance)
        else:
            first = pairs[pooled][0] if pooled in pairs else standing.get(pooled)
            pairs[pooled] = first, _grade(relevance)
    graded = [(first, again) for first, again in pairs.values() if first is not None and again is not None]
    counts = confusion([first for first, _ in graded], [again for _, again in graded], scale)
    kappa = cohen(counts)
    why = "" if kappa is not None else "one grade throughout" if graded else "nothing has come back yet"
    return SelfAgreement(len(graded), percent_agreement(counts), kappa, why)


class StreamOfEvents(NamedTuple):
    """A judge's labels on a topic as the flags count them: the first of each document, in order."""

    judge: User
    keys: list[int]

    def events(self, start: int, stop: int) -> list[JudgmentEvent]:
        """Return some of these labels, [start, stop), each with its document."""
        rows = JudgmentEvent.objects.filter(pk__in=self.keys[start:stop])
        return list(rows.select_related("pooled").order_by("pk"))


def stream_of_events(campaign: Campaign, topic: Topic, judge: int) -> StreamOfEvents | None:
    """Return what a judge labelled from a queue on a topic; None for whoever did nothing on it."""
    user = User.objects.filter(pk=judge).first()
    events = events_of(campaign, user, topic) if user else None
    if user is None or events is None or not len(events.key):
        return None
    return StreamOfEvents(user, first_presses(events).key.tolist())
