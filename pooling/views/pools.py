"""The pool: its draft, and those that are frozen."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse, JsonResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import floatformat
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post
from pooling.forms.pools import PoolForm
from pooling.manifest import PoolPlan
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.queries.documents import unfinished_imports
from pooling.queries.drafts import compare_plans, draft_of, overlap_of
from pooling.queries.pools import pool_list
from pooling.queries.reads import PoolingReads
from pooling.queries.runs import left_out_before
from pooling.queries.warnings import pool_warnings, run_warnings
from pooling.refusals import Refused
from pooling.services.pools import freeze_pool
from pooling.templatetags.parts import shade
from pooling.views.confirmation import confirmation_page, is_confirmed
from pooling.views.documents import attachment
from pooling.words import counted

FIRST_DRAFT = {"strategy": "depth", "seconds": "30", "topics": "all"}


@get_or_post
def pool(request: UserRequest, slug: str) -> HttpResponse:
    """Show the frozen pools and the draft of the next; a POST asks, and a confirmed one freezes the draft."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    reads = PoolingReads(campaign)
    form = PoolForm(request.POST if request.method == "POST" else first_draft(request, campaign), reads)
    context = draft(reads, form)
    if request.method == "POST" and context.get("draft"):
        if context["draft"].size.total and not is_confirmed(request):
            return freeze_confirmation(request, reads, form, context)
        try:
            frozen = freeze_pool(campaign, request.user, form.included(), form.plan())
        except Refused as error:
            messages.warning(request, str(error))
        else:
            size = frozen.manifest["documents"]
            messages.success(request, f"Pool {frozen.number} is frozen: {counted(size, 'document')}.")
        return redirect("pooling:pool", slug)
    context |= {
        "campaign": campaign,
        "reads": reads,
        "pools": pool_list(campaign.pools.select_related("frozen_by")),
        "texts": reads.texts,
        "imports": unfinished_imports(campaign),
    }
    context["is_first_draft"] = request.method == "GET" and "strategy" not in request.GET
    return render(request, "pooling/pool.html", context)


def first_draft(request: UserRequest, campaign: Campaign) -> QueryDict:
    """Return the values of the query, with defaults for those that a draft needs.

    A query without a strategy is not that of a draft: it leaves out the runs that the last pool left out.
    """
    data = request.GET.copy()
    if "strategy" not in data:
        data.setlist("without", left_out_before(campaign))
    for name, value in FIRST_DRAFT.items():
        data.setdefault(name, value)
    return data


@require_GET
def pool_draft(request: UserRequest, slug: str) -> HttpResponse:
    """Recompute the draft as the organiser moves the controls."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    reads = PoolingReads(campaign)
    context = {"campaign": campaign, **draft(reads, PoolForm(request.GET, reads))}
    return render(request, "pooling/_pool_draft.html", context)


def draft(reads: PoolingReads, form: PoolForm) -> dict[str, Any]:
    """Return what the draft fragment shows; without figures when controls or runs do not allow any."""
    odd = run_warnings(reads, form.runs)
    context: dict[str, Any] = {"form": form, "run_count": len(form.runs)}
    rows = [(run, "; ".join(odd.get(run.tag, []))) for run in form.runs]
    context["runs"] = sorted(rows, key=lambda row: not row[1])  # runs to check first
    context["odd_count"] = len(odd)
    if not form.runs or not form.is_valid():
        return context
    try:
        drafted = draft_of(reads, form.included(), form.plan())
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
    context |= {"draft": drafted, "hours": drafted.to_judge * seconds / 3600, "plot": plot}
    return context | {"included_count": len(form.included())}


def freeze_confirmation(
    request: UserRequest, reads: PoolingReads, form: PoolForm, context: dict[str, Any]
) -> HttpResponse:
    """Ask before a pool is frozen. context: of its draft."""
    campaign, runs, plan = reads.campaign, form.included(), form.plan()
    judges = campaign.memberships.filter(role=Role.JUDGE).count()
    return confirmation_page(
        request,
        campaign,
        "pooling/confirm/pool.html",
        **context,
        plan=plan,
        number=campaign.pools.count() + 1,
        judges=judges,
        hours_each=context["hours"] / max(judges, 1),
        left_out=[run.tag for run in form.runs if run not in runs],
        query=query_of(plan, form),
        warnings=pool_warnings(reads, runs, plan, context["draft"]),
    )


@require_GET
def pool_strategies(request: UserRequest, slug: str) -> HttpResponse:
    """The draft beside other depths and strategies of its cost; follows the controls as the draft does."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    reads = PoolingReads(campaign)
    form = PoolForm(first_draft(request, campaign), reads)
    context: dict[str, Any] = {"campaign": campaign, "live": form.chosen.live}
    if form.is_valid():
        try:
            compared = compare_plans(reads, form.included(), form.plan())
        except Refused:
            compared = []  # the draft says why
        seconds = form.cleaned_data["seconds"]
        context["rows"] = [
            (comparison, comparison.size.total * seconds / 3600, query_of(comparison.plan, form))
            for comparison in compared
        ]
    return render(request, "pooling/_pool_strategies.html", context)


def query_of(plan: PoolPlan, form: PoolForm) -> str:
    """Return the query by which the page shows a plan as its draft, with the runs and topics of the form."""
    values = {name: value for name, value in plan.parameters.items() if value is not None}
    data = form.cleaned_data
    if plan.topics is not None:
        values["topics"] = str(form["topics"].value())
    query = {"strategy": plan.strategy, **values, "seconds": data["seconds"], "without": data["without"]}
    return urlencode(query, doseq=True)


@require_GET
def pool_overlap(request: UserRequest, slug: str) -> HttpResponse:
    """The overlap of the runs of the draft, over its topics."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    reads = PoolingReads(campaign)
    form = PoolForm(first_draft(request, campaign), reads)
    runs, topics = (form.included(), form.plan().topics) if form.is_valid() else (form.runs, None)
    overlap = overlap_of(reads, runs, topics)
    # A hundred runs have ten thousand cells, but only a few hundred different shares.
    distinct_shares = {share for _, shares in overlap for share in shares}
    known = {share: (str(shade(share)), floatformat(share, 2)) for share in distinct_shares}
    rows = [(tag, [known[share] for share in shares]) for tag, shares in overlap]
    context = {"campaign": campaign, "overlap": rows}
    return render(request, "pooling/_pool_overlap.html", context)


@require_GET
def pool_docnos(request: UserRequest, slug: str, number: int) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    pool = get_object_or_404(campaign.pools, number=number)
    pairs = pool.documents.order_by("topic__number", "docno").values_list("topic__number", "docno")
    lines = "".join(f"{topic} {docno}\n" for topic, docno in pairs)
    return attachment(lines, f"{slug}-pool-{number}.txt", "text/plain; charset=utf-8")


@require_GET
def pool_manifest(request: UserRequest, slug: str, number: int) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    manifest = get_object_or_404(campaign.pools, number=number).manifest
    return JsonResponse(manifest, json_dumps_params={"indent": 2, "ensure_ascii": False})
