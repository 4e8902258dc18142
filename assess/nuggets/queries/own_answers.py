"""The answers to a topic as a judge reads them to write nuggets: blind, in an order of this judge's own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import Count, QuerySet
from django.utils.crypto import salted_hmac

from accounts.models import User
from assess.document.answers import Heading, answer_view
from assess.document.evidence import EvidenceSegment, EvidenceSpan, evidence_segments
from assess.models import Answer, AnswerMark, BankNugget
from assess.nuggets.queries.own import own_nuggets
from assess.queries.answers import runs_unknown_to
from pooling.models import Campaign, Topic

CODE_LENGTH = 20  # characters of the name of an answer on a judge's pages


class BlindAnswer(NamedTuple):
    """An answer for a judge. place: in the order of this judge, from 1. code: its name on the pages."""

    place: int
    code: str
    answer: Answer


def readable_answers(judge: User, campaign: Campaign) -> QuerySet[Answer]:
    """Return the answers that the judge may read blind; those of withdrawn runs are none of them."""
    return Answer.objects.filter(run__in=runs_unknown_to(judge, campaign).values("pk"))


def blind_answers(judge: User, topic: Topic) -> list[BlindAnswer]:
    """Return the answers to a topic, shuffled for this judge.

    An answer's code is a keyed hash of judge and answer, and the order is that of the codes: so neither tells
    the run, two topics or two judges have nothing in common, and the order stays the same.
    """
    answers = readable_answers(judge, topic.campaign).filter(topic=topic).defer("references", "metadata")
    coded = sorted((code_of(judge, answer.pk), answer.pk, answer) for answer in answers)
    return [BlindAnswer(place, code, answer) for place, (code, _, answer) in enumerate(coded, start=1)]


def code_of(judge: User, key: int) -> str:
    """Return the name of an answer, by its key, on the pages of a judge."""
    salt = "assess.nuggets.own_answers"
    return salted_hmac(salt, f"{judge.pk} {key}", algorithm="sha256").hexdigest()[:CODE_LENGTH]


def answer_counts(judge: User, campaign: Campaign) -> dict[int, int]:
    """Return key of a topic -> number of answers that the judge may read."""
    answers = readable_answers(judge, campaign).order_by().values_list("topic")
    return dict(answers.annotate(answers=Count("pk")))


class OwnMark(NamedTuple):
    """A mark of the judge. place: of the answer, in the order of this judge."""

    mark: AnswerMark
    place: int
    code: str


class OwnNugget(NamedTuple):
    """A nugget of the judge with the own marks. number: among the own nuggets of the topic, from 1."""

    number: int
    nugget: BankNugget
    marks: list[OwnMark]


def own_marks(judge: User, campaign: Campaign) -> QuerySet[AnswerMark]:
    """Return the marks of the judge in the draft."""
    return AnswerMark.objects.filter(
        author=judge, nugget__bank__campaign=campaign, nugget__bank__frozen_at=None
    )


def nuggets_with_marks(judge: User, topic: Topic, answers: Iterable[BlindAnswer]) -> list[OwnNugget]:
    """Return the own nuggets of a topic, each with the own marks in these answers, and no other ones."""
    shown = {each.answer.pk: each for each in answers}
    marks: dict[int, list[OwnMark]] = {}
    for mark in own_marks(judge, topic.campaign).filter(answer__in=shown):
        each = shown[mark.answer_id]
        marks.setdefault(mark.nugget_id, []).append(OwnMark(mark, each.place, each.code))
    own = own_nuggets(judge, topic.campaign).filter(topic=topic)
    return [
        OwnNugget(number, nugget, sorted(marks.get(nugget.pk, []), key=lambda each: each.place))
        for number, nugget in enumerate(own, start=1)
    ]


class ShownSentence(NamedTuple):
    """A sentence with the own marks; letters of a segment are numbers of nuggets."""

    place: int
    segments: list[EvidenceSegment]


class ShownBlock(NamedTuple):
    """A heading, or a paragraph or an item of a list."""

    heading: Heading | None
    sentences: list[ShownSentence]


def shown_blocks(answer: Answer, nuggets: Iterable[OwnNugget]) -> list[ShownBlock]:
    """Return an answer laid out, without citations, with the words that the judge has marked."""
    spans: dict[int, list[EvidenceSpan]] = {}
    for own in nuggets:
        for each in own.marks:
            if (mark := each.mark).answer_id == answer.pk:
                span = EvidenceSpan(mark.start, mark.end, f"{own.number}")
                spans.setdefault(mark.sentence, []).append(span)
    stored = answer.stored_sentences
    view = answer_view(stored, (), lambda place, citation: ("", ""))
    blocks = []
    for block in view.blocks:
        sentences = []
        for sentence in block.sentences:
            text, marks = stored[sentence.place - 1].text, spans.get(sentence.place, [])
            start = start_of(text, sentence.text)
            segments = evidence_segments(text, marks, (), start, start + len(sentence.text))
            sentences.append(ShownSentence(sentence.place, list(segments)))
        blocks.append(ShownBlock(block.heading, sentences))
    return blocks


def start_of(text: str, shown: str) -> int:
    """Return where the words that are shown of a sentence begin: behind headings and the mark of a list.

    >>> start_of("## Use\\n- Boats float. ", "Boats float.")
    9
    """
    return len(text.rstrip()) - len(shown)
