"""Hours, cost and consistency of judges in the API, for organisers."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from ninja import Router, Schema
from pydantic import Field

from assess.queries.campaign_reads import CampaignReads
from assess.queries.consistency import Consistency, consistency
from assess.queries.cost import JudgeCost, campaign_cost, timesheet_of
from assess.queries.progress import progress_grid
from pooling.api.access import PROBLEMS, PathName, api_campaign
from pooling.models import Role

router = Router(tags=["work of judges"])


class WorkOut(Schema):
    """Hours and cost so far and to come. A cost is null without a rate."""

    labels: int
    untimed: int = Field(description="Labels without a measured time; they count as the usual time.")
    hours: Decimal
    cost: Decimal | None
    left: int = Field(description="Labels that remain.")
    hours_left: Decimal
    cost_left: Decimal | None


class JudgeCostOut(WorkOut):
    judge: str | None = Field(description="Sign-in name; null: labels that no judge is assigned to give.")
    rate: Decimal | None = Field(description="Per hour.")


class CostOut(Schema):
    currency: str
    hourly_rate: Decimal | None = Field(description="Of judges without an own rate.")
    everybody: WorkOut
    judges: list[JudgeCostOut]


class TimesheetOut(Schema):
    """The labels of a judge on a day, in the time zone of the campaign."""

    judge: str
    date: date
    labels: int
    untimed: int
    hours: Decimal
    rate: Decimal | None
    cost: Decimal | None


class RepeatsOut(Schema):
    """First and second labels of hidden repeats. why: a reason if kappa is null."""

    n: int
    percent: float | None
    kappa: float | None
    why: str


class GoldOut(Schema):
    """Gold documents that were graded correctly, with Wilson's 95 % interval."""

    hits: int
    n: int
    rate: float | None
    interval: tuple[float, float] | None


class TrainingOut(Schema):
    """Shares of the training documents. left: without a grade."""

    n: int
    left: int
    exact: float | None
    off_by_one: float | None
    higher: float | None
    lower: float | None
    kappa: float | None


class FlagOut(Schema):
    """Labels that somebody may want to look at. It is no verdict."""

    topic: str
    kind: str
    first: int = Field(description="The first of the labels, of those of the topic, from 1.")
    last: int
    sentence: str


class ConsistencyOut(Schema):
    judge: str
    labels: int
    seconds: float | None = Field(description="Median active time of a label.")
    repeats: RepeatsOut
    gold: GoldOut = Field(description="The same grade.")
    gold_sides: GoldOut = Field(description="The same side of the threshold.")
    training: TrainingOut
    flags: list[FlagOut]


def plain_cost(cost: JudgeCost) -> dict[str, Any]:
    return cost._asdict() | {"judge": cost.judge.username if cost.judge else None}


def plain_consistency(consistency: Consistency) -> dict[str, Any]:
    return {
        "judge": consistency.judge.username,
        "labels": consistency.labels,
        "seconds": consistency.seconds,
        "repeats": consistency.myself._asdict(),
        "gold": consistency.gold._asdict(),
        "gold_sides": consistency.gold_sides._asdict(),
        "training": consistency.training._asdict() | {"n": len(consistency.training.answers)},
        "flags": [
            {
                "topic": each.topic.number,
                "kind": each.flag.kind,
                "first": each.flag.start + 1,
                "last": each.flag.stop,
                "sentence": each.flag.sentence,
            }
            for each in consistency.suspicions
        ],
    }


@router.get("{slug}/cost/", response={200: CostOut, **PROBLEMS}, summary="Hours and cost of judging")
def judging_cost(request: HttpRequest, slug: PathName) -> dict[str, Any]:
    """Hours and cost by judge, so far and to come."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    cost = campaign_cost(campaign, progress_grid(CampaignReads(campaign)), timezone.now())
    return {
        "currency": campaign.currency,
        "hourly_rate": campaign.hourly_rate,
        "everybody": plain_cost(cost.everybody),
        "judges": [plain_cost(each) for each in cost.judges],
    }


@router.get(
    "{slug}/timesheet/", response={200: list[TimesheetOut], **PROBLEMS}, summary="The timesheet of judges"
)
def timesheet(request: HttpRequest, slug: PathName) -> list[dict[str, Any]]:
    """A row for each judge and day with labels."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    return [
        row._asdict() | {"judge": judge.username, "date": row.day} for judge, row in timesheet_of(campaign)
    ]


@router.get(
    "{slug}/consistency/",
    response={200: list[ConsistencyOut], **PROBLEMS},
    summary="Consistency of each judge",
)
def judge_consistency(request: HttpRequest, slug: PathName) -> list[dict[str, Any]]:
    """Hidden repeats, gold documents, training and flags of each judge, by name. Judges are not ranked."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    return [plain_consistency(each) for each in consistency(CampaignReads(campaign))]
