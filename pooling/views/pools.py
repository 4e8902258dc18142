"""The pool: its draft, and those that are frozen."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import floatformat
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post
from pooling.forms import PoolForm
from pooling.manifest import Plan
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.queries.drafts import compare_plans, draft_of, overlap_of
from pooling.refusals import Refused
from pooling.services.pools import freeze_pool
from pooling.templatetags.parts import shade
from pooling.views.documents import attachment

FIRST_DRAFT = {"strategy": "depth", "seconds": "30"}


@get_or_post
def pool(request: UserRequest, slug: str) -> HttpResponse:
    """Show the frozen pools and the draft of the next; a POST freezes the draft."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = PoolForm(request.POST if request.method == "POST" else FIRST_DRAFT | request.GET.dict())
    if request.method == "POST" and form.is_valid():
        try:
            frozen = freeze_pool(campaign, request.user, list(campaign.runs.active()), form.plan())
        except Refused as error:
            messages.warning(request, str(error))
        else:
            size = frozen.manifest["documents"]
            messages.success(request, f"Pool {frozen.number} is frozen: {size:,} documents.")
        return redirect("pooling:pool", slug)
    return render(request, "pooling/pool.html", {"campaign": campaign, **draft(campaign, form)})


@require_GET
def pool_draft(request: UserRequest, slug: str) -> HttpResponse:
    """Recompute the draft as the organiser moves the controls."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    context = {"campaign": campaign, **draft(campaign, PoolForm(request.GET))}
    return render(request, "pooling/_pool_draft.html", context)


def draft(campaign: Campaign, form: PoolForm) -> dict[str, Any]:
    """Return what the draft fragment shows; without figures when controls or runs do not allow any."""
    context: dict[str, Any] = {"form": form, "run_count": campaign.runs.active().count()}
    if not context["run_count"] or not form.is_valid():
        return context
    try:
        drafted = draft_of(campaign, campaign.runs.active(), form.plan())
    except Refused as error:
        form.add_error(None, str(error))
        return context
    seconds = form.cleaned_data["seconds"]
    plot = {
        "k": [str(k) for k, _ in drafted.by_depth],
        "documents": [total for _, total in drafted.by_depth],
        "chosen": str(form.cleaned_data.get("k", "")),
        "seconds": seconds,
    }
    return context | {"draft": drafted, "hours": drafted.to_judge * seconds / 3600, "plot": plot}


@require_GET
def pool_strategies(request: UserRequest, slug: str) -> HttpResponse:
    """The draft beside other depths and strategies of its cost; follows the controls as the draft does."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = PoolForm(FIRST_DRAFT | request.GET.dict())
    context: dict[str, Any] = {"campaign": campaign, "live": form.chosen.live}
    if form.is_valid():
        try:
            compared = compare_plans(campaign, campaign.runs.active(), form.plan())
        except Refused:
            compared = []  # the draft says why
        context["rows"] = [(each, query_of(each.plan, form)) for each in compared]
    return render(request, "pooling/_pool_strategies.html", context)


def query_of(plan: Plan, form: PoolForm) -> str:
    """Return the query by which the page shows a plan as its draft."""
    values = {name: value for name, value in plan.parameters.items() if value is not None}
    return urlencode({"strategy": plan.strategy, **values, "seconds": form.cleaned_data["seconds"]})


@require_GET
def pool_overlap(request: UserRequest, slug: str) -> HttpResponse:
    """The overlap of runs, requested once after the page is loaded: no control of the page changes it."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    overlap = overlap_of(campaign, campaign.runs.active())
    # A hundred runs have ten thousand cells, but only a few hundred different shares.
    found = {share for _, shares in overlap for share in shares}
    known = {share: (str(shade(share)), floatformat(share, 2)) for share in found}
    rows = [(tag, [known[share] for share in shares]) for tag, shares in overlap]
    context = {"campaign": campaign, "overlap": rows}
    return render(request, "pooling/_pool_overlap.html", context)


@require_GET
def pool_docnos(request: UserRequest, slug: str, number: int) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    found = get_object_or_404(campaign.pools, number=number)
    pairs = found.documents.order_by("topic__number", "docno").values_list("topic__number", "docno")
    lines = "".join(f"{topic} {docno}\n" for topic, docno in pairs)
    return attachment(lines, f"{slug}-pool-{number}.txt", "text/plain; charset=utf-8")


@require_GET
def pool_manifest(request: UserRequest, slug: str, number: int) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    manifest = get_object_or_404(campaign.pools, number=number).manifest
    return JsonResponse(manifest, json_dumps_params={"indent": 2, "ensure_ascii": False})
