"""Words that judges mark in answers: as the source of a new nugget, or because the answer holds one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from django.db import transaction

from accounts.models import User
from accounts.services import make_once
from assess.document.answers import bare_text
from assess.document.evidence import locate_words
from assess.models import Answer, AnswerMark, Bank, BankNugget
from assess.nuggets.queries.own import labelled_docnos
from assess.nuggets.queries.own_answers import readable_answers, start_of
from assess.nuggets.services.banks import BankRefused, locked_draft
from assess.nuggets.services.nuggets import NuggetDetails, add_nugget
from pooling.campaign_states import why_no_labels
from pooling.formats.text import quoted
from pooling.models import Topic
from pooling.services.audit_log import log_change

GONE = "This answer is not shown any more. Nothing was stored."


class MarkedWords(NamedTuple):
    """Words that a judge selected in an answer.

    place, start: of the sentence, from 1, and the number of characters shown before the words in it, as the
    page says; 0 where it does not. Of several occurrences they say which.
    """

    answer: Answer
    quotation: str
    place: int = 0
    start: int = 0


class Span(NamedTuple):
    """Where words stand in an answer: `text[start:end]` of the sentence at a place, from 1."""

    sentence: int
    start: int
    end: int
    text: str


def span_of(words: MarkedWords) -> Span:
    """Return where the words stand in the stored answer. Raises BankRefused if no sentence has them."""
    texts, start = [each.text for each in words.answer.stored_sentences], words.start
    if 0 < words.place <= len(texts):
        text = texts[words.place - 1]
        start += start_of(text, bare_text(text))
    span = locate_words(texts, words.quotation, words.place, start)
    if span is None:
        said = quoted(words.quotation.strip())
        raise BankRefused(f"Select words of one sentence: no sentence of this answer has {said}.")
    place, start, end = span
    return Span(place, start, end, texts[place - 1][start:end])


def write_from_answer(
    bank: Bank, topic: Topic, judge: User, details: NuggetDetails, words: MarkedWords, key: str = ""
) -> AnswerMark:
    """Add a nugget of a judge with the words of an answer that it comes from.

    key: see `make_once`. Raises BankRefused; then nothing is stored.
    """

    def make() -> AnswerMark:
        span = _checked_span(bank, topic, judge, words)
        return _save(add_nugget(bank, topic, judge, details), judge, words.answer, span)

    return make_once(judge, key, AnswerMark, make)


def mark_answer(
    bank: Bank, topic: Topic, judge: User, nugget: BankNugget, words: MarkedWords, key: str = ""
) -> AnswerMark:
    """Store that an answer holds an own nugget of the judge, with its words. The same mark is stored once.

    key: see `make_once`. Raises BankRefused.
    """

    def make() -> AnswerMark:
        span = _checked_span(bank, topic, judge, words)
        own = bank.nuggets.filter(topic=topic, author=judge, is_suggestion=False, pk=nugget.pk).first()
        if own is None:
            raise BankRefused("This nugget is not one of yours any more. Nothing was stored.")
        return _save(own, judge, words.answer, span)

    return make_once(judge, key, AnswerMark, make)


@transaction.atomic
def delete_mark(mark: AnswerMark, by: User) -> None:
    """Take back a mark in a draft; the nugget stays. Raises BankRefused."""
    draft = locked_draft(mark.nugget.bank)
    now = AnswerMark.objects.filter(pk=mark.pk).select_related("nugget__topic", "answer__run").first()
    if now is None:
        raise BankRefused("This mark was deleted meanwhile.")
    _log(now, draft, by, "deleted a mark in an answer")
    now.delete()


def _checked_span(bank: Bank, topic: Topic, judge: User, words: MarkedWords) -> Span:
    """Return where the words stand, and lock the campaign. Raises BankRefused if the judge may not mark."""
    campaign = topic.campaign
    if why := why_no_labels(campaign.state, "mark"):
        raise BankRefused(why)
    locked_draft(bank)
    if not labelled_docnos(judge, topic):
        raise BankRefused("You have not labelled a document of this topic. Nothing was stored.")
    if not readable_answers(judge, campaign).filter(topic=topic, pk=words.answer.pk).exists():
        raise BankRefused(GONE)
    return span_of(words)


def _save(nugget: BankNugget, judge: User, answer: Answer, span: Span) -> AnswerMark:
    mark, is_new = AnswerMark.objects.get_or_create(
        nugget=nugget,
        answer=answer,
        author=judge,
        sentence=span.sentence,
        start=span.start,
        end=span.end,
        defaults={"text": span.text},
    )
    if is_new:
        _log(mark, nugget.bank, judge, "marked a nugget in an answer")
    return mark


def _log(mark: AnswerMark, draft: Bank, by: User, verb: str) -> None:
    nugget, answer = mark.nugget, mark.answer
    about: Mapping[str, object] = {
        "number": draft.number,
        "topic": nugget.topic.number,
        "text": nugget.text,
        "run": answer.run.tag,
        "sentence": mark.sentence,
        "words": mark.text,
    }
    sentence = f"{draft}, topic {nugget.topic.number}: {quoted(nugget.text)}"
    log_change(draft.campaign, by, verb, sentence, **about)
