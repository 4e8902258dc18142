"""Actions on pools that concern judges: pool what is unjudged, give documents of later pools, discard."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from accounts.requests import UserRequest, post_from
from assess.forecast import DEFAULT_SECONDS
from assess.forms.assignments import TopUpForm
from assess.queries import unassigned as unassigned_queries
from assess.queries.campaign_reads import CampaignReads
from assess.queries.progress import progress_grid
from assess.queries.unassigned import why_not_discarded
from assess.services.assignments import top_up as freeze_top_up
from assess.services.pools import DiscardRefused, discard_pool
from assess.services.unassigned import give_unassigned_documents
from pooling.manifest import Plan
from pooling.models import Campaign, Pool, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.queries.drafts import draft_of
from pooling.queries.warnings import pool_warnings
from pooling.schedule import shown_time
from pooling.services.pools import PoolRefused
from pooling.strategies.registry import strategy_in_words
from pooling.views.confirmation import Confirmation, confirmation_page, is_confirmed


@post_from("pooling:pool")
def top_up(request: UserRequest, slug: str) -> HttpResponse:
    """Freeze a pool of the unpooled documents among the first k of every run, after a question."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = TopUpForm(request.POST)
    if not form.is_valid():
        messages.warning(request, "Enter the depth as a whole number from 1 to 1,000.")
        return redirect("metrics:quality", slug)
    k = form.cleaned_data["k"]
    if not is_confirmed(request) and (asked := top_up_question(campaign, k)):
        return confirmation_page(request, campaign, asked, "Pool")
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


def top_up_question(campaign: Campaign, k: int) -> Confirmation | None:
    """Return the page that asks before unjudged documents are pooled; None if there are none."""
    reads = CampaignReads(campaign)
    runs, plan = list(campaign.runs.active()), Plan("depth", {"k": k})
    drafted = draft_of(reads, runs, plan)
    size = drafted.size.total
    if not size:
        return None
    seconds = progress_grid(reads).seconds
    basis = f"mean of the labels so far, {seconds:.0f} s" if seconds else f"{DEFAULT_SECONDS:.0f} s"
    number = campaign.pools.count() + 1
    work = f"{size * (seconds or DEFAULT_SECONDS) / 3600:,.1f} hours, each judged once ({basis} per document)"
    return Confirmation(
        title="Pool the unjudged documents",
        sentence=(
            f"The documents that are in no pool yet become pool {number}. The page Judging then offers them "
            "to the judges of their topics. A frozen pool does not change; it can be discarded until a "
            "document of it is judged."
        ),
        button=f"Freeze a pool of {size:,} unjudged document{pluralize(size)}",
        back=reverse("metrics:quality", args=[campaign.slug]),
        facts=[
            ("Pool", f"{number}, the first {k} documents of every run"),
            (
                "Documents to judge",
                f"{size:,} for {drafted.size.topics:,} topic{pluralize(drafted.size.topics)}",
            ),
            ("Work", work),
            ("Runs", f"{len(runs):,}"),
        ],
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
        return confirmation_page(request, campaign, discard_question(campaign, pool), "Pool")
    else:
        try:
            count = discard_pool(campaign, number, request.user)
        except DiscardRefused as error:
            messages.warning(request, str(error))
        else:
            messages.success(request, f"{pool} with {count:,} document{pluralize(count)} is discarded.")
    return redirect("pooling:pool", slug)


def discard_question(campaign: Campaign, pool: Pool) -> Confirmation:
    """Return the page that asks before a pool is discarded."""
    size, judges = pool.documents.count(), pool.assignments.values("judge").distinct().count()
    facts = [
        ("Documents", f"{size:,} for {pool.manifest['topics']:,} topic{pluralize(pool.manifest['topics'])}"),
        ("Strategy", strategy_in_words(pool.strategy, pool.parameters)),
        ("SHA-256 of the manifest", pool.manifest["sha256"]),
        ("Frozen", f"{shown_time(pool.frozen_at, campaign.time_zone, 'minute')} by {pool.frozen_by}"),
    ]
    warnings = []
    if judges:
        warnings.append(
            f"{judges} judge{pluralize(judges)} {pluralize(judges, 'has,have')} documents of this pool."
            " The documents leave the queues."
        )
    return Confirmation(
        title=f"Discard pool {pool.number}",
        sentence=(
            "The pool, its documents, and the assignments of its topics to judges are deleted. No document "
            "of it is judged. The audit log keeps its number, its size and its checksum."
        ),
        button=f"Discard pool of {size:,} document{pluralize(size)}",
        back=reverse("pooling:pool", args=[campaign.slug]),
        facts=facts,
        warnings=warnings,
    )
