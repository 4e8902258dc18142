"""Give the topics that nobody judges to judges, by a number for each judge."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import pluralize

from accounts.models import User
from accounts.requests import UserRequest, get_or_post
from assess.allocation import fill_quotas, spread_topics
from assess.forms.judge_shares import DOCUMENTS, DistributionForm
from assess.queries.campaign_reads import CampaignReads
from assess.queries.people import colleagues_of
from assess.queries.topic_distribution import free_topics
from assess.services.assignments import assign_as_planned
from assess.views.judge_replacement import PREVIEW, topics_by_judge
from pooling.models import Role, Topic
from pooling.queries.campaigns import campaign_or_404


@get_or_post
def topics_distribute(request: UserRequest, slug: str) -> HttpResponse:
    """Show the topics without a judge, and who would get them. A POST assigns them, or shows a preview."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    reads = CampaignReads(campaign)
    free, colleagues = free_topics(reads), colleagues_of(campaign)
    numbers = [topic.number for topic in free]
    form = DistributionForm(request.POST or None, colleagues=colleagues, reads=reads, free=numbers)
    valid = form.is_valid()
    plan: dict[Topic, User] = {}
    if free and colleagues and (valid or not form.is_bound):
        plan = plan_of(form, free)
    if valid and plan and PREVIEW not in request.POST:
        count = assign_as_planned(plan, request.user)
        messages.success(request, f"{count:,} new assignment{pluralize(count)}.")
        return redirect("assess:judging", slug)
    chosen = form.cleaned_data["topics"] if valid else list(free)
    context = {
        "campaign": campaign,
        "reads": reads,
        "form": form,
        "free": free,
        "documents": sum(free.values()),
        "colleagues": colleagues,
        "plan": topics_by_judge(plan, free),
        "left": [topic.number for topic in chosen if topic not in plan],
    }
    return render(request, "assess/topics_distribute.html", context)


def plan_of(form: DistributionForm, free: dict[Topic, int]) -> dict[Topic, User]:
    """Return who gets which of the chosen topics."""
    data = form.cleaned_data if form.is_bound else form.initial_values() | {"topics": list(free)}
    sizes = {topic.number: free[topic] for topic in data["topics"]}
    shares = {judge.username: number for judge, number in form.shares().items()}
    given = fill_quotas(sizes, shares) if data["counts"] == DOCUMENTS else spread_topics(sizes, shares)
    by_name = {judge.username: judge for judge, _ in form.colleagues}
    return {topic: by_name[given[topic.number]] for topic in data["topics"] if topic.number in given}
