"""Near duplicates in the API, for organisers."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router, Schema, Status
from pydantic import Field

from accounts.requests import UserRequest
from assess.models import DuplicateClass, DuplicateClassification, DuplicateMember
from assess.near_duplicates.classes import THRESHOLD
from assess.near_duplicates.forms import NearDuplicatesForm
from assess.near_duplicates.propagation import ErrorRate
from assess.near_duplicates.queries.classes import class_counts, classes_in, classification_of
from assess.near_duplicates.queries.propagation import current_errors
from assess.near_duplicates.services import SHARE, discard_classes, freeze_classes, split_member
from assess.near_duplicates.views import class_or_404, find_or_start
from assess.queries.campaign_reads import CampaignReads
from pooling.api.access import (
    PROBLEMS,
    WRITE_PROBLEMS,
    Body,
    PathKey,
    PathName,
    Text,
    api_campaign,
    api_user,
    checked,
    form_values,
)
from pooling.api.jobs import JobOut
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Job, Role

router = Router(tags=["near duplicates"])


class ErrorRateOut(Schema):
    """How many of n members that are judged on purpose differ. interval: Wilson's, for 95 %."""

    wrong: int
    n: int
    rate: float | None
    interval: tuple[float, float] | None


class PropagationErrorsOut(Schema):
    grade: ErrorRateOut = Field(description="Another grade than the representative.")
    relevance: ErrorRateOut = Field(description="Another side of the threshold.")


class ClassCountsOut(Schema):
    classes: int
    members: int = Field(description="Documents that are not representatives.")
    split: int = Field(description="Of them: judged by themselves.")
    sampled: int = Field(description="Of them: judged on purpose.")
    withheld: int = Field(description="Of them: not given to judges.")
    later: int = Field(description="Documents that were pooled later, and not compared.")


class NearDuplicatesOut(Schema):
    """The classes of a campaign: a draft until they are frozen."""

    parameters: dict[str, Any] = Field(
        description="Threshold, share that is judged on purpose, seed, method."
    )
    sha256: str = Field(description="Of the classes.")
    documents: int = Field(alias="document_count", description="That were compared.")
    created_at: datetime
    frozen_at: datetime | None
    counts: ClassCountsOut
    errors: PropagationErrorsOut | None = Field(description="null of a draft.")

    @staticmethod
    def resolve_counts(classification: DuplicateClassification) -> dict[str, int]:
        counts = class_counts(classification)
        return counts._asdict() | {"withheld": counts.withheld}

    @staticmethod
    def resolve_errors(classification: DuplicateClassification) -> dict[str, Any] | None:
        if classification.frozen_at is None:
            return None
        errors = current_errors(CampaignReads(classification.campaign))
        return {"grade": plain_rate(errors.grade), "relevance": plain_rate(errors.relevance)}


class DuplicateMemberOut(Schema):
    docno: str = Field(alias="pooled.docno")
    similarity: float = Field(description="Jaccard coefficient with the representative.")
    state: str = Field(description="propagated, judged on purpose, or split.")

    @staticmethod
    def resolve_state(member: DuplicateMember) -> str:
        if hasattr(member, "split"):
            return "split"
        return "judged on purpose" if member.is_sampled else "propagated"


class DuplicateClassOut(Schema):
    id: int
    topic: str = Field(alias="representative.topic.number")
    representative: str = Field(alias="representative.docno", description="The document that judges get.")
    size: int = Field(description="Documents, with the representative.")
    left: int = Field(description="Of them: not split.")
    lowest: float = Field(description="Jaccard coefficient of the two that have least in common.")
    doubtful: bool = Field(alias="is_doubtful", description="Somebody should look at it.")
    members: list[DuplicateMemberOut]

    @staticmethod
    def resolve_members(duplicate_class: DuplicateClass) -> list[DuplicateMember]:
        return list(duplicate_class.members.all())


class NearDuplicatesIn(Body):
    """How near duplicates are found, and how many of them are judged on purpose."""

    threshold: float = Field(THRESHOLD, ge=0.5, le=1, description="Least Jaccard coefficient.")
    share: int = Field(SHARE, ge=0, le=100, description="Per cent of the members that are judged on purpose.")
    seed: int | None = Field(None, ge=0, le=2**31 - 1, description="null: a random one.")


class ClassesIn(Body):
    sha256: str = Field(pattern="^[0-9a-f]{64}$", description="Of the draft that you have read.")


class DuplicateSplitIn(Body):
    docno: Text = Field(min_length=1, max_length=200)


def plain_rate(rate: ErrorRate) -> dict[str, Any]:
    return {"wrong": rate.wrong, "n": rate.n, "rate": rate.rate, "interval": rate.interval}


def classification_or_404(request: HttpRequest, slug: str) -> DuplicateClassification:
    campaign = api_campaign(request, slug, Role.ORGANISER)
    classification = classification_of(campaign)
    if classification is None:
        raise Http404
    classification.campaign = campaign
    return classification


@router.get(
    "{slug}/near-duplicates/", response={200: NearDuplicatesOut, **PROBLEMS}, summary="Near duplicates"
)
def near_duplicates(request: HttpRequest, slug: PathName) -> DuplicateClassification:
    """How the classes of near duplicates were found, their counts, and how often propagation is wrong."""
    return classification_or_404(request, slug)


@router.post(
    "{slug}/near-duplicates/",
    response={201: NearDuplicatesOut, 202: JobOut, **WRITE_PROBLEMS},
    summary="Find near duplicates",
)
def near_duplicates_find(
    request: HttpRequest, slug: PathName, about: NearDuplicatesIn
) -> Status[DuplicateClassification | Job]:
    """Find the classes before judging begins, in place of a draft. Many documents become a job: status 202.

    Nothing changes for judges until the draft is frozen.
    """
    campaign = api_campaign(request, slug, Role.ORGANISER)
    chosen = checked(NearDuplicatesForm(form_values(about.dict()))).chosen()
    started = find_or_start(cast(UserRequest, request), campaign, chosen)
    return Status(202 if isinstance(started, Job) else 201, started)


@router.get(
    "{slug}/near-duplicates/classes/",
    response={200: Page[DuplicateClassOut], **PROBLEMS},
    summary="List classes of near duplicates",
)
def near_duplicate_classes(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The classes with their documents."""
    rows = classes_in(classification_or_404(request, slug))
    return page_of(request, rows.prefetch_related("members__pooled", "members__split"), "id", cut)


@router.post(
    "{slug}/near-duplicates/freezing/",
    response={200: NearDuplicatesOut, **WRITE_PROBLEMS},
    summary="Freeze the near duplicates",
)
def near_duplicates_freeze(request: HttpRequest, slug: PathName, about: ClassesIn) -> DuplicateClassification:
    """Freeze the draft: judges no longer get the documents for which others stand."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    return freeze_classes(campaign, api_user(request), about.sha256)


@router.post(
    "{slug}/near-duplicates/discard/",
    response={204: None, **WRITE_PROBLEMS},
    summary="Discard the near duplicates",
)
def near_duplicates_discard(request: HttpRequest, slug: PathName) -> Status[None]:
    """Delete the classes, as long as judging has not begun with them. Judges get every document."""
    discard_classes(classification_or_404(request, slug).campaign, api_user(request))
    return Status(204, None)


@router.post(
    "{slug}/near-duplicates/classes/{pk}/splits/",
    response={204: None, **WRITE_PROBLEMS},
    summary="Split a near duplicate from its class",
)
def near_duplicate_split(
    request: HttpRequest, slug: PathName, pk: PathKey, about: DuplicateSplitIn
) -> Status[None]:
    """Let a document be judged by itself. Repeated, it changes nothing."""
    _, duplicate_class = class_or_404(cast(UserRequest, request), slug, pk)
    member = get_object_or_404(
        duplicate_class.members.select_related("pooled__topic__campaign"), pooled__docno=about.docno
    )
    split_member(member, api_user(request))
    return Status(204, None)
