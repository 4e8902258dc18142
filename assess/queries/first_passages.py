"""Which documents a judge sees first as a passage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assess.document.highlighting import Term, topic_terms
from assess.document.passages import DocumentPassage, first_passage
from assess.models import JudgingPlan, QueueEntry
from pooling.strategies.draws import draw_source

if TYPE_CHECKING:
    from assess.queries.judging import Card

PassageFirst = JudgingPlan.PassageFirst


def first_passages(plan: JudgingPlan, cards: Sequence[Card]) -> dict[int, DocumentPassage]:
    """Return key of an entry -> the passage that its judge reads first.

    Training documents and documents with a label of the judge are shown whole. Half of the documents are
    drawn by the name of the judge, so that two judges of a document often read it in two ways.
    """
    if plan.passage_first == PassageFirst.NEVER:
        return {}
    draw = draw_source(plan.seed, "passage first")
    terms: dict[int, list[Term]] = {}
    passages = {}
    for card in cards:
        entry, topic = card.entry, card.entry.topic
        is_drawn = (
            plan.passage_first == PassageFirst.ALWAYS
            or draw(entry.judge.username, topic.number, card.docno) < 0.5
        )
        if card.mine or entry.kind == QueueEntry.Kind.TRAINING or not is_drawn:
            continue
        if topic.pk not in terms:
            terms[topic.pk] = topic_terms(topic.title, more=topic.terms.splitlines())
        if passage := first_passage(card.text, terms[topic.pk]):
            passages[entry.pk] = passage
    return passages
