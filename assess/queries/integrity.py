"""The checks of `manage.py audit` for this app: labels, queues, counters and releases, derived again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.db.models import CharField, Count, QuerySet
from django.db.models.functions import Cast, Lower
from django.utils import timezone

from accounts.models import User
from assess.consensus import RULES
from assess.integrity import LabelEvent, current_events, label_text
from assess.models import Judgment, JudgmentEvent, QrelsRelease, QueueEntry, UnfinishedLoad
from assess.queries.campaign_reads import CampaignReads
from assess.queries.counters import (
    ProgressCounts,
    Summary,
    counts_differ,
    derived_counts,
    derived_summaries,
    stored_counts,
    stored_summaries,
)
from assess.queries.release_agreement import agreement_in_file, coefficients_to_json
from assess.queries.releases import cutoff_of_release, release_lines
from assess.release.formats import qrels_line
from assess.release.plan import plan_from_json
from pooling.checksum import NO_TEXT, sha256_of, sha256_of_parts
from pooling.integrity import Check, Fault, Faults, differing, first_difference
from pooling.models import Campaign, Document, PooledDocument, Topic

ABANDONED_AFTER = timedelta(hours=1)  # without a new row; a load stores a chunk in less than a second
JUDGING, DONE = QueueEntry.Kind.JUDGING.value, QueueEntry.State.DONE.value


def events_on(topic: Topic, judge: int | None = None) -> Iterator[LabelEvent]:
    """Yield the label events of a topic, or of one judge on it, in the order of the presses."""
    events = JudgmentEvent.objects.filter(pooled__topic=topic).order_by(*JudgmentEvent.PRESS_ORDER)
    if judge is not None:
        events = events.filter(judge=judge)
    fields = (
        "judge__username",
        "pooled__docno",
        "kind",
        "uuid",
        "relevance",
        "reason",
        "source",
        "returned__at",
    )
    for name, docno, kind, uuid, relevance, reason, source, at in events.values_list(*fields).iterator():
        yield LabelEvent(name, docno, kind, str(uuid), relevance, reason, source, at is not None)


def label_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check that every stored label is the judge's last one, not withdrawn, and on the scale."""
    scale = {grade.value for grade in campaign.grades}
    withdrawn = set(campaign.sources.withdrawn().values_list("user__username", flat=True))
    for topic in campaign.topics.all():
        derived = {
            key: event
            for key, event in current_events(events_on(topic)).items()
            if key[2] == JUDGING and key[0] not in withdrawn
        }
        stored = dict(_stored_labels(topic))
        for key in sorted({*derived, *stored}):
            event, where = derived.get(key), f"{key[0]} on topic {topic.number}, {key[1]}"
            faults = differing("label", where, {"": (str(event or "no label"), stored.get(key, "no label"))})
            if event and event.relevance is not None and event.relevance not in scale:
                expected = f"a grade of {', '.join(map(str, sorted(scale)))}"
                faults.append(Fault("label grade", where, expected, str(event)))
            yield faults


def _stored_labels(topic: Topic) -> Iterator[tuple[tuple[str, str, str], str]]:
    rows = Judgment.objects.filter(pooled__topic=topic).values_list(
        "judge__username",
        "pooled__docno",
        "relevance",
        "event__uuid",
        "event__reason",
        "event__judge__username",
        "event__pooled__docno",
        "event__pooled__topic",
    )
    for judge, docno, relevance, uuid, reason, *of in rows.iterator():
        own = of == [judge, docno, topic.pk]
        text = f"{label_text(relevance, reason)} of event {uuid}"
        yield (judge, docno, JUDGING), text if own else f"{text}, which is {of[0]}'s on {of[1]}"


def source_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check that every judge with labels has a source."""
    known = campaign.sources.order_by().values("user")
    events = JudgmentEvent.objects.filter(pooled__pool__campaign=campaign).exclude(judge__in=known)
    for judge, count in events.order_by().values_list("judge__username").annotate(count=Count("pk")):
        yield [Fault("source of labels", judge, "a source", f"none for {count:,} events")]


def event_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check that no event is stored twice."""
    events = JudgmentEvent.objects.filter(pooled__pool__campaign=campaign)
    # SQLite stores UUIDs as text, in which one UUID has several spellings
    spelled = events.annotate(spelled=Lower(Cast("uuid", CharField()))).order_by().values("spelled")
    for uuid, count in (
        spelled.annotate(count=Count("pk")).filter(count__gt=1).values_list("spelled", "count")
    ):
        yield [Fault("event", f"UUID {uuid}", "once", f"{count} times")]


def queue_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check that queue entries are done exactly where there is a label."""
    for topic in campaign.topics.all():
        derived = current_events(events_on(topic))
        entries = QueueEntry.objects.filter(topic=topic).values_list(
            "judge__username", "pooled__docno", "kind", "state", "pooled__topic"
        )
        for judge, docno, kind, state, of in entries.iterator():
            where, event = (
                f"{judge} on topic {topic.number}, {docno}, {kind}",
                derived.pop((judge, docno, kind), None),
            )
            faults = differing("queue entry", where, {"topic": (topic.pk, of)})
            if (state == DONE) != (event is not None):
                expected = f"done, by {event}" if event else "not done, because there is no label"
                faults.append(Fault("queue entry", where, expected, state))
            yield faults
        for event in derived.values():
            if event.source != "import":
                where = f"{event.judge} on topic {topic.number}, {event.docno}, {event.kind}"
                yield [Fault("queue entry", where, f"done, by {event}", "no entry")]


def abandoned_loads(campaign: Campaign) -> QuerySet[UnfinishedLoad]:
    """Return the loads of labels and requests that were interrupted: long without a new row."""
    return campaign.unfinished_loads.filter(written_at__lt=timezone.now() - ABANDONED_AFTER)


def load_faults(campaign: Campaign) -> Iterator[Faults]:
    """Find loads of labels and requests that were interrupted: nothing shows their rows."""
    for load in abandoned_loads(campaign).select_related("judge", "labelling"):
        counts = (
            f"interrupted at {load.written_at.isoformat()}; load it again, or remove its rows with --repair"
        )
        yield [Fault("unfinished load", str(load), "all rows", counts)]


def text_faults(campaign: Campaign) -> Iterator[Faults]:
    """Note the texts that judges had on screen and that were replaced later."""
    for topic in campaign.topics.all():
        pooled = PooledDocument.objects.filter(topic=topic).values("docno")
        documents = Document.objects.filter(campaign=campaign, docno__in=pooled)
        now = dict(documents.values_list("docno", "text_hash"))
        events = JudgmentEvent.objects.filter(pooled__topic=topic).exclude(source="import").order_by()
        texts = events.values_list("pooled__docno", "text_hash").annotate(count=Count("pk"))
        for docno, shown, count in texts.order_by("pooled__docno", "text_hash").iterator():
            current = now.get(docno, NO_TEXT)
            where = f"topic {topic.number}, {docno}"
            actual = f"{count} {'event' if count == 1 else 'events'} on the earlier text {shown}"
            note = Fault("text", where, f"the text {current}", actual, note=True)
            yield [] if shown == current else [note]


def progress_faults(campaign: Campaign) -> Iterator[Faults]:
    """Compare the counters of every judge and topic with those derived from events and labels."""
    stored, derived = stored_counts(campaign), derived_counts(campaign)
    judges = User.objects.in_bulk({judge for judge, _ in {*stored, *derived}})
    topics = campaign.topics.in_bulk()
    for judge, topic in sorted({*stored, *derived}):
        expected, actual = (counts.get((judge, topic)) for counts in (derived, stored))
        where = f"{judges[judge].username} on topic {topics[topic].number}"
        fault = Fault("progress", where, str(expected or ProgressCounts()), str(actual or ProgressCounts()))
        yield [fault] if counts_differ(expected, actual) else []


def summary_faults(campaign: Campaign) -> Iterator[Faults]:
    """Compare the summary of each document's labels with the one derived from its labels."""
    stored, derived, none = stored_summaries(campaign), derived_summaries(campaign), Summary()
    documents = PooledDocument.objects.select_related("topic")
    for key in sorted({*stored, *derived}):
        expected, actual = derived.get(key, none), stored.get(key, none)
        if expected == actual:
            yield []
            continue
        pooled = documents.get(pk=key)
        where = f"{pooled.docno} of topic {pooled.topic.number}"
        yield [Fault("label summary", where, str(expected), str(actual))]


def release_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check every release: its files, the labels of its time, and its stored agreement."""
    for release in campaign.releases.order_by("number"):
        try:
            with release.file.open("rb") as file:
                content = file.read()
        except OSError as error:
            yield [Fault("release file", str(release), f"the file {release.file.name}", str(error))]
            continue
        sides = {
            "checksum": (sha256_of(content), release.sha256),
            "checksum in the manifest": (release.sha256, release.manifest.get("sha256")),
            "line count": (content.count(b"\n"), release.line_count),
        }
        faults = [*differing("release", str(release), sides), *_content_faults(release, content)]
        yield [*faults, *(_file_faults(release) or _agreement_faults(release))]


def _file_faults(release: QrelsRelease) -> Faults:
    faults: Faults = []
    for stored in release.files.all():
        try:
            with stored.file.open("rb") as file:
                sides = {"checksum": (stored.sha256, sha256_of_parts(file.chunks()))}
        except OSError as error:
            faults.append(Fault("release file", str(stored), f"the file {stored.file.name}", str(error)))
        else:
            faults += differing("release file", str(stored), sides)
    return faults


def _agreement_faults(release: QrelsRelease) -> Faults:
    if release.agreement is None:  # releases of early versions store none
        return []
    derived = coefficients_to_json(agreement_in_file(release))
    return differing("release", str(release), {"agreement": (_rounded(derived), _rounded(release.agreement))})


def _rounded(data: object) -> Any:
    """Return plain data rounded, because the last digits differ between machines."""
    return json.loads(json.dumps(data), parse_float=lambda number: round(float(number), 9))


def _content_faults(release: QrelsRelease, content: bytes) -> Faults:
    if release.rule not in RULES:
        return [Fault("release rule", str(release), f"one of {', '.join(RULES)}", release.rule)]
    lines = (line.decode("utf-8", "replace") for line in content.splitlines(keepends=True))
    difference = first_difference(derived_lines(release), lines)
    if difference is None:
        return []
    return [Fault("release", f"{release}, line {difference[0]:,}", *difference[1:])]


def derived_lines(release: QrelsRelease) -> Iterator[str]:
    """Yield the lines of a release, derived again from its plan and the labels of its time."""
    plan = plan_from_json(release.parameters | {"rule": release.rule})
    for line in release_lines(CampaignReads(release.campaign), plan, cutoff_of_release(release)):
        if line.relevance is not None:
            yield qrels_line(line).decode()


CHECKS = (
    Check("labels", label_faults),
    Check("sources of labels", source_faults),
    Check("repeated events", event_faults),
    Check("places in queues", queue_faults),
    Check("counters of progress", progress_faults),
    Check("label summaries", summary_faults),
    Check("unfinished loads", load_faults),
    Check("texts on screen", text_faults),
    Check("releases", release_faults),
)
