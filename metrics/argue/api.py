"""ARGUE scores in the API, for organisers."""

from __future__ import annotations

from typing import Annotated

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Query, Router, Schema
from pydantic import Field

from metrics.argue.queries import found_argue, usable_sets
from pooling.api.access import PROBLEMS, PathName, PathNumber, api_campaign
from pooling.models import Role

router = Router(tags=["matchings"])


class ArgueQuery(Schema):
    support: int = Field(
        0, ge=0, le=32767, description="The number of a set of citations; 0: the newest with all citations."
    )


class ArgueScoreOut(Schema):
    """A score as Auto-ARGUE writes it: of a topic, or its micro or macro average."""

    run_id: str
    request_id: str
    metric: str
    value: str


@router.get(
    "{slug}/matchings/{number}/argue/",
    response={200: list[ArgueScoreOut], **PROBLEMS},
    summary="The ARGUE scores of a matching",
)
def argue_scores(
    request: HttpRequest, slug: PathName, number: PathNumber, about: Annotated[ArgueQuery, Query()]
) -> list[dict[str, str]]:
    """Sentence support, nugget coverage and F1 of all runs, the best run first."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    matching = get_object_or_404(campaign.matchings.select_related("bank"), number=number)
    sets = usable_sets(campaign)
    chosen = (sets.filter(number=about.support) if about.support else sets).first()
    if chosen is None:
        raise Http404("There is no such set with all citations.")
    matching.campaign = chosen.campaign = campaign
    return found_argue(matching, chosen).rows()
