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

STOCK = 14  # cards that the screen fills up to, so that not every press asks for more
ACTIONS = {  # what has a key on the judging screen, besides the grades; keys.js says which
    "undo": "Back to the last document",
    "on": "On to the next without a label",
    "later": "Later: it comes again at the end",
    "cannot": "Cannot judge",
    "comment": "Comment",
    "evidence": "Selected words as evidence",
    "next-hit": "Next marked word",
    "previous-hit": "Previous marked word",
    "densest-hit": "Where most words meet",
    "find-hit": "Mark a word of your own",
    "marks": "Marks on or off",
    "page-down": "Page down",
    "guidelines": "Guidelines",
    "keys": "These keys",
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
    """The judging page: the document asked for or the next one, and three more; or word that it is done.

    Only a POST takes documents of a shared topic, because other judges then do not get them.
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
        # in a live order every label may choose what comes next: no more than must lies ready
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
    """Return the queue entries of the page, the one asked for first."""
    asked = request.GET.get("document", "")
    entry = entry_in(topic.campaign, request.user, int(asked)) if asked.isdecimal() else None
    first = [entry] if entry and entry.topic == topic else []
    have = [each.pk for each in first]
    if shared and request.method == "GET":
        return first + next_entries(request.user, topic, ON_DESK - len(have), have)
    return first + next_documents(request.user, topic, ON_DESK, have)


def _former_topic(request: UserRequest, campaign: Campaign, number: str) -> HttpResponse:
    """Answer for a topic that is not the judge's: with a word of explanation if they have judged in it."""
    topic = get_object_or_404(campaign.topics, number=number)
    if not has_judged(request.user, topic):
        raise Http404
    messages.info(request, f"Topic {number} is no longer assigned to you. All your labels are kept.")
    return redirect("assess:my_topics", campaign.slug)


@get_or_post
def judgment_card(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Show one document's card. A POST comes from the plain form: it records a press and goes to the next."""
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
        next_documents(request.user, entry.topic, ON_DESK)  # the page only shows what is in the queue
        return redirect("assess:judge", slug, entry.topic.number)
    (card,) = cards_of([entry])
    context = {"campaign": campaign, "card": card, "terms": terms_of(entry.topic)}
    return render(request, "assess/_judgment_card.html", context)


@require_GET
def document_part(request: UserRequest, slug: str, pk: int, part: int) -> HttpResponse:
    """A later part of a long document, asked for when its place comes into sight."""
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
    """The judge's own last labels of a topic, of one grade if asked."""
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
