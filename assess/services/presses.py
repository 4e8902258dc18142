"""What a judge pressed, recorded for good."""

from __future__ import annotations

import uuid
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from accounts.prepared import PreparedInsert, PreparedUpdate
from assess import queries
from assess.counters import LABELS_SAVED
from assess.models import Judgment, JudgmentEvent, QueueEntry
from pooling.refusals import Refused

Kind, State = QueueEntry.Kind, QueueEntry.State


class LabelRefused(Refused):
    """A label that would not belong to what the judge saw; says why."""


class Press(NamedTuple):
    """What a judge did, as the screen sends it: which card, which text, which grade or reason."""

    uuid: uuid.UUID
    docno: str
    text_hash: str
    relevance: int | None
    reason: str = ""
    comment: str = ""
    source: str = "click"
    active_seconds: float | None = None
    highlighted: bool | None = None
    evidence: dict[str, Any] | None = None


def record_judgment(entry: QueueEntry, press: Press) -> JudgmentEvent:
    """Store a label for good; the same press again changes nothing. Raises LabelRefused."""
    try:
        _check_press(entry, press)
        with transaction.atomic():  # only what must be: meanwhile nobody else's label is stored
            event = _record(entry, press)
    except (IntegrityError, LabelRefused):
        if known := _known(entry, press):
            return known
        raise
    LABELS_SAVED.inc()
    return event


def _known(entry: QueueEntry, press: Press) -> JudgmentEvent | None:
    event = JudgmentEvent.objects.filter(uuid=press.uuid).first()
    if event and (event.pooled_id, event.judge_id) != (entry.pooled_id, entry.judge_id):
        raise LabelRefused("This label was already recorded for another document.")
    return event


def _record(entry: QueueEntry, press: Press) -> JudgmentEvent:
    # First of all: it locks the entry, so of two presses at once the later event is the one that stands.
    _is_done(entry.pk)
    event = JudgmentEvent(
        judge_id=entry.judge_id,
        pooled=entry.pooled,
        kind=entry.kind,
        position=queries.place_among_done(entry),
        **{field: value for field, value in press._asdict().items() if field != "docno"},
    )
    _store(event)
    if entry.kind == Kind.JUDGING:
        hold(event)
    return event


def hold(event: JudgmentEvent) -> None:
    """Make this event the judge's current label of the document."""
    _hold(
        Judgment(judge_id=event.judge_id, pooled_id=event.pooled_id, event=event, relevance=event.relevance)
    )


def _entry(pk: int) -> QuerySet[QueueEntry]:
    return QueueEntry.objects.filter(pk=pk)


_is_done = PreparedUpdate(_entry, state=State.DONE)
_store = PreparedInsert(JudgmentEvent)
_hold = PreparedInsert(Judgment, instead=["judge", "pooled"])


def _check_press(entry: QueueEntry, press: Press) -> None:
    if press.docno != entry.pooled.docno:
        raise LabelRefused("This label was meant for another document. It was not recorded.")
    if press.text_hash != queries.hash_of(entry):
        raise LabelRefused(
            "The text of this document has changed since you saw it. Read it anew and label it."
        )
