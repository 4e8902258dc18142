"""Actions on pools that concern judges: pool what is unjudged, give documents of later pools, discard."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.views.decorators.http import require_GET, require_POST

from accounts.requests import UserRequest, post_from
from assess.forecast import DEFAULT_SECONDS
from assess.forms.assignments import TopUpForm
from assess.queries import assignments as unassigned_queries
from assess.queries.assignments import why_not_discarded
from assess.queries.campaign_reads import CampaignReads
from assess.queries.progress import progress_grid
from assess.services.assignments import top_up as freeze_top_up
from assess.services.pools import DiscardRefused, discard_pool, give_unassigned_documents
from pooling.manifest import PoolPlan
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.queries.drafts import draft_of
from pooling.queries.warnings import pool_warnings
from pooling.services.pools import PoolRefused
from pooling.views.confirmation import confirmation_page, is_confirmed


@post_from("pooling:pool")
def top_up(request: UserRequest, slug: str) -> HttpResponse:
    """Freeze a pool of the unpooled documents among the first k of every run, after a question."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = TopUpForm(request.POST)
    if not form.is_valid():
        messages.warning(request, "Enter the depth as a whole number from 1 to 1,000.")
        return redirect("metrics:quality", slug)
    k = form.cleaned_data["k"]
    if not is_confirmed(request) and (question := top_up_confirmation(request, campaign, k)):
        return question
    try:
        pool = freeze_top_up(campaign, request.user, k)
    except PoolRefused as error:
        messages.warning(request, str(error))
        return redirect("metrics:quality", slug)
    size = pool.manifest["documents"]
    messages.success(
        request, f"{pool} is frozen with {size:,} new document{pluralize(size)}. Assign its topics to judges."
    )
    return redirect("assess:judging", slug)


def top_up_confirmation(request: UserRequest, campaign: Campaign, k: int) -> HttpResponse | None:
    """Ask before unjudged documents are pooled; None if there are none."""
    reads = CampaignReads(campaign)
    runs, plan = list(campaign.runs.active()), PoolPlan("depth", {"k": k})
    drafted = draft_of(reads, runs, plan)
    if not drafted.size.total:
        return None
    measured = progress_grid(reads).seconds
    seconds = measured or DEFAULT_SECONDS
    return confirmation_page(
        request,
        campaign,
        "assess/confirm/top_up.html",
        number=campaign.pools.count() + 1,
        k=k,
        size=drafted.size,
        seconds=seconds,
        is_measured=measured,
        hours=drafted.size.total * seconds / 3600,
        runs=len(runs),
        warnings=pool_warnings(reads, runs, plan, drafted),
    )


@require_GET
def unassigned_documents(request: UserRequest, slug: str) -> HttpResponse:
    """Return the documents of later pools that belong to no judge, with the button that gives them."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    context = {
        "campaign": campaign,
        "unassigned": unassigned_queries.unassigned_documents(CampaignReads(campaign)),
    }
    return render(request, "assess/_unassigned_documents.html", context)


@require_POST
def documents_give(request: UserRequest, slug: str) -> HttpResponse:
    """Give the documents of later pools to the judges of their topics."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    count = give_unassigned_documents(campaign, request.user)
    if count:
        messages.success(request, f"{count:,} document{pluralize(count)} given to the topics' judges.")
    else:
        messages.info(request, "Every pooled document of these topics belongs to a judge already.")
    return redirect("assess:judging", slug)


@post_from("pooling:pool")
def pool_discard(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Discard the last pool while none of its documents is judged, after a question."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    pool = get_object_or_404(campaign.pools, number=number)
    if reason := why_not_discarded(pool):
        messages.warning(request, reason)
    elif not is_confirmed(request):
        page, size = "assess/confirm/pool_discard.html", pool.documents.count()
        judges = pool.assignments.values("judge").distinct().count()
        return confirmation_page(request, campaign, page, pool=pool, size=size, judges=judges)
    else:
        try:
            count = discard_pool(campaign, number, request.user)
        except DiscardRefused as error:
            messages.warning(request, str(error))
        else:
            messages.success(request, f"{pool} with {count:,} document{pluralize(count)} is discarded.")
    return redirect("pooling:pool", slug)
