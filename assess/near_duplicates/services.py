"""Find classes of near duplicates, freeze and discard them, and split documents from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from assess.models import (
    Assignment,
    DuplicateClass,
    DuplicateClassification,
    DuplicateMember,
    DuplicateSplit,
    QueueEntry,
)
from assess.near_duplicates.classes import THRESHOLD, NearDuplicateClass, near_duplicates
from assess.near_duplicates.minhash import BANDS, ROWS
from assess.near_duplicates.queries.classes import (
    classification_of,
    compared_documents,
    texts_of,
    why_not_discarded,
    why_not_found,
    withheld_near_duplicate,
)
from assess.near_duplicates.shingles import SHINGLE_WORDS
from assess.services.queues import extend_queue
from pooling.checksum import sha256_of_parts
from pooling.models import Campaign, Job, Topic
from pooling.refusals import Refused
from pooling.services.audit_log import log_change
from pooling.services.jobs import finish, report_progress
from pooling.strategies.draws import draw_source

SHARE = 5  # per cent of the members that are judged on purpose
ROWS_AT_ONCE = 1000


class NearDuplicatesRefused(Refused):
    """Classes were not made, changed or discarded; the message says why."""


class Settings(NamedTuple):
    """threshold: Jaccard coefficient. share: per cent of members judged on purpose; seed: of their draw."""

    threshold: float = THRESHOLD
    share: int = SHARE
    seed: int = 0

    def parameters(self) -> dict[str, Any]:
        """Return what is stored, with the method."""
        method = {"shingle_words": SHINGLE_WORDS, "bands": BANDS, "rows": ROWS}
        return {**self._asdict(), **method, "software": f"Jurypool {settings.VERSION}"}


OnProgress = Callable[[int], None]
"""Called with the number of documents that were compared so far."""


def find_classes(
    campaign: Campaign,
    user: User,
    chosen: Settings,
    report: OnProgress = lambda documents: None,
    stored: Callable[[DuplicateClassification], None] = lambda classification: None,
) -> DuplicateClassification:
    """Store a draft of the classes of all pooled documents, in place of an earlier draft.

    The documents of each topic are compared with each other. stored: called in the transaction that stores
    the draft. Raises NearDuplicatesRefused after judging has begun, and if frozen classes exist.
    """
    _check_makeable(campaign)
    topic_classes: list[tuple[Topic, list[NearDuplicateClass], dict[str, int]]] = []
    count = 0
    for topic in campaign.topics.order_by("place"):
        topic.campaign = campaign
        keys = dict(compared_documents(topic).values_list("docno", "pk"))
        topic_classes.append((topic, near_duplicates(texts_of(campaign, list(keys)), chosen.threshold), keys))
        count += len(keys)
        report(count)
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        _check_makeable(campaign)
        DuplicateClassification.objects.filter(campaign=campaign).delete()
        classification = DuplicateClassification.objects.create(
            campaign=campaign,
            parameters=chosen.parameters(),
            sha256=sha256_of_parts(_lines(topic_classes)),
            document_count=count,
            created_by=user,
        )
        for _, classes, keys in topic_classes:
            _store(classification, classes, keys)
        total = sum(len(classes) for _, classes, _ in topic_classes)
        summary = f"{total:,} class{pluralize(total, 'es')} among {count:,} documents"
        log_change(
            campaign, user, "found near duplicates", summary, sha256=classification.sha256, **chosen._asdict()
        )
        stored(classification)
    return classification


def find_in_background(job: Job) -> None:
    """Find the classes of a job. Raises what `find_classes` raises, and Stopped."""
    campaign = job.campaign
    total = job.arguments["documents"]

    def stored(classification: DuplicateClassification) -> None:
        place = reverse("assess:near_duplicates", args=[campaign.slug])
        count = classification.classes.count()
        finish(job, f"{count:,} class{pluralize(count, 'es')} found", place)

    find_classes(
        campaign,
        job.user,
        Settings(**job.arguments["settings"]),
        lambda done: report_progress(job, done, total, "Comparing documents"),
        stored,
    )


def _check_makeable(campaign: Campaign) -> None:
    if why := why_not_found(campaign):
        raise NearDuplicatesRefused(why)
    existing = classification_of(campaign)
    if existing and existing.frozen_at:
        raise NearDuplicatesRefused("The classes of this campaign are frozen. Discard them first.")


def _lines(topic_classes: list[tuple[Topic, list[NearDuplicateClass], dict[str, int]]]) -> Iterator[bytes]:
    """Yield what the checksum covers: topic, representative and members of each class, with blanks."""
    for topic, classes, _ in topic_classes:
        for each in classes:
            yield f"{topic.number} {each.representative} {' '.join(each.members)}\n".encode()


def _store(
    classification: DuplicateClassification, classes: list[NearDuplicateClass], keys: dict[str, int]
) -> None:
    rows = [
        DuplicateClass(
            classification=classification,
            representative_id=keys[each.representative],
            size=len(each.members),
            lowest=each.lowest,
            is_doubtful=each.is_doubtful,
        )
        for each in classes
    ]
    DuplicateClass.objects.bulk_create(rows, batch_size=ROWS_AT_ONCE)
    members = [
        DuplicateMember(duplicate_class=row, pooled_id=keys[docno], similarity=similarity)
        for row, each in zip(rows, classes, strict=True)
        for docno, similarity in zip(each.members, each.similarities, strict=True)
        if docno != each.representative
    ]
    DuplicateMember.objects.bulk_create(members, batch_size=ROWS_AT_ONCE)


@transaction.atomic
def freeze_classes(campaign: Campaign, user: User, sha256: str) -> DuplicateClassification:
    """Freeze the draft: judges get its representatives, and members that are drawn to be judged on purpose.

    sha256: of the draft that the organiser has seen. Raises NearDuplicatesRefused.
    """
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    _check_makeable(campaign)
    draft = classification_of(campaign)
    if draft is None or draft.sha256 != sha256:
        raise NearDuplicatesRefused(
            "Other classes were found in the meantime. Look at them and freeze again."
        )
    drawn = _draw_sample(draft)
    DuplicateMember.objects.filter(pk__in=drawn).update(is_sampled=True)
    draft.frozen_at, draft.frozen_by = timezone.now(), user
    draft.save(update_fields=["frozen_at", "frozen_by"])
    entries = QueueEntry.objects.filter(
        withheld_near_duplicate("pooled"),
        topic__campaign=campaign,
        kind=QueueEntry.Kind.JUDGING,
        state=QueueEntry.State.OPEN,
    )
    entries.update(state=QueueEntry.State.AWAY)
    summary = f"{draft.classes.count():,} classes, {len(drawn):,} members judged on purpose"
    log_change(campaign, user, "froze near duplicates", summary, sha256=draft.sha256)
    return draft


def _draw_sample(classification: DuplicateClassification) -> list[int]:
    """Return the keys of the members that are judged on purpose: the share of them, rounded up."""
    members = DuplicateMember.objects.filter(duplicate_class__classification=classification, split=None)
    draw = draw_source(classification.parameters["seed"], "near duplicates")
    rows = members.order_by().values_list("pk", "pooled__topic__number", "pooled__docno")
    drawn = sorted((draw(topic, docno), pk) for pk, topic, docno in rows)
    return [pk for _, pk in drawn[: ceil(len(drawn) * classification.parameters["share"] / 100)]]


def discard_classes(campaign: Campaign, user: User) -> None:
    """Delete the classes of a campaign, as long as judging has not begun with them.

    Judges get all documents again. Raises NearDuplicatesRefused.
    """
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        classification = classification_of(campaign)
        if classification is None:
            return
        if why := why_not_discarded(classification):
            raise NearDuplicatesRefused(why)
        was_frozen = classification.frozen_at is not None
        log_change(
            campaign,
            user,
            "discarded near duplicates",
            f"{classification.sha256[:12]}",
            sha256=classification.sha256,
        )
        classification.delete()
    if was_frozen:
        for topic in campaign.topics.all():
            _extend_queues(topic)


def split_member(member: DuplicateMember, user: User) -> None:
    """Split a document from its class: it is judged by itself, and its judges get it.

    A repeated request changes nothing. Raises StateRefused.
    """
    topic = member.pooled.topic
    campaign = topic.campaign
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        _, is_new = DuplicateSplit.objects.get_or_create(member=member, defaults={"by": user})
        if not is_new:
            return
        docno, representative = member.pooled.docno, member.duplicate_class.representative.docno
        log_change(
            campaign,
            user,
            "split a near duplicate",
            f"{topic.number} {docno} from {representative}",
            topic=topic.number,
            docno=docno,
            representative=representative,
        )
    _extend_queues(topic)


def _extend_queues(topic: Topic) -> None:
    """Add what is not withheld any more to the queues of the topic; shared ones grow by themselves."""
    assignments = Assignment.objects.filter(topic=topic, judge__is_active=True)
    for assignment in assignments.exclude(part=Assignment.Part.SHARED).select_related("judge"):
        extend_queue(assignment.judge, topic, want=0)
