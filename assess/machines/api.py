"""Prompts and labellings of language models in the API, for organisers.

Requests are exchanged as files here. What is sent to an endpoint costs money, so it is begun on its page.
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from django.conf import settings
from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from ninja import File, Router, Schema, Status
from ninja.files import UploadedFile
from pydantic import Field

from assess.machines import tasks
from assess.machines.forms import MAX_TEMPLATE, MOST_PROBES, MOST_SAMPLES, LabellingForm, PromptForm
from assess.machines.queries.labellings import count_requests
from assess.machines.queries.requests import batch_lines, batch_parts, count_parts, counts
from assess.machines.responses import TOKEN_LIMITS
from assess.machines.services.labellings import create_labelling, start_creation
from assess.machines.services.prompts import create_prompt
from assess.machines.services.requests import start_storing, store_machine_labels
from assess.machines.services.results import load_results, start_loading
from assess.models import MachineLabelling, MachinePrompt
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
from pooling.api.jobs import JobOut
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Job, Role
from pooling.services.files import read_upload

router = Router(tags=["labellings"])


class PromptOut(Schema):
    number: int
    note: str
    template: str
    system: str
    topic_fields: list[str]
    sha256: str
    created_at: datetime


class PromptIn(Body):
    """A new version of the prompt. The page of prompts explains the placeholders of the template."""

    template: Text = Field(min_length=1, max_length=MAX_TEMPLATE, description="The message.")
    system: Text = Field("", max_length=MAX_TEMPLATE, description="The system message.")
    topic_fields: list[Literal["title", "description", "narrative"]] = Field(
        ["title"], min_length=1, max_length=3
    )
    examples: list[Annotated[int, Field(ge=1, le=2**53)]] = Field(
        [], max_length=100, description="The `id` of training documents, as in the list of gold documents."
    )
    note: Text = Field("", max_length=120)


class LabellingOut(Schema):
    number: int
    name: str = Field(description="Of the machine judge.")
    model: str
    prompt: int = Field(alias="prompt.number")
    options: dict[str, Any]
    scope: dict[str, Any] = Field(description="Which documents are labelled.")
    endpoint: str = Field(description="Its name; empty if requests are exchanged as files.")
    machine: int | None = Field(alias="machine_id", description="The `id` of the source of stored labels.")
    created_at: datetime


class RequestCountsOut(Schema):
    """Requests by state. unreadable: answered without a readable grade. cut: of shortened texts."""

    requests: int
    waiting: int
    sent: int
    answered: int
    failed: int
    unreadable: int
    cut: int
    reused: int = Field(description="With the answer of an earlier labelling.")
    input_tokens: int
    output_tokens: int
    cost: Decimal | None


class BatchOut(Schema):
    number: int
    requests: int = Field(description="Without an answer.")


class LabellingWithCounts(LabellingOut):
    counts: RequestCountsOut
    parts: list[BatchOut] = Field(description="The batch files that have requests without an answer.")

    @staticmethod
    def resolve_counts(labelling: MachineLabelling) -> dict[str, Any]:
        return counts(labelling)._asdict()

    @staticmethod
    def resolve_parts(labelling: MachineLabelling) -> list[dict[str, Any]]:
        return [part._asdict() for part in batch_parts(labelling)]


class LabellingIn(Body):
    """What a language model is asked. Prices are of a million tokens."""

    name: Text = Field(min_length=1, max_length=60, description="Of the machine judge.")
    prompt: int = Field(ge=1, le=32767, description="The number of a version of the prompt.")
    model: Text = Field(min_length=1, max_length=120, description="The name that is sent, with its version.")
    topics: list[Text] = Field(
        ["all"], min_length=1, max_length=10_000, description="Numbers; `all` for all."
    )
    unlabelled: bool = Field(False, description="Leave out documents that a person has labelled.")
    temperature: float | None = Field(0, ge=0, le=2)
    top_p: float | None = Field(None, ge=0, le=1)
    max_tokens: int = Field(100, ge=1, le=100_000)
    tokens_name: Literal[TOKEN_LIMITS] = TOKEN_LIMITS[0]  # type: ignore[valid-type]
    seed: int | None = Field(None, ge=0, le=2**31 - 1)
    top_logprobs: int = Field(0, ge=0, le=20)
    samples: int = Field(1, ge=1, le=MOST_SAMPLES, description="Requests for each document.")
    characters: int = Field(20_000, ge=100, le=1_000_000, description="Longer documents are cut there.")
    probes: int = Field(0, ge=0, le=MOST_PROBES, description="Documents with planted texts.")
    input_price: Decimal | None = Field(None, ge=0, max_digits=10, decimal_places=4)
    output_price: Decimal | None = Field(None, ge=0, max_digits=10, decimal_places=4)


class LoadedResultsOut(Schema):
    answered: int
    unreadable: int = Field(description="Of the answered ones: without a readable grade.")
    failed: int
    known: int = Field(description="Had an answer before.")


class StoredLabelsOut(Schema):
    source: int = Field(description="The `id` of the new source; its withdrawal takes the labels back.")
    judge: str
    labels: int


def labelling_or_404(request: HttpRequest, slug: str, number: int) -> MachineLabelling:
    campaign = api_campaign(request, slug, Role.ORGANISER)
    labelling = get_object_or_404(campaign.labellings.select_related("prompt"), number=number)
    labelling.campaign = campaign
    return labelling


@router.get("{slug}/prompts/", response={200: Page[PromptOut], **PROBLEMS}, summary="List prompts")
def prompts(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The versions of the prompt."""
    rows = MachinePrompt.objects.filter(campaign=api_campaign(request, slug, Role.ORGANISER))
    return page_of(request, rows, "number", cut)


@router.post("{slug}/prompts/", response={201: PromptOut, **WRITE_PROBLEMS}, summary="Store a prompt")
def prompt_create(request: HttpRequest, slug: PathName, about: PromptIn) -> Status[MachinePrompt]:
    """Store a new version of the prompt. The status is 409 if it is the same as an earlier one."""
    campaign, user = api_campaign(request, slug, Role.ORGANISER), api_user(request)
    form = checked(PromptForm(form_values(about.dict()), campaign=campaign))
    return Status(201, create_prompt(campaign, user, form.details()))


@router.get("{slug}/labellings/", response={200: Page[LabellingOut], **PROBLEMS}, summary="List labellings")
def labellings(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The labellings by language models."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    rows = MachineLabelling.objects.filter(campaign=campaign).select_related("prompt")
    return page_of(request, rows, "number", cut)


@router.post(
    "{slug}/labellings/",
    response={201: LabellingWithCounts, 202: JobOut, **WRITE_PROBLEMS},
    summary="Create a labelling",
)
def labelling_create(
    request: HttpRequest, slug: PathName, about: LabellingIn
) -> Status[MachineLabelling | Job]:
    """Create the requests of a labelling. Nothing is sent. Many requests are created by a job: status 202."""
    campaign, user = api_campaign(request, slug, Role.ORGANISER), api_user(request)
    values = about.dict() | {"topics": " ".join(about.topics)}
    details = checked(LabellingForm(form_values(values), campaign=campaign)).details()
    most = settings.BACKGROUND_REQUESTS
    if count_requests(campaign, details.options, details.scope, most + 1) > most:
        return Status(202, start_creation(campaign, user, details, tasks.create_requests))
    return Status(201, create_labelling(campaign, user, details))


@router.get(
    "{slug}/labellings/{number}/", response={200: LabellingWithCounts, **PROBLEMS}, summary="One labelling"
)
def labelling(request: HttpRequest, slug: PathName, number: PathNumber) -> MachineLabelling:
    """One labelling, with the state of its requests."""
    return labelling_or_404(request, slug, number)


@router.get(
    "{slug}/labellings/{number}/parts/{part}/",
    response=PROBLEMS,
    openapi_extra={
        "responses": {
            200: {
                "description": "JSON Lines",
                "content": {"application/jsonl": {"schema": {"type": "string", "format": "binary"}}},
            }
        }
    },
    summary="A batch file of a labelling",
)
def labelling_batch(
    request: HttpRequest, slug: PathName, number: PathNumber, part: PathNumber
) -> StreamingHttpResponse:
    """The requests of a part that have no answer yet, in the form of batch files."""
    labelling = labelling_or_404(request, slug, number)
    if part > count_parts(labelling):
        raise Http404("There is no such part.")
    return StreamingHttpResponse(
        batch_lines(labelling, part), content_type="application/jsonl; charset=utf-8"
    )


@router.post(
    "{slug}/labellings/{number}/results/",
    response={200: LoadedResultsOut, 202: JobOut, **WRITE_PROBLEMS},
    summary="Load the results of a labelling",
)
def labelling_results(
    request: HttpRequest, slug: PathName, number: PathNumber, file: File[UploadedFile]
) -> Status[dict[str, Any] | Job]:
    """Store the answers of a result file. An answer that is there stays. A large file becomes a job: 202."""
    labelling, user = labelling_or_404(request, slug, number), api_user(request)
    if file.size and file.size > settings.BACKGROUND_RESULTS:
        return Status(202, start_loading(labelling, user, file, tasks.load_results))
    return Status(200, load_results(labelling, user, read_upload(file), file.name or "")._asdict())


@router.post(
    "{slug}/labellings/{number}/labels/",
    response={201: StoredLabelsOut, 202: JobOut, **WRITE_PROBLEMS},
    summary="Store the labels of a labelling",
)
def labelling_labels(
    request: HttpRequest, slug: PathName, number: PathNumber
) -> Status[dict[str, Any] | Job]:
    """Store the grades of a labelling as labels of a new machine judge. Many become a job: status 202."""
    labelling, user = labelling_or_404(request, slug, number), api_user(request)
    if labelling.requests.count() > settings.BACKGROUND_REQUESTS:
        return Status(202, start_storing(labelling, user, tasks.store_labels))
    machine = store_machine_labels(labelling, user)
    labels = machine.user.judgments.count()
    return Status(201, {"source": machine.pk, "judge": machine.user.username, "labels": labels})
