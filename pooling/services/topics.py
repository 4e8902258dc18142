"""Load the topics of a file, and edit, reword and remove topics."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Max, ProtectedError

from accounts.models import User
from accounts.services import make_once
from pooling.checksum import sha256_of
from pooling.formats.files import BadFile, unpack
from pooling.intake.tables import AS_IT_IS, Reading
from pooling.intake.topics import TopicFile, TopicRecord, read_topic_file
from pooling.limits import MAX_TOPICS
from pooling.models import (
    Campaign,
    Topic,
    TopicRevision,
)
from pooling.queries.topics import REMOVED, REWORDED, is_pooled_topic
from pooling.refusals import Conflict
from pooling.services.audit_log import log_change
from pooling.services.files import insert_rows


class TopicRefused(Conflict):
    """A topic that cannot be changed or removed; says why."""


class TopicText(NamedTuple):
    """The texts of a topic. Its number does not change, because runs and qrels name it."""

    title: str
    description: str
    narrative: str


def load_topics(
    campaign: Campaign,
    content: bytes,
    name: str,
    by: User | None = None,
    key: str = "",
    reading: Reading = AS_IT_IS,
) -> TopicFile:
    """Add the topics of a file to the campaign; return what was read. Raises BadFile, and then none is added.

    key: see `make_once`. A second request may have numbered the same lines as topics that are new. reading:
    what a person says about the fields.
    """
    read = read_topic_file(unpack(content, name, settings.UPLOAD_LIMIT), name, reading)
    records, fields = read.topics, TopicRecord._fields
    columns = {field: [getattr(record, field) for record in records] for field in fields}
    summary = f"{len(records):,} from {name}"
    details: dict[str, Any] = {"sha256": sha256_of(content), "read": read.notes}
    if reading.fields:
        details["fields"] = dict(reading.fields)

    def store() -> Topic:
        Campaign.objects.select_for_update().get(pk=campaign.pk)  # one file at a time
        check_new_topics(campaign, records, name)
        last = campaign.topics.aggregate(last=Max("place"))["last"] or 0
        places = list(range(last + 1, last + 1 + len(records)))
        insert_rows(Topic, len(records), campaign_id=campaign.pk, place=places, **columns)
        log_change(campaign, by, "loaded topics", summary, **details)
        return campaign.topics.get(place=places[-1])

    with transaction.atomic():
        make_once(by, key, Topic, store)
    return read


def check_new_topics(campaign: Campaign, records: list[TopicRecord], name: str) -> None:
    """Raise BadFile for topics that the campaign has already, or that are too many for it."""
    known = set(campaign.topics.values_list("number", flat=True))
    if taken := [record.number for record in records if record.number in known]:
        wish = f"expected new topics, but topic {taken[0]} is in the campaign already"
        raise BadFile(wish, name=name)
    if len(known) + len(records) > MAX_TOPICS:
        here = f"it has {len(known):,}, and this file has {len(records):,} more"
        raise BadFile(f"expected at most {MAX_TOPICS:,} topics in a campaign; {here}", name=name)


@transaction.atomic
def edit_topic(topic: Topic, text: TopicText, terms: str, by: User | None = None, reason: str = "") -> bool:
    """Change texts and highlighted words; return whether anything changed. Raises as `change_topic`."""
    is_reworded = change_topic(topic, text, by, reason)
    return change_terms(topic, terms, by) or is_reworded


def change_topic(topic: Topic, text: TopicText, by: User | None = None, reason: str = "") -> bool:
    """Change the texts of a topic; return whether anything changed.

    Once documents of the topic are pooled, the old texts are stored as a TopicRevision, and a reason is
    needed. Raises TopicRefused without one.
    """
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=topic.campaign_id)  # no pool is frozen meanwhile
        now = Topic.objects.get(pk=topic.pk)
        old = TopicText(now.title, now.description, now.narrative)
        if text == old:
            return False
        changed = [name for name in TopicText._fields if getattr(old, name) != getattr(text, name)]
        Topic.objects.filter(pk=topic.pk).update(**text._asdict())
        if not is_pooled_topic(topic):
            summary = f"topic {topic.number}: {', '.join(changed)}"
            log_change(
                topic.campaign, by, "edited a topic", summary, number=topic.number, before=old._asdict()
            )
            return True
        if not reason:
            raise TopicRefused("Documents of this topic are pooled. Enter why its wording changes.")
        revision = TopicRevision.objects.create(topic=topic, replaced_by=by, **old._asdict())
        summary = f"topic {topic.number}: {', '.join(changed)}. {reason}"
        names = {"number": topic.number, "revision": revision.pk, "reason": reason, "before": old._asdict()}
        log_change(topic.campaign, by, REWORDED, summary, **names)
    return True


@transaction.atomic
def change_terms(topic: Topic, terms: str, by: User | None = None) -> bool:
    """Change the words that judges see highlighted besides those of the title; return whether they changed.

    terms: words and phrases, one on a line. They are no part of the wording of a topic.
    """
    lines = "\n".join(dict.fromkeys(filter(None, (line.strip() for line in terms.splitlines()))))
    Campaign.objects.select_for_update(no_key=True).get(pk=topic.campaign_id)
    before = Topic.objects.values_list("terms", flat=True).get(pk=topic.pk)
    if lines == before:
        return False
    Topic.objects.filter(pk=topic.pk).update(terms=lines)
    about = {"number": topic.number, "before": before, "terms": lines}
    log_change(topic.campaign, by, "chose highlighted words", f"topic {topic.number}", **about)
    return True


def remove_topic(topic: Topic, by: User | None = None) -> None:
    """Delete a topic of which no document is pooled. Runs keep their results for it. Raises TopicRefused."""
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=topic.campaign_id)  # no pool is frozen meanwhile
        if is_pooled_topic(topic):
            raise TopicRefused(
                f"Topic {topic.number} cannot be removed: documents of it are pooled. Its wording can change."
            )
        before = {"title": topic.title, "description": topic.description, "narrative": topic.narrative}
        log_change(topic.campaign, by, REMOVED, f"{topic}"[:200], number=topic.number, before=before)
        try:
            topic.delete()
        except ProtectedError as error:
            raise TopicRefused(
                f"Topic {topic.number} cannot be removed: it has answers, votes of judges or a pyramid."
            ) from error
