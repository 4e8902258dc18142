from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post
from assess.models import JudgmentEvent, QueueEntry
from assess.queries import judges as judge_queries
from assess.queries.cards import cards_of, entry_in, has_judged, last_labels, next_entries, topics_of
from assess.queries.judges import done_of, my_grades, my_refusals, pace_of, with_new_text
from assess.queries.panels import my_panels
from assess.queries.queues import is_live_for, plan_of, terms_of
from assess.queries.sharing import can_take, free_again, is_shared_for, judged_by_others
from assess.queue import ON_DESK
from assess.services.queues import next_documents
from assess.sheet import part_of
from assess.views.outbox import at_once, take
from pooling.models import Campaign, Role, Topic
from pooling.queries.campaigns import campaign_or_404

STOCK = 14  # cards that the page prefetches, so that few requests have to ask for more
ACTIONS = {  # actions with a key on the judging screen, besides the grades; keys.js has the default keys
    "undo": "Previous document",
    "on": "Next document without a label",
    "later": "Later: move to the end of the queue",
    "cannot": "Cannot judge",
    "comment": "Comment",
    "evidence": "Save the selected words as evidence",
    "next-hit": "Next highlighted word",
    "previous-hit": "Previous highlighted word",
    "densest-hit": "Densest passage",
    "find-hit": "Highlight another word",
    "marks": "Highlighting on or off",
    "page-down": "Page down",
    "guidelines": "Guidelines",
    "keys": "List of keys",
}


@require_GET
def my_topics(request: UserRequest, slug: str) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    topics, pace = judge_queries.my_topics(request.user, campaign), pace_of(request.user, campaign)
    left, given = sum(mine.left for mine in topics), my_grades(request.user, campaign)
    panels = my_panels(request.user, campaign)
    refusals = my_refusals(request.user, campaign)
    context = {
        "campaign": campaign,
        "panels": panels,
        "lists_left": sum(len(mine.waiting) for mine in panels),
        "topics": topics,
        "pace": pace,
        "judged": sum(mine.judged for mine in topics),
        "left": left,
        "all": sum(mine.total for mine in topics),
        "hours": pace.seconds and left * pace.seconds / 3600,
        "labels": [(grade, given[grade.value]) for grade in reversed(campaign.grades)],
        "refused": given[None],
        "refusals": refusals,
        "refusals_besides": given[None] - len(refusals),
        "changed": with_new_text(request.user, campaign),
    }
    return render(request, "assess/my_topics.html", context)


@never_cache
@get_or_post
def judge(request: UserRequest, slug: str, number: str) -> HttpResponse:
    """Show the judging page: the requested or next document and three more, or a note that the topic is done.

    Only a POST leases documents of a shared topic, because other judges do not get them meanwhile.
    """
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    topic = topics_of(request.user, campaign).filter(number=number).first()
    if not topic:
        return _former_topic(request, campaign, number)
    shared = is_shared_for(request.user, topic)
    shown = _entries(request, topic, shared)
    if shown and request.method == "POST":
        return redirect("assess:judge", slug, number)
    cards = at_once(cards_of(shown))
    context = {
        "campaign": campaign,
        "topic": topic,
        "mine": done_of(request.user, topic),
        # in a live order each label may change what comes next, so few cards are prefetched
        "stock": ON_DESK if is_live_for(request.user, topic) else STOCK,
        "card": cards[0] if cards else None,
        "cards": cards[1:],
        "terms": terms_of(topic),
        "plan": plan_of(campaign),
        "grades": campaign.grades[::-1],
        "reasons": JudgmentEvent.Reason.choices,
        "last": last_labels(request.user, topic),
        "actions": ACTIONS.items(),
        "uuid": uuid.uuid4(),
        "shared": shared,
    }
    if shared and not cards:
        context |= {
            "can_take": request.method == "GET" and can_take(request.user, topic),
            "free_again": free_again(request.user, topic),
            "by_others": judged_by_others(request.user, topic),
        }
    return render(request, "assess/judge.html", context)


def _entries(request: UserRequest, topic: Topic, shared: bool) -> list[QueueEntry]:
    """Return the queue entries of the page, the requested one first."""
    requested = request.GET.get("document", "")
    entry = entry_in(topic.campaign, request.user, int(requested)) if requested.isdecimal() else None
    first = [entry] if entry and entry.topic == topic else []
    have = [entry.pk for entry in first]
    if shared and request.method == "GET":
        return first + next_entries(request.user, topic, ON_DESK - len(have), have)
    return first + next_documents(request.user, topic, ON_DESK, have)


def _former_topic(request: UserRequest, campaign: Campaign, number: str) -> HttpResponse:
    """Explain that the topic is no longer assigned, or raise Http404 if the judge never judged in it."""
    topic = get_object_or_404(campaign.topics, number=number)
    if not has_judged(request.user, topic):
        raise Http404
    messages.info(request, f"Topic {number} is no longer assigned to you. All your labels are stored.")
    return redirect("assess:my_topics", campaign.slug)


@get_or_post
def judgment_card(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Show the card of a document. A POST, sent without JavaScript, stores a label and redirects."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    entry = entry_in(campaign, request.user, pk)
    if not entry:
        raise Http404
    if request.method == "POST":
        taken = take(campaign, request.user, {**request.POST.dict(), "entry": pk})
        if taken.problem:
            messages.warning(request, taken.problem)
        for sentence in taken.notes():
            messages.info(request, sentence)
        next_documents(
            request.user, entry.topic, ON_DESK
        )  # a GET of a shared topic shows only what is in the queue
        return redirect("assess:judge", slug, entry.topic.number)
    (card,) = cards_of([entry])
    context = {"campaign": campaign, "card": card, "terms": terms_of(entry.topic)}
    return render(request, "assess/_judgment_card.html", context)


@require_GET
def document_part(request: UserRequest, slug: str, pk: int, part: int) -> HttpResponse:
    """Return a later part of a long document, loaded when the reader scrolls to it."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    entry = entry_in(campaign, request.user, pk)
    if not entry:
        raise Http404
    (card,) = cards_of([entry])
    try:
        before, paragraphs = part_of(card.text, terms_of(entry.topic), part)
    except IndexError as error:
        raise Http404 from error
    context = {"campaign": campaign, "card": card, "before": before, "paragraphs": paragraphs}
    return render(request, "assess/_document_part.html", context)


@require_GET
def recent_labels(request: UserRequest, slug: str, number: str) -> HttpResponse:
    """List the latest labels of the judge in a topic, optionally of one grade."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    topic = get_object_or_404(topics_of(request.user, campaign), number=number)
    grade = request.GET.get("grade", "")
    known = {str(each.value) for each in campaign.grades} | {"none"}
    context = {
        "campaign": campaign,
        "topic": topic,
        "grade": grade if grade in known else "",
        "recent": last_labels(request.user, topic, 50, grade if grade in known else ""),
    }
    return render(request, "assess/_recent_labels.html", context)
