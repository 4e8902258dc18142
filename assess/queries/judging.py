"""What a judge sees. No query here may show a judge another's label, a run, a rank or a vote."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from operator import attrgetter
from typing import NamedTuple

from django.core.signing import BadSignature, Signer
from django.db.models import BigIntegerField, ExpressionWrapper, F, Max, QuerySet
from django.utils import timezone

from accounts.models import User
from assess.document.evidence import Quote, locate_evidence
from assess.document.layout import plain_text
from assess.document.passages import DocumentPassage
from assess.models import Assignment, JudgingPlan, Judgment, JudgmentEvent, QueueEntry
from assess.queries.documents import language_in, text_in
from assess.queries.extensions import PagePart, card_parts
from assess.queries.first_passages import first_passages
from assess.queries.gold import not_gold_or_training
from assess.queries.independence import hidden_from
from assess.queries.own_labels import OwnLabel, with_entries
from assess.queries.queues import assignments_of, judging_plan_of
from assess.queries.withheld import to_be_queued
from pooling.checksum import NO_TEXT
from pooling.formats.images import ShownImage
from pooling.models import Campaign, Document, PooledDocument, Topic
from pooling.queries.images import images_by_docno
from pooling.refusals import Refused

UNINDEXED_JUDGE = ExpressionWrapper(
    F("judge_id") + 0, BigIntegerField()
)  # keeps the database from using the index of judges
OPEN, DONE, AWAY = QueueEntry.State.OPEN, QueueEntry.State.DONE, QueueEntry.State.AWAY


SUGGESTION = Signer(salt="assess.suggestion")


class BadSuggestion(Refused):
    """A request claims that a machine's grade was on screen which the server never sent."""


class Card(NamedTuple):
    """One document as a judge sees it.

    text: see `text_in`. mine: the judge's own last label. language: a BCP 47 tag or "". suggested: the grade
    of a machine judge, where the plan shows it. idle_limit: seconds without an event that still are work.
    parts: of feature packages. passage: what the judge reads first, where the plan shows a passage alone.
    """

    entry: QueueEntry
    title: str
    text: str
    url: str
    text_hash: str
    mine: JudgmentEvent | None
    facts: Sequence[Sequence[str]] = ()
    language: str = ""
    images: Sequence[ShownImage] = ()
    suggested: int | None = None
    idle_limit: int = 60
    parts: Sequence[PagePart] = ()
    passage: DocumentPassage | None = None

    @property
    def suggestion(self) -> str:
        """The machine's grade as the page sends it back with a label, signed; "" where none is shown."""
        return "" if self.suggested is None else SUGGESTION.sign(f"{self.entry.pk}:{self.suggested}")

    @property
    def docno(self) -> str:
        return self.entry.pooled.docno

    @property
    def changed_since(self) -> bool:
        """Whether the judge's label was given to an earlier text."""
        return bool(self.mine and self.mine.text_hash != self.text_hash)


def topics_of_judge(judge: User, campaign: Campaign) -> QuerySet[Topic]:
    """Return the topics assigned to this judge."""
    return campaign.topics.filter(assignments__judge=judge).distinct()


def has_had_topic(judge: User, topic: Topic) -> bool:
    """Return whether documents of the topic have ever been in the queue of this judge."""
    return QueueEntry.objects.filter(judge=judge, topic=topic).exists()


def judge_queue(judge: User, topic: Topic) -> QuerySet[QueueEntry]:
    """Return all entries, open or not, of the judge's queue of a topic, in order."""
    return QueueEntry.objects.filter(judge=judge, topic=topic).select_related("pooled")


def entry_in(campaign: Campaign, judge: User, key: object) -> QueueEntry | None:
    """Return an entry of this judge, in any state. key: as received; it may not be a number."""
    pk = str(key)
    if not pk.isdecimal() or len(pk) > 18:
        return None
    entries = QueueEntry.objects.select_related("pooled", "topic")
    entry = entries.filter(judge=judge, pk=int(pk), topic__campaign=campaign).first()
    if entry:
        entry.judge, entry.topic.campaign = judge, campaign
    return entry


def next_entries(
    judge: User, topic: Topic, count: int, have: Collection[int] = frozenset()
) -> list[QueueEntry]:
    """Return the judge's next documents, without those that are on the page already."""
    if not count:
        return []
    queue = QueueEntry.objects.filter(judge=judge, topic=topic, state=OPEN).select_related("pooled")
    entries = [entry for entry in queue[: count + len(have)] if entry.pk not in have][:count]
    for entry in entries:
        entry.judge, entry.topic = judge, topic
    return entries


def open_order(judge: User, topic: Topic, count: int) -> list[int]:
    """Return the keys of the first open entries of the judge's queue, in order."""
    queue = QueueEntry.objects.filter(judge=judge, topic=topic, state=OPEN)
    return list(queue.values_list("pk", flat=True)[:count])


def closed_cards(judge: User, have: Collection[int]) -> list[int]:
    """Return which cards on a page are not open any more: labelled elsewhere, or given to another judge."""
    closed = QueueEntry.objects.filter(pk__in=have).exclude(state=OPEN).order_by()
    return [pk for pk, owner in closed.values_list("pk", "judge") if owner == judge.pk]


def cards_of(entries: list[QueueEntry]) -> list[Card]:
    """Return the cards of these entries.

    A hidden repeat shows no label until it has its own, so that it looks like any other document.
    """
    if not entries:
        return []
    docnos = [entry.pooled.docno for entry in entries]
    documents = Document.objects.filter(campaign=entries[0].topic.campaign_id, docno__in=docnos)
    by_docno = {document.docno: document for document in documents}
    campaign = entries[0].topic.campaign
    plan = judging_plan_of(campaign)
    images, shown = images_by_docno(campaign, docnos), _grades_on_screen(plan, entries)
    cards = [_card(campaign, entry, by_docno.get(entry.pooled.docno)) for entry in entries]
    parts = [parts_of(cards) for parts_of in card_parts]
    passages = first_passages(plan, cards)
    return [
        card._replace(
            images=images.get(card.docno, ()),
            suggested=shown.get(card.entry.pk),
            idle_limit=plan.idle_limit(len(card.text)),
            parts=[by_entry[card.entry.pk] for by_entry in parts if card.entry.pk in by_entry],
            passage=passages.get(card.entry.pk),
        )
        for card in cards
    ]


def _grades_on_screen(plan: JudgingPlan, entries: Sequence[QueueEntry]) -> dict[int, int]:
    """Return key of an entry -> the grade of the machine judge that the plan shows.

    Gold and training documents, hidden repeats, and documents of an audit of a machine judge show none.
    """
    machine = plan.shown_machine
    documents = {e.pk: e.pooled_id for e in entries if e.kind == QueueEntry.Kind.JUDGING}
    if machine is None or not documents:
        return {}
    labels = Judgment.objects.filter(not_gold_or_training(), judge=machine.user_id, relevance__isnull=False)
    labels = labels.filter(pooled__in=documents.values(), pooled__audited=None)
    grades = dict(labels.order_by().values_list("pooled", "relevance"))
    return {pk: grade for pk, pooled in documents.items() if (grade := grades.get(pooled)) is not None}


def grade_on_screen(entry: QueueEntry, suggestion: str) -> int | None:
    """Return the machine's grade that was on the card, from its signed form; None for "".

    The card may be older than the plan: a judge may work without a network. Raises BadSuggestion.
    """
    if not suggestion:
        return None
    try:
        key, _, grade = SUGGESTION.unsign(suggestion).partition(":")
    except BadSignature:
        key, grade = "", ""
    if key != str(entry.pk):
        raise BadSuggestion("The machine's grade on this page is not of this document. Reload the page.")
    return int(grade)


def _card(campaign: Campaign, entry: QueueEntry, document: Document | None) -> Card:
    mine = last_event(entry) if entry.state == DONE else None
    language = language_in(campaign, document)
    if not document:
        return Card(entry, "", "", "", NO_TEXT, mine, language=language)
    text = text_in(campaign, document)
    return Card(entry, document.title, text, document.url, document.text_hash, mine, document.facts, language)


def label_position(entry: QueueEntry) -> int:
    """Return the position of this entry's label among the judge's labels of the topic, from 1."""
    done = QueueEntry.objects.filter(judge=entry.judge_id, topic=entry.topic_id, state=DONE)
    return done.exclude(pk=entry.pk).count() + 1


def last_event(entry: QueueEntry) -> JudgmentEvent | None:
    """Return the judge's latest event of the document and kind."""
    return max(_events_on(entry), key=attrgetter(*JudgmentEvent.PRESS_ORDER), default=None)


def latest_press(entry: QueueEntry) -> datetime | None:
    """Return the time of the judge's last press on the document; None before any press."""
    latest: datetime | None = _events_on(entry).aggregate(at=Max("pressed_at"))["at"]
    return latest


def _events_on(entry: QueueEntry) -> QuerySet[JudgmentEvent]:
    events = JudgmentEvent.objects.filter(judge=entry.judge_id, pooled=entry.pooled_id, kind=entry.kind)
    return events.order_by()


def current_label(entry: QueueEntry) -> Judgment | None:
    """Return the judge's current label of the document, locked until the transaction ends."""
    labels = Judgment.objects.select_for_update().filter(judge=entry.judge_id, pooled=entry.pooled_id)
    return next(iter(labels), None)  # not first(): PostgreSQL would scan the index of keys


def current_text_hash(entry: QueueEntry) -> str:
    """Return the checksum of the text that the judge sees now."""
    documents = Document.objects.filter(campaign=entry.topic.campaign_id, docno=entry.pooled.docno)
    stored = documents.values_list("text_hash", flat=True).first()
    return NO_TEXT if stored is None else stored


def occurs_in_document(entry: QueueEntry, quote: Quote) -> bool:
    """Return whether the words that a judge selected are in the document, where an adjudicator sees them."""
    campaign = entry.topic.campaign
    document = Document.objects.filter(campaign=campaign, docno=entry.pooled.docno).first()
    if document is None:
        return False
    text = document.title if quote.in_title else plain_text(text_in(campaign, document))
    return bool(locate_evidence(text, {"": quote}))


def last_labels(judge: User, topic: Topic, count: int = 8, grade: str = "") -> list[OwnLabel]:
    """Return the judge's last labels of the topic, one a document, newest first.

    grade: only documents with this grade, or "none" for those that could not be judged. While a hidden repeat
    is open, the earlier label of its document is left out.
    """
    visited: set[int] = set()
    keys: list[int] = []
    for pk, pooled, relevance in _newest_first(judge, topic, 4 * count):
        if pooled not in visited and grade in ("", "none" if relevance is None else str(relevance)):
            keys.append(pk)
        visited.add(pooled)
        if len(keys) == count:
            break
    events = JudgmentEvent.objects.filter(pk__in=keys).order_by("-pk")
    labels = with_entries(topic.campaign, judge, list(events))
    documents = [label.entry.pooled_id for label in labels]
    repeated = QueueEntry.objects.filter(judge=judge, pooled__in=documents, state=OPEN).order_by()
    hidden = set(repeated.values_list("pooled", flat=True))
    return [label for label in labels if label.entry.pooled_id not in hidden]


def last_of_each_grade(judge: User, topic: Topic) -> list[OwnLabel]:
    """Return the label that the judge gave last for each grade in a topic, the highest grade first.

    A document that is open in the judge's queue, as a hidden repeat is, is left out.
    """
    open_here = QueueEntry.objects.filter(judge=judge, topic=topic, state=OPEN).order_by()
    visited = set(open_here.values_list("pooled", flat=True))
    keys: dict[int, int] = {}
    grades = {grade.value for grade in topic.campaign.grades}
    for pk, pooled, relevance in _newest_first(judge, topic, 200):
        if pooled not in visited and relevance is not None:
            keys.setdefault(relevance, pk)
        visited.add(pooled)
        if keys.keys() >= grades:
            break
    events = JudgmentEvent.objects.filter(pk__in=keys.values()).order_by("-relevance")
    return with_entries(topic.campaign, judge, list(events))


def _newest_first(judge: User, topic: Topic, lately: int) -> Iterator[tuple[int, int, int | None]]:
    """Yield pk, pooled document and grade of a judge's events on a topic, newest first.

    Judges usually continue where they were. So the judge's `lately` newest events on any topic are read
    first; only if more are needed, all events on this topic, by its documents. Neither takes longer in a
    larger campaign.
    """
    row = "pk", "pooled", "relevance"
    events = JudgmentEvent.objects.filter(judge=judge).order_by("-pk")
    newest = list(events.values_list(*row, "pooled__topic")[:lately])
    yield from (event for *event, where in newest if where == topic.pk)
    if len(newest) == lately:
        done = QueueEntry.objects.filter(judge=judge, topic=topic, state=DONE).order_by()
        pooled = set(done.values_list("pooled", flat=True))
        here = (
            JudgmentEvent.objects.alias(by=UNINDEXED_JUDGE).filter(by=judge.pk, pooled__in=pooled).order_by()
        )
        older = [event for event in here.values_list(*row) if event[0] < newest[-1][0]]
        yield from sorted(older, reverse=True)


def judged_docnos(judge: User, topic: Topic) -> list[str]:
    """Return the docnos that the judge has judged on a topic, in order: corrected ones once, with repeats.

    Gold and training documents are left out: they are not repeated.
    """
    kinds = QueueEntry.Kind.JUDGING, QueueEntry.Kind.REPEAT
    events = JudgmentEvent.objects.filter(judge=judge, pooled__topic=topic, kind__in=kinds)
    rows = events.order_by().values_list(*JudgmentEvent.PRESS_ORDER, "pooled__docno", "kind")
    labelled = dict.fromkeys((docno, kind) for *_, docno, kind in sorted(rows))
    return [docno for docno, _ in labelled]


Kind, State = QueueEntry.Kind, QueueEntry.State


def is_shared(assignments: Iterable[Assignment]) -> bool:
    """Return whether a judge with these assignments shares documents of the topic with others."""
    return any(assignment.part == Assignment.Part.SHARED for assignment in assignments)


def has_free_documents(judge: User, topic: Topic) -> bool:
    """Return whether documents of a shared topic are free, or free again after a lease expired."""
    return hidden_from(judge, topic.campaign).filter(to_be_queued(), topic=topic).exists()


def next_lease_end(judge: User, topic: Topic) -> datetime | None:
    """Return when the first lease of another judge of a shared topic expires; None without one."""
    if not is_shared(assignments_of(judge, topic)):
        return None
    leases = QueueEntry.objects.filter(topic=topic, state=State.OPEN, leased_until__gt=timezone.now())
    return leases.exclude(judge=judge).order_by("leased_until").values_list("leased_until", flat=True).first()


def count_judged_by_others(judge: User, topic: Topic) -> int:
    """Return how many documents of a shared topic others have judged and this judge has not."""
    shared = [each for each in assignments_of(judge, topic) if each.part == Assignment.Part.SHARED]
    done = QueueEntry.objects.filter(topic=topic, kind=Kind.JUDGING, state=State.DONE)
    documents = PooledDocument.objects.filter(topic=topic, pool__in=[each.pool_id for each in shared])
    others = documents.filter(pk__in=done.exclude(judge=judge).values("pooled"))
    return others.exclude(pk__in=done.filter(judge=judge).values("pooled")).count()


def lease_note(entry: QueueEntry) -> str:
    """Return a note for a judge whose lease had expired, if another judge then took the document.

    Otherwise an empty string. entry: its state before the label was recorded.
    """
    if entry.state != State.AWAY or not entry.leased_until:
        return ""
    states = set(_of_others(entry).values_list("state", flat=True))
    if not states:
        return ""
    note = (
        "another judge has labelled it too. Both labels are stored."
        if State.DONE in states
        else "another judge has it open now. Your label is stored."
    )
    return f"{entry.pooled.docno}: your time for this document was over, and {note}"


def _of_others(entry: QueueEntry) -> QuerySet[QueueEntry]:
    """Return the entries of other judges of the shared topic for this document."""
    entries = QueueEntry.objects.filter(pooled=entry.pooled_id, kind=Kind.JUDGING, leased_until__isnull=False)
    return entries.exclude(judge=entry.judge_id).exclude(state=State.AWAY).order_by()
