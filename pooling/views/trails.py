"""The trail: who changed what."""

from __future__ import annotations

from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from pooling.forms import TrailForm
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404
from pooling.queries.trails import trail_lines, trail_of, trail_page


@require_GET
def trail(request: UserRequest, slug: str) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = TrailForm(request.GET, campaign=campaign)
    page = trail_page(trail_of(campaign, **form.chosen()), form.before())
    return render(request, "pooling/trail.html", {"campaign": campaign, "form": form, "page": page})


@require_GET
def trail_file(request: UserRequest, slug: str) -> StreamingHttpResponse:
    """The same entries as JSON Lines, oldest first."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    entries = trail_of(campaign, **TrailForm(request.GET, campaign=campaign).chosen())
    return StreamingHttpResponse(
        trail_lines(entries),
        content_type="application/jsonl; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{slug}-trail.jsonl"'},
    )
