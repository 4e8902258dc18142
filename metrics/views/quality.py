"""The quality of the judgments so far."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.queries.campaign_reads import CampaignReads
from metrics.plots import Plot, saturation_plot
from metrics.queries.leave_one_out import QUALITY_MEASURE
from metrics.queries.quality import TopicSaturation, pool_quality, saturation_by_topic, topic_saturation
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404
from pooling.queries.drafts import count_unpooled

TOP_UP_DEPTH = 10  # the k that the form proposes


@require_GET
def quality(request: UserRequest, slug: str) -> HttpResponse:
    """Saturation; the page loads the rest, which takes longer, in a separate request."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    reads = CampaignReads(campaign)
    context: dict[str, Any] = {"campaign": campaign, "reads": reads, "rule": reads.people_plan.rule}
    shown = topic_saturation(reads, saturation_by_topic(reads), request.GET.get("topic", ""))
    if shown and campaign.runs.active().exists():
        context |= {"shown": shown, "plots": plots_of(shown)}
    return render(request, "metrics/quality.html", context)


@require_GET
def quality_report(request: UserRequest, slug: str) -> HttpResponse:
    """A verdict, unjudged documents, contributions, and leave-one-out scores."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    reads = CampaignReads(campaign)
    quality = pool_quality(reads)
    if quality is None:
        raise Http404("No document has been judged yet.")
    context = {"campaign": campaign, "quality": quality, "measure": QUALITY_MEASURE}
    if Role.ORGANISER in campaign.my_roles:
        documents, pool = count_unpooled(reads, TOP_UP_DEPTH), len(reads.pools) + 1
        context["top_up"] = {"k": TOP_UP_DEPTH, "documents": documents, "pool": pool}
    return render(request, "metrics/_quality_report.html", context)


@require_GET
def saturation(request: UserRequest, slug: str) -> HttpResponse:
    """The saturation of the chosen topic."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    reads = CampaignReads(campaign)
    shown = topic_saturation(reads, saturation_by_topic(reads), request.GET.get("topic", ""))
    if shown is None:
        raise Http404("No document has been judged yet.")
    context = {"campaign": campaign, "shown": shown, "plots": plots_of(shown)}
    return render(request, "metrics/_saturation.html", context)


def plots_of(shown: TopicSaturation) -> list[Plot]:
    order = "pool depth" if shown.by_depth else "judging"
    return [saturation_plot(shown.curve, 1, "saturation-of-topic", f"Topic {shown.topic}", order)]
