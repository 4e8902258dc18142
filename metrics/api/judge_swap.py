"""The judge swap in the API: the effect of the choice of judges on the ranking of runs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Query, Router, Schema
from ninja.errors import HttpError
from pydantic import Field

from assess.queries.agreement import AgreementScope
from assess.queries.campaign_reads import CampaignReads
from metrics.measures.base import Measure
from metrics.measures.names import usual_measures
from metrics.queries.judge_swap import (
    JudgeScores,
    cached_with_runs,
    human_ceilings,
    judge_swap,
    scores_by_judge,
    swap_scope,
)
from metrics.rankings.judge_swap import JudgeSwap
from pooling.api.access import PROBLEMS, PathName, Text, api_campaign, api_user
from pooling.models import Role

router = Router(tags=["judge swap"])


class SwapQuery(Schema):
    """What is compared."""

    measure: Text = Field("", max_length=60, description="One of the usual measures; by default the first.")
    machines: bool = Field(False, description="Whether labels of programs take part.")


class DrawsQuery(SwapQuery):
    draws: Literal[1_000, 100_000] = 1_000


class SpreadOut(Schema):
    """A coefficient of the drawn rankings and the official one. reason: why it is undefined, or empty."""

    name: str
    mean: float | None
    median: float | None
    low: float | None = Field(description="2.5 % of the draws are below it.")
    high: float | None
    lowest: float | None
    highest: float | None
    reason: str


class SwappedRunOut(Schema):
    """A run with its ranks. low, high: percentiles 2.5 and 97.5 of the draws."""

    run: str
    rank: int = Field(description="By the official qrels.")
    best: int
    low: float
    high: float
    worst: int
    score: float


class SwappedPairOut(Schema):
    better: str = Field(description="A run that is ranked above the other one officially.")
    worse: str
    share: float = Field(description="Of the draws that reverse them.")


class FixedQrelsOut(Schema):
    """Qrels of one judge, or of all together by a rule, against the official ones."""

    name: str = Field(description="A judge, majority, union and others. Readers get numbers for judges.")
    tau: float | None
    tau_ap: float | None
    rbo: float | None


class CoverOut(Schema):
    judge: str
    topics: int


class SwapOut(Schema):
    """What the page shows. reason: why no swap is possible; the figures are empty then."""

    measure: str
    official: str = Field(description="The official qrels.")
    reason: str
    topics: int
    varied: int = Field(description="Topics with at least two judges.")
    draws: int
    seed: int
    coefficients: list[SpreadOut]
    runs: list[SwappedRunOut]
    swapped: list[SwappedPairOut] = Field(description="The most frequent first.")
    alternatives: list[FixedQrelsOut]
    judges: list[CoverOut] = Field(description="How many topics each judge covers.")


class CeilingOut(Schema):
    """A judge scored as if a run, by the labels of another judge, beside the best run by these labels."""

    judge: str
    against: str
    topics: int
    worst: float
    expected: float
    best: float
    run: str
    run_score: float


def asked_of(request: HttpRequest, slug: str, asked: SwapQuery) -> tuple[AgreementScope, Measure]:
    """Return the labels that this person may see, and the measure. Raises HttpError 422."""
    campaign = api_campaign(request, slug, Role.ADJUDICATOR, Role.READER)
    offered = {measure.name: measure for measure in usual_measures(len(campaign.scale))}
    if asked.measure and asked.measure not in offered:
        raise HttpError(422, f"measure: expected {', '.join(offered)}; found {asked.measure!r}")
    scope = swap_scope(CampaignReads(campaign), asked.machines, api_user(request))
    return scope, offered[asked.measure or next(iter(offered))]


def plain_swap(scores: JudgeScores, swap: JudgeSwap) -> dict[str, Any]:
    columns = swap.ranks, swap.best, swap.low, swap.high, swap.worst, scores.official.mean(axis=0)
    names = "run", "rank", "best", "low", "high", "worst", "score"
    rows = zip(scores.tags, *(column.tolist() for column in columns), strict=True)
    runs = [dict(zip(names, row, strict=True)) for row in rows]
    return {
        "topics": swap.topics,
        "varied": swap.varied,
        "draws": swap.draws,
        "seed": swap.seed,
        "coefficients": [vars(each) for each in (swap.tau, swap.tau_ap, swap.rbo)],
        "runs": sorted(runs, key=lambda run: run["rank"]),
        "swapped": [
            {"better": scores.tags[each.better], "worse": scores.tags[each.worse], "share": each.share}
            for each in swap.swapped
        ],
        "alternatives": [
            {"name": each.name, "tau": each.tau.value, "tau_ap": each.tau_ap.value, "rbo": each.rbo.value}
            for each in swap.alternatives
        ],
    }


@router.get("{slug}/judge-swap/", response={200: SwapOut, **PROBLEMS}, summary="The judge swap")
def swap_result(
    request: HttpRequest, slug: PathName, asked: Annotated[DrawsQuery, Query()]
) -> dict[str, Any]:
    """The ranking of runs under each judge, and under judges drawn at random for each topic."""
    scope, measure = asked_of(request, slug, asked)
    scores = scores_by_judge(scope, measure)
    cover = zip(scores.judges, scores.judged.sum(axis=1).tolist(), strict=True)
    about = {
        "measure": measure.name,
        "official": scores.official_name,
        "reason": scores.reason,
        "judges": [{"judge": judge, "topics": topics} for judge, topics in cover],
    }
    if scores.reason:
        lists = dict.fromkeys(("coefficients", "runs", "swapped", "alternatives"), ())
        return about | lists | dict.fromkeys(("varied", "draws", "seed"), 0) | {"topics": len(scores.topics)}

    def drawn() -> dict[str, Any]:
        return plain_swap(scores, judge_swap(scores, asked.draws))

    return about | cached_with_runs(scope, f"plain-swap-{asked.draws}", measure, drawn)


@router.get(
    "{slug}/judge-swap/ceilings/",
    response={200: list[CeilingOut], **PROBLEMS},
    summary="Judges scored as runs",
)
def swap_ceilings(
    request: HttpRequest, slug: PathName, asked: Annotated[SwapQuery, Query()]
) -> list[dict[str, Any]]:
    """Each judge scored as if a run by the labels of each other: what a perfect run could reach."""
    return [each._asdict() for each in human_ceilings(*asked_of(request, slug, asked))]
