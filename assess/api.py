"""Labels, their agreement and the releases of qrels, by API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from ninja import Router, Schema
from pydantic import Field

from assess import queries
from assess.kappa import Coefficient, Comparison
from assess.models import QrelsRelease, ReleaseFile
from assess.release_formats import KINDS
from assess.views.downloads import download
from assess.views.releases import READERS, file_name
from pooling.api.door import PROBLEMS, Number, Word, door
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

    @staticmethod
    def resolve_files(release: QrelsRelease) -> list[ReleaseFile]:
        return list(release.files.all())


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
    judge; relevance is then null.
    """
    campaign = door(request, slug, Role.ADJUDICATOR)
    return StreamingHttpResponse(label_lines(campaign), content_type="application/jsonl; charset=utf-8")


def label_lines(campaign: Campaign) -> Iterator[str]:
    for record in queries.label_records(campaign):
        yield json.dumps(record._asdict() | {"at": record.at.isoformat()}, ensure_ascii=False) + "\n"


@router.get("{slug}/agreement/", tags=["agreement"], response={200: AgreementOut, **PROBLEMS})
def agreement(request: HttpRequest, slug: Word) -> dict[str, Any]:
    """How far the judges agree as the labels stand now, by every coefficient, and pair by pair."""
    campaign = door(request, slug, Role.ADJUDICATOR, Role.READER)
    found = queries.agreement_record(campaign)
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
def release(request: HttpRequest, slug: Word, number: Number) -> QrelsRelease:
    """One release with its manifest and its files."""
    return get_object_or_404(door(request, slug, *READERS).releases, number=number)


@router.get(
    "{slug}/releases/{number}/files/{kind}/",
    tags=["releases"],
    response=PROBLEMS,
    openapi_extra={"responses": FILE_ANSWERS},
)
def release_file(request: HttpRequest, slug: Word, number: Number, kind: Word) -> HttpResponseBase:
    """One file of a release, whole or in parts (Range); it never changes, and its ETag is its SHA-256."""
    found = get_object_or_404(door(request, slug, *READERS).releases, number=number)
    return download(request, get_object_or_404(found.files, kind=kind), file_name(found, kind))
