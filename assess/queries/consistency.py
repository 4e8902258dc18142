"""The consistency of each judge, for the organiser only: it is not in the qrels, and no ranking."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
from django.db.models import Q, Sum

from accounts.models import User
from assess.event_columns import EventColumns, event_columns
from assess.judge_checks import (
    Flag,
    GoldHitRate,
    LabelStream,
    TrainingResult,
    gold_hit_rate,
    label_flags,
    training_result,
)
from assess.kappa.tables import confusion
from assess.kappa.two_judges import cohen, percent_agreement
from assess.models import JudgmentEvent, Probe, Progress, QueueEntry
from assess.no_grade import NoGrade
from assess.queries.campaign_reads import CampaignReads
from pooling.models import Campaign, Topic
from pooling.queries.caching import cached

Kind = QueueEntry.Kind


class SelfAgreement(NamedTuple):
    """A judge's first and second labels of hidden repeats.

    percent, kappa: None where undefined; `why` is the reason.
    """

    n: int
    percent: float | None
    kappa: float | None
    why: str


class TopicFlag(NamedTuple):
    """A flag and its topic. It is a reason to look, not a verdict."""

    topic: Topic
    flag: Flag


class Consistency(NamedTuple):
    """One judge. medians: topic -> median active seconds of the labels with a measured time."""

    judge: User
    labels: int
    seconds: float | None
    myself: SelfAgreement
    gold: GoldHitRate
    gold_sides: GoldHitRate
    training: TrainingResult
    suspicions: list[TopicFlag]
    medians: dict[int, float]


def consistency(reads: CampaignReads) -> list[Consistency]:
    """Return the consistency of all judges with labels from a queue, by name; cached by judge."""
    campaign = reads.campaign
    versions = Progress.objects.filter(topic__campaign=campaign, last_at__isnull=False).order_by()
    last = dict(versions.values_list("judge").annotate(Sum("version")))
    people = User.objects.filter(pk__in=last)
    probes, topics = _ExpectedGrades(campaign), {topic.pk: topic for topic in reads.topics}
    inputs = f"{campaign.threshold}-{len(campaign.grades)}-{probes.gold}-{probes.training}"

    def compute(judge: User) -> Consistency:
        return _consistency(campaign, judge, events_of(campaign, judge), probes, topics)

    return [
        cached(
            campaign, f"consistency-{judge.pk}", f"{last[judge.pk]}-{inputs}", partial(compute, judge)
        )._replace(judge=judge)
        for judge in sorted(people, key=lambda judge: (str(judge).lower(), judge.pk))
    ]


def events_of(campaign: Campaign, judge: User, topic: Topic | None = None) -> EventColumns:
    """Return a judge's events here in the order of the presses, without imported ones."""
    events = JudgmentEvent.objects.filter(judge=judge, pooled__pool__campaign=campaign)
    if topic:
        events = events.filter(pooled__topic=topic)
    rows = events.exclude(source="import").order_by(*JudgmentEvent.PRESS_ORDER)
    fields = "pk", "pooled__topic", "pooled", "relevance", "kind", "active_seconds"
    return event_columns(rows.values_list(*fields).iterator(chunk_size=10_000))


class _ExpectedGrades:
    """The correct grades: pooled document -> grade."""

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
    campaign: Campaign,
    judge: User,
    labels: EventColumns,
    probes: _ExpectedGrades,
    topics: Mapping[int, Topic],
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
        _self_agreement(labels, scale),
        gold_hit_rate(gold, probes.gold),
        gold_hit_rate(gold, probes.gold, campaign.threshold),
        training_result(training, probes.training, scale),
        [
            TopicFlag(topic, flag)
            for pk, topic in topics.items()
            if pk in by_topic
            for flag in label_flags(
                LabelStream(by_topic[pk].seconds, by_topic[pk].relevance), campaign.threshold
            )
        ],
        {topic: median for topic, median in medians.items() if median is not None},
    )


def first_presses(labels: EventColumns) -> EventColumns:
    """Return the first label of each document, in order; a correction does not count as a label."""
    counted = labels.where(labels.judging)
    _, first = np.unique(counted.pooled, return_index=True)
    return counted.where(np.sort(first))


def _median_seconds(labels: EventColumns) -> float | None:
    """Return the median active seconds; None when no time was measured."""
    timed = labels.seconds[~np.isnan(labels.seconds)]
    return float(np.median(timed)) if len(timed) else None


def _grade(relevance: int) -> int | None:
    return None if relevance == NoGrade.REFUSED else relevance


def _last_grades(labels: EventColumns, kind: str) -> dict[str, int]:
    graded = labels.where(labels.of_kind(kind) & (labels.relevance != NoGrade.REFUSED))
    return dict(zip(map(str, graded.pooled.tolist()), graded.relevance.tolist(), strict=True))


def _self_agreement(labels: EventColumns, scale: list[int]) -> SelfAgreement:
    """Compare each repeat with the label that was current when it came; *cannot judge* is left out."""
    repeated = labels.of_kind(Kind.REPEAT)
    relevant = labels.where((repeated | labels.judging) & np.isin(labels.pooled, labels.pooled[repeated]))
    current: dict[int, int | None] = {}
    pairs: dict[int, tuple[int | None, int | None]] = {}
    columns = relevant.pooled.tolist(), relevant.relevance.tolist(), relevant.judging.tolist()
    for pooled, relevance, is_first in zip(*columns, strict=True):
        if is_first:
            current[pooled] = _grade(relevance)
        else:
            first = pairs[pooled][0] if pooled in pairs else current.get(pooled)
            pairs[pooled] = first, _grade(relevance)
    graded = [(first, again) for first, again in pairs.values() if first is not None and again is not None]
    counts = confusion([first for first, _ in graded], [again for _, again in graded], scale)
    kappa = cohen(counts)
    why = "" if kappa is not None else "one grade throughout" if graded else "no document was repeated yet"
    return SelfAgreement(len(graded), percent_agreement(counts), kappa, why)


class LabelsOfJudge(NamedTuple):
    """Labels of a judge on a topic, in order."""

    judge: User
    keys: list[int]

    def events(self, start: int, stop: int) -> list[JudgmentEvent]:
        """Return some of these labels, [start, stop), each with its document."""
        rows = JudgmentEvent.objects.filter(pk__in=self.keys[start:stop])
        return list(rows.select_related("pooled").order_by("pk"))


def first_labels(campaign: Campaign, topic: Topic, judge: int) -> LabelsOfJudge | None:
    """Return a judge's labels from a queue as the flags count them: the first of each document.

    None for a judge without any.
    """
    user = User.objects.filter(pk=judge).first()
    events = events_of(campaign, user, topic) if user else None
    if user is None or events is None or not len(events.key):
        return None
    return LabelsOfJudge(user, first_presses(events).key.tolist())


def with_remarks(reads: CampaignReads, topic: Topic, labels: LabelsOfJudge) -> LabelsOfJudge:
    """Return all labels of this judge on the topic, corrections too, that have a comment or evidence."""
    events = reads.events().filter(judge=labels.judge, pooled__topic=topic)
    remarked = events.filter(~Q(comment="") | Q(evidence__isnull=False)).order_by("pk")
    return LabelsOfJudge(labels.judge, list(remarked.values_list("pk", flat=True)))
