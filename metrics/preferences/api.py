"""Preferences in the API, for organisers."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router, Schema
from pydantic import Field

from assess.api.judged_sets import SetIn, add_set_operations
from assess.models import PreferenceSet
from assess.preferences.forms import BETTER
from assess.preferences.queries.sets import sets_of
from assess.preferences.views import PAGES
from metrics.preferences.queries import preference_result, voted_pairs
from pooling.api.access import PROBLEMS, PathName, PathNumber, Text, api_campaign
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Role

router = Router(tags=["preferences"])


class PreferencesIn(SetIn):
    """Preferences over the relevant documents of a release."""

    release: int = Field(ge=1, le=32767, description="Its number; its grades choose the documents.")
    better: Text = Field(BETTER, min_length=1, max_length=1000, description="Judges read it.")
    k: int = Field(5, ge=1, le=50, description="Best documents of each topic that are looked for.")


class PreferenceSetOut(Schema):
    number: int
    release: int = Field(alias="release.number", description="Whose relevant documents are compared.")
    better: str = Field(description='What "better" means, as judges read it.')
    k: int = Field(description="Best documents of each topic that are looked for.")
    topics: int = Field(alias="topic_count")
    judges: int = Field(alias="judge_count")
    finished: int = Field(alias="finished_count", description="Topics of judges that are finished.")


class BestDocumentOut(Schema):
    docno: str
    grade: int = Field(description="Above all grades of the release.")


class TopicBestOut(Schema):
    topic: str
    best: list[BestDocumentOut] = Field(description="The best first.")
    pairs: int = Field(description="Votes of all stages.")
    stages: int


class PreferenceVoteOut(Schema):
    topic: str
    judge: int = Field(description="A number instead of a name, by first votes.")
    stage: int
    left: str
    right: str
    winner: str = Field(description="A docno; empty for a tie.")
    reason: str


def set_or_404(request: HttpRequest, slug: str, number: int) -> PreferenceSet:
    campaign = api_campaign(request, slug, Role.ORGANISER)
    preference_set = get_object_or_404(campaign.preference_sets.select_related("release"), number=number)
    preference_set.campaign = preference_set.release.campaign = campaign
    return preference_set


@router.get(
    "{slug}/preferences/",
    response={200: Page[PreferenceSetOut], **PROBLEMS},
    summary="List sets of preferences",
)
def preference_sets(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The sets of preferences of a campaign."""
    return page_of(request, sets_of(api_campaign(request, slug, Role.ORGANISER)), "number", cut)


@router.get(
    "{slug}/preferences/{number}/best/",
    response={200: list[TopicBestOut], **PROBLEMS},
    summary="The best documents by preferences",
)
def preference_best(request: HttpRequest, slug: PathName, number: PathNumber) -> list[dict[str, Any]]:
    """The best documents of each finished topic."""
    return [
        topic._asdict() | {"best": [{"docno": docno, "grade": grade} for docno, grade in topic.best]}
        for topic in preference_result(set_or_404(request, slug, number)).topics
    ]


@router.get(
    "{slug}/preferences/{number}/votes/",
    response={200: list[PreferenceVoteOut], **PROBLEMS},
    summary="List the votes of preferences",
)
def preference_votes(request: HttpRequest, slug: PathName, number: PathNumber) -> list[dict[str, Any]]:
    """Every vote that stands."""
    judges: dict[str, int] = {}
    return [
        pair._asdict() | {"winner": pair.winner, "judge": judges.setdefault(pair.judge, len(judges) + 1)}
        for pair in voted_pairs(set_or_404(request, slug, number))
    ]


add_set_operations(router, "preferences", "a set of preferences", PAGES, PreferencesIn)
