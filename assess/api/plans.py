"""The judging plan and the progress of judging in the API."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router, Schema
from ninja.errors import HttpError
from pydantic import Field

from assess.document_order import POLICIES
from assess.double_judging import OVERLAP_RULES
from assess.forms.plans import MACHINE_FIELDS, PlanForm
from assess.models import JudgingPlan
from assess.queries.campaign_reads import CampaignReads
from assess.queries.forecast import forecast
from assess.queries.progress import Cell, Row, progress_grid
from assess.queries.queues import has_begun, judging_plan_of
from assess.services.adjudications import require_reasons
from assess.services.plans import change_plan
from pooling.api.access import (
    PROBLEMS,
    WRITE_PROBLEMS,
    Body,
    PathName,
    api_campaign,
    api_user,
    checked,
    form_values,
)
from pooling.models import Campaign, Role

router = Router(tags=["judging plan"])
ORDERS = tuple(policy.name for policy in POLICIES.values() if policy.order)
OVERLAPS = tuple(OVERLAP_RULES)


class PlanOut(Schema):
    order: str = Field(description="Of documents.")
    seed: int
    burn_in: int = Field(description="First documents that are drawn from the whole pool.")
    overlap: str = Field(description="Which documents second judges get.")
    overlap_share: int
    overlap_count: int
    repeat_share: int = Field(description="Hidden repeats, per cent.")
    highlighting: bool
    passage_first: str
    breaks: bool
    idle_seconds: int
    idle_per_1000: int
    triage_machine: int | None = Field(alias="triage_machine_id", description="The `id` of a source.")
    shown_machine: int | None = Field(
        alias="shown_machine_id", description="The source whose grades judges see while they judge."
    )
    reasons_required: bool = Field(description="Adjudicators must give a reason.")
    begun: bool = Field(description="Whether a label was given: order, seed and warm-up are fixed then.")

    @staticmethod
    def resolve_begun(plan: JudgingPlan) -> bool:
        return has_begun(plan.campaign)


class PlanIn(Body):
    """What to change; the rest stays."""

    order: Literal[ORDERS] = "random-own"  # type: ignore[valid-type]
    seed: int = Field(0, ge=0, le=2**31 - 1)
    burn_in: int = Field(0, ge=0, le=500)
    overlap: Literal[OVERLAPS] = "all"  # type: ignore[valid-type]
    overlap_share: int = Field(10, ge=1, le=100, description="Per cent of a topic.")
    overlap_count: int = Field(25, ge=1, le=5000, description="Documents per class.")
    repeat_share: int = Field(0, ge=0, le=20)
    highlighting: bool = True
    passage_first: Literal["never", "half", "always"] = "never"
    breaks: bool = True
    idle_seconds: int = Field(60, ge=5, le=3600)
    idle_per_1000: int = Field(0, ge=0, le=600)
    triage_machine: int | None = Field(None, ge=1, le=2**53, description="null: none.")
    shown_machine: int | None = Field(
        None, ge=1, le=2**53, description="null: judges see no grade of a machine judge."
    )
    reasons_required: bool = False


class CellOut(Schema):
    """A judge at a topic. part: empty if the topic is not assigned to the judge any more."""

    judge: str
    part: str
    done: int
    left: int
    relevant: int
    cannot: int = Field(description="Of the done ones: cannot judge.")
    seconds: float | None = Field(description="Mean active time of a label.")
    last_label: datetime | None


class TopicProgressOut(Schema):
    topic: str
    documents: int = Field(description="In the pools.")
    judged: int = Field(description="With a label of any judge.")
    relevant: int
    left: int = Field(description="Labels.")
    unassigned: int = Field(description="Documents without a judge.")
    judges: list[CellOut]


class ProgressOut(Schema):
    """The progress of judging. left: labels that remain. hours: of them, by the usual time of a label."""

    documents: int
    judged: int
    relevant: int
    rule: str = Field(description="What decides which documents count as relevant.")
    left: int
    unassigned: int
    hours: float
    last_day: date | None = Field(description="On which the last judge finishes; null without work.")
    topics: list[TopicProgressOut]


class ProgressQuery(Schema):
    hours_a_day: float = Field(4, ge=0.25, le=24, description="How long each judge works on each day.")


@router.get("{slug}/plan/", response={200: PlanOut, **PROBLEMS}, summary="The judging plan")
def plan(request: HttpRequest, slug: PathName) -> JudgingPlan:
    """How the campaign is judged."""
    return judging_plan_of(api_campaign(request, slug, Role.ORGANISER))


@router.patch("{slug}/plan/", response={200: PlanOut, **WRITE_PROBLEMS}, summary="Change the judging plan")
def plan_change(request: HttpRequest, slug: PathName, about: PlanIn) -> JudgingPlan:
    """Change some parts of the plan. The status is 409 for a part that is fixed after the first label."""
    campaign, user = api_campaign(request, slug, Role.ORGANISER), api_user(request)
    given = about.dict(exclude_unset=True)
    with transaction.atomic():
        stored = judging_plan_of(Campaign.objects.select_for_update().get(pk=campaign.pk))
        form = checked(PlanForm(form_values(plan_values(stored, given)), plan=stored))
        changed = change_plan(campaign, user, **form.cleaned_data)
        if about.reasons_required != changed.reasons_required and "reasons_required" in given:
            require_reasons(campaign, about.reasons_required, user)
    return JudgingPlan.objects.select_related("campaign").get(campaign=campaign)


def plan_values(stored: JudgingPlan, given: dict[str, Any]) -> dict[str, Any]:
    """Return the values of the form: the given ones, and the stored ones. Raises HttpError 422."""
    values = {name: getattr(stored, name) for name in PlanForm.base_fields} | given
    for name in MACHINE_FIELDS:
        key = given.get(name, getattr(stored, f"{name}_id"))
        machines = stored.campaign.sources.standing().programs()
        if name in given and key and not machines.filter(pk=key).exists():
            raise HttpError(422, f"{name}: expected the id of a source of a program; found {key}")
        values[name] = key or ""  # what is left out would stay
    return values


@router.get("{slug}/progress/", response={200: ProgressOut, **PROBLEMS}, summary="The progress of judging")
def progress(
    request: HttpRequest, slug: PathName, about: Annotated[ProgressQuery, Query()]
) -> dict[str, Any]:
    """Done and remaining work by topic and judge, and when the judges finish."""
    grid = progress_grid(CampaignReads(api_campaign(request, slug, Role.ADJUDICATOR)))
    ahead = forecast(grid, timezone.now(), about.hours_a_day)
    return {
        "documents": grid.pooled,
        "judged": grid.judged,
        "relevant": grid.relevant,
        "rule": grid.rule,
        "left": grid.left,
        "unassigned": grid.unassigned,
        "hours": ahead.hours,
        "last_day": ahead.finish.last,
        "topics": [plain_row(row) for row in grid.rows],
    }


def plain_row(row: Row) -> dict[str, Any]:
    return {
        "topic": row.topic.number,
        "documents": row.pooled,
        "judged": row.judged,
        "relevant": row.relevant,
        "left": row.left,
        "unassigned": row.unassigned,
        "judges": [plain_cell(cell) for cell in row.cells if cell],
    }


def plain_cell(cell: Cell) -> dict[str, Any]:
    shown = ("part", "done", "left", "relevant", "seconds", "last_label")
    return {"judge": cell.judge.username, "cannot": cell.refused} | {
        name: getattr(cell, name) for name in shown
    }
