"""Adjudicators settle documents on which judges differ, one at a time. The judges' labels are not touched."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Max, Q
from django.utils import timezone

from accounts.models import User
from assess.models import Adjudication, AdjudicationClaim, AdjudicationEvent, JudgingPlan, Judgment
from assess.queries.disputes import NO_TEXT, held_by_others
from assess.queries.queues import plan_of
from assess.services.label_summaries import lock_documents
from assess.services.progress import raise_versions
from pooling.models import Campaign, PooledDocument
from pooling.queries.documents import document_of
from pooling.refusals import Refused
from pooling.services.trail import note

CLAIM = timedelta(minutes=15)


class NotSettled(Refused):
    """A decision that was not taken; says why."""


class Settlement(NamedTuple):
    """What an adjudicator pressed, and which document, text and labels they saw."""

    uuid: uuid.UUID
    docno: str
    text_hash: str
    last_label: int
    relevance: int
    why: str = ""


def claim_case(pooled: PooledDocument, adjudicator: User) -> AdjudicationClaim:
    """Return who has a case open: this adjudicator from now on, unless another has.

    One at a time: what they had open before is free again.
    """
    now = timezone.now()
    claims = AdjudicationClaim.objects.all()
    claims.filter(by=adjudicator, pooled__pool__campaign=pooled.pool.campaign_id).exclude(
        pooled=pooled
    ).delete()
    free = claims.filter(Q(by=adjudicator) | Q(until__lte=now), pooled=pooled)
    if not free.update(by=adjudicator, until=now + CLAIM):
        mine = AdjudicationClaim(pooled=pooled, by=adjudicator, until=now + CLAIM)
        claims.bulk_create([mine], ignore_conflicts=True)  # another may be as quick
    found = claims.select_related("by").filter(pooled=pooled).first()
    return found or claim_case(pooled, adjudicator)  # whoever had it left at this very moment


def claim_first(campaign: Campaign, adjudicator: User, queue: Sequence[int]) -> int | None:
    """Open the first case of a queue that no other adjudicator has open; None when there is none."""
    held = set(held_by_others(campaign, adjudicator).values_list("pooled", flat=True))
    for pk in queue:
        if pk in held:
            continue
        pooled = PooledDocument.objects.get(pk=pk)
        if claim_case(pooled, adjudicator).by_id == adjudicator.pk:
            return pk
    return None


def settle(pooled: PooledDocument, adjudicator: User, settlement: Settlement) -> Adjudication:
    """Settle a document's grade for good, or until it is opened again. Raises NotSettled.

    The same press again changes nothing. Of two adjudicators at once one comes first: the database keeps one
    grade a document.
    """
    try:
        with transaction.atomic():
            # A label that is being stored is seen, or comes after the settled grade; so is the same press.
            lock_documents([pooled.pk])
            return _known(pooled, adjudicator, settlement) or _settle(pooled, adjudicator, settlement)
    except IntegrityError as error:
        if known := _known(pooled, adjudicator, settlement):
            return known
        raise NotSettled(_already(pooled)) from error


def _known(pooled: PooledDocument, adjudicator: User, settlement: Settlement) -> Adjudication | None:
    event = AdjudicationEvent.objects.filter(uuid=settlement.uuid).first()
    if not event:
        return None
    standing = Adjudication.objects.filter(pooled=pooled, by=adjudicator, at=event.at).first()
    if event.pooled_id != pooled.pk or not standing:
        raise NotSettled("This decision was already recorded, and does not stand any more.")
    return standing


def _settle(pooled: PooledDocument, adjudicator: User, settlement: Settlement) -> Adjudication:
    if Adjudication.objects.filter(pooled=pooled).exists():
        raise NotSettled(_already(pooled))
    _check(pooled, adjudicator, settlement)
    said = settlement._asdict()
    del said["docno"]
    event = AdjudicationEvent.objects.create(pooled=pooled, by=adjudicator, **said)
    AdjudicationClaim.objects.filter(pooled=pooled).delete()
    raise_versions([pooled.topic_id])
    # Without the grade: an organiser who reads the trail may still be to judge the document.
    _note(pooled, adjudicator, "settled a grade", event=str(event.uuid))
    return Adjudication.objects.create(
        pooled=pooled, relevance=settlement.relevance, by=adjudicator, why=settlement.why, at=event.at
    )


def _check(pooled: PooledDocument, adjudicator: User, settlement: Settlement) -> None:
    claim = AdjudicationClaim.objects.filter(pooled=pooled, until__gt=timezone.now()).first()
    if claim and claim.by_id != adjudicator.pk:
        raise NotSettled(
            f"Another adjudicator has this document open until {claim.until:%H:%M}. Nothing was settled."
        )
    if settlement.docno != pooled.docno:
        raise NotSettled("This decision was meant for another document. Nothing was settled.")
    document = document_of(pooled)
    if settlement.text_hash != (document.text_hash if document else NO_TEXT):
        raise NotSettled(
            "The text of this document has changed since you saw it. Read it anew and settle it."
        )
    labels = Judgment.objects.filter(pooled=pooled, judge__machine=None)
    if settlement.last_label != labels.aggregate(last=Max("event"))["last"]:
        raise NotSettled("A judge has changed a label since you saw them. Look again and settle it.")


def _already(pooled: PooledDocument) -> str:
    standing = Adjudication.objects.select_related("by").filter(pooled=pooled).first()
    if not standing:
        return "This document was settled and opened again meanwhile. Look again."
    label = next(
        (grade.label for grade in pooled.pool.campaign.grades if grade.value == standing.relevance), ""
    )
    why = f" “{standing.why}”" if standing.why else ""
    return (
        f"{pooled.docno} was settled as {standing.relevance} {label} by {standing.by} at"
        f" {standing.at:%H:%M}.{why} Your decision was not recorded."
    )


@transaction.atomic
def open_again(pooled: PooledDocument, adjudicator: User, standing: int, why: str = "") -> None:
    """Take a settled grade back; what was decided stays in the history. Raises NotSettled.

    standing: the key of the Adjudication that they saw, so that nobody takes back what another settled since.
    """
    deleted, _ = Adjudication.objects.filter(pk=standing, pooled=pooled).delete()
    if not deleted:
        raise NotSettled("This grade does not stand any more. Nothing was changed.")
    AdjudicationEvent.objects.create(
        uuid=uuid.uuid4(), pooled=pooled, by=adjudicator, relevance=None, why=why
    )
    raise_versions([pooled.topic_id])
    _note(pooled, adjudicator, "opened a grade again")


def _note(pooled: PooledDocument, adjudicator: User, verb: str, **details: str) -> None:
    topic, docno = pooled.topic.number, pooled.docno
    note(pooled.pool.campaign, adjudicator, verb, f"{topic} {docno}", topic=topic, docno=docno, **details)


@transaction.atomic
def require_reasons(campaign: Campaign, required: bool, by: User | None = None) -> None:
    """Say whether adjudicators must give a reason."""
    plan = plan_of(campaign)
    if plan.reasons_required == required:
        return
    JudgingPlan.objects.update_or_create(campaign=campaign, defaults={"reasons_required": required})
    told = "a reason is required" if required else "a reason is not required"
    note(campaign, by, "changed the rule of adjudication", told, reasons_required=required)
