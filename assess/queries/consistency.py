"""How consistent each judge is, for the organiser alone: nothing of it is in the qrels, nothing is a rank."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import NamedTuple

import numpy as np

from accounts.models import User
from assess.event_columns import summed
from assess.kappa import cohen, confusion, percent_agreement
from assess.models import JudgmentEvent, Probe, QueueEntry
from assess.pace import Flag, Press, flags, median_seconds
from assess.queries.event_logs import log_of
from assess.queries.juries import stamp_of
from assess.queries.keeping import kept
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


class _Label(NamedTuple):
    """One press, as it is read for all of a campaign."""

    pk: int
    topic: int
    judge: int
    pooled: int
    kind: str
    relevance: int | None
    seconds: float | None
    at: datetime


Stream = list[_Label]


def consistency(campaign: Campaign) -> list[Consistency]:
    """Return everybody who has labelled from a queue, by name; worked out anew for whom it has changed."""
    log = log_of(campaign)
    log = log.where(log.here)
    last = {judge: key for (judge,), (key,) in summed([log.judge], log.key, how=np.maximum)}
    people = User.objects.filter(pk__in=last)
    probes, topics = _Probes(campaign), {topic.pk: topic for topic in campaign.topics.all()}
    told = f"{stamp_of(campaign).partition('-')[2]}-{probes.gold}-{probes.training}"  # besides labels

    def made(judge: User) -> Consistency:
        return _consistency(campaign, judge, _labels(campaign, judge), probes, topics)

    return [
        kept(campaign, f"consistency-{judge.pk}", f"{last[judge.pk]}-{judge}-{told}", partial(made, judge))
        for judge in sorted(people, key=lambda judge: (str(judge).lower(), judge.pk))
    ]


def _labels(campaign: Campaign, judge: User) -> Stream:
    events = JudgmentEvent.objects.filter(judge=judge, pooled__pool__campaign=campaign)
    rows = events.exclude(source="import").order_by("pk").values_list(
        "pk", "pooled__topic", "judge", "pooled", "kind", "relevance", "active_seconds", "at"
    )  # fmt: skip
    return [_Label(*row) for row in rows.iterator(chunk_size=10_000)]


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
    campaign: Campaign, judge: User, labels: Stream, probes: _Probes, topics: Mapping[int, Topic]
) -> Consistency:
    scale = [grade.value for grade in campaign.grades]
    gold, training = _last_grades(labels, Kind.GOLD), _last_grades(labels, Kind.TRAINING)
    streams = first_presses(labels)
    pressed = {topic: [_press(label) for label in stream] for topic, stream in streams.items()}
    order = [topic for topic in topics if topic in pressed]  # of the campaign
    medians = {topic: median_seconds(pressed[topic]) for topic in order}
    return Consistency(
        judge,
        sum(map(len, streams.values())),
        median_seconds([press for topic in order for press in pressed[topic]]),
        _myself(labels, scale),
        hit_rate(gold, probes.gold),
        hit_rate(gold, probes.gold, campaign.threshold),
        feedback(training, probes.training, scale),
        [
            Suspicion(topics[topic], flag)
            for topic in order
            for flag in flags(pressed[topic], campaign.threshold)
        ],
        {topic: median for topic, median in medians.items() if median is not None},
    )


def first_presses(labels: Stream) -> dict[int, Stream]:
    """Return topic -> the first label of each document, in order; a correction is no label more."""
    streams: dict[int, Stream] = defaultdict(list)
    seen = set()
    for label in labels:
        if label.kind == Kind.JUDGING and label.pooled not in seen:
            seen.add(label.pooled)
            streams[label.topic].append(label)
    return streams


def _press(label: _Label) -> Press:
    return Press(label.at, label.seconds, label.relevance)


def _last_grades(labels: Stream, kind: str) -> dict[str, int]:
    return {
        str(each.pooled): each.relevance
        for each in labels
        if each.kind == kind and each.relevance is not None
    }


def _myself(labels: Stream, scale: list[int]) -> SelfAgreement:
    """Compare each repeat with the label that stood when it came; *cannot judge* takes no part."""
    standing: dict[int, int | None] = {}
    pairs: dict[int, tuple[int | None, int | None]] = {}
    for label in labels:
        if label.kind == Kind.REPEAT:
            first = pairs[label.pooled][0] if label.pooled in pairs else standing.get(label.pooled)
            pairs[label.pooled] = first, label.relevance
        elif label.kind == Kind.JUDGING:
            standing[label.pooled] = label.relevance
    graded = [(first, again) for first, again in pairs.values() if first is not None and again is not None]
    counts = confusion([first for first, _ in graded], [again for _, again in graded], scale)
    kappa = cohen(counts)
    why = "" if kappa is not None else "one grade throughout" if graded else "nothing has come back yet"
    return SelfAgreement(len(graded), percent_agreement(counts), kappa, why)


def stream_of_events(judge: User, topic: Topic) -> list[JudgmentEvent]:
    """Return a judge's labels on a topic as the flags count them: the first of each document, in order."""
    events = JudgmentEvent.objects.filter(judge=judge, pooled__topic=topic, kind=Kind.JUDGING)
    events = events.exclude(source="import").select_related("pooled").order_by("pk")
    first: dict[int, JudgmentEvent] = {}
    for event in events:
        first.setdefault(event.pooled_id, event)
    return list(first.values())
