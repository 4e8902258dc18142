"""Adjudication: an adjudicator claims a case and settles its grade. The labels of judges do not change."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Max, Q
from django.template.defaultfilters import pluralize
from django.utils import timezone

from accounts.models import User
from assess.models import Adjudication, AdjudicationClaim, AdjudicationEvent, JudgingPlan, Judgment
from assess.queries.adjudication import claims_of_others
from assess.queries.campaign_reads import CampaignReads
from assess.queries.queues import judging_plan_of
from assess.queries.settling import RuleCase, cases_of_rule
from assess.queries.sources import of_people
from assess.services.counters import lock_documents, raise_versions
from assess.settling_rules import SETTLING_RULES
from pooling.campaign_states import check_writable
from pooling.checksum import NO_TEXT
from pooling.models import Campaign, PooledDocument, Topic
from pooling.queries.documents import document_of
from pooling.refusals import Conflict
from pooling.schedule import shown_time
from pooling.services.audit_log import log_change

CLAIM_DURATION = timedelta(minutes=15)


class NotSettled(Conflict):
    """A decision was not stored; the message says why."""


class Settlement(NamedTuple):
    """The decision of an adjudicator, with the document, text and labels that were on screen."""

    uuid: uuid.UUID
    docno: str
    text_hash: str
    last_label: int
    relevance: int
    why: str = ""
    rule: str = ""


def claim_case(pooled: PooledDocument, adjudicator: User) -> AdjudicationClaim:
    """Claim a case for this adjudicator, unless another has claimed it. Return the claim that is valid.

    An adjudicator has one claim per campaign: earlier claims are deleted. Raises StateRefused.
    """
    check_writable(pooled.pool.campaign.state)
    claims = AdjudicationClaim.objects.filter(by=adjudicator, pooled__pool__campaign=pooled.pool.campaign_id)
    claims.exclude(pooled=pooled).delete()
    _claim(pooled.pk, adjudicator)
    claim = AdjudicationClaim.objects.select_related("by").filter(pooled=pooled).first()
    return claim or claim_case(pooled, adjudicator)  # the other claim was deleted in the meantime


def _claim(pooled: int, adjudicator: User) -> bool:
    """Claim a case or renew the claim. Return whether this adjudicator has claimed it."""
    now = timezone.now()
    claims = AdjudicationClaim.objects.filter(pooled=pooled)
    free = claims.filter(Q(by=adjudicator) | Q(until__lte=now))
    if not free.update(by=adjudicator, until=now + CLAIM_DURATION):
        new = AdjudicationClaim(pooled_id=pooled, by=adjudicator, until=now + CLAIM_DURATION)
        AdjudicationClaim.objects.bulk_create([new], ignore_conflicts=True)  # another request may be first
    return claims.filter(by=adjudicator).exists()


def claim_ahead(
    campaign: Campaign, adjudicator: User, have: Sequence[int], queue: Sequence[int], count: int
) -> list[int]:
    """Claim the cases of a page and more of the queue, in its order, until there are `count`.

    have: the cases on the page, whose claims are renewed. Claims of this adjudicator on other cases are
    deleted. Near the end of the queue, half of the cases stay free for other adjudicators. Return the claimed
    cases, those of the page first. Raises StateRefused.
    """
    check_writable(campaign.state)
    own = AdjudicationClaim.objects.filter(by=adjudicator, pooled__pool__campaign=campaign)
    own.exclude(pooled__in=have).delete()
    claimed = [pk for pk in have if _claim(pk, adjudicator)]
    others = set(claims_of_others(campaign, adjudicator).values_list("pooled", flat=True))
    free = [pk for pk in queue if pk not in others and pk not in have]
    count = min(count, 1 + (len(claimed) + len(free)) // 2)
    for pk in free:
        if len(claimed) >= count:
            break
        if _claim(pk, adjudicator):
            claimed.append(pk)
    return claimed


def claim_first(campaign: Campaign, adjudicator: User, queue: Sequence[int]) -> int | None:
    """Claim the first case of a queue that no other adjudicator has claimed. Return its key, or None."""
    claimed = set(claims_of_others(campaign, adjudicator).values_list("pooled", flat=True))
    for pk in queue:
        if pk in claimed:
            continue
        pooled = PooledDocument.objects.get(pk=pk)
        if claim_case(pooled, adjudicator).by_id == adjudicator.pk:
            return pk
    return None


def settle(pooled: PooledDocument, adjudicator: User, settlement: Settlement) -> Adjudication:
    """Settle the grade of a document until the case is reopened. Raises NotSettled.

    A repeated request changes nothing. If two adjudicators settle at once, only the first decision is stored:
    a document has at most one settled grade.
    """
    try:
        with transaction.atomic():
            # Wait for a label or a repeated request that is being stored, so that the checks see it.
            lock_documents([pooled.pk])
            return _known(pooled, adjudicator, settlement) or _settle(pooled, adjudicator, settlement)
    except IntegrityError as error:
        if known := _known(pooled, adjudicator, settlement):
            return known
        raise NotSettled(_why_not_settled(pooled)) from error


def _known(pooled: PooledDocument, adjudicator: User, settlement: Settlement) -> Adjudication | None:
    event = AdjudicationEvent.objects.filter(uuid=settlement.uuid).first()
    if not event:
        return None
    current = Adjudication.objects.filter(pooled=pooled, by=adjudicator, at=event.at).first()
    if event.pooled_id != pooled.pk or not current:
        raise NotSettled(
            "This decision was recorded earlier and is no longer valid, because the case was reopened."
        )
    return current


def _settle(pooled: PooledDocument, adjudicator: User, settlement: Settlement) -> Adjudication:
    if Adjudication.objects.filter(pooled=pooled).exists():
        raise NotSettled(_why_not_settled(pooled))
    _check(pooled, adjudicator, settlement)
    values = settlement._asdict()
    del values["docno"]
    event = AdjudicationEvent.objects.create(pooled=pooled, by=adjudicator, **values)
    AdjudicationClaim.objects.filter(pooled=pooled).delete()
    raise_versions([pooled.topic_id])
    # Without the grade: an organiser who reads the audit log may still have to judge the document.
    _note(pooled, adjudicator, "settled a grade", event=str(event.uuid))
    return Adjudication.objects.create(
        pooled=pooled, relevance=settlement.relevance, by=adjudicator, why=settlement.why, at=event.at
    )


def _check(pooled: PooledDocument, adjudicator: User, settlement: Settlement) -> None:
    claim = AdjudicationClaim.objects.filter(pooled=pooled, until__gt=timezone.now()).first()
    if claim and claim.by_id != adjudicator.pk:
        raise NotSettled(
            f"Another adjudicator has reserved this document until"
            f" {shown_time(claim.until, pooled.pool.campaign.time_zone, 'clock')}."
            " Nothing was settled."
        )
    if settlement.docno != pooled.docno:
        raise NotSettled(
            "The decision names another document. Nothing was settled. Reload the page and settle it again."
        )
    document = document_of(pooled)
    if settlement.text_hash != (document.text_hash if document else NO_TEXT):
        raise NotSettled(
            "The text of this document was replaced after you opened it."
            " Read the new text and settle it again."
        )
    labels = Judgment.objects.filter(of_people(), pooled=pooled)
    if settlement.last_label != labels.aggregate(last=Max("event"))["last"]:
        raise NotSettled(
            "A judge changed a label after you opened the document. Check the labels and settle it again."
        )


def _why_not_settled(pooled: PooledDocument) -> str:
    current = Adjudication.objects.select_related("by").filter(pooled=pooled).first()
    if not current:
        return "The case was settled and reopened in the meantime. Check the labels and settle it again."
    label = next(
        (grade.label for grade in pooled.pool.campaign.grades if grade.value == current.relevance), ""
    )
    reason = f" Reason: “{current.why}”." if current.why else ""
    at = shown_time(current.at, pooled.pool.campaign.time_zone, "clock")
    return (
        f"{pooled.docno} was settled as {current.relevance} {label} by {current.by} at {at}.{reason}"
        " Your decision was not recorded."
    )


@transaction.atomic
def settle_by_rule(
    campaign: Campaign, adjudicator: User, rule: str, topic: Topic | None, checksum: str
) -> list[RuleCase]:
    """Settle every document that a rule settles; return them. Their labels stay, and each can be reopened.

    checksum: of the preview. Raises NotSettled if labels or documents have changed since, and StateRefused.
    """
    check_writable(campaign.state)
    lock_documents(
        [case.pooled for case in cases_of_rule(CampaignReads(campaign), adjudicator, rule, topic).settled]
    )
    cases = cases_of_rule(CampaignReads(campaign), adjudicator, rule, topic)
    if cases.checksum != checksum:
        raise NotSettled(
            "Labels or documents have changed since the preview. Nothing was settled. Look at it again."
        )
    now, why = timezone.now(), SETTLING_RULES[rule].why
    settled = [(case, uuid.uuid4()) for case in cases.settled]
    AdjudicationEvent.objects.bulk_create(
        [
            AdjudicationEvent(
                uuid=key,
                pooled_id=case.pooled,
                relevance=case.relevance,
                why=why,
                rule=rule,
                text_hash=case.text_hash,
                last_label=case.last_label,
                by=adjudicator,
                at=now,
            )
            for case, key in settled
        ],
        batch_size=500,
    )
    Adjudication.objects.bulk_create(
        [
            Adjudication(pooled_id=case.pooled, relevance=case.relevance, by=adjudicator, why=why, at=now)
            for case, _ in settled
        ],
        batch_size=500,
    )
    AdjudicationClaim.objects.filter(by=adjudicator, pooled__pool__campaign=campaign).delete()
    raise_versions({case.topic for case in cases.settled})
    summary = f"{SETTLING_RULES[rule].title}: {len(settled)} document{pluralize(len(settled))}"
    log_change(
        campaign,
        adjudicator,
        "settled by a rule",
        summary,
        rule=rule,
        events=[str(key) for _, key in settled],
    )
    return cases.settled


def is_recorded(pooled: PooledDocument, adjudicator: User, settlement: Settlement) -> bool:
    """Return whether this adjudicator's decision was stored earlier, even if it was revoked since."""
    events = AdjudicationEvent.objects.filter(uuid=settlement.uuid, pooled=pooled, by=adjudicator)
    return events.filter(relevance=settlement.relevance).exists()


@transaction.atomic
def reopen_case(pooled: PooledDocument, adjudicator: User, adjudication: int, why: str = "") -> None:
    """Revoke a settled grade; the decision stays in the history. Raises NotSettled.

    adjudication: the key of the Adjudication on screen, so that a later decision is not revoked by mistake.
    """
    deleted, _ = Adjudication.objects.filter(pk=adjudication, pooled=pooled).delete()
    if not deleted:
        raise NotSettled("This grade is no longer the settled grade. Nothing was changed.")
    _record_reopening(pooled, adjudicator, uuid.uuid4(), why)


@transaction.atomic
def revoke_decision(
    pooled: PooledDocument, adjudicator: User, new_uuid: uuid.UUID, decision: uuid.UUID
) -> None:
    """Revoke a decision of this adjudicator by its UUID.

    new_uuid: of the reopening, so that a repeated request changes nothing. Nothing changes either if the
    decision was refused, or is not the current one.
    """
    lock_documents([pooled.pk])
    if AdjudicationEvent.objects.filter(uuid=new_uuid).exists():
        return
    event = AdjudicationEvent.objects.filter(uuid=decision, pooled=pooled, by=adjudicator).first()
    if event and Adjudication.objects.filter(pooled=pooled, by=adjudicator, at=event.at).delete()[0]:
        _record_reopening(pooled, adjudicator, new_uuid)


def _record_reopening(pooled: PooledDocument, adjudicator: User, new_uuid: uuid.UUID, why: str = "") -> None:
    AdjudicationEvent.objects.create(uuid=new_uuid, pooled=pooled, by=adjudicator, relevance=None, why=why)
    raise_versions([pooled.topic_id])
    _note(pooled, adjudicator, "opened a grade again")


def _note(pooled: PooledDocument, adjudicator: User, verb: str, **details: str) -> None:
    topic, docno = pooled.topic.number, pooled.docno
    log_change(
        pooled.pool.campaign, adjudicator, verb, f"{topic} {docno}", topic=topic, docno=docno, **details
    )


@transaction.atomic
def require_reasons(campaign: Campaign, required: bool, by: User | None = None) -> None:
    """Set whether adjudicators must give a reason."""
    plan = judging_plan_of(campaign)
    if plan.reasons_required == required:
        return
    JudgingPlan.objects.update_or_create(campaign=campaign, defaults={"reasons_required": required})
    rule = "a reason is required" if required else "a reason is not required"
    log_change(campaign, by, "changed the rule of adjudication", rule, reasons_required=required)
