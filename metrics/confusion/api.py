"""Confusion of classes in the API, for organisers and adjudicators."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.http import Http404, HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from assess.queries.campaign_reads import CampaignReads
from metrics.confusion.classes import SCORES, ClassScores
from metrics.confusion.queries import (
    Confusion,
    compared_sources,
    confusion_of,
    label_sources,
)
from pooling.api.access import PROBLEMS, PathName, api_campaign, api_user
from pooling.models import Role

router = Router(tags=["confusion of classes"])


class LabelSourceOut(Schema):
    key: str
    name: str
    is_program: bool


class ClassScoresOut(Schema):
    """A class against all others, or an average. A score is null where it is undefined."""

    name: str
    tp: int | None = Field(description="Null of a macro average, which has no counts.")
    fp: int | None
    fn: int | None
    tn: int | None
    precision: float | None
    recall: float | None
    f: float | None
    accuracy: float | None
    error: float | None
    fallout: float | None


class ConfusedPairOut(Schema):
    first: str
    second: str
    there: int = Field(description="Documents of the first class that were taken for the second.")
    back: int


class ConfusionOut(Schema):
    expert: LabelSourceOut
    system: LabelSourceOut
    documents: int = Field(description="With a label of both.")
    right: int = Field(description="With the same class.")
    hidden: int = Field(description="Left out, because you are still to judge them.")
    kappa: float | None = Field(description="Cohen's, of the grades.")
    auc: float | None = Field(
        description="Below the curve of the system's grades; null with topics as classes."
    )
    classes: list[str] = Field(description="Of the matrix; empty with topics as classes.")
    matrix: list[list[int]] = Field(description="Rows expert, columns system.")
    scores: list[ClassScoresOut]
    micro: ClassScoresOut
    macro: ClassScoresOut
    pairs: list[ConfusedPairOut] = Field(description="The classes that are confused most.")


class ConfusionQuery(Schema):
    expert: str = Field("", max_length=200, description="The key of a source; by default the newest release.")
    system: str = Field("", max_length=200, description="The key of another one.")
    classes: Literal["grades", "topics"] = "grades"
    beta: float = Field(1.0, ge=0.01, le=100, description="Of F.")


@router.get(
    "{slug}/label-sources/",
    response={200: list[LabelSourceOut], **PROBLEMS},
    summary="List the sources of labels that can be compared",
)
def compared_label_sources(request: HttpRequest, slug: PathName) -> list[dict[str, Any]]:
    """The standing releases, newest first, then people and programs with labels."""
    campaign = api_campaign(request, slug, Role.ADJUDICATOR)
    return [source._asdict() for source in label_sources(CampaignReads(campaign))]


@router.get(
    "{slug}/confusion/",
    response={200: ConfusionOut, **PROBLEMS},
    summary="How two sources of labels are confused",
)
def confusion(
    request: HttpRequest, slug: PathName, asked: Annotated[ConfusionQuery, Query()]
) -> dict[str, Any]:
    """The matrix, the scores of each class, and their micro and macro averages."""
    reads = CampaignReads(api_campaign(request, slug, Role.ADJUDICATOR))
    sources = label_sources(reads)
    for key in (asked.expert, asked.system):
        if key and key not in {source.key for source in sources}:
            raise Http404("There is no such source of labels.")
    expert, system = compared_sources(sources, asked.expert, asked.system)
    if not expert or not system:
        raise Http404("There are no two sources of labels.")
    figures = confusion_of(reads, api_user(request), expert, system, asked.classes, asked.beta)
    return confusion_json(figures)


def confusion_json(figures: Confusion) -> dict[str, Any]:
    return {
        "expert": figures.expert._asdict(),
        "system": figures.system._asdict(),
        "documents": figures.documents,
        "right": figures.right,
        "hidden": figures.labels.hidden,
        "kappa": figures.kappa,
        "auc": figures.roc.auc if figures.roc else None,
        "classes": list(figures.matrix.classes) if figures.matrix else [],
        "matrix": figures.matrix.counts.tolist() if figures.matrix else [],
        "scores": [scores_json(row) for row in figures.averages.classes],
        "micro": scores_json(figures.averages.micro),
        "macro": scores_json(figures.averages.macro),
        "pairs": [pair._asdict() for pair in figures.pairs],
    }


def scores_json(row: ClassScores) -> dict[str, Any]:
    counts = {each: getattr(row.table, each) if row.table else None for each in ("tp", "fp", "fn", "tn")}
    return {"name": row.name, **counts, **{each: getattr(row, each) for each in SCORES}}
