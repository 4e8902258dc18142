"""The page of participants: rules, dates, the form of run files, and the runs of their group."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.queries.people import participation
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404, topics_jsonl
from pooling.queries.schedule import acceptance_for, submitted_runs


@require_GET
def participate(request: UserRequest, slug: str) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.PARTICIPANT)
    context = {
        "campaign": campaign,
        "participation": participation(request.user, campaign),
        "acceptance": acceptance_for(campaign, request.user),
        "submitted": submitted_runs(campaign, request.user, timezone.now()),
        "first_topic": campaign.topics.values_list("number", flat=True).first(),
    }
    return render(request, "assess/participate.html", context)


@require_GET
def participate_topics(request: UserRequest, slug: str) -> HttpResponse:
    """Send the topics as JSON Lines, also before there is a release."""
    campaign = campaign_or_404(request.user, slug, Role.PARTICIPANT)
    response = HttpResponse(topics_jsonl(campaign), "application/jsonl; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-topics.jsonl"'
    return response
