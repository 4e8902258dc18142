"""Grades of snippets in the API, for organisers."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router, Schema
from pydantic import Field

from assess.api.judged_sets import InstructedSetIn, add_set_operations
from assess.kappa.coefficient import Coefficient
from assess.models import SnippetSet
from assess.snippets.forms import DEEPEST
from assess.snippets.queries.tasks import sets_of
from assess.snippets.views import PAGES
from metrics.snippets.queries import found_result, grade_rows, named_coefficients
from pooling.api.access import PROBLEMS, PathName, PathNumber, Text, api_campaign
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Role

router = Router(tags=["snippets"])


class SnippetsIn(InstructedSetIn):
    """The first results of a run: snippets, and their documents."""

    run: Text = Field(min_length=1, max_length=120, description="Its tag.")
    origin: Literal["document", "run"] = Field(
        "document",
        description="Passages around the words of the topic, or the snippets that the run brought.",
    )
    depth: int = Field(10, ge=1, le=DEEPEST, description="Results of a topic.")


class SnippetSetOut(Schema):
    number: int
    run: str = Field(alias="run.tag")
    origin: str = Field(description="document: passages around the words of the topic; run: the run's own.")
    depth: int = Field(description="Results of a topic.")
    topics: int = Field(alias="topic_count")
    judges: int = Field(alias="judge_count")
    results: int = Field(alias="result_count")
    made_at: datetime


class SnippetShareOut(Schema):
    """A share of n with its interval; null where it is undefined, for which `note` is the reason."""

    hits: float
    n: int
    value: float | None
    low: float | None
    high: float | None
    note: str


class SnippetAgreementOut(Schema):
    """A coefficient of the grades of a snippet and of its document, or its reason if it is undefined."""

    name: str
    n: int
    value: float | None
    low: float | None
    high: float | None
    reason: str


class SnippetResultsOut(Schema):
    graded: int = Field(description="Results with a grade of the snippet, by judge.")
    both: int = Field(description="With a grade of the document, too.")
    topics: int
    judges: int
    grades: list[int]
    table: list[list[int]] = Field(description="Rows snippet, columns document, in the order of the grades.")
    agreement: list[SnippetAgreementOut]
    missed: SnippetShareOut = Field(description="Relevant documents whose snippet looks not relevant.")
    attracted: SnippetShareOut = Field(description="Other documents whose snippet looks relevant.")
    answered: SnippetShareOut = Field(description="Topics that a snippet answers.")


class SnippetGradeOut(Schema):
    topic: str
    docno: str
    rank: int
    judge: int = Field(description="A number instead of a name, by first grades.")
    step: str = Field(description="snippet or document.")
    grade: int | None
    answers: bool | None = Field(description="Whether the snippet alone answers; null of a document.")
    reason: str
    snippet: str = Field(description="The text that was graded; empty of a document.")
    text_hash: str
    pressed_at: datetime


def set_or_404(request: HttpRequest, slug: str, number: int) -> SnippetSet:
    campaign = api_campaign(request, slug, Role.ORGANISER)
    snippet_set = get_object_or_404(campaign.snippet_sets, number=number)
    snippet_set.campaign = campaign
    return snippet_set


@router.get(
    "{slug}/snippets/", response={200: Page[SnippetSetOut], **PROBLEMS}, summary="List sets of snippets"
)
def snippet_sets(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The sets of results whose snippets and documents judges grade."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    return page_of(request, sets_of(campaign), "number", cut)


@router.get(
    "{slug}/snippets/{number}/results/",
    response={200: SnippetResultsOut, **PROBLEMS},
    summary="What the grades of snippets say",
)
def snippet_results(request: HttpRequest, slug: PathName, number: PathNumber) -> dict[str, Any]:
    """Agreement of snippets with their documents, and what a user would miss or click in vain."""
    about = set_or_404(request, slug, number)
    figures = found_result(about).figures
    return {
        "graded": figures.graded,
        "both": figures.both,
        "topics": figures.topics,
        "judges": figures.judges,
        "grades": [grade.value for grade in about.grades],
        "table": figures.table,
        "agreement": [agreement_json(name, coefficient) for name, coefficient in named_coefficients(figures)],
        "missed": figures.missed._asdict(),
        "attracted": figures.attracted._asdict(),
        "answered": figures.answered._asdict(),
    }


def agreement_json(name: str, coefficient: Coefficient) -> dict[str, Any]:
    low, high = coefficient.interval or (None, None)
    return {
        "name": name,
        "n": coefficient.n,
        "value": coefficient.value,
        "low": low,
        "high": high,
        "reason": coefficient.reason,
    }


@router.get(
    "{slug}/snippets/{number}/grades/",
    response={200: list[SnippetGradeOut], **PROBLEMS},
    summary="List the grades of snippets and their documents",
)
def snippet_grades(request: HttpRequest, slug: PathName, number: PathNumber) -> list[dict[str, Any]]:
    """Every grade that stands, in the order of time."""
    rows = grade_rows(set_or_404(request, slug, number))
    return [row | {"answers": None if row["answers"] == "" else bool(row["answers"])} for row in rows]


add_set_operations(router, "snippets", "a set of snippets", PAGES, SnippetsIn)
