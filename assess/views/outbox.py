"""The endpoint to which the judging page sends its labels, and which returns the next cards."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from django.http import HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_POST

from accounts.models import User
from accounts.requests import UserRequest
from assess.counters import LABELS_REFUSED
from assess.forms.judging import JudgmentForm
from assess.models import JudgmentEvent, QueueEntry
from assess.parcel import Parcel, read_parcel
from assess.queries.cards import Card, cards_of, entry_in, gone_from, topics_of
from assess.queries.judges import done_of
from assess.queries.probes import training_feedback
from assess.queries.queues import terms_of
from assess.queries.sharing import lease_note
from assess.services.presses import LabelRefused, record_judgment
from assess.services.queues import next_documents, postpone
from pooling.models import Campaign, Role, Topic
from pooling.queries.campaigns import campaign_or_404
from pooling.refusals import Refused

MOST_AT_ONCE = 400_000  # characters of text
SOMEBODY_ELSE = (
    "Another user is signed in in this browser. Unsent labels go out when their judge signs in here again."
)
BUSY = "The server is busy. The labels are stored in this browser and will be sent again."
# One thread of a process stores labels at a time and the others queue here, because SQLite would let them
# sleep and poll. Another process may hold the write lock for long; after PATIENCE the answer is 503.
STORING = threading.Lock()
PATIENCE = 2.5  # s: longer than a pool of 100,000 documents holds the lock


class Taken(NamedTuple):
    """The result of one submitted label: the stored event, or a problem. *Later* gives neither."""

    problem: str = ""
    entry: QueueEntry | None = None
    event: JudgmentEvent | None = None

    def notes(self) -> list[str]:
        """Return messages for the judge about a label that was stored."""
        if not self.entry or not self.event:
            return []
        return [*filter(None, (training_feedback(self.event), lease_note(self.entry)))]


@require_POST
def outbox(request: UserRequest, slug: str) -> HttpResponse:
    """Store the labels that a judging page sends. Return their results and the cards that it asks for."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    if request.content_type != "application/json":  # the body of a form was already read for its CSRF token
        return HttpResponse("expected application/json", status=400, content_type="text/plain")
    try:
        parcel = read_parcel(request.body)
    except Refused as error:
        return HttpResponse(f"{error}", status=400, content_type="text/plain")
    if parcel.judge != request.user.pk:
        return HttpResponse(SOMEBODY_ELSE, status=409, content_type="text/plain")
    if not STORING.acquire(timeout=PATIENCE):
        return HttpResponse(BUSY, status=503, content_type="text/plain", headers={"Retry-After": "2"})
    try:
        results = [take(campaign, request.user, fields) for fields in parcel.labels]
    finally:
        STORING.release()
    labels = [(each.entry, each.event) for each in results if each.entry and each.event]
    here = [(entry.topic, event) for entry, event in labels if entry.topic.number == parcel.topic]
    context = {
        "campaign": campaign,
        "problems": [each.problem for each in results],
        "feedback": [note for each in results for note in each.notes()],
        "judged": here[-1][1].position if here else None,
        "total": None,
        "cards": [],
    }
    if parcel.want and (topic := here[-1][0] if here else _topic(request.user, campaign, parcel.topic)):
        context |= more_cards(request.user, topic, parcel)
    return HttpResponse(
        render_to_string("assess/_outbox.html", context)
    )  # without request: no context processor is needed


def _topic(judge: User, campaign: Campaign, number: str) -> Topic | None:
    return topics_of(judge, campaign).filter(number=number).first()


def more_cards(judge: User, topic: Topic, parcel: Parcel) -> dict[str, Any]:
    entries = next_documents(judge, topic, parcel.want, parcel.have)
    mine = done_of(judge, topic)
    return {
        "judged": mine.judged,
        "total": mine.total,
        "gone": gone_from(judge, parcel.have),
        "cards": at_once(cards_of(entries)),
        "terms": terms_of(topic),
    }


def at_once(cards: Sequence[Card]) -> list[Card]:
    """Return the cards of one response: the first one, and others while their text is short enough."""
    sizes = list(accumulate(len(card.text) for card in cards))
    return [card for card, size in zip(cards, sizes, strict=True) if card is cards[0] or size < MOST_AT_ONCE]


def take(campaign: Campaign, judge: User, fields: Mapping[str, Any]) -> Taken:
    """Store one label. A problem names its document, because the screen may show another one by then."""
    result = _store(campaign, judge, fields)
    if not result.problem:
        return result
    LABELS_REFUSED.inc()
    docno = str(fields.get("docno", ""))[:200]
    return result._replace(problem=f"{docno}: {result.problem}" if docno else result.problem)


def _store(campaign: Campaign, judge: User, fields: Mapping[str, Any]) -> Taken:
    form = JudgmentForm(fields, campaign=campaign)
    if not form.is_valid():
        return Taken(" ".join(str(message) for errors in form.errors.values() for message in errors))
    entry = entry_in(campaign, judge, fields.get("entry"))
    if not entry:
        return Taken("This document is not in your queue, so the label was not stored.")
    try:
        if form.cleaned_data["later"]:
            postpone(entry, form.cleaned_data["postponed"] or 0)
            return Taken()
        return Taken("", entry, record_judgment(entry, form.press()))
    except LabelRefused as error:
        return Taken(str(error))
