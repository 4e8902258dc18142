"""Audits of machine judges: the page with the figures, and the files to compute them again."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.models import MachineAudit
from assess.queries.campaign_reads import CampaignReads
from assess.queries.independence import hidden_keys
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
from metrics.machine_audits.queries.runs import run_difference
from metrics.machine_audits.queries.samples import audited_sample, drawn_strata
from metrics.machine_audits.report import AuditReport, RunDifference
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


def requested_difference(
    request: UserRequest,
    reads: CampaignReads,
    audit: MachineAudit,
    report: AuditReport | None,
    cutoff: int,
) -> RunDifference | None:
    """Return the difference of the two runs that were asked for, or of the two best by machine labels.

    None before there are estimates, with fewer than two runs, or if one run was asked for twice.
    """
    tags = [row.tag for row in report.runs] if report else []
    if len(tags) < 2:
        return None
    best = dict(zip(("first", "second"), tags, strict=False))
    first, second = (
        tag if (tag := request.GET.get(name)) in tags else default for name, default in best.items()
    )
    return run_difference(reads, audit, cutoff, first, second) if first != second else None


@require_GET
def machine_audit(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """The progress of an audit, its estimates, and the verdict."""
    campaign, audit = audit_or_404(request, slug, number)
    reads = CampaignReads(campaign)
    sample, cutoff = audited_sample(reads, audit), requested_cutoff(request)
    hidden = hidden_keys(request.user, campaign) & frozenset(sample.pooled.tolist())
    report = audit_report(reads, audit, cutoff)
    difference = requested_difference(request, reads, audit, report, cutoff)
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
        "effect": effect_in_words(report.effect) if report else "",
        "probes": probe_rows(audit),
        "thresholds": THRESHOLDS,
        "most_missing": MOST_MISSING,
        "cutoffs": CUTOFFS,
        "cutoff": cutoff,
        "difference": difference,
        "query": urlencode({"k": cutoff} | query),
        "work": work_of_audit(audit, sample),
        "form": JudgesForm(campaign=campaign),
    }
    return render(request, "metrics/machine_audits/machine_audit.html", context)


def effect_in_words(effect: DesignEffect) -> str:
    """Return what the labels of the machine judge save, for the share of relevant documents.

    >>> effect_in_words(DesignEffect(200, 0.17, 240.6, 248.1))
    '100 human labels in this sample are as precise as 124 without the machine judge.'
    """
    if effect.by_strata is None:
        return f"What the machine judge saves is unknown: {effect.note}."
    worth = 100 * effect.by_strata / effect.labels
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
    reads = CampaignReads(campaign)
    cutoff = requested_cutoff(request)
    report = audit_report(reads, audit, cutoff)
    difference = requested_difference(request, reads, audit, report, cutoff)
    content = {
        "audit": audit.number,
        "machine": audit.machine.user.username,
        "model": audit.machine.model,
        "design": audit.design,
        "counts": counts_of(audit, audited_sample(reads, audit))._asdict(),
        "intervals": "95 %, for these topics: other topics can differ more",
        "figures": plain(report) if report else None,
        "difference": plain(difference) | {"finding": difference.sentence} if difference else None,
        "probes": plain(probe_rows(audit)),
    }
    response = JsonResponse(content, json_dumps_params={"ensure_ascii": False})
    response["Content-Disposition"] = f'attachment; filename="{slug}-audit-{number}.json"'
    return response


def plain(value: Any) -> Any:
    """Return named tuples as dictionaries, at every depth."""
    if hasattr(value, "_asdict"):
        return {name: plain(item) for name, item in value._asdict().items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value
