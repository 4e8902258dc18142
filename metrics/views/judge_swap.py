"""The judge swap: the effect of the choice of judges on the ranking of runs."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.queries.agreement import AgreementScope
from assess.queries.campaign_reads import CampaignReads
from metrics.measures.base import Measure
from metrics.measures.names import usual_measures
from metrics.queries.judge_swap import (
    ON_DEMAND,
    SHOWN,
    JudgeScores,
    better_half,
    cached_with_runs,
    human_ceilings,
    judge_swap,
    scores_by_judge,
    swap_scope,
)
from metrics.rankings.judge_swap import FEW_JUDGES
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404

SWAP_READERS = (Role.ADJUDICATOR, Role.READER)
MOST_SWAPPED = 100  # pairs of runs that are listed


def requested_swap(request: UserRequest, campaign: Campaign) -> tuple[AgreementScope, Measure]:
    """Return the requested scope of labels, and the measure that ranks the runs."""
    offered = {measure.name: measure for measure in usual_measures(len(campaign.scale))}
    measure = offered.get(request.GET.get("measure", ""), next(iter(offered.values())))
    return swap_scope(CampaignReads(campaign), request.GET.get("machines") == "on", request.user), measure


def swap_context(request: UserRequest, scope: AgreementScope, measure: Measure) -> dict[str, Any]:
    """Return the context of the page and its draws; without draws where no swap is possible."""
    context = scope_context(scope, measure)
    if context["judge_scores"].reason:
        return context
    draws = ON_DEMAND if request.GET.get("draws") == str(ON_DEMAND) else SHOWN
    draws_shown = cached_with_runs(
        scope, f"drawn-{draws}", measure, lambda: draws_context(context["judge_scores"], draws)
    )
    return context | draws_shown


def scope_context(scope: AgreementScope, measure: Measure) -> dict[str, Any]:
    """Return the context that the page and its parts share."""
    judge_scores = scores_by_judge(scope, measure)
    query = {"measure": measure.name} | ({"machines": "on"} if scope.machines else {})
    return {
        "campaign": scope.campaign,
        "reads": scope.reads,
        "scope": scope,
        "names": scope.matrix.names,
        "judge_scores": judge_scores,
        "measure": measure,
        "query": urlencode(query),
        "on_demand": ON_DEMAND,
        "ceilings": None,  # computed in a separate request
    }


def draws_context(judge_scores: JudgeScores, draws: int) -> dict[str, Any]:
    swap = judge_swap(judge_scores, draws)
    half = better_half(judge_scores)
    columns = swap.ranks, swap.best, swap.low, swap.high, swap.worst, judge_scores.official.mean(axis=0)
    runs = sorted(
        zip(judge_scores.tags, *(column.tolist() for column in columns), strict=True), key=lambda r: r[1]
    )
    return {
        "swap": swap,
        "top": judge_swap(judge_scores, swap.draws, half) if len(half) > 1 else None,
        "runs": runs,
        "swapped": [
            (judge_scores.tags[s.better], judge_scores.tags[s.worse], s.share)
            for s in swap.swapped[:MOST_SWAPPED]
        ],
        "swapped_count": len(swap.swapped),
        "few_judges": len(judge_scores.judges) <= FEW_JUDGES,
        "pairs": len(judge_scores.tags) * (len(judge_scores.tags) - 1) // 2,
        "cover": list(zip(judge_scores.judges, judge_scores.judged.sum(axis=1).tolist(), strict=True)),
    }


@require_GET
def judge_swap_page(request: UserRequest, slug: str) -> HttpResponse:
    """The ranking of runs under each judge, and under judges drawn at random for each topic."""
    campaign = campaign_or_404(request.user, slug, *SWAP_READERS)
    context = swap_context(request, *requested_swap(request, campaign))
    return render(
        request, "metrics/judge_swap.html", context | {"measures": usual_measures(len(campaign.scale))}
    )


@require_GET
def swap_draws(request: UserRequest, slug: str) -> HttpResponse:
    """The part of the page with the draws, to request more of them."""
    campaign = campaign_or_404(request.user, slug, *SWAP_READERS)
    context = swap_context(request, *requested_swap(request, campaign))
    if context["judge_scores"].reason:
        raise Http404(context["judge_scores"].reason)
    return render(request, "metrics/_swap_draws.html", context)


@require_GET
def human_ceiling(request: UserRequest, slug: str) -> HttpResponse:
    """Judges scored as if they were runs."""
    campaign = campaign_or_404(request.user, slug, *SWAP_READERS)
    scope, measure = requested_swap(request, campaign)
    context = scope_context(scope, measure) | {"ceilings": human_ceilings(scope, measure)}
    return render(request, "metrics/_human_ceiling.html", context)
