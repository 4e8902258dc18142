"""The result of a panel: what judges said of two runs side by side."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.queries.independence import sees_names
from metrics.panels.queries import panel_result as result_of
from metrics.panels.queries import panels_seen_by
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404


@require_GET
def panel_result(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.READER, Role.ADJUDICATOR, Role.PARTICIPANT)
    panel = get_object_or_404(panels_seen_by(request.user, campaign), pk=pk)
    context = {
        "campaign": campaign,
        "panel": panel,
        "result": result_of(panel),
        "names": sees_names(campaign),
    }
    return render(request, "metrics/panels/panel_result.html", context)
