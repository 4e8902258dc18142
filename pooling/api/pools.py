"""Pools in the API, for organisers only: a judge must not know which documents are pooled, or why."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import Count
from django.http import HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from ninja import Router, Schema
from pydantic import Field

from pooling.api.access import PROBLEMS, PathName, PathNumber, api_campaign
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Pool, Role

router = Router(tags=["pools"])


class PoolOut(Schema):
    number: int
    strategy: str
    parameters: dict[str, Any]
    sha256: str = Field(description="Of the manifest's contents.")
    frozen_at: datetime
    documents: int

    @staticmethod
    def resolve_sha256(pool: Pool) -> str:
        return str(pool.manifest["sha256"])

    @staticmethod
    def resolve_documents(pool: Pool) -> int:
        return int(pool.manifest["documents"])


class PoolWithManifest(PoolOut):
    runs: list[str] = Field(description="Tags of the runs that it was made from.")
    manifest: dict[str, Any]

    @staticmethod
    def resolve_runs(pool: Pool) -> list[str]:
        return list(pool.runs.values_list("tag", flat=True))


@router.get("{slug}/pools/", response={200: Page[PoolOut], **PROBLEMS})
def pool_list(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The frozen pools."""
    pools = api_campaign(request, slug, Role.ORGANISER).pools.annotate(run_count=Count("runs"))
    return page_of(request, pools, "number", cut)


@router.get("{slug}/pools/{number}/", response={200: PoolWithManifest, **PROBLEMS})
def pool(request: HttpRequest, slug: PathName, number: PathNumber) -> Pool:
    """One pool, with the manifest from which it can be built again."""
    return get_object_or_404(api_campaign(request, slug, Role.ORGANISER).pools, number=number)


@router.get(
    "{slug}/pools/{number}/documents/",
    response=PROBLEMS,
    openapi_extra={
        "responses": {
            200: {
                "description": "Lines of topic and docno",
                "content": {"text/plain": {"schema": {"type": "string"}}},
            }
        }
    },
)
def pool_documents(request: HttpRequest, slug: PathName, number: PathNumber) -> StreamingHttpResponse:
    """The pooled documents, a line each: topic and docno."""
    found = get_object_or_404(api_campaign(request, slug, Role.ORGANISER).pools, number=number)
    return StreamingHttpResponse(lines_of(found), content_type="text/plain; charset=utf-8")


def lines_of(pool: Pool) -> Iterator[str]:
    pairs = pool.documents.order_by("topic__number", "docno").values_list("topic__number", "docno")
    for topic, docno in pairs.iterator():
        yield f"{topic} {docno}\n"
