"""The versions of guidelines and scale."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.queries.guideline_versions import guideline_versions, labels_by_version
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404


@require_GET
def guideline_version_list(request: UserRequest, slug: str) -> HttpResponse:
    """List every version of guidelines and scale, newest first, with the labels that were given under it."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR, Role.READER)
    versions = guideline_versions(campaign)
    counts = labels_by_version(campaign, versions)
    rows = [*zip(versions, counts, strict=True)][::-1]
    return render(request, "assess/guideline_version_list.html", {"campaign": campaign, "rows": rows})
