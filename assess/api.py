"""API for labels, agreement and releases of qrels."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from ninja import Router, Schema
from pydantic import Field

from assess.kappa.coefficient import Coefficient
from assess.kappa.pairs import PairAgreement
from assess.queries.agreement import agreement_record
from assess.queries.independence import hidden_keys
from assess.queries.labels import label_records
from assess.queries.releases import files_seen_by, manifest_seen_by
from assess.release.formats import KINDS
from assess.views.downloads import with_hidden_count
from assess.views.releases import READERS, file_response
from pooling.api.access import PROBLEMS, PathName, PathNumber, api_campaign, api_user
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Campaign, Role

router = Router()
TEXT = {"schema": {"type": "string"}}
FILE_ANSWERS = {
    200: {
        "description": "The file",
        "content": {kind.content_type.partition(";")[0]: TEXT for kind in KINDS.values()},
    },
    206: {"description": "The requested range of the file"},
    304: {"description": "Not modified: If-None-Match has the current ETag"},
    416: {"description": "The requested range starts after the end of the file"},
}


class CoefficientOut(Schema):
    """A coefficient of agreement. If it is undefined, `value` is null and `reason` says why.

    interval: 95 % bootstrap interval over topics. If it is null, `no_interval` says why.
    """

    name: str
    value: float | None
    reason: str
    n: int = Field(description="Documents with labels of two or more judges.")
    judges: int
    observed: float | None
    expected: float | None
    standard_error: float | None
    interval: list[float] | None
    no_interval: str


class PairOut(Schema):
    first: str
    second: str
    machine: bool = Field(description="Whether one of the two judges is a machine.")
    counts: list[list[int]] = Field(
        description="Confusion matrix: rows are grades of the first judge, columns those of the second."
    )
    coefficients: list[CoefficientOut]


class AgreementOut(Schema):
    """Agreement of judges. coefficients: of all people. pairs: of people and machines."""

    grades: list[int]
    threshold: int
    coefficients: list[CoefficientOut]
    pairs: list[PairOut]


class FileOut(Schema):
    kind: str
    sha256: str
    size: int
    line_count: int


class ReleaseOut(Schema):
    number: int
    rule: str
    sha256: str = Field(description="SHA-256 checksum of the qrels file.")
    line_count: int
    released_at: datetime
    state: str = Field(description="internal, shared (with participants and readers) or public.")
    shared_at: datetime | None = Field(description="When participants could first see it.")
    published_at: datetime | None = Field(description="When anyone could first see it.")
    withdrawn_at: datetime | None
    withdrawal_reason: str


class ReleaseWithManifest(ReleaseOut):
    files: list[FileOut]
    manifest: dict[str, Any]


@router.get(
    "{slug}/labels/",
    tags=["labels"],
    response=PROBLEMS,
    openapi_extra={
        "responses": {
            200: {"description": "JSON Lines: one label per line", "content": {"application/jsonl": TEXT}},
        }
    },
)
def label_list(request: HttpRequest, slug: PathName) -> StreamingHttpResponse:
    """Current labels of all judges, as JSON Lines.

    Each line has topic, docno, judge, machine, relevance, reason and at. If the judge could not judge the
    document, relevance is null and reason says why. Labels of documents that you still have to judge are
    omitted; the header X-Labels-Left-Out has their number.
    """
    campaign = api_campaign(request, slug, Role.ADJUDICATOR)
    hidden = hidden_keys(api_user(request), campaign)
    response = StreamingHttpResponse(
        label_lines(campaign, hidden), content_type="application/jsonl; charset=utf-8"
    )
    return with_hidden_count(response, api_user(request), campaign)


def label_lines(campaign: Campaign, hidden: Collection[int]) -> Iterator[str]:
    for record in label_records(campaign, hidden):
        yield json.dumps(record._asdict() | {"at": record.at.isoformat()}, ensure_ascii=False) + "\n"


@router.get("{slug}/agreement/", tags=["agreement"], response={200: AgreementOut, **PROBLEMS})
def agreement(request: HttpRequest, slug: PathName) -> dict[str, Any]:
    """Agreement of the current labels: all coefficients, over all judges and for each pair.

    Readers get numbers instead of names of judges. Documents that you still have to judge are excluded.
    """
    campaign = api_campaign(request, slug, Role.ADJUDICATOR, Role.READER)
    record = agreement_record(campaign, api_user(request))
    return {
        "grades": [grade.value for grade in campaign.grades],
        "threshold": campaign.threshold,
        "coefficients": [plain(each) for each in record.coefficients],
        "pairs": [plain_pair(pair, record.machines) for pair in record.pairs],
    }


def plain(coefficient: Coefficient) -> dict[str, Any]:
    return coefficient._asdict() | {"interval": coefficient.interval and list(coefficient.interval)}


def plain_pair(pair: PairAgreement, machines: frozenset[str]) -> dict[str, Any]:
    return pair._asdict() | {
        "machine": bool(machines & {pair.first, pair.second}),
        "counts": pair.counts.tolist(),
        "coefficients": [plain(each) for each in pair.coefficients],
    }


@router.get("{slug}/releases/", tags=["releases"], response={200: Page[ReleaseOut], **PROBLEMS})
def release_list(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """Releases of the qrels that you may see, oldest first."""
    campaign = api_campaign(request, slug, *READERS)
    return page_of(request, campaign.releases.visible_to(campaign), "number", cut)


@router.get("{slug}/releases/{number}/", tags=["releases"], response={200: ReleaseWithManifest, **PROBLEMS})
def release(request: HttpRequest, slug: PathName, number: PathNumber) -> dict[str, Any]:
    """A release with its manifest and the files that you may download.

    The manifest has numbers instead of names of judges, except for organisers and adjudicators.
    """
    campaign = api_campaign(request, slug, *READERS)
    frozen = get_object_or_404(campaign.releases.visible_to(campaign), number=number)
    return {name: getattr(frozen, name) for name in ReleaseOut.model_fields} | {
        "files": files_seen_by(api_user(request), campaign, frozen),
        "manifest": manifest_seen_by(frozen, campaign),
    }


@router.get(
    "{slug}/releases/{number}/files/{kind}/",
    tags=["releases"],
    response=PROBLEMS,
    openapi_extra={"responses": FILE_ANSWERS},
)
def release_file(
    request: HttpRequest, slug: PathName, number: PathNumber, kind: PathName
) -> HttpResponseBase:
    """A file of a release, whole or a range of it. It never changes; its ETag is its SHA-256 checksum.

    Files with names of judges are for organisers and adjudicators; others get the files with numbers. Files
    with single labels are refused while you still have to judge one of their documents.
    """
    campaign = api_campaign(request, slug, *READERS)
    frozen = get_object_or_404(campaign.releases.visible_to(campaign), number=number)
    return file_response(request, api_user(request), campaign, frozen, kind)
