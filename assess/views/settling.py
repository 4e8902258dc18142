"""Settle many disputed documents by a named rule, after a preview."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import pluralize

from accounts.requests import UserRequest, get_or_post
from assess.forms.adjudication import SettlingForm
from assess.queries.adjudication import dispute_lines
from assess.queries.campaign_reads import CampaignReads
from assess.queries.settling import cases_of_rule
from assess.services.adjudications import NotSettled, settle_by_rule
from assess.settling_rules import MAJORITY
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404

LINES = 100  # documents of the preview that are listed


@get_or_post
def settling(request: UserRequest, slug: str) -> HttpResponse:
    """Show what a rule would settle. A POST settles it, if nothing has changed since it was shown."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    posted = request.method == "POST"
    form = SettlingForm(request.POST if posted else request.GET or {"rule": MAJORITY}, campaign=campaign)
    valid = form.is_valid()
    rule, topic = form.cleaned_data.get("rule", MAJORITY), form.cleaned_data.get("topic")
    if posted and valid:
        try:
            settled = settle_by_rule(campaign, request.user, rule, topic, form.cleaned_data["checked"])
        except NotSettled as error:
            messages.warning(request, str(error))
        else:
            count = len(settled)
            messages.success(request, f"{count:,} document{pluralize(count)} settled by rule.")
            return redirect("assess:adjudication", slug)
    reads = CampaignReads(campaign)
    cases = cases_of_rule(reads, request.user, rule, topic) if valid else None
    first = cases.settled[:LINES] if cases else []
    lines = dispute_lines(reads, [case.pooled for case in first])
    context = {
        "campaign": campaign,
        "form": form,
        "cases": cases,
        "grades": [
            (grade.value, cases.by_grade()[grade.value])
            for grade in campaign.grades
            if cases and grade.value in cases.by_grade()
        ],
        "lines": [(line, case.relevance) for line, case in zip(lines, first, strict=True)],
    }
    return render(request, "assess/settling.html", context)
