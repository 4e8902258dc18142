"""What the judgments so far can carry."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from metrics.plots import Plot, saturation_plot
from metrics.queries.quality import QUALITY_MEASURE, pool_quality
from metrics.queries.saturation import SaturationShown, saturation_of, saturation_shown
from pooling.models import Role
from pooling.queries import campaign_or_404


@require_GET
def quality(request: UserRequest, slug: str) -> HttpResponse:
    """Holes, contributions, what newcomers lose, a verdict."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    found = pool_quality(campaign)
    context: dict[str, Any] = {"campaign": campaign, "quality": found, "measure": QUALITY_MEASURE}
    if found and (shown := saturation_shown(campaign, found.curves, request.GET.get("topic", ""))):
        context |= {"shown": shown, "plots": plots_of(shown)}
    return render(request, "metrics/quality.html", context)


@require_GET
def saturation(request: UserRequest, slug: str) -> HttpResponse:
    """The saturation of the topic that was chosen, beside that of all."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    shown = saturation_shown(campaign, saturation_of(campaign), request.GET.get("topic", ""))
    if shown is None:
        raise Http404("Nothing is judged yet.")
    context = {"campaign": campaign, "shown": shown, "plots": plots_of(shown)}
    return render(request, "metrics/_saturation.html", context)


def plots_of(shown: SaturationShown) -> list[Plot]:
    return [
        saturation_plot(shown.of_topic, 1, "saturation-of-topic", f"Topic {shown.topic}"),
        saturation_plot(shown.overall, len(shown.topics), "saturation-of-all", "All topics"),
    ]
