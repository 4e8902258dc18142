"""Generated answers: the files of their runs, and the documents that they cite."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from django.conf import settings

from assess.document.answers import bare_text
from assess.document.highlighting import topic_terms
from assess.document.passages import DocumentPassage, passage_of
from assess.models import Answer, AnswerRun
from assess.queries.documents import language_in, text_in
from pooling.formats.files import UNPACKED_LIMIT, unpack
from pooling.models import Campaign


class CitedText(NamedTuple):
    """A cited document beside an answer. number: of the document in the answer. passage: None without a text.

    place, sentence: of the sentence that cites it. language: a BCP 47 tag, or "".
    """

    number: int
    docno: str
    place: int
    sentence: str
    title: str
    url: str
    language: str
    passage: DocumentPassage | None


def with_text(campaign: Campaign, docnos: Collection[str]) -> set[str]:
    """Return those of these docnos that have a text here."""
    known = campaign.documents.filter(docno__in=docnos).exclude(text="")
    return set(known.values_list("docno", flat=True))


def cited_text(answer: Answer, place: int, citation: int) -> CitedText | None:
    """Return the document that a sentence cites, at its densest passage; None without such a citation.

    place, citation: of the sentence and of the citation in it, from 1.
    """
    sentences, campaign = answer.stored_sentences, answer.run.campaign
    cited = sentences[place - 1].citations if 0 < place <= len(sentences) else []
    if not 0 < citation <= len(cited):
        return None
    docno, sentence = cited[citation - 1], bare_text(sentences[place - 1].text)
    docnos = list(dict.fromkeys(docno for each in sentences for docno in each.citations))
    document = campaign.documents.filter(docno=docno).first()
    text = text_in(campaign, document) if document else ""
    return CitedText(
        docnos.index(docno) + 1,
        docno,
        place,
        sentence,
        document.title if document else "",
        document.url if document else "",
        language_in(campaign, document),
        passage_of(text, topic_terms(sentence)) if text else None,
    )


def submitted_text(run: AnswerRun) -> bytes:
    """Return a file as it was submitted, unpacked. Raises OSError and BadFile."""
    with run.original.open("rb") as file:
        return unpack(file.read(), run.file_name, max(UNPACKED_LIMIT, settings.UPLOAD_LIMIT))
