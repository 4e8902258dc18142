"""A/B tests in the API, for organisers."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router, Schema
from pydantic import Field

from metrics.ab_tests.queries import ab_test_result, ab_tests_with_files, result_as_json
from pooling.api.access import PROBLEMS, PathName, PathNumber, api_campaign
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Role

router = Router(tags=["A/B tests"])


class ABTestOut(Schema):
    number: int
    name: str
    note: str
    shares: dict[str, float] = Field(
        alias="parts", description="Variant -> its part of the users; the control is the first."
    )
    planned_users: int
    outcomes: str = Field(description="One a line: the column, the direction wanted, what is taken of it.")
    files: int = Field(alias="file_count", description="Files of users that are not withdrawn.")
    created_at: datetime


@router.get("{slug}/ab-tests/", response={200: Page[ABTestOut], **PROBLEMS}, summary="List A/B tests")
def ab_tests(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The plans of the A/B tests of a campaign."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    return page_of(request, ab_tests_with_files(campaign), "number", cut)


@router.get(
    "{slug}/ab-tests/{number}/results/",
    response={200: dict[str, Any], **PROBLEMS},
    summary="The result of an A/B test",
)
def ab_test_results(request: HttpRequest, slug: PathName, number: PathNumber) -> dict[str, Any]:
    """Every outcome of every variant, and the effects of factors, by the newest file that stands."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    test = get_object_or_404(campaign.ab_tests, number=number)
    test.campaign = campaign
    found = ab_test_result(test)
    if found.result is None:
        raise Http404("No file has been loaded.")
    return result_as_json(test, found)
