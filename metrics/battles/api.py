"""Results of battles in the API, for organisers."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import FileResponse, HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router, Schema, Status
from pydantic import Field

from accounts.requests import request_key
from assess.api.judged_sets import SetIn, add_set_operations
from assess.battles.forms import BETTER
from assess.battles.queries.sets import sets_of
from assess.battles.views import PAGES
from assess.models import BattleRelease, BattleSet
from metrics.battles.queries import measures_seen_by, result_json, set_result, vote_rows
from metrics.battles.services import release_battles
from pooling.api.access import (
    PROBLEMS,
    WRITE_PROBLEMS,
    PathName,
    PathNumber,
    Text,
    api_campaign,
    api_user,
)
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Role

router = Router(tags=["battles"])


class BattlesIn(SetIn):
    """Battles between answers of two runs or more."""

    runs: list[Text] = Field(min_length=2, max_length=1000, description="Tags of answer runs.")
    better: Text = Field(BETTER, min_length=1, max_length=1000, description="Judges read it.")
    per_topic: int = Field(10, ge=1, le=5000, description="Without second judges and repeats.")
    repeated: int = Field(10, ge=0, le=100, description="Per cent repeated with sides swapped.")


class BattleReleaseOut(Schema):
    number: int
    votes: int = Field(alias="vote_count")
    lead: str = Field(description="The sentence that says who leads.")
    sha256: str
    size: int = Field(description="Of the archive, in bytes.")
    released_at: datetime


class BattleSetOut(Schema):
    number: int
    better: str = Field(description='What "better" means, as judges read it.')
    seed: int
    runs: int = Field(alias="run_count")
    judges: int = Field(alias="judge_count")
    battles: int = Field(alias="battle_count")
    voted: int = Field(alias="voted_count", description="Battles with a vote.")
    releases: list[BattleReleaseOut]


class BattleVoteOut(Schema):
    topic: str
    judge: str
    place: int = Field(description="In the list of the judge, from 1.")
    left: str = Field(description="The answer run on the left.")
    right: str
    choice: str = Field(description="left, right, tie or both bad.")
    winner: str = Field(description="An answer run; empty for a tie and if both are bad.")
    is_repeat: bool = Field(description="The judge had this battle before, with sides swapped.")
    reason: str
    source: str = Field(description="key or click.")
    pressed_at: datetime


def set_or_404(request: HttpRequest, slug: str, number: int) -> BattleSet:
    campaign = api_campaign(request, slug, Role.ORGANISER)
    battle_set = get_object_or_404(campaign.battle_sets, number=number)
    battle_set.campaign = campaign
    return battle_set


@router.get("{slug}/battles/", response={200: Page[BattleSetOut], **PROBLEMS}, summary="List battles")
def battle_sets(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The sets of battles of a campaign, with their releases."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    return page_of(request, sets_of(campaign).prefetch_related("releases"), "number", cut)


@router.get(
    "{slug}/battles/{number}/votes/",
    response={200: list[BattleVoteOut], **PROBLEMS},
    summary="List the votes of battles",
)
def battle_votes(request: HttpRequest, slug: PathName, number: PathNumber) -> list[dict[str, Any]]:
    """Every vote that stands, in the order of time."""
    return list(vote_rows(set_or_404(request, slug, number)))


@router.get(
    "{slug}/battles/{number}/results/",
    response={200: dict[str, Any], **PROBLEMS},
    summary="The result of battles",
)
def battle_results(request: HttpRequest, slug: PathName, number: PathNumber) -> dict[str, Any]:
    """All figures of the page of results: strengths, intervals, wins, checks of the votes, other measures."""
    battle_set = set_or_404(request, slug, number)
    others = measures_seen_by(api_user(request), battle_set)
    return result_json(battle_set, set_result(battle_set, battle_set.campaign).result, others)


@router.post(
    "{slug}/battles/{number}/releases/",
    response={201: BattleReleaseOut, **WRITE_PROBLEMS},
    summary="Release the result of battles",
)
def battle_release_make(request: HttpRequest, slug: PathName, number: PathNumber) -> Status[BattleRelease]:
    """Store answers, votes that stand and results as one archive, which never changes.

    A request that is sent again with the same header `Idempotency-Key` makes no second release.
    """
    battle_set = set_or_404(request, slug, number)
    return Status(201, release_battles(battle_set, api_user(request), request_key(request)))


@router.get(
    "{slug}/battles/{number}/releases/{version}/",
    response=PROBLEMS,
    openapi_extra={
        "responses": {
            200: {
                "description": "The archive",
                "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
            }
        }
    },
    summary="The archive of a release of battles",
)
def battle_release(
    request: HttpRequest, slug: PathName, number: PathNumber, version: PathNumber
) -> FileResponse:
    """Answers, votes and results as one zip with checksums; judges have numbers in it."""
    stored = get_object_or_404(set_or_404(request, slug, number).releases, number=version)
    name = f"{slug}-battles-{number}-v{version}.zip"
    return FileResponse(stored.file.open("rb"), filename=name, content_type="application/zip")


add_set_operations(router, "battles", "a set of battles", PAGES, BattlesIn)
