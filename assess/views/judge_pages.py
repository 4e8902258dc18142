"""A judge's pages around the judging screen: home, My topics, My labels."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.forms.judging import MyLabelsForm
from assess.queries.campaign_reads import CampaignReads
from assess.queries.cost import hours_of_judge
from assess.queries.extensions import topics_that_grow
from assess.queries.guideline_versions import version_to_read
from assess.queries.judge_progress import (
    judge_home,
    my_refusals,
    my_topics,
    own_grades,
    pace_of,
    topic_to_continue,
    with_new_text,
)
from assess.queries.own_labels import own_labels, with_entries
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404
from pooling.views.campaigns import campaign_list

LABELS_ON_A_PAGE = 100


@require_GET
def home(request: UserRequest) -> HttpResponse:
    """Show a person who is only a judge where documents are left, and others the list of their campaigns.

    A judge with one campaign, or with open documents in one campaign only, gets its page My topics.
    """
    rows = judge_home(request.user)
    if not rows:
        return campaign_list(request)
    with_work = [row for row in rows if row.left]
    if len(with_work) == 1 or len(rows) == 1:
        return redirect("assess:my_topics", (with_work or rows)[0].campaign.slug)
    return render(request, "assess/judge_home.html", {"rows": rows})


@require_GET
def my_topics_page(request: UserRequest, slug: str) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    reads = CampaignReads(campaign)
    topics, pace = my_topics(request.user, reads), pace_of(request.user, campaign)
    left, given = sum(mine.left for mine in topics), own_grades(request.user, campaign)
    refusals = my_refusals(request.user, reads)
    context = {
        "campaign": campaign,
        "reads": reads,
        "topics": topics,
        "next_topic": topic_to_continue(topics) if campaign.is_open else None,
        "topics_left": sum(1 for mine in topics if mine.left),
        "pace": pace,
        "judged": sum(mine.judged for mine in topics),
        "left": left,
        "all": sum(mine.total for mine in topics),
        "hours": pace.seconds and left * pace.seconds / 3600,
        "hours_given": hours_of_judge(request.user, campaign),
        "new_guidelines": version_to_read(campaign, request.user),
        "labels": given,
        "refusals": refusals,
        "refusals_besides": max(0, sum(mine.refused for mine in topics) - len(refusals)),
        "changed": with_new_text(request.user, reads),
        "growing": sorted(topics_that_grow(request.user, campaign)),
    }
    return render(request, "assess/my_topics.html", context)


@require_GET
def my_labels(request: UserRequest, slug: str) -> HttpResponse:
    """List the judge's own labels, newest first, with filters."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    form = MyLabelsForm(request.GET, campaign=campaign, judge=request.user)
    labels = own_labels(request.user, campaign, **form.chosen())
    keys = list(labels.values_list("pk", flat=True))  # a count and a page would go through the labels twice
    page = Paginator(keys, LABELS_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "campaign": campaign,
        "form": form,
        "page": page,
        "labels": with_entries(campaign, request.user, list(labels.filter(pk__in=list(page)))),
    }
    return render(request, "assess/my_labels.html", context)
