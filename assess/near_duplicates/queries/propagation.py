"""The propagated labels of a release, and how often propagation is wrong."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from assess.models import DuplicateClassification, DuplicateMember
from assess.near_duplicates.propagation import (
    Decided,
    ErrorRate,
    Member,
    PropagationErrors,
    propagated_lines,
    propagation_errors,
)
from assess.queries.campaign_reads import CampaignReads
from assess.queries.release_draft import agreed_columns
from assess.queries.releases import scope_of
from assess.release.plan import ReleasePlan
from assess.release.propagated import Propagation
from pooling.models import Campaign

Documents = Collection[tuple[str, str]]
"""topic and docno of each document."""


def has_frozen_classes(campaign: Campaign) -> bool:
    """Return whether a release can have propagated labels."""
    return DuplicateClassification.objects.filter(campaign=campaign, frozen_at__isnull=False).exists()


def members_in(reads: CampaignReads, plan: ReleasePlan, split: Documents) -> list[Member]:
    """Return the members of frozen classes in the scope of a plan, by topic and docno, without split ones."""
    members = DuplicateMember.objects.filter(
        duplicate_class__classification__campaign=reads.campaign,
        duplicate_class__classification__frozen_at__isnull=False,
        pooled__in=scope_of(reads, plan).order_by().values("pk"),
    )
    fields = "pooled__topic__number", "pooled__docno", "duplicate_class__representative__docno", "is_sampled"
    rows = members.order_by("pooled__topic__place", "pooled__docno").values_list(*fields)
    return [member for row in rows if ((member := Member(*row)).topic, member.docno) not in split]


def split_documents(campaign: Campaign) -> list[tuple[str, str]]:
    """Return topic and docno of the members that were split from their classes, in that order."""
    members = DuplicateMember.objects.filter(
        split__isnull=False, duplicate_class__classification__campaign=campaign
    )
    return list(members.order_by("split").values_list("pooled__topic__number", "pooled__docno"))


def propagate(
    reads: CampaignReads, plan: ReleasePlan, decided: Decided, threshold: int
) -> Propagation | None:
    """Return the propagated labels of a release with these grades; None without frozen classes."""
    classification = DuplicateClassification.objects.filter(
        campaign=reads.campaign, frozen_at__isnull=False
    ).first()
    if classification is None:
        return None
    split = split_documents(reads.campaign)
    members = members_in(reads, plan, frozenset(split))
    errors = propagation_errors(decided, members, threshold)
    about = {
        "of": "near duplicates",
        "classes_sha256": classification.sha256,
        "parameters": classification.parameters,
        "split": [list(pair) for pair in split],
        "judged_on_purpose": errors.grade.n,
        "other_grade": _described(errors.grade),
        "other_relevance": _described(errors.relevance),
    }
    return Propagation(propagated_lines(decided, members), about)


def _described(rate: ErrorRate) -> dict[str, Any]:
    return {"count": rate.wrong, "rate": rate.rate, "interval_95": rate.interval, "text": str(rate)}


def current_errors(reads: CampaignReads) -> PropagationErrors:
    """Return how often the members that are judged on purpose have another grade than their representative.

    The grades are those that a release of people's labels would have now.
    """
    agreed, documents, numbers = agreed_columns(reads, reads.people_plan), reads.pooled, reads.topic_numbers
    topics, docnos = documents.topic[agreed.documents], documents.docno[agreed.documents]
    decided: dict[tuple[str, str], int | None] = {
        (numbers[topic], docno.decode()): grade
        for topic, docno, grade in zip(topics.tolist(), docnos.tolist(), agreed.grades.tolist(), strict=True)
    }
    split = frozenset(split_documents(reads.campaign))
    sampled = [member for member in members_in(reads, ReleasePlan(), split) if member.is_sampled]
    return propagation_errors(decided, sampled, reads.campaign.threshold)
