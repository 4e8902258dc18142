"""What a judge sees of near duplicates beside a document. Nothing here may spoil a measurement.

Hidden repeats, gold and training documents, and members that are judged on purpose have no line, and no line
names one of these members.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.db.models import Case, Count, Exists, OuterRef, Q, QuerySet, When

from assess.models import DuplicateMember, Judgment, QueueEntry
from assess.near_duplicates.queries.classes import propagating_members
from assess.queries.extensions import PagePart
from assess.queries.gold import not_gold_or_training
from assess.queries.judging import Card
from assess.queries.withheld import labelled_by_people
from pooling.checksum import NO_TEXT

PART = "assess/near_duplicates/parts/_card.html"


class OwnCopy(NamedTuple):
    """A document with the same text, and the grade that the judge gave it; None for *cannot judge*."""

    docno: str
    relevance: int | None


def parts_beside(cards: Sequence[Card]) -> Mapping[int, PagePart]:
    """Return key of a queue entry -> the lines on near copies beside its document."""
    ordinary = [card for card in cards if card.entry.kind == QueueEntry.Kind.JUDGING]
    if not ordinary:
        return {}
    counts, sampled = _in_classes(ordinary)
    copies = _own_copies([card for card in ordinary if card.entry.pooled_id not in sampled])
    parts = {}
    for card in ordinary:
        count, own = counts.get(card.entry.pooled_id, 0), copies.get(card.entry.pk, [])
        if count or own:
            parts[card.entry.pk] = PagePart(PART, {"count": count, "copies": own})
    return parts


def _in_classes(cards: Sequence[Card]) -> tuple[dict[int, int], set[int]]:
    """Return document -> how many get its label, and the documents that are judged on purpose."""
    shown = [card.entry.pooled_id for card in cards]
    representative = "duplicate_class__representative"
    members = DuplicateMember.objects.filter(
        Q(pk__in=members_of_judge().filter(**{f"{representative}__in": shown}).values("pk"))
        | Q(pooled__in=shown, is_sampled=True, split=None)
    )
    document = Case(When(is_sampled=True, then="pooled"), default=representative)
    rows = members.order_by().annotate(document=document).values_list("is_sampled", "document")
    memberships = list(rows.annotate(n=Count("pk")))
    counts = {key: n for is_sampled, key, n in memberships if not is_sampled}
    return counts, {key for is_sampled, key, _ in memberships if is_sampled}


def members_of_judge() -> QuerySet[DuplicateMember]:
    """Return the members that get the label of their representative.

    Not those that have a label of a person, and no gold and training documents.
    """
    return propagating_members().filter(pooled__probe=None).exclude(labelled_by_people()).order_by()


def near_copies(entry: QueueEntry) -> list[DuplicateMember]:
    """Return the documents that get the same label as the document of an entry, docnos ascending."""
    if entry.kind != QueueEntry.Kind.JUDGING:
        return []
    members = members_of_judge().filter(duplicate_class__representative=entry.pooled_id)
    return list(members.select_related("pooled__topic").order_by("pooled__docno"))


def _own_copies(cards: Sequence[Card]) -> dict[int, list[OwnCopy]]:
    """Return key of an entry -> the documents of the topic with the same text that the judge has labelled.

    Not those that are judged on purpose. While a hidden repeat of such a document is open, it is left out, as
    in the list of the last labels.
    """
    by_text: dict[str, list[Card]] = {}
    for card in cards:
        if card.text_hash != NO_TEXT:
            by_text.setdefault(card.text_hash, []).append(card)
    if not by_text:
        return {}
    entry = cards[0].entry
    repeats = QueueEntry.objects.filter(judge=entry.judge_id, pooled=OuterRef("pooled"), kind="repeat")
    sampled = DuplicateMember.objects.filter(pooled=OuterRef("pooled"), is_sampled=True, split=None)
    labels = Judgment.objects.filter(
        not_gold_or_training(),
        ~Exists(repeats.filter(state=QueueEntry.State.OPEN)),
        ~Exists(sampled),
        judge=entry.judge_id,
        pooled__topic=entry.topic_id,
        event__text_hash__in=by_text,
    )
    fields = "pooled", "pooled__docno", "relevance", "event__text_hash"
    copies: dict[int, list[OwnCopy]] = {}
    for pooled, docno, relevance, text in labels.order_by("pooled__docno").values_list(*fields):
        for card in by_text[text]:
            if card.entry.pooled_id != pooled:
                copies.setdefault(card.entry.pk, []).append(OwnCopy(docno, relevance))
    return copies
