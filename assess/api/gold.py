"""Training and gold documents in the API, for organisers."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import File, Form, Router, Schema, Status
from ninja.files import UploadedFile
from pydantic import Field

from assess.queries.gold import gold_documents
from assess.services.gold import load_gold, withdraw_gold
from pooling.api.access import PROBLEMS, WRITE_PROBLEMS, Body, PathName, api_campaign, api_user
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Role
from pooling.services.files import read_upload

router = Router(tags=["gold"])


class GoldOut(Schema):
    """A document with a known grade. Judges see training documents as such, and gold documents unmarked."""

    id: int
    kind: str
    topic: str = Field(alias="pooled.topic.number")
    docno: str = Field(alias="pooled.docno")
    relevance: int
    why: str
    withdrawn: bool
    judges: int = Field(description="Who have labelled it.")


class GoldIn(Schema):
    kind: Literal["training", "gold"]


class LoadedGoldOut(Schema):
    loaded: int
    new_documents: int = Field(description="In no pool before.")
    from_pools: int = Field(description="In a pool before: they no longer count in the qrels.")


class GoldWithdrawalIn(Body):
    ids: list[Annotated[int, Field(ge=1, le=2**53)]] = Field(
        min_length=1, max_length=10_000, description="Keys of the documents."
    )


class WithdrawnGoldOut(Schema):
    documents: int = Field(description="Withdrawn now.")


@router.get("{slug}/gold/", response={200: Page[GoldOut], **PROBLEMS}, summary="List gold documents")
def gold_list(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The training and gold documents, also withdrawn ones, oldest first."""
    return page_of(request, gold_documents(api_campaign(request, slug, Role.ORGANISER)), "id", cut)


@router.post("{slug}/gold/", response={201: LoadedGoldOut, **WRITE_PROBLEMS}, summary="Load gold documents")
def gold_load(
    request: HttpRequest, slug: PathName, file: File[UploadedFile], about: Form[GoldIn]
) -> Status[dict[str, int]]:
    """Load lines of topic, docno, grade and reason. An invalid line refuses all."""
    campaign, user = api_campaign(request, slug, Role.ORGANISER), api_user(request)
    loaded = load_gold(campaign, user, about.kind, read_upload(file), file.name or "")
    return Status(201, loaded._asdict())


@router.post(
    "{slug}/gold/withdrawal/",
    response={200: WithdrawnGoldOut, **WRITE_PROBLEMS},
    summary="Withdraw gold documents",
)
def gold_withdraw(request: HttpRequest, slug: PathName, about: GoldWithdrawalIn) -> dict[str, int]:
    """Take training and gold documents out of all queues. Their labels stay, outside the qrels."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    chosen = gold_documents(campaign).filter(pk__in=about.ids)
    return {"documents": withdraw_gold(campaign, chosen, api_user(request))}
