"""Labels, their agreement and the releases of qrels, by API."""

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
from assess.kappa.pairs import Comparison
from assess.queries.independence import hidden_keys
from assess.queries.records import agreement_record, label_records
from assess.queries.releases import files_seen_by, manifest_seen_by
from assess.release_formats.kinds import KINDS
from assess.views.downloads import with_left_out
from assess.views.releases import READERS, sent_file
from pooling.api.door import PROBLEMS, Number, Word, door, person
from pooling.api.pages import Page, Wanted, page_of
from pooling.models import Campaign, Role

router = Router()
TEXT = {"schema": {"type": "string"}}
FILE_ANSWERS = {
    200: {
        "description": "The file",
        "content": {kind.content_type.partition(";")[0]: TEXT for kind in KINDS.values()},
    },
    206: {"description": "The part that Range asks for"},
    304: {"description": "You have it: If-None-Match names it"},
    416: {"description": "Range begins behind the end"},
}


class CoefficientOut(Schema):
    """A coefficient of agreement. value: null where it is undefined, and `reason` then says why.

    interval: 95 %, by bootstrap over topics; where it is null, `no_interval` says why.
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
    machine: bool = Field(description="Whether one of the two is no person.")
    counts: list[list[int]] = Field(description="The confusion matrix: grades of the first down.")
    coefficients: list[CoefficientOut]


class AgreementOut(Schema):
    """How far judges agree. coefficients: of people; pairs: of machines too."""

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
    sha256: str = Field(description="Of the qrels.")
    line_count: int
    released_at: datetime


class ReleaseWithManifest(ReleaseOut):
    files: list[FileOut]
    manifest: dict[str, Any]


@router.get(
    "{slug}/labels/",
    tags=["labels"],
    response=PROBLEMS,
    openapi_extra={
        "responses": {
            200: {"description": "A JSON object a line", "content": {"application/jsonl": TEXT}},
        }
    },
)
def label_list(request: HttpRequest, slug: Word) -> StreamingHttpResponse:
    """Every judge's current label, a JSON object a line.

    Each has topic, docno, judge, machine, relevance, reason and at. A reason stands where a judge could not
    judge; relevance is then null. Labels of documents that you are still to judge yourself are left out; the
    header X-Labels-Left-Out says how many.
    """
    campaign = door(request, slug, Role.ADJUDICATOR)
    hidden = hidden_keys(person(request), campaign)
    response = StreamingHttpResponse(
        label_lines(campaign, hidden), content_type="application/jsonl; charset=utf-8"
    )
    return with_left_out(response, person(request), campaign)


def label_lines(campaign: Campaign, hidden: Collection[int]) -> Iterator[str]:
    for record in label_records(campaign, hidden):
        yield json.dumps(record._asdict() | {"at": record.at.isoformat()}, ensure_ascii=False) + "\n"


@router.get("{slug}/agreement/", tags=["agreement"], response={200: AgreementOut, **PROBLEMS})
def agreement(request: HttpRequest, slug: Word) -> dict[str, Any]:
    """How far the judges agree as the labels stand now, by every coefficient, and pair by pair.

    Judges are numbers for readers. Documents that you are still to judge yourself take no part.
    """
    campaign = door(request, slug, Role.ADJUDICATOR, Role.READER)
    found = agreement_record(campaign, person(request))
    return {
        "grades": [grade.value for grade in campaign.grades],
        "threshold": campaign.threshold,
        "coefficients": [plain(each) for each in found.coefficients],
        "pairs": [plain_pair(pair, found.machines) for pair in found.pairs],
    }


def plain(coefficient: Coefficient) -> dict[str, Any]:
    return coefficient._asdict() | {"interval": coefficient.interval and list(coefficient.interval)}


def plain_pair(pair: Comparison, machines: frozenset[str]) -> dict[str, Any]:
    return pair._asdict() | {
        "machine": bool(machines & {pair.first, pair.second}),
        "counts": pair.counts.tolist(),
        "coefficients": [plain(each) for each in pair.coefficients],
    }


@router.get("{slug}/releases/", tags=["releases"], response={200: Page[ReleaseOut], **PROBLEMS})
def release_list(request: HttpRequest, slug: Word, cut: Wanted) -> dict[str, Any]:
    """The releases of the qrels, oldest first."""
    return page_of(request, door(request, slug, *READERS).releases.all(), "number", cut)


@router.get("{slug}/releases/{number}/", tags=["releases"], response={200: ReleaseWithManifest, **PROBLEMS})
def release(request: HttpRequest, slug: Word, number: Number) -> dict[str, Any]:
    """One release with its manifest and the files that you may have.

    Judges are numbers, except for organisers and adjudicators.
    """
    campaign = door(request, slug, *READERS)
    found = get_object_or_404(campaign.releases, number=number)
    return {name: getattr(found, name) for name in ReleaseOut.model_fields} | {
        "files": files_seen_by(person(request), campaign, found),
        "manifest": manifest_seen_by(found, campaign),
    }


@router.get(
    "{slug}/releases/{number}/files/{kind}/",
    tags=["releases"],
    response=PROBLEMS,
    openapi_extra={"responses": FILE_ANSWERS},
)
def release_file(request: HttpRequest, slug: Word, number: Number, kind: Word) -> HttpResponseBase:
    """One file of a release, whole or in parts (Range); it never changes, and its ETag is its SHA-256.

    The files that name judges are for organisers and adjudicators; all others get those with numbers. The
    files of single labels are refused as long as you are to judge one of their documents yourself.
    """
    campaign = door(request, slug, *READERS)
    found = get_object_or_404(campaign.releases, number=number)
    return sent_file(request, person(request), campaign, found, kind)
