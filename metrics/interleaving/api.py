"""Comparisons of two runs by interleaving in the API, for organisers."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, cast

from django.http import FileResponse, HttpRequest
from ninja import File, Router, Schema, Status
from ninja.files import UploadedFile
from pydantic import Field

from accounts.requests import UserRequest, request_key
from assess.forms.sources import SourceWithdrawalForm
from metrics.interleaving.forms import InterleavingForm
from metrics.interleaving.outcome import Preference
from metrics.interleaving.queries import interleaving_result, interleavings_with_clicks
from metrics.interleaving.services import create_interleaving, load_clicks, restore_clicks, withdraw_clicks
from metrics.interleaving.views import clicks_or_404, interleaving_or_404
from metrics.models import Interleaving, InterleavingClicks
from pooling.api.access import (
    PROBLEMS,
    WRITE_PROBLEMS,
    Body,
    LoadedFileOut,
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

router = Router(tags=["interleaving"])


class InterleavingOut(Schema):
    number: int
    run_a: str = Field(alias="parameters.run_a", description="Its tag when the lists were merged.")
    run_b: str = Field(alias="parameters.run_b")
    method: str
    length: int = Field(alias="parameters.length", description="Documents of a list.")
    lists: int = Field(alias="parameters.lists", description="Of a topic.")
    seed: int = Field(alias="parameters.seed")
    topics: list[str] = Field(alias="parameters.topics", description="With lists.")
    left_out: list[str] = Field(
        alias="parameters.left_out", description="Topics on which no list could show a difference."
    )
    list_count: int
    sha256: str = Field(description="Of the file of lists.")
    files: int = Field(alias="file_count", description="Files of clicks that are not withdrawn.")
    created_at: datetime


class InterleavingIn(Body):
    """Two runs whose results are merged into lists for users."""

    run_a: Text = Field(min_length=1, max_length=120, description="Its tag.")
    run_b: Text = Field(min_length=1, max_length=120)
    method: Literal["team-draft", "balanced", "probabilistic"] = "team-draft"
    length: int = Field(10, ge=1, le=50, description="Documents of a list.")
    lists: int = Field(20, ge=1, le=1000, description="Of a topic.")
    topics: list[Text] = Field(
        ["all"], min_length=1, max_length=10_000, description="Numbers; `all` for all."
    )
    seed: int | None = Field(None, ge=0, le=2**31 - 1, description="null: a random one.")


class ClickFileOut(LoadedFileOut):
    """A file of clicks. Only its counts, name and checksum are stored."""

    note: str
    sessions: int
    withdrawal_reason: str


class ClickFileWithdrawalIn(Body):
    reason: Text = Field(min_length=1, max_length=1000, description="The audit log keeps it.")


class UsersPreferenceOut(Schema):
    """What users prefer. delta: (wins of A + half the ties) / sessions - 0.5. reason: why p is null."""

    sessions: int
    clicked: int = Field(description="Sessions with a click; the others are ties.")
    wins_a: float
    wins_b: float
    ties: float
    delta: float | None
    test: str
    p: float | None
    interval_of: str
    interval: tuple[float, float] | None
    reason: str


class TopicOutcomeOut(Schema):
    topic: str
    sessions: int
    clicked: int
    wins_a: float
    wins_b: float
    ties: float
    delta: float | None
    winner: str = Field(description="A tag; empty for a tie.")


class ScoresOfBothOut(Schema):
    """Scores of both runs, and a paired t-test over topics."""

    measure: str
    a: float
    b: float
    p: float | None


class InterleavingResultsOut(Schema):
    overall: UsersPreferenceOut = Field(description="Over sessions.")
    by_topic: UsersPreferenceOut = Field(description="Over topics, each won by the run that leads there.")
    topics: list[TopicOutcomeOut]
    release: int | None = Field(description="Whose scores are compared.")
    scores: list[ScoresOfBothOut]
    answer: str = Field(description="Whether users and qrels agree on the order, as a sentence.")


def plain_preference(preference: Preference) -> dict[str, Any]:
    return preference.counts._asdict() | preference._asdict()


@router.get(
    "{slug}/interleaving/",
    response={200: Page[InterleavingOut], **PROBLEMS},
    summary="List comparisons by interleaving",
)
def interleavings(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The comparisons of two runs."""
    rows = interleavings_with_clicks(api_campaign(request, slug, Role.ORGANISER))
    return page_of(request, rows, "number", cut)


@router.post(
    "{slug}/interleaving/", response={201: InterleavingOut, **WRITE_PROBLEMS}, summary="Interleave two runs"
)
def interleaving_create(request: HttpRequest, slug: PathName, about: InterleavingIn) -> Status[Interleaving]:
    """Merge the lists of two runs. A topic on which the runs do not differ has no list.

    A request that is sent again with the same header `Idempotency-Key` makes no second comparison.
    """
    campaign = api_campaign(request, slug, Role.ORGANISER)
    values = form_values(about.dict() | {"topics": " ".join(about.topics)})
    asked = checked(InterleavingForm(values, campaign=campaign)).asked()
    stored = create_interleaving(campaign, api_user(request), asked, request_key(request))
    return Status(201, interleavings_with_clicks(campaign).get(pk=stored.pk))


@router.get(
    "{slug}/interleaving/{number}/lists/",
    response=PROBLEMS,
    openapi_extra={
        "responses": {
            200: {
                "description": "JSON Lines",
                "content": {"application/jsonl": {"schema": {"type": "string", "format": "binary"}}},
            }
        }
    },
    summary="The lists for users",
)
def interleaving_lists(request: HttpRequest, slug: PathName, number: PathNumber) -> FileResponse:
    """The merged lists, one a line. The search engine shows one of them and records its `list_id`."""
    _, compared = interleaving_or_404(cast(UserRequest, request), slug, number)
    name = f"{slug}-interleaving-{number}.jsonl"
    kind = "application/jsonl; charset=utf-8"
    return FileResponse(compared.file.open("rb"), filename=name, content_type=kind)


@router.get(
    "{slug}/interleaving/{number}/results/",
    response={200: InterleavingResultsOut, **PROBLEMS},
    summary="What users prefer",
)
def interleaving_results(request: HttpRequest, slug: PathName, number: PathNumber) -> dict[str, Any]:
    """The figures of the page, of the files of clicks that are not withdrawn."""
    campaign, compared = interleaving_or_404(cast(UserRequest, request), slug, number)
    result = interleaving_result(compared, campaign)
    return {
        "overall": plain_preference(result.overall),
        "by_topic": plain_preference(result.by_topic),
        "topics": [
            line.counts._asdict() | line._asdict() | {"topic": line.topic.number} for line in result.lines
        ],
        "release": result.release.number if result.release else None,
        "scores": [line._asdict() | {"p": line.test.p} for line in result.scores],
        "answer": result.answer,
    }


@router.get(
    "{slug}/interleaving/{number}/clicks/",
    response={200: Page[ClickFileOut], **PROBLEMS},
    summary="List files of clicks",
)
def interleaving_click_list(
    request: HttpRequest, slug: PathName, number: PathNumber, cut: PageParameters
) -> dict[str, Any]:
    """The files of clicks of a comparison, also withdrawn ones."""
    _, compared = interleaving_or_404(cast(UserRequest, request), slug, number)
    return page_of(request, compared.clicks.all(), "id", cut)


@router.post(
    "{slug}/interleaving/{number}/clicks/",
    response={201: ClickFileOut, **WRITE_PROBLEMS},
    summary="Load clicks on interleaved lists",
)
def interleaving_click_load(
    request: HttpRequest, slug: PathName, number: PathNumber, file: File[UploadedFile]
) -> Status[InterleavingClicks]:
    """Count the sessions of a file. A file that was loaded before is refused."""
    _, compared = interleaving_or_404(cast(UserRequest, request), slug, number)
    return Status(201, load_clicks(compared, api_user(request), read_upload(file), file.name or ""))


@router.post(
    "{slug}/interleaving/{number}/clicks/{pk}/replacement/",
    response={201: ClickFileOut, **WRITE_PROBLEMS},
    summary="Replace a file of clicks",
)
def interleaving_clicks_replace(
    request: HttpRequest, slug: PathName, number: PathNumber, pk: PathKey, file: File[UploadedFile]
) -> Status[InterleavingClicks]:
    """Count the sessions of a newer file, and withdraw the older one."""
    older = clicks_or_404(cast(UserRequest, request), slug, number, pk)
    content, name = read_upload(file), file.name or ""
    return Status(201, load_clicks(older.interleaving, api_user(request), content, name, replaces=older))


@router.post(
    "{slug}/interleaving/{number}/clicks/{pk}/withdrawal/",
    response={200: ClickFileOut, **WRITE_PROBLEMS},
    summary="Withdraw a file of clicks",
)
def interleaving_clicks_withdraw(
    request: HttpRequest, slug: PathName, number: PathNumber, pk: PathKey, about: ClickFileWithdrawalIn
) -> InterleavingClicks:
    """Take the sessions of a file out of the figures."""
    clicks = clicks_or_404(cast(UserRequest, request), slug, number, pk)
    reason = checked(SourceWithdrawalForm(form_values(about.dict()))).cleaned_data["reason"]
    withdraw_clicks(clicks, api_user(request), reason)
    clicks.refresh_from_db()
    return clicks


@router.post(
    "{slug}/interleaving/{number}/clicks/{pk}/restoration/",
    response={200: ClickFileOut, **WRITE_PROBLEMS},
    summary="Restore a file of clicks",
)
def interleaving_clicks_restore(
    request: HttpRequest, slug: PathName, number: PathNumber, pk: PathKey
) -> InterleavingClicks:
    """Let the sessions of a withdrawn file count again."""
    clicks = clicks_or_404(cast(UserRequest, request), slug, number, pk)
    restore_clicks(clicks, api_user(request))
    clicks.refresh_from_db()
    return clicks
