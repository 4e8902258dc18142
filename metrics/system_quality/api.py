"""System quality in the API: figures of runs beside their scores; organisers load and remove figures."""

from __future__ import annotations

from typing import Annotated, Any, cast

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import File, Query, Router, Schema, Status
from ninja.errors import HttpError
from ninja.files import UploadedFile
from pydantic import Field

from accounts.requests import UserRequest
from metrics.rankings.api import MeasuresQuery
from metrics.system_quality.queries import QualityLine, SystemQuality
from metrics.system_quality.services import load_figures, remove_figures
from metrics.system_quality.views import READERS, found_for
from pooling.api.access import PROBLEMS, WRITE_PROBLEMS, PathName, Text, api_campaign, api_user
from pooling.models import Role
from pooling.services.files import read_upload

router = Router(tags=["system quality"])


class QualityQuery(MeasuresQuery):
    """The first of the measures is compared with a cost."""

    release: Annotated[int, Field(ge=1, le=32767)] | None = Field(None, description="null: the newest.")
    cost: Text = Field("", max_length=60, description="The key of a cost; by default the first.")
    group: Text = Field("", max_length=60, description="Only runs of this group.")


class CostKeyOut(Schema):
    key: str = Field(alias="cost.key")
    name: str = Field(alias="cost.name")
    lower: bool = Field(description="Whether lower values are better.")


class RunQualityOut(Schema):
    run: str
    group: str
    score: float | None = Field(description="null without a release.")
    cost: float | None = Field(description="In the unit that the key names; null without a figure.")
    undominated: bool | None = Field(
        description="Whether no other run is better and as cheap; null where it is not compared."
    )
    figures: dict[str, float]
    currency: str
    hardware: str


class QualityOut(Schema):
    release: int | None
    measure: str | None
    cost: str | None = Field(description="The key of the compared cost; null where no run has figures.")
    costs: list[CostKeyOut]
    runs: list[RunQualityOut] = Field(description="Those with the cost first, the cheapest first.")


class LoadedFiguresOut(Schema):
    runs: int = Field(description="With figures in the table.")
    changed: int = Field(description="Whose figures are others than before.")
    note: str = Field(description="How the table was read.")


def plain_line(line: QualityLine, quality: SystemQuality) -> dict[str, Any]:
    figures = line.figures
    is_compared = quality.has_front and line.cost is not None
    return {
        "run": line.run.tag,
        "group": line.run.group,
        "score": line.score,
        "cost": line.cost,
        "undominated": line.is_undominated if is_compared else None,
        "figures": dict(figures.values) if figures else {},
        "currency": figures.currency if figures else "",
        "hardware": figures.hardware if figures else "",
    }


def check_asked(asked: QualityQuery, quality: SystemQuality) -> None:
    """Raise HttpError 422 for a cost or a group that no run has."""
    for name, given, known in (
        ("cost", asked.cost, [column.cost.key for column in quality.columns]),
        ("group", asked.group, quality.groups),
    ):
        if given and given not in known:
            raise HttpError(422, f"{name}: expected {', '.join(known) or 'nothing'}; found {given!r}")


@router.get("{slug}/system-quality/", response={200: QualityOut, **PROBLEMS}, summary="System quality")
def system_quality(
    request: HttpRequest, slug: PathName, asked: Annotated[QualityQuery, Query()]
) -> dict[str, Any]:
    """Effectiveness against a cost, of the runs that you may see, and which no other run dominates."""
    campaign = api_campaign(request, slug, *READERS)
    if asked.release:
        get_object_or_404(campaign.releases.visible_to(campaign), number=asked.release)
    figures = found_for(cast(UserRequest, request), campaign)
    quality = figures.quality
    if figures.form and figures.form.errors:
        raise HttpError(422, " ".join(map(str, figures.form.non_field_errors())))
    check_asked(asked, quality)
    return {
        "release": figures.release.number if figures.release else None,
        "measure": quality.measure.name if quality.measure else None,
        "cost": quality.chosen.cost.key if quality.chosen else None,
        "costs": quality.columns,
        "runs": [plain_line(line, quality) for line in quality.lines],
    }


@router.post(
    "{slug}/system-quality/",
    response={201: LoadedFiguresOut, **WRITE_PROBLEMS},
    summary="Load system figures",
)
def system_figures_load(
    request: HttpRequest, slug: PathName, file: File[UploadedFile]
) -> Status[dict[str, Any]]:
    """Store the figures of a table. Those that its runs had before are replaced."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    loaded = load_figures(campaign, api_user(request), read_upload(file), file.name or "")
    return Status(201, loaded._asdict())


@router.delete(
    "{slug}/system-quality/{tag}/",
    response={204: None, **WRITE_PROBLEMS},
    summary="Remove the system figures of a run",
)
def system_quality_remove(request: HttpRequest, slug: PathName, tag: PathName) -> Status[None]:
    """Remove the figures of a run."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    remove_figures(get_object_or_404(campaign.runs.select_related("campaign"), tag=tag), api_user(request))
    return Status(204, None)
