"""Audits of machine judges: the page with the figures, and the files to compute them again."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.forms.releases import default_form_values
from assess.models import MachineAudit
from assess.queries.campaign_reads import CampaignReads
from assess.queries.independence import hidden_keys
from metrics.machine_audits.circularity import LEAST_IN_GROUP
from metrics.machine_audits.estimates import DesignEffect
from metrics.machine_audits.forms import JudgesForm
from metrics.machine_audits.queries.figures import (
    CUTOFFS,
    DEFAULT_CUTOFF,
    AuditedPair,
    audit_report,
    audited_pairs,
    counts_of,
    probe_rows,
    topic_rows,
)
from metrics.machine_audits.queries.judges import work_of_audit
from metrics.machine_audits.queries.records import audit_record, chosen_difference
from metrics.machine_audits.queries.samples import audited_sample, drawn_strata
from metrics.machine_audits.verdict import MOST_MISSING, THRESHOLDS
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.spreadsheet import Table


def audit_or_404(request: UserRequest, slug: str, number: int) -> tuple[Campaign, MachineAudit]:
    """Return a campaign of this organiser and its audit; raise Http404 or PermissionDenied otherwise."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    audits = campaign.machine_audits.select_related("machine__user", "created_by")
    audit: MachineAudit = get_object_or_404(audits, number=number)
    audit.campaign = campaign
    return campaign, audit


def requested_cutoff(request: UserRequest) -> int:
    """Return the k of P@k that was asked for."""
    text = request.GET.get("k", "")
    return int(text) if text in map(str, CUTOFFS) else DEFAULT_CUTOFF


def requested_runs(request: UserRequest) -> tuple[str, str]:
    """Return the tags of the two runs that were asked for, if any were."""
    return request.GET.get("first", ""), request.GET.get("second", "")


@require_GET
def machine_audit(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """The progress of an audit, its estimates, and the verdict."""
    campaign, audit = audit_or_404(request, slug, number)
    reads = CampaignReads(campaign)
    sample, cutoff = audited_sample(reads, audit), requested_cutoff(request)
    hidden = hidden_keys(request.user, campaign) & frozenset(sample.pooled.tolist())
    report = audit_report(reads, audit, cutoff)
    difference = chosen_difference(reads, audit, report, cutoff, *requested_runs(request))
    query = {"first": difference.first, "second": difference.second} if difference else {}
    context: dict[str, Any] = {
        "campaign": campaign,
        "reads": reads,
        "audit": audit,
        "strata": drawn_strata(audit),
        "counts": counts_of(audit, sample),
        "rule": sample.rule,
        "report": report,
        "topics": topic_rows(reads, audit, hidden),
        "hidden": len(hidden),
        "effect": effect_in_words(report.effect, audit.design["documents"]) if report else "",
        "probes": probe_rows(audit),
        "thresholds": THRESHOLDS,
        "most_missing": MOST_MISSING,
        "least_in_group": LEAST_IN_GROUP,
        "cutoffs": CUTOFFS,
        "cutoff": cutoff,
        "difference": difference,
        "query": urlencode({"k": cutoff} | query),
        "release_query": query_of_release(reads, audit),
        "work": work_of_audit(audit, sample),
        "form": JudgesForm(campaign=campaign),
    }
    return render(request, "metrics/machine_audits/machine_audit.html", context)


def query_of_release(reads: CampaignReads, audit: MachineAudit) -> str:
    """Return the query of the page of releases at which the next one uses the machine judge, too."""
    values, judge = default_form_values(reads), audit.machine.user.username
    if judge not in values.getlist("machines"):
        values.appendlist("machines", judge)
    return values.urlencode()


def effect_in_words(effect: DesignEffect, documents: int) -> str:
    """Return what the labels of the machine judge save, for the share of relevant documents.

    documents: from which the sample was drawn; without the machine judge, more labels leave fewer of them.

    >>> effect_in_words(DesignEffect(200, 0.17, 240.6, 248.1), 4423)
    '100 human labels in this sample are as precise as 123 without the machine judge.'
    """
    if effect.by_strata is None:
        return f"What the machine judge saves is unknown: {effect.note}."
    open_share = 1 - effect.labels / documents
    worth = 100 / effect.labels / (open_share / effect.by_strata + 1 / documents)
    if worth < 101:
        return (
            "The machine judge saves no human labels here: 100 human labels in this sample are as precise as "
            f"{worth:.0f} without it."
        )
    return f"100 human labels in this sample are as precise as {worth:.0f} without the machine judge."


@require_GET
def machine_audit_csv(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the sampled documents with both grades, without those that the user is still to judge."""
    campaign, audit = audit_or_404(request, slug, number)
    hidden = hidden_keys(request.user, campaign)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-audit-{number}.csv"'
    rows = Table(response)
    rows.writerow(AuditedPair._fields)
    rows.writerows(audited_pairs(CampaignReads(campaign), audit, hidden))
    return response


@require_GET
def machine_audit_json(request: UserRequest, slug: str, number: int) -> JsonResponse:
    """Send the design and the figures of an audit as JSON."""
    campaign, audit = audit_or_404(request, slug, number)
    reads, cutoff = CampaignReads(campaign), requested_cutoff(request)
    content = audit_record(reads, audit, cutoff, *requested_runs(request))
    response = JsonResponse(content, json_dumps_params={"ensure_ascii": False})
    response["Content-Disposition"] = f'attachment; filename="{slug}-audit-{number}.json"'
    return response
