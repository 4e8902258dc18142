"""Pools in the API, for organisers only: a judge must not know which documents are pooled, or why."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

from django.db.models import Count
from django.http import HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from ninja import Query, Router, Schema, Status
from ninja.errors import HttpError
from pydantic import Field, create_model

from pooling.api.access import (
    PROBLEMS,
    WRITE_PROBLEMS,
    Body,
    PathName,
    PathNumber,
    Text,
    api_campaign,
    api_user,
    checked,
    form_values,
)
from pooling.api.pages import Page, PageParameters, page_of
from pooling.forms.pools import PoolForm
from pooling.manifest import PoolPlan
from pooling.models import Campaign, Pool, Role, Run
from pooling.queries.drafts import draft_of
from pooling.queries.reads import PoolingReads
from pooling.services.pools import PoolRefused, freeze_pool
from pooling.strategies.registry import STRATEGIES, strategy_of

router = Router(tags=["pools"])


class PoolChoice(Body):
    """A plan for a pool."""

    strategy: str = Field("depth", description=f"One of: {', '.join(STRATEGIES)}.", max_length=60)
    seed: int = Field(0, ge=0, le=2**31)
    runs: list[Text] = Field([], description="Tags. By default all runs.", max_length=10_000)
    topics: list[Text] = Field([], description="Numbers. By default all topics.", max_length=10_000)
    seconds: int = Field(30, ge=1, le=3600, description="Seconds per judgment, for the hours of the draft.")


Number = int | float | Annotated[str, Field(pattern=r"^[^\x00]*$", max_length=200)]
PARAMETERS = {
    parameter.name: parameter for strategy in STRATEGIES.values() for parameter in strategy.parameters
}
if TYPE_CHECKING:
    PoolIn = PoolChoice
else:
    PoolIn = create_model(
        "PoolIn",
        __base__=PoolChoice,
        **{
            name: (Number, Field("", description=parameter.meaning)) for name, parameter in PARAMETERS.items()
        },
    )
PoolQuery = Annotated[PoolIn, Query()]


class DraftOut(Schema):
    """The figures of a pool that is not frozen. Documents of frozen pools do not count."""

    strategy: str
    parameters: dict[str, Any]
    documents: int
    to_judge: int = Field(description="With a live strategy at most the budget of each topic, else all.")
    hours: float = Field(description="Of one judge.")
    topics: dict[str, int] = Field(description="Topic -> documents.")
    complete_depth: int = Field(description="Every run is judged to this depth.")


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


def plan_in(campaign: Campaign, about: PoolChoice) -> tuple[PoolPlan, list[Run]]:
    """Return the plan of a request and its runs.

    Raises InvalidForm, HttpError 422 for an unknown run or parameter, and PoolRefused without runs.
    """
    given = about.dict(exclude_unset=True)
    own = strategy_of(about.strategy).parameters
    if foreign := given.keys() - PoolChoice.model_fields.keys() - {parameter.name for parameter in own}:
        names = ", ".join(parameter.name for parameter in own)
        raise HttpError(422, f"Parameters of {about.strategy}: expected {names}; found {min(foreign)}")
    tags = {run.tag for run in campaign.runs.active()}
    if not tags:
        raise PoolRefused("A pool is built from runs, and this campaign has none.")
    if missing := set(about.runs) - tags:
        raise HttpError(422, f"Runs: expected tags of runs in this campaign; found {min(missing)!r:.60}")
    without = sorted(tags - set(about.runs)) if about.runs else []
    values = about.dict() | {"topics": " ".join(about.topics), "without": without}
    form = checked(PoolForm(form_values(values), PoolingReads(campaign)))
    return form.plan(), form.included()


@router.get("{slug}/pools/draft/", response={200: DraftOut, **PROBLEMS})
def pool_draft(request: HttpRequest, slug: PathName, about: PoolQuery) -> dict[str, Any]:
    """The figures of a pool before it is frozen."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    plan, runs = plan_in(campaign, about)
    draft = draft_of(PoolingReads(campaign), runs, plan)
    return {
        "strategy": plan.strategy,
        "parameters": plan.parameters,
        "documents": draft.size.total,
        "to_judge": draft.to_judge,
        "hours": draft.to_judge * about.seconds / 3600,
        "topics": {topic.number: count for topic, count in draft.by_topic},
        "complete_depth": draft.complete_depth,
    }


@router.post("{slug}/pools/", response={201: PoolWithManifest, **WRITE_PROBLEMS}, summary="Freeze a pool")
def pool_freeze(request: HttpRequest, slug: PathName, about: PoolIn) -> Status[Pool]:
    """Freeze the pool that the draft with the same values describes. It cannot be changed afterwards."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    plan, runs = plan_in(campaign, about)
    return Status(201, freeze_pool(campaign, api_user(request), runs, plan))


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
    pool = get_object_or_404(api_campaign(request, slug, Role.ORGANISER).pools, number=number)
    return StreamingHttpResponse(pool_lines(pool), content_type="text/plain; charset=utf-8")


def pool_lines(pool: Pool) -> Iterator[str]:
    pairs = pool.documents.order_by("topic__number", "docno").values_list("topic__number", "docno")
    for topic, docno in pairs.iterator():
        yield f"{topic} {docno}\n"
