"""A/B tests in the API, for organisers."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, cast

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from ninja import File, Form, Router, Schema, Status
from ninja.files import UploadedFile
from pydantic import Field

from accounts.requests import UserRequest, request_key
from metrics.ab_tests.forms import MOST_USERS, USUAL_OUTCOMES, ABTestForm, UsersForm
from metrics.ab_tests.queries import ab_test_result, ab_tests_with_files, result_as_json
from metrics.ab_tests.reader import LONGEST_VARIANT, MOST_VARIANTS
from metrics.ab_tests.services import create_ab_test, load_users, withdraw_users
from metrics.ab_tests.views import ab_test_or_404
from metrics.models import ABTest, ABTestFile
from pooling.api.access import (
    MAP_FIELD,
    PROBLEMS,
    WRITE_PROBLEMS,
    Body,
    LineText,
    LoadedFileOut,
    MapText,
    PathKey,
    PathName,
    PathNumber,
    Text,
    api_campaign,
    api_user,
    checked,
    form_values,
)
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Role
from pooling.services.files import read_upload

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


class ABTestIn(Body):
    """The plan of a test. It does not change later."""

    name: Text = Field(min_length=1, max_length=120)
    note: Text = Field("", max_length=2000, description="What each variant shows.")
    shares: dict[
        Annotated[LineText, Field(min_length=1, max_length=LONGEST_VARIANT)],
        Annotated[float, Field(gt=0, le=1e6)],
    ] = Field(
        min_length=2,
        max_length=MOST_VARIANTS,
        description="Variant -> its part of the users, the control first. With several factors, name each"
        " combination: `ranker=new + snippet=old`.",
    )
    planned_users: int = Field(ge=2, le=MOST_USERS, description="Of all variants, at the end.")
    outcomes: Text = Field(
        USUAL_OUTCOMES,
        min_length=1,
        max_length=2000,
        description="One a line: the column, the direction wanted, what is taken of the rows of a user.",
    )


class ABTestFileIn(Schema):
    """How a file of users is read."""

    is_end: bool = Field(False, description="The test has ended as planned; else the file is a look before.")
    map: MapText = MAP_FIELD


class ABTestFileOut(LoadedFileOut):
    """A file of users. Only figures, its name and checksum are stored."""

    is_end: bool
    users: int


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
    result = ab_test_result(test)
    if result.result is None:
        raise Http404("No file has been loaded.")
    return result_as_json(test, result)


@router.post("{slug}/ab-tests/", response={201: ABTestOut, **WRITE_PROBLEMS}, summary="Plan an A/B test")
def ab_test_create(request: HttpRequest, slug: PathName, about: ABTestIn) -> Status[ABTest]:
    """Store the plan of a test.

    A request that is sent again with the same header `Idempotency-Key` plans no second test.
    """
    campaign = api_campaign(request, slug, Role.ORGANISER)
    lines = [f"{variant}: {share!r}" for variant, share in about.shares.items()]
    form = checked(ABTestForm(form_values(about.dict() | {"shares": "\n".join(lines)})))
    stored = create_ab_test(campaign, api_user(request), form.asked(), request_key(request))
    return Status(201, ab_tests_with_files(campaign).get(pk=stored.pk))


@router.get(
    "{slug}/ab-tests/{number}/files/",
    response={200: Page[ABTestFileOut], **PROBLEMS},
    summary="List the files of an A/B test",
)
def ab_test_files(
    request: HttpRequest, slug: PathName, number: PathNumber, cut: PageParameters
) -> dict[str, Any]:
    """The files of users, also withdrawn ones. Of those that stand, the newest counts."""
    _, test = ab_test_or_404(cast(UserRequest, request), slug, number)
    return page_of(request, test.files.all(), "id", cut)


@router.post(
    "{slug}/ab-tests/{number}/files/",
    response={201: ABTestFileOut, **WRITE_PROBLEMS},
    summary="Load the users of an A/B test",
)
def ab_test_load(
    request: HttpRequest,
    slug: PathName,
    number: PathNumber,
    file: File[UploadedFile],
    about: Form[ABTestFileIn],
) -> Status[ABTestFile]:
    """Count the users or sessions of a file, with all users so far. A file that counts is refused."""
    _, test = ab_test_or_404(cast(UserRequest, request), slug, number)
    form = checked(UsersForm(form_values(about.dict()), request.FILES))
    content, name = read_upload(file), file.name or ""
    stored = load_users(test, api_user(request), content, name, about.is_end, form.reading())
    return Status(201, stored)


@router.post(
    "{slug}/ab-tests/{number}/files/{pk}/withdrawal/",
    response={200: ABTestFileOut, **WRITE_PROBLEMS},
    summary="Withdraw a file of an A/B test",
)
def ab_test_withdraw(request: HttpRequest, slug: PathName, number: PathNumber, pk: PathKey) -> ABTestFile:
    """Take a file out of the figures; that it was looked at stays."""
    _, test = ab_test_or_404(cast(UserRequest, request), slug, number)
    file = get_object_or_404(test.files, pk=pk)
    file.ab_test = test
    withdraw_users(file, api_user(request))
    file.refresh_from_db()
    return file
