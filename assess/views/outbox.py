"""Labels that a judge's page has kept, taken in; with what became of them go the next cards."""

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
SOMEBODY_ELSE = "Somebody else has signed in in this browser. The labels wait until their judge is back."
BUSY = "The server is busy. The labels wait in this browser and are sent again."
# One thread of a process stores labels and the others wait here, in turn: SQLite would let them sleep and try
# again. Another process may hold its write lock for long; what waits here for too long is told to come again.
STORING = threading.Lock()
PATIENCE = 2.5  # s: longer than a pool of 100,000 documents holds the lock


class Taken(NamedTuple):
    """What became of one press: the label, or what is wrong. *Later* leaves neither."""

    problem: str = ""
    entry: QueueEntry | None = None
    event: JudgmentEvent | None = None

    def notes(self) -> list[str]:
        """Return what the judge is to read about a label that was recorded."""
        if not self.entry or not self.event:
            return []
        return [*filter(None, (training_feedback(self.event), lease_note(self.entry)))]


@require_POST
def outbox(request: UserRequest, slug: str) -> HttpResponse:
    """Take the labels that a judge's page has kept; answer what became of each, with the cards it wants."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    if request.content_type != "application/json":  # a form was read already, for its CSRF token
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
        taken = [take(campaign, request.user, fields) for fields in parcel.labels]
    finally:
        STORING.release()
    labels = [(each.entry, each.event) for each in taken if each.entry and each.event]
    here = [(entry.topic, event) for entry, event in labels if entry.topic.number == parcel.topic]
    context = {
        "campaign": campaign,
        "problems": [each.problem for each in taken],
        "feedback": [note for each in taken for note in each.notes()],
        "judged": here[-1][1].position if here else None,
        "total": None,
        "cards": [],
    }
    if parcel.want and (topic := here[-1][0] if here else _topic(request.user, campaign, parcel.topic)):
        context |= more_cards(request.user, topic, parcel)
    return HttpResponse(render_to_string("assess/_outbox.html", context))  # of the request it needs nothing


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
    """Return the cards that go out together: the first, and others unless long ones would hold them up."""
    sizes = list(accumulate(len(card.text) for card in cards))
    return [card for card, size in zip(cards, sizes, strict=True) if card is cards[0] or size < MOST_AT_ONCE]


def take(campaign: Campaign, judge: User, fields: Mapping[str, Any]) -> Taken:
    """Record one press. A problem names its document: by then the screen shows another one."""
    taken = _taken(campaign, judge, fields)
    if not taken.problem:
        return taken
    LABELS_REFUSED.inc()
    docno = str(fields.get("docno", ""))[:200]
    return taken._replace(problem=f"{docno}: {taken.problem}" if docno else taken.problem)


def _taken(campaign: Campaign, judge: User, fields: Mapping[str, Any]) -> Taken:
    form = JudgmentForm(fields, campaign=campaign)
    if not form.is_valid():
        return Taken(" ".join(str(message) for errors in form.errors.values() for message in errors))
    entry = entry_in(campaign, judge, fields.get("entry"))
    if not entry:
        return Taken("This document is not in your queue. Your label was not recorded.")
    try:
        if form.cleaned_data["later"]:
            postpone(entry, form.cleaned_data["postponed"] or 0)
            return Taken()
        return Taken("", entry, record_judgment(entry, form.press()))
    except LabelRefused as error:
        return Taken(str(error))
