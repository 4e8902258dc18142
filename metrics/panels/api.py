"""Results of panels in the API: how judges voted on two runs side by side."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router, Schema
from pydantic import Field

from metrics.panels.queries import VoteCounts, panel_result, panels_seen_by
from pooling.api.access import PROBLEMS, PathKey, PathName, api_campaign, api_user
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Role

router = Router(tags=["panels"])
READERS = (Role.READER, Role.ADJUDICATOR, Role.PARTICIPANT)


class PanelLineOut(Schema):
    id: int
    first: str = Field(alias="first.tag")
    second: str = Field(alias="second.tag")
    depth: int


class VoteCountsOut(Schema):
    """Votes, or topics, for each run. p: of the sign test; if it is null, `reason` says why."""

    first: int
    second: int
    equal: int
    p: float | None
    reason: str


class PanelTopicOut(Schema):
    topic: str
    first: int
    second: int
    equal: int
    winner: str = Field(description="The tag of the run with more votes; empty if there is none.")


class PanelResultOut(Schema):
    first: str
    second: str
    judges: int
    topics: VoteCountsOut = Field(description="Topics won.")
    votes: VoteCountsOut
    lines: list[PanelTopicOut]


@router.get(
    "{slug}/panel-results/", response={200: Page[PanelLineOut], **PROBLEMS}, summary="List results of panels"
)
def panel_results(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The panels on two runs whose scores you may see."""
    campaign = api_campaign(request, slug, *READERS)
    return page_of(request, panels_seen_by(api_user(request), campaign), "id", cut)


@router.get(
    "{slug}/panel-results/{pk}/", response={200: PanelResultOut, **PROBLEMS}, summary="The result of a panel"
)
def panel_votes(request: HttpRequest, slug: PathName, pk: PathKey) -> dict[str, Any]:
    """The votes that stand, by topic and in all, without names of judges."""
    campaign = api_campaign(request, slug, *READERS)
    panel = get_object_or_404(panels_seen_by(api_user(request), campaign), pk=pk)
    result = panel_result(panel)
    return {
        "first": panel.first.tag,
        "second": panel.second.tag,
        "judges": result.judges,
        "topics": plain_counts(result.by_topic),
        "votes": plain_counts(result.votes),
        "lines": [
            plain_counts(line.votes) | {"topic": line.topic.number, "winner": line.winner}
            for line in result.lines
        ],
    }


def plain_counts(counts: VoteCounts) -> dict[str, Any]:
    test = counts.test
    return {"p": test.p, "reason": test.reason} | {
        name: getattr(counts, name) for name in ("first", "second", "equal")
    }
