from __future__ import annotations

from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.queries import consistency as consistency_queries
from assess.queries.consistency import stream_of_events
from assess.queries.independence import hidden_keys
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404

LABELS_A_PAGE = 300


@require_GET
def consistency(request: UserRequest, slug: str) -> HttpResponse:
    """Every judge against themselves, against what is known, and against chance; no order of merit."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    found = consistency_queries.consistency(campaign)
    timed = {topic for each in found for topic in each.medians}
    context = {
        "campaign": campaign,
        "found": found,
        "suspicions": sum(len(each.suspicions) for each in found),
        "topics": [
            (topic, [each.medians.get(topic.pk) for each in found])
            for topic in campaign.topics.all()
            if topic.pk in timed
        ],
    }
    return render(request, "assess/consistency.html", context)


@require_GET
def judge_labels(request: UserRequest, slug: str, pk: int, number: str) -> HttpResponse:
    """One judge's labels on one topic in the order of giving them; a flag's are marked."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    topic = get_object_or_404(campaign.topics, number=number)
    stream = stream_of_events(campaign, topic, pk)
    if stream is None:
        raise Http404("Nobody of this number has judged the topic.")
    start, stop = (request.GET.get(name, "") for name in ("from", "to"))
    told = all(word.isdecimal() and len(word) < 10 for word in (start, stop))
    marked = range(int(start), int(stop) + 1) if told else range(0)
    pages = Paginator(stream.keys, LABELS_A_PAGE)
    of_flag = (marked.start - 1) // LABELS_A_PAGE + 1 if marked else 1
    page = pages.get_page(request.GET.get("page", of_flag))
    events = stream.events(page.start_index() - 1, page.end_index())
    hidden = hidden_keys(request.user, campaign)
    context = {
        "campaign": campaign,
        "topic": topic,
        "judge": stream.judge,
        "marked": marked,
        "page": page,
        "labels": [
            (nth, event if event.pooled_id not in hidden else None, nth in marked)
            for nth, event in enumerate(events, start=page.start_index())
        ],
        "query": urlencode({"from": start, "to": stop}) if told else "",
    }
    return render(request, "assess/judge_labels.html", context)
