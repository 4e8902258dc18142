"""Generated answers: the files of their runs, and the documents that they cite."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from django.conf import settings
from django.db.models import Q, QuerySet

from accounts.models import User
from assess.document.answers import AnswerView, bare_text
from assess.document.highlighting import topic_terms
from assess.document.passages import DocumentPassage, passage_of
from assess.models import Answer, AnswerRun
from assess.queries.documents import language_in, text_in
from pooling.formats.files import UNPACKED_LIMIT, unpack
from pooling.models import Campaign, Role, Run

KNOW_NAMES = frozenset({Role.ORGANISER, Role.ADJUDICATOR})  # they see the names of answer runs


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


class AnswerSide(NamedTuple):
    """An answer on a judge's screen. side: "left" or "right". name: as the judge reads it, or "".

    target: selector of the element for a cited document. source: the one that is open, if any. closed: the
    address of the screen without it.
    """

    side: str
    name: str
    view: AnswerView
    target: str
    source: CitedText | None
    closed: str

    @property
    def sentences(self) -> int:
        return sum(len(block.sentences) for block in self.view.blocks)


def who_know(campaign: Campaign, runs: Iterable[AnswerRun | Run]) -> QuerySet[User]:
    """Return the people who see the name of one of these runs: they may not judge its answers blind."""
    runs = list(runs)
    groups = {run.group for run in runs} - {""}
    members = campaign.memberships.filter(Q(role__in=KNOW_NAMES) | Q(group__in=groups))
    submitted = {run.submitted_by_id for run in runs}
    return User.objects.filter(Q(pk__in=members.values("user")) | Q(pk__in=submitted))


def runs_unknown_to(judge: User, campaign: Campaign) -> QuerySet[AnswerRun]:
    """Return the runs whose answers a judge may judge blind: not withdrawn, and with a name not seen."""
    if campaign.my_roles & KNOW_NAMES:
        return AnswerRun.objects.none()
    groups = campaign.memberships.filter(user=judge).exclude(group="").values("group")
    return campaign.answer_runs.active().exclude(Q(submitted_by=judge) | Q(group__in=groups))


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
