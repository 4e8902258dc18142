"""Audits of machine judges: the list, drawing a sample, and giving its documents to judges."""

from __future__ import annotations

from typing import Any

import numpy as np
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.views.decorators.http import require_POST

from accounts.requests import UserRequest, get_or_post, request_key
from assess.queries.campaign_reads import CampaignReads
from assess.queries.label_totals import merge_timings, timings_of
from metrics.machine_audits.circularity import LEAST_IN_GROUP
from metrics.machine_audits.design import LEAST_LABELS
from metrics.machine_audits.forms import AuditForm, JudgesForm
from metrics.machine_audits.queries.judges import labels_to_give
from metrics.machine_audits.queries.samples import (
    SamplePlan,
    audited_sample,
    audits_of,
    draft_sample,
    expected_half_width,
    forecast,
    independent_grades,
    labels_for_scores,
    population_of,
)
from metrics.machine_audits.queries.verdicts import compared_pool, short_verdict
from metrics.machine_audits.sample import smallest_size
from metrics.machine_audits.services import draw_audit, give_sample
from metrics.machine_audits.verdict import LEAST_AUDITED
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.queries.documents import pooled_in, without_text
from pooling.refusals import Refused
from pooling.views.confirmation import confirmation_page, is_confirmed


@get_or_post
def machine_audit_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the audits. A POST asks, then draws the sample of another one."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = AuditForm(request.POST or None, initial=values_of_query(request), campaign=campaign)
    if request.method == "POST" and form.is_valid():
        plan, judges = form.plan(), form.cleaned_data["judges"]
        per_document = form.cleaned_data["per_document"]
        try:
            if not is_confirmed(request):
                return draw_confirmation(
                    request, campaign, plan, [judge.pk for judge in judges], per_document
                )
            key = request_key(request)
            drawn = draw_audit(campaign, request.user, plan, judges, per_document, key)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"{drawn.audit} is drawn. Judges got {documents(drawn.given)}.")
            return redirect("metrics:machine_audit", slug, drawn.audit.number)
    return render(request, "metrics/machine_audits/machine_audit_list.html", list_context(campaign, form))


def values_of_query(request: UserRequest) -> dict[str, Any]:
    """Return the values that the form had when its confirmation was cancelled."""
    names = AuditForm.base_fields.keys() & request.GET.keys()
    return {name: request.GET.getlist(name) if name == "judges" else request.GET[name] for name in names}


def list_context(campaign: Campaign, form: AuditForm) -> dict[str, Any]:
    reads = CampaignReads(campaign)
    machines = [
        (machine, population.size, forecast(population, campaign.threshold), labels_for_scores(population))
        for machine in reads.machines
        if (population := population_of(reads, machine)).size
    ]
    audits = [
        (audit, int(audited_sample(reads, audit).graded.sum()), short_verdict(reads, audit))
        for audit in audits_of(campaign)
    ]
    if machines:
        machine, population = machines[0][0], population_of(reads, machines[0][0])
        pool = compared_pool(reads, list(campaign.runs.active()), population)
        form.propose(machine, population.by_grade, pool.labels_for_tests)
    return {
        "campaign": campaign,
        "reads": reads,
        "form": form,
        "audits": audits,
        "machines": machines,
        "least": LEAST_AUDITED,
    }


def draw_confirmation(
    request: UserRequest, campaign: Campaign, plan: SamplePlan, judges: list[int], per_document: int
) -> HttpResponse:
    """Ask before a sample is drawn: its strata, and what it costs."""
    reads = CampaignReads(campaign)
    draft = draft_sample(reads, plan)
    grades, _ = independent_grades(reads, np.array(draft.pooled, dtype=np.int64))
    pairs = labels_to_give(draft.pooled, grades, judges, per_document)
    pool = compared_pool(reads, list(campaign.runs.active()), draft.population)
    strata = [(stratum.name, stratum.sampled, stratum.documents) for stratum in draft.strata]
    textless = set(without_text(campaign, pooled_in(campaign)).values_list("pk", flat=True))
    seconds = merge_timings(timings_of(campaign).values()).mean
    return confirmation_page(
        request,
        campaign,
        "metrics/machine_audits/confirm/machine_audit_list.html",
        plan=plan,
        draft=draft,
        labels=len(pairs),
        labelled=int((grades >= 0).sum()),
        without_text=len(textless & {pooled for pooled, _ in pairs}),
        judges=len({judge for _, judge in pairs}),
        work=len(pairs) * (seconds or 0) / 3600,
        width=expected_half_width(draft.population, campaign.threshold, len(draft.chosen)),
        least=LEAST_AUDITED if len(draft.chosen) < LEAST_AUDITED else 0,
        small=[name for name, sampled, size in strata if sampled < min(LEAST_LABELS, size)],
        small_size=0 if plan.earlier else smallest_size([size for *_, size in strata], LEAST_LABELS),
        least_labels=LEAST_LABELS,
        for_tests=pool.labels_for_tests,
        untestable=sorted(
            (min(sides), name, sides) for name, sides in pool.sides.items() if not sides.testable
        ),
        least_in_group=LEAST_IN_GROUP,
        for_scores=labels_for_scores(draft.population),
    )


def documents(count: int) -> str:
    return f"{count:,} document{pluralize(count)}"


@require_POST
def machine_audit_give(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Give the sampled documents that lack labels to judges."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    audit = get_object_or_404(campaign.machine_audits.select_related("machine__user"), number=number)
    audit.campaign = campaign
    form = JudgesForm(request.POST, campaign=campaign)
    if form.is_valid():
        data = form.cleaned_data
        try:
            count = give_sample(audit, data["judges"], data["per_document"], request.user)
        except Refused as error:
            messages.warning(request, str(error))
        else:
            messages.success(request, f"Judges got {documents(count)} of {audit}.")
    else:
        messages.warning(request, "Choose at least one judge of the campaign.")
    return redirect("metrics:machine_audit", slug, number)
