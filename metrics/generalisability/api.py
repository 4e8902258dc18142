"""Generalisability in the API, for everybody who may see the scores of a release."""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

from django.http import HttpRequest
from ninja import Query, Router, Schema
from ninja.errors import HttpError
from pydantic import Field

from accounts.requests import UserRequest
from metrics.generalisability.queries import CollectionStudy
from metrics.generalisability.views import asked_of
from metrics.rankings.api import MeasuresQuery
from pooling.api.access import PROBLEMS, PathName, PathNumber

router = Router(tags=["generalisability"])
FEWER_THAN_TWO = "there are fewer than two runs"


class StudyQuery(MeasuresQuery):
    """The first of the measures is studied."""

    leave_out: Literal["0", "0.25"] = Field("0", description="The share of runs with the worst means.")


class StabilityEstimateOut(Schema):
    """From 0 to 1, with its interval; null where undefined."""

    value: float | None
    low: float | None
    high: float | None


class TopicCountOut(Schema):
    """A number of topics with its interval; null where no number is enough, or undefined."""

    value: int | None
    low: int | None
    high: int | None


class StabilityOut(Schema):
    """relative: E rho squared, of the order of runs. absolute: Phi, of the scores themselves."""

    topics: int
    relative: StabilityEstimateOut
    absolute: StabilityEstimateOut


class ExpectedStabilityOut(StabilityOut):
    expected: dict[str, float | None] = Field(description="Indicators that this stability had elsewhere.")


class TopicsNeededOut(Schema):
    stability: float
    relative: TopicCountOut
    absolute: TopicCountOut


class ComponentOut(Schema):
    """A part of the variance. negative: the estimate was, and was set to 0."""

    name: str
    variance: float
    share: float | None
    mean_square: float
    negative: bool


class StudyOut(Schema):
    """The G study of a release and its D study. reason: why there is none, or empty."""

    measure: str
    runs: int = Field(description="In the study.")
    left_out: int
    reason: str
    components: list[ComponentOut]
    now: StabilityOut | None
    needed: list[TopicsNeededOut]
    numbers: list[ExpectedStabilityOut]


def plain_study(study: CollectionStudy) -> dict[str, Any]:
    return {
        "runs": study.runs,
        "left_out": study.left_out,
        "reason": study.study.reason,
        "components": [each._asdict() for each in study.components],
        "now": plain(study.now),
        "needed": [plain(each) for each in study.needed],
        "numbers": [plain(each) | {"expected": expected._asdict()} for each, expected in study.indicators],
    }


def plain(figures: Any) -> dict[str, Any]:
    """Return the fields of a `Stability` or of `TopicsNeeded`."""
    own: dict[str, Any] = figures._asdict()
    return own | {name: own[name]._asdict() for name in ("relative", "absolute")}


@router.get(
    "{slug}/releases/{number}/generalisability/",
    response={200: StudyOut, **PROBLEMS},
    summary="How many topics a stable order of runs needs",
)
def generalisability(
    request: HttpRequest, slug: PathName, number: PathNumber, asked: Annotated[StudyQuery, Query()]
) -> dict[str, Any]:
    """The variance components of the scores, and the stability of means over numbers of topics."""
    context = asked_of(cast(UserRequest, request), slug, number)
    if context["form"].errors:
        raise HttpError(422, " ".join(context["form"].non_field_errors()))
    measure = {"measure": context["measure"].name}
    if "found" in context:
        return measure | plain_study(context["found"])
    runs = len(context["score_table"].runs)
    lists = dict.fromkeys(("components", "needed", "numbers"), ())
    return measure | lists | {"runs": runs, "left_out": 0, "reason": FEWER_THAN_TWO, "now": None}
