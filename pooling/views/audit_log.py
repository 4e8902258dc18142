"""The audit log of a campaign: a page and a download."""

from __future__ import annotations

from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from pooling.forms.campaigns import AuditLogForm
from pooling.models import Role
from pooling.queries.audit_log import audit_log_entries, audit_log_lines, audit_log_page
from pooling.queries.campaigns import campaign_or_404


@require_GET
def audit_log(request: UserRequest, slug: str) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = AuditLogForm(request.GET, campaign=campaign)
    page = audit_log_page(audit_log_entries(campaign, **form.chosen()), form.before())
    return render(request, "pooling/audit_log.html", {"campaign": campaign, "form": form, "page": page})


@require_GET
def audit_log_file(request: UserRequest, slug: str) -> StreamingHttpResponse:
    """Send the filtered entries as JSON Lines, oldest first."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    entries = audit_log_entries(campaign, **AuditLogForm(request.GET, campaign=campaign).chosen())
    return StreamingHttpResponse(
        audit_log_lines(entries),
        content_type="application/jsonl; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{slug}-trail.jsonl"'},
    )
