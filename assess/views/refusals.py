from __future__ import annotations

from django.contrib import messages
from django.db.models import Count, QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import pluralize

from accounts.models import User
from accounts.requests import UserRequest, get_or_post
from assess.models import JudgmentEvent
from assess.queries import labels as refusal_queries
from assess.queries.campaign_reads import CampaignReads
from assess.services.queues import return_to_judges
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404

EVENTS_A_PAGE = 200  # events on the page


@get_or_post
def refusals(request: UserRequest, slug: str) -> HttpResponse:
    """List documents that judges could not judge. A POST returns some or all of them to their judges."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    query = request.POST if request.method == "POST" else request.GET
    wanted = {field: query.get(field, "").replace("\0", "") for field in ("reason", "judge", "topic")}
    reads = CampaignReads(campaign)
    events = refusal_queries.refusals(reads, request.user, **wanted)
    if request.method == "POST":
        return return_chosen(request, events, slug)
    places = set(
        refusal_queries.refusals(reads, request.user)
        .order_by()
        .values_list("judge", "pooled__topic")
        .distinct()
    )
    counts = events.order_by().aggregate(count=Count("pk"), returned=Count("returned"))
    context = {
        "campaign": campaign,
        "events": events[:EVENTS_A_PAGE],
        "count": counts["count"],
        "open_count": counts["count"] - counts["returned"],
        "wanted": wanted,
        "reasons": JudgmentEvent.Reason.choices,
        "judges": sorted(User.objects.filter(pk__in={judge for judge, _ in places}), key=str),
        "topics": campaign.topics.filter(pk__in={topic for _, topic in places}),
    }
    return render(request, "assess/refusals.html", context)


def return_chosen(request: UserRequest, events: QuerySet[JudgmentEvent], slug: str) -> HttpResponse:
    """Return the chosen documents, or all, to their judges."""
    if "all" not in request.POST:
        chosen = [pk for pk in request.POST.getlist("event") if pk.isdecimal() and len(pk) < 19]
        events = events.filter(pk__in=chosen)
    count = return_to_judges(JudgmentEvent.objects.filter(pk__in=events.values("pk")), request.user)
    if count:
        messages.success(
            request, f"{count:,} document{pluralize(count)} returned to the end of the judges' queues."
        )
    else:
        messages.warning(request, "Nothing was returned. Choose documents that have not been returned yet.")
    return redirect("assess:refusals", slug)
