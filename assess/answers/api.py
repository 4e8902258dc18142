"""Answer runs in the API."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from django.db import transaction
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import File, Form, Router, Schema, Status
from ninja.errors import HttpError
from ninja.files import UploadedFile
from pydantic import Field

from accounts.api_auth import BearerToken, Scope
from assess.answers.answer_files import FORMS
from assess.answers.forms import AnswerRulesForm
from assess.answers.queries import rules_of, submitted_answer_runs, why_answers_are_fixed
from assess.answers.services import (
    AnswerRunDetails,
    set_answer_rules,
    submit_answer_run,
    withdraw_answer_run,
)
from assess.models import Answer, AnswerRules, AnswerRun
from pooling.api.access import (
    PROBLEMS,
    WRITE_PROBLEMS,
    Body,
    FindingOut,
    PathName,
    ProblemOut,
    api_campaign,
    api_user,
    checked,
    form_values,
)
from pooling.api.pages import Page, PageParameters, page_of
from pooling.campaign_states import StateRefused
from pooling.models import Campaign, Role
from pooling.queries.campaigns import group_of
from pooling.services.files import read_upload

router = Router(tags=["answer runs"])
MOST = Field(None, ge=1, le=2**31 - 1)


class AnswerRunOut(Schema):
    tag: str
    group: str
    kind: str
    description: str
    form: str = Field(description="rag, rag-2024, rag-2026 or report.")
    topic_numbers: dict[str, str] = Field(
        description="Topic in the file -> its number in the campaign, where they differ."
    )
    answer_count: int
    sha256: str
    warnings: list[FindingOut]
    submitted_at: datetime
    late: bool = Field(description="Whether it was submitted after the deadline.", alias="is_late")


class SentenceOut(Schema):
    text: str
    citations: list[str] = Field(description="Docnos, in order.")
    scores: list[float] = Field(description="Of the citations; empty if the file has none.")


class AnswerOut(Schema):
    topic: str = Field(alias="topic.number")
    sentences: list[SentenceOut] = Field(alias="stored_sentences")
    references: list[str]
    metadata: dict[str, Any]
    words: int
    characters: int = Field(description="In Unicode form NFKC, sentences joined by one space.")
    line: int = Field(description="Of the file, from 1.")


class AnswerRunIn(Schema):
    """What a group says about its answers. Empty fields and the tag are taken from the file."""

    group: str = Field("", pattern=r"^[^\x00]*$", max_length=60)
    kind: str = Field("", pattern="^(|automatic|manual)$")
    description: str = Field("", pattern=r"^[^\x00]*$", max_length=2000)
    match_topics: bool = Field(
        False,
        description="Whether topics whose numbers differ only in how they are written (leading zeros, a"
        " prefix) are those of the campaign.",
    )


class AnswerRulesOut(Schema):
    """What answer runs must be. A limit that is null is that of the form."""

    accepts: bool = Field(description="Whether participants may submit answer runs.")
    form: str = Field(description="rag, rag-2024, rag-2026 or report; empty: any.")
    words: int | None = Field(description="Of an answer, at most.")
    characters: int | None = Field(description="Of an answer, at most.")
    citations: int | None = Field(description="Of a sentence, at most.")
    references: int | None = Field(description="Of an answer, at most; more are a warning.")


class AnswerRulesIn(Body):
    """Rules to change; the others stay. A limit that is null is that of the form."""

    accepts: bool = Field(False, description="Whether participants may submit answer runs.")
    form: Literal["", *FORMS] = Field("", description="Empty: any.")  # type: ignore[valid-type]
    words: int | None = MOST
    characters: int | None = MOST
    citations: int | None = MOST
    references: int | None = MOST


@router.get("{slug}/answer-runs/", response={200: Page[AnswerRunOut], **PROBLEMS}, summary="List answer runs")
def answer_run_list(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The answer runs of your group, of an organiser all; without withdrawn ones."""
    campaign = api_campaign(request, slug, Role.PARTICIPANT)
    return page_of(request, submitted_answer_runs(api_user(request), campaign).active(), "tag", cut)


@router.post(
    "{slug}/answer-runs/",
    response={201: AnswerRunOut, 400: ProblemOut, **PROBLEMS, 409: ProblemOut, 413: ProblemOut},
    summary="Submit an answer run",
    auth=BearerToken(to_change=Scope.SUBMIT),
    openapi_extra={"x-token-scope": Scope.SUBMIT.value},
)
def answer_run_submit(
    request: HttpRequest, slug: PathName, file: File[UploadedFile], about: Form[AnswerRunIn]
) -> Status[AnswerRun]:
    """JSON Lines, an answer a line, plain or as gz, bz2 or xz. A file with an error is refused whole."""
    user = api_user(request)
    campaign = api_campaign(request, slug, Role.PARTICIPANT)
    details = AnswerRunDetails(**about.dict())
    if Role.ORGANISER not in campaign.my_roles:
        own = group_of(user, campaign)
        if details.group not in ("", own):
            raise HttpError(422, f"Expected your own group, {own}, or none; found {details.group!r}")
        details = details._replace(group=own)
    return Status(201, submit_answer_run(campaign, user, read_upload(file), file.name or "", details))


@router.get(
    "{slug}/answer-rules/", response={200: AnswerRulesOut, **PROBLEMS}, summary="The rules of answer runs"
)
def answer_rules(request: HttpRequest, slug: PathName) -> AnswerRules:
    """Whether participants may submit answer runs, and the limits of this campaign."""
    return rules_of(api_campaign(request, slug, Role.PARTICIPANT))


@router.patch(
    "{slug}/answer-rules/",
    response={200: AnswerRulesOut, **WRITE_PROBLEMS},
    summary="Change the rules of answer runs",
)
def answer_rules_change(request: HttpRequest, slug: PathName, about: AnswerRulesIn) -> AnswerRules:
    """Change some rules. Runs that are stored do not change."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        rules = rules_of(campaign)
        stored = {name: getattr(rules, name) for name in AnswerRulesForm.base_fields}
        values = form_values(stored | about.dict(exclude_unset=True))
        form = checked(AnswerRulesForm(values, instance=rules))
        set_answer_rules(campaign, api_user(request), form.cleaned_data)
    return rules_of(campaign)


@router.post(
    "{slug}/answer-runs/{tag}/withdrawal/",
    response={204: None, **WRITE_PROBLEMS},
    summary="Withdraw an answer run",
)
def answer_run_withdraw(request: HttpRequest, slug: PathName, tag: PathName) -> Status[None]:
    """Withdraw an answer run. Its tag is free again."""
    campaign = api_campaign(request, slug, Role.PARTICIPANT)
    run = get_object_or_404(submitted_answer_runs(api_user(request), campaign).active(), tag=tag)
    if why := why_answers_are_fixed(campaign, api_user(request)):
        raise StateRefused(why)
    withdraw_answer_run(run, api_user(request))
    return Status(204, None)


@router.get(
    "{slug}/answer-runs/{tag}/answers/",
    response={200: Page[AnswerOut], **PROBLEMS},
    summary="List the answers of a run",
)
def answer_list(request: HttpRequest, slug: PathName, tag: PathName, cut: PageParameters) -> dict[str, Any]:
    """The answers of a run of your group, in the order of the file: sentences with the docnos they cite."""
    campaign = api_campaign(request, slug, Role.PARTICIPANT)
    run = get_object_or_404(submitted_answer_runs(api_user(request), campaign).active(), tag=tag)
    return page_of(request, Answer.objects.filter(run=run).select_related("topic"), "line", cut)
