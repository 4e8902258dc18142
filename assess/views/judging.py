"""A judge's pages: topics, the judging screen, and its outbox."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from accounts.requests import UserRequest, get_or_post
from assess.document.layout import later_parts
from assess.document_order import MIN_OPEN_CARDS
from assess.forms.judging import JudgmentForm, OutboxPayload, OwnTermForm
from assess.models import Assignment, JudgmentEvent, QueueEntry
from assess.queries.campaign_reads import CampaignReads
from assess.queries.extensions import topics_that_grow
from assess.queries.gold import training_feedback
from assess.queries.judge_progress import my_topics, own_grades, topic_after, topic_progress
from assess.queries.judging import (
    Card,
    cards_of,
    closed_cards,
    count_judged_by_others,
    entry_in,
    has_free_documents,
    has_had_topic,
    is_shared,
    last_labels,
    last_of_each_grade,
    lease_note,
    next_entries,
    next_lease_end,
    open_order,
    topics_of_judge,
)
from assess.queries.queues import assignments_of, grows_live, highlighted_terms, judging_plan_of, own_terms_of
from assess.services.judging import LABELS_REFUSED, LabelRefused, SubmittedJudgment, record_judgment
from assess.services.queues import next_documents, postpone
from assess.services.terms import change_own_term
from assess.views.payloads import error_text, read_payload
from pooling.campaign_states import why_no_labels
from pooling.models import Campaign, Role, Topic
from pooling.queries.campaigns import campaign_or_404
from pooling.queries.images import topic_images
from pooling.refusals import Refused

BATCH_CHARACTERS = 400_000  # characters of text
BUSY_MESSAGE = "The server is busy. The labels are stored in this browser and will be sent again."
# One thread of a process stores labels at a time and the others queue here, because SQLite would let them
# sleep and poll. Another process may hold the write lock for long; after PATIENCE the answer is 503.
STORE_LOCK = threading.Lock()
LOCK_TIMEOUT = 2.5  # s: longer than a pool of 100,000 documents holds the lock


class SubmissionResult(NamedTuple):
    """The result of one submitted label: the stored event, or a problem. *Later* gives neither."""

    problem: str = ""
    entry: QueueEntry | None = None
    event: JudgmentEvent | None = None
    press: SubmittedJudgment | None = None

    def notes(self) -> list[str]:
        """Return messages for the judge about a label that was stored."""
        if not self.entry or not self.event:
            return []
        return [*filter(None, (training_feedback(self.event), lease_note(self.entry), self._evidence_note()))]

    def _evidence_note(self) -> str:
        if not self.entry or not self.event or not self.press:
            return ""
        if self.event.evidence or not self.press.evidence:
            return ""
        return (
            f"{self.entry.pooled.docno}: the label was stored without its evidence, because these words are"
            " not in the document. Does the browser translate the page?"
        )


@require_POST
def outbox(request: UserRequest, slug: str) -> HttpResponse:
    """Store the labels that a judging page sends. Return their results and the cards that it asks for."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    payload = read_payload(request)
    if isinstance(payload, HttpResponse):
        return payload
    if not STORE_LOCK.acquire(timeout=LOCK_TIMEOUT):
        return HttpResponse(BUSY_MESSAGE, status=503, content_type="text/plain", headers={"Retry-After": "2"})
    try:
        results = [submit_judgment(campaign, request.user, fields) for fields in payload.labels]
    finally:
        STORE_LOCK.release()
    labels = [(each.entry, each.event) for each in results if each.entry and each.event]
    here = [(entry.topic, event) for entry, event in labels if entry.topic.number == payload.topic]
    context = {
        "campaign": campaign,
        "problems": [
            (fields.get("uuid", ""), each.problem)
            for fields, each in zip(payload.labels, results, strict=True)
            if each.problem
        ],
        "feedback": [note for each in results for note in each.notes()],
        "judged": here[-1][1].position if here else None,
        "total": None,
        "cards": [],
        "stopped": not campaign.is_open,
    }
    if (
        payload.want
        and campaign.is_open
        and (topic := here[-1][0] if here else _topic(request.user, campaign, payload.topic))
    ):
        context |= more_cards(request.user, topic, payload)
    return HttpResponse(
        render_to_string("assess/_outbox.html", context)
    )  # without request: no context processor is needed


def _topic(judge: User, campaign: Campaign, number: str) -> Topic | None:
    return topics_of_judge(judge, campaign).filter(number=number).first()


def more_cards(judge: User, topic: Topic, payload: OutboxPayload) -> dict[str, Any]:
    assignments = assignments_of(judge, topic)
    grows = is_shared(assignments) or any(map(grows_live, assignments))
    want = min(payload.want, MAX_CARDS_OF_GROWING) if grows else payload.want
    entries = next_documents(judge, topic, want, payload.have, assignments)
    mine = topic_progress(judge, topic, assignments)
    return {
        "judged": mine.judged,
        "total": mine.total,
        "closed": closed_cards(judge, payload.have),
        # a hidden repeat is added before documents whose cards the page has
        "order": open_order(judge, topic, want) if judging_plan_of(topic.campaign).repeat_share else [],
        "cards": first_batch(cards_of(entries)),
        "terms": highlighted_terms(topic),
    }


def first_batch(cards: Sequence[Card]) -> list[Card]:
    """Return the cards of one response: the first one, and others while their text is short enough."""
    sizes = list(accumulate(len(card.text) for card in cards))
    return [
        card for card, size in zip(cards, sizes, strict=True) if card is cards[0] or size < BATCH_CHARACTERS
    ]


def submit_judgment(campaign: Campaign, judge: User, fields: Mapping[str, Any]) -> SubmissionResult:
    """Store one label. A problem names its document, because the screen may show another one by then."""
    result = _store(campaign, judge, fields)
    if not result.problem:
        return result
    LABELS_REFUSED.inc()
    docno = str(fields.get("docno", ""))[:200]
    return result._replace(problem=f"{docno}: {result.problem}" if docno else result.problem)


def _store(campaign: Campaign, judge: User, fields: Mapping[str, Any]) -> SubmissionResult:
    form = JudgmentForm(fields, campaign=campaign)
    if not form.is_valid():
        return SubmissionResult(error_text(form))
    entry = entry_in(campaign, judge, fields.get("entry"))
    if not entry:
        return SubmissionResult("This document is not in your queue, so the label was not stored.")
    try:
        if form.cleaned_data["later"]:
            if why := why_no_labels(campaign.state, "change"):
                return SubmissionResult(why)
            postpone(entry, form.cleaned_data["postponed"] or 0)
            return SubmissionResult()
        press = form.press()
        return SubmissionResult("", entry, record_judgment(entry, press), press)
    except LabelRefused as error:
        return SubmissionResult(str(error))


CARDS_AHEAD = 14  # cards that the page prefetches, so that few requests have to ask for more
CARDS_OFFLINE = 50  # cards that a page at rest prefetches, in case the network fails for long
MAX_CARDS_OF_GROWING = 24  # of a shared topic, whose other judges cannot get them, or of a live order
KEY_ACTIONS = {  # actions with a key on the judging screen, besides the grades; keymap.js has the defaults
    "undo": "Previous document",
    "on": "Next unjudged document",
    "later": "Later: move to the end of the queue",
    "cannot": "Cannot judge",
    "unsure": "Unsure: mark the label, to look at the document again",
    "comment": "Comment",
    "evidence": "Save as evidence: the selected words",
    "next-hit": "Next highlighted word",
    "previous-hit": "Previous highlighted word",
    "densest-hit": "Densest passage",
    "find-hit": "Highlight another word",
    "marks": "Highlighting: switch it on or off",
    "page-down": "Page down",
    "whole": "Whole text, where a passage comes first",
    "examples": "My examples: the last document of each grade",
    "guidelines": "Guidelines",
    "keys": "List of keys",
}


@never_cache
@get_or_post
def judge(request: UserRequest, slug: str, number: str) -> HttpResponse:
    """Show the judging page: the requested or next document and three more, or a note that the topic is done.

    Only a POST leases documents of a shared topic, because other judges do not get them meanwhile.
    """
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    topic = topics_of_judge(request.user, campaign).filter(number=number).first()
    if not topic:
        return _former_topic(request, campaign, number)
    if not campaign.is_open:  # My topics says why
        return redirect("assess:my_topics", slug)
    assignments = assignments_of(request.user, topic)
    shared, live = is_shared(assignments), any(map(grows_live, assignments))
    # in a live order each label may change what comes next, so few cards are prefetched
    few = MIN_OPEN_CARDS if live else CARDS_AHEAD
    shown = _entries(request, topic, assignments)
    if shown and request.method == "POST":
        return redirect("assess:judge", slug, number)
    cards = first_batch(cards_of(shown))
    context = {
        "campaign": campaign,
        "topic": topic,
        "topic_images": topic_images(topic),
        "mine": topic_progress(request.user, topic, assignments),
        "few": few,
        "many": few if shared or live else CARDS_OFFLINE,
        "card": cards[0] if cards else None,
        "cards": cards[1:],
        "terms": highlighted_terms(topic),
        "own_terms": own_terms_of(request.user, topic),
        "plan": judging_plan_of(campaign),
        "reasons": JudgmentEvent.Reason.choices,
        "last": last_labels(request.user, topic, 20),
        "actions": KEY_ACTIONS.items(),
        "uuid": uuid.uuid4(),
        "shared": shared,
    }
    if shared and not cards:
        context |= {
            "can_take": request.method == "GET" and has_free_documents(request.user, topic),
            "next_lease_end": next_lease_end(request.user, topic),
            "by_others": count_judged_by_others(request.user, topic),
        }
    if not cards and not context.get("can_take"):
        context |= _next_topic(request.user, topic)
        context["grows"] = topic.number in topics_that_grow(request.user, campaign)
    return render(request, "assess/judge.html", context)


def _next_topic(judge: User, topic: Topic) -> dict[str, Any]:
    """Return the topic that follows a finished one, and the text of its button."""
    mine = topic_after(my_topics(judge, CampaignReads(topic.campaign)), topic)
    words = f"Continue with topic {mine.topic} ({mine.left:,} left)" if mine else ""
    return {"next_topic": mine, "next_words": words}


def _entries(request: UserRequest, topic: Topic, assignments: Sequence[Assignment]) -> list[QueueEntry]:
    """Return the queue entries of the page, the requested one first."""
    requested = request.GET.get("document", "")
    entry = entry_in(topic.campaign, request.user, int(requested)) if requested.isdecimal() else None
    first = [entry] if entry and entry.topic == topic else []
    have = [entry.pk for entry in first]
    if is_shared(assignments) and request.method == "GET":
        return first + next_entries(request.user, topic, MIN_OPEN_CARDS - len(have), have)
    return first + next_documents(request.user, topic, MIN_OPEN_CARDS, have, assignments)


def _former_topic(request: UserRequest, campaign: Campaign, number: str) -> HttpResponse:
    """Explain that the topic is no longer assigned, or raise Http404 if the judge never had it."""
    topic = get_object_or_404(campaign.topics, number=number)
    if not has_had_topic(request.user, topic):
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
        taken = submit_judgment(campaign, request.user, {**request.POST.dict(), "entry": pk})
        if taken.problem:
            messages.warning(request, taken.problem)
        for sentence in taken.notes():
            messages.info(request, sentence)
        if campaign.is_open:  # a GET of a shared topic shows only what is in the queue
            next_documents(request.user, entry.topic, MIN_OPEN_CARDS)
        return redirect("assess:judge", slug, entry.topic.number)
    (card,) = cards_of([entry])
    context = {"campaign": campaign, "card": card, "terms": highlighted_terms(entry.topic)}
    return render(request, "assess/_judgment_card.html", context)


@require_GET
def document_part(request: UserRequest, slug: str, pk: int, part: int) -> HttpResponse:
    """Return a later part of a long document, loaded when the reader scrolls to it.

    With the parameter `rest`, all later parts follow it.
    """
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    entry = entry_in(campaign, request.user, pk)
    if not entry:
        raise Http404
    (card,) = cards_of([entry])
    try:
        last = None if "rest" in request.GET else part
        parts = later_parts(card.text, highlighted_terms(entry.topic), part, last)
    except IndexError as error:
        raise Http404 from error
    context = {"campaign": campaign, "card": card, "parts": parts, "language": card.language}
    return render(request, "assess/_document_part.html", context)


@require_POST
def own_terms(request: UserRequest, slug: str, number: str) -> JsonResponse:
    """Add or remove one of the judge's own terms of a topic; return all of them."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    topic = get_object_or_404(topics_of_judge(request.user, campaign), number=number)
    form = OwnTermForm(request.POST)
    if not form.is_valid():
        return JsonResponse({"problem": " ".join(map(str, form.errors["term"]))}, status=400)
    try:
        terms = change_own_term(request.user, topic, form.cleaned_data["term"], form.cleaned_data["wanted"])
    except Refused as error:
        return JsonResponse({"problem": str(error)}, status=409)
    return JsonResponse({"terms": terms})


@require_GET
def recent_labels(request: UserRequest, slug: str, number: str) -> HttpResponse:
    """List the latest labels of the judge in a topic, optionally of one grade."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    topic = get_object_or_404(topics_of_judge(request.user, campaign), number=number)
    grade = request.GET.get("grade", "")
    known = {str(each.value) for each in campaign.grades} | {"none"}
    context = {
        "campaign": campaign,
        "topic": topic,
        "grade": grade if grade in known else "",
        "given": own_grades(request.user, campaign, topic),
        "recent": last_labels(request.user, topic, 50, grade if grade in known else ""),
    }
    return render(request, "assess/_recent_labels.html", context)


@require_GET
def own_examples(request: UserRequest, slug: str, number: str) -> HttpResponse:
    """Show the judge's last document of each grade in a topic, with the words that decided."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    topic = get_object_or_404(topics_of_judge(request.user, campaign), number=number)
    topic.campaign = campaign
    context = {"campaign": campaign, "topic": topic, "examples": last_of_each_grade(request.user, topic)}
    return render(request, "assess/_own_examples.html", context)
