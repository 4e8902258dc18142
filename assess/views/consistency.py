from __future__ import annotations

from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.models import JudgmentEvent
from assess.queries import consistency as consistency_queries
from assess.queries.campaign_reads import CampaignReads
from assess.queries.consistency import first_labels, with_remarks
from assess.queries.guideline_versions import guideline_versions, version_at
from assess.queries.independence import hidden_keys
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404

LABELS_A_PAGE = 300


@require_GET
def consistency(request: UserRequest, slug: str) -> HttpResponse:
    """Show how consistent each judge is: hidden repeats, gold documents and flags. Judges are not ranked."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    reads = CampaignReads(campaign)
    judges = consistency_queries.consistency(reads)
    timed = {topic for judge in judges for topic in judge.medians}
    context = {
        "campaign": campaign,
        "reads": reads,
        "judges": judges,
        "suspicions": sum(len(judge.suspicions) for judge in judges),
        "topics": [
            (topic, [judge.medians.get(topic.pk) for judge in judges])
            for topic in reads.topics
            if topic.pk in timed
        ],
    }
    return render(request, "assess/consistency.html", context)


@require_GET
def judge_labels(request: UserRequest, slug: str, pk: int, number: str) -> HttpResponse:
    """List the labels of a judge in a topic in order of time: all, of which those of a flag are marked, or
    those with a comment or evidence.
    """
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    topic = get_object_or_404(campaign.topics, number=number)
    stream = first_labels(campaign, topic, pk)
    if stream is None:
        raise Http404("No judge with this number has judged the topic.")
    only_remarks = "remarks" in request.GET
    if only_remarks:
        stream = with_remarks(CampaignReads(campaign), topic, stream)
    start, stop = (request.GET.get(name, "") for name in ("from", "to"))
    has_range = not only_remarks and all(word.isdecimal() and len(word) < 10 for word in (start, stop))
    marked = range(int(start), int(stop) + 1) if has_range else range(0)
    pages = Paginator(stream.keys, LABELS_A_PAGE)
    first_page = (marked.start - 1) // LABELS_A_PAGE + 1 if marked else 1
    page = pages.get_page(request.GET.get("page", first_page))
    events = stream.events(page.start_index() - 1, page.end_index())
    hidden = hidden_keys(request.user, campaign)
    versions = guideline_versions(campaign)

    def given_under(event: JudgmentEvent) -> int | None:
        return None if event.source == "import" else version_at(versions, event.pressed_at)

    context = {
        "campaign": campaign,
        "topic": topic,
        "judge": stream.judge,
        "marked": marked,
        "only_remarks": only_remarks,
        "page": page,
        "labels": [
            (nth, event if event.pooled_id not in hidden else None, nth in marked, given_under(event))
            for nth, event in enumerate(events, start=page.start_index())
        ],
        "query": "remarks=1" if only_remarks else urlencode({"from": start, "to": stop}) if has_range else "",
    }
    return render(request, "assess/judge_labels.html", context)
