"""Store what judges press: one label at a time, each once."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.utils import timezone
from prometheus_client import Counter

from assess.document.evidence import Quote
from assess.models import Judgment, JudgmentEvent, QueueEntry
from assess.queries.judging import (
    BadSuggestion,
    current_label,
    current_text_hash,
    grade_on_screen,
    label_position,
    latest_press,
    occurs_in_document,
)
from assess.queries.sources import why_withdrawn
from assess.services.counters import ProgressChange, add_progress, lock_documents, update_label_summaries
from assess.services.press_times import press_time
from pooling.campaign_states import why_no_labels
from pooling.models import Pool
from pooling.refusals import Conflict

LABELS_SAVED = Counter("jurypool_labels_saved", "Labels of judges that were stored.")
LABELS_REFUSED = Counter("jurypool_labels_refused", "Labels of judges that were refused.")


Kind, State = QueueEntry.Kind, QueueEntry.State
ARRIVAL_TOLERANCE = timedelta(seconds=20)  # error of a press time: the browser waits this long for a request


class LabelRefused(Conflict):
    """A label does not match the document or text on screen, or is a duplicate; the message says why."""


class SubmittedJudgment(NamedTuple):
    """A label as the screen submits it: document, text, and a grade or the reason why there is none.

    seconds_ago: time between key press and request, by the clock of the judge's computer. suggestion: the
    machine's grade that was on screen, as the card has it, or "".
    """

    uuid: uuid.UUID
    docno: str
    text_hash: str
    relevance: int | None
    reason: str = ""
    comment: str = ""
    source: str = "click"
    active_seconds: float | None = None
    highlighted: bool | None = None
    unsure: bool = False
    read: str = ""
    evidence: dict[str, Any] | None = None
    seconds_ago: float | None = None
    suggestion: str = ""

    @property
    def columns(self) -> dict[str, Any]:
        """The fields that an event stores as they are."""
        own = ("docno", "seconds_ago", "suggestion")
        return {field: value for field, value in self._asdict().items() if field not in own}


def record_judgment(entry: QueueEntry, press: SubmittedJudgment) -> JudgmentEvent:
    """Store a label. A repeated request changes nothing. Raises LabelRefused.

    Evidence that is not in the document, as of a page that a browser translated, is not stored; the label is.
    """
    try:
        _check_press(entry, press)
        if press.evidence and not occurs_in_document(entry, Quote(**press.evidence)):
            press = press._replace(evidence=None)
        pressed_at, suggested = _press_time(entry, press), _suggested(entry, press)
        with transaction.atomic():  # short: on SQLite no other label is stored meanwhile
            event = _record(entry, press, pressed_at, suggested)
    except (IntegrityError, LabelRefused):
        if known := _known(entry, press):
            return known
        raise
    LABELS_SAVED.inc()
    return event


def _known(entry: QueueEntry, press: SubmittedJudgment) -> JudgmentEvent | None:
    """Return the event of an earlier request with this UUID. Raises LabelRefused if its label differs."""
    event = JudgmentEvent.objects.filter(uuid=press.uuid).first()
    if event is None:
        return None
    if (event.pooled_id, event.judge_id, event.kind) != (entry.pooled_id, entry.judge_id, entry.kind):
        raise LabelRefused("This label was already recorded for another document. It was not stored again.")
    if (event.relevance, event.reason, event.comment) != (press.relevance, press.reason, press.comment):
        raise LabelRefused(
            f"The label of {press.docno} was already stored from this page: {_label_text(event)}."
            " Open the document again to change its label."
        )
    return event


def _label_text(event: JudgmentEvent) -> str:
    label = event.get_reason_display() if event.relevance is None else f"grade {event.relevance}"
    return f"{label}, with a comment" if event.comment else label


def _press_time(entry: QueueEntry, press: SubmittedJudgment) -> datetime:
    """Return the time of the key press by the server's clock, between freezing of the pool and now."""
    if not press.seconds_ago:
        return timezone.now()
    frozen_at = Pool.objects.values_list("frozen_at", flat=True).get(pk=entry.pooled.pool_id)
    return press_time(press.seconds_ago, frozen_at)


def _suggested(entry: QueueEntry, press: SubmittedJudgment) -> int | None:
    """Return the grade of a machine judge that was on screen. Raises LabelRefused."""
    try:
        return grade_on_screen(entry, press.suggestion)
    except BadSuggestion as error:
        raise LabelRefused(str(error)) from error


def _record(
    entry: QueueEntry, press: SubmittedJudgment, pressed_at: datetime, suggested: int | None
) -> JudgmentEvent:
    if why := why_withdrawn(entry):
        raise LabelRefused(why)
    lock_documents([entry.pooled_id])
    latest = latest_press(entry)
    if latest and latest - ARRIVAL_TOLERANCE <= pressed_at < latest:
        pressed_at = latest  # within this error the order of arrival decides
    before = current_label(entry) if entry.kind == Kind.JUDGING else None
    event = JudgmentEvent.objects.create(
        judge_id=entry.judge_id,
        pooled=entry.pooled,
        kind=entry.kind,
        position=label_position(entry),
        pressed_at=pressed_at,
        suggested=suggested,
        **press.columns,
    )
    becomes_current = latest is None or pressed_at >= latest
    if becomes_current:
        QueueEntry.objects.filter(pk=entry.pk).update(state=State.DONE)
        if entry.kind == Kind.JUDGING:
            make_current(event, before)
            update_label_summaries(entry.topic.campaign_id, [entry.pooled_id])
    change = _change(event, before, becomes_current)
    add_progress({(entry.judge_id, entry.topic_id): change})
    return event


def _change(event: JudgmentEvent, before: Judgment | None, becomes_current: bool) -> ProgressChange:
    """Return what a label adds to the counters of its judge. before: the previous current label."""
    change = ProgressChange(last_at=event.pressed_at)
    if event.kind != Kind.JUDGING:
        return change
    if becomes_current:
        was_refused = before is not None and before.relevance is None
        refused = int(event.relevance is None) - int(was_refused)
        change = change._replace(labels=int(before is None), refused=refused)
    if event.active_seconds is not None:
        change = change._replace(timed=1, seconds=event.active_seconds)
    return change


def make_current(event: JudgmentEvent, before: Judgment | None = None) -> None:
    """Make this event the judge's current label of the document. before: the previous current label."""
    if before:
        Judgment.objects.filter(pk=before.pk).update(event=event, relevance=event.relevance)
    else:
        Judgment.objects.create(
            judge_id=event.judge_id, pooled_id=event.pooled_id, event=event, relevance=event.relevance
        )


def _check_press(entry: QueueEntry, press: SubmittedJudgment) -> None:
    if why := why_no_labels(entry.topic.campaign.state):
        raise LabelRefused(why)
    if press.docno != entry.pooled.docno:
        raise LabelRefused(
            "The label names another document, so it was not stored. Reload the page and label it again."
        )
    if press.text_hash != current_text_hash(entry):
        raise LabelRefused(
            "The text of this document was replaced while you read it, so your label was not stored."
            " The document comes again with its new text."
        )
