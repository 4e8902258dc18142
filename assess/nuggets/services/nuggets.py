"""The nuggets of a draft: add, change, delete and join them, and vote on their importance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.db import transaction
from django.db.models import Max

from accounts.models import User
from accounts.services import make_once
from assess.document.evidence import Quote, locate_evidence
from assess.document.layout import plain_text
from assess.models import Bank, BankNugget, ImportanceVote, NuggetPart
from assess.nuggets.banks import (
    MAX_WORDS,
    OR,
    Creator,
    Importance,
    Nugget,
    NuggetAnswer,
    Reference,
    grading_of,
)
from assess.nuggets.joining import joined
from assess.nuggets.queries.own import labelled_docnos
from assess.nuggets.records import columns_of, nugget_of
from assess.nuggets.services.banks import BankRefused, locked_draft
from assess.nuggets.services.kept_marks import join_marks
from assess.nuggets.services.loads import MAX_NUGGETS
from pooling.campaign_states import why_no_labels
from pooling.formats.text import quoted
from pooling.models import Campaign, Topic
from pooling.services.audit_log import log_change


class NuggetDetails(NamedTuple):
    """What a person says of a nugget.

    answers: to the question, () of a statement. docno, quotation: of a document that holds the nugget, and
    its words; "" where there is none.
    """

    text: str
    importance: Importance = None
    answers: Sequence[str] = ()
    aggregator: str = ""
    docno: str = ""
    quotation: str = ""


def add_nugget(bank: Bank, topic: Topic, by: User, details: NuggetDetails, key: str = "") -> BankNugget:
    """Add a nugget of a person to a draft. key: see `make_once`. Raises BankRefused."""
    return make_once(by, key, BankNugget, lambda: _add(bank, topic, by, details))


@transaction.atomic
def _add(bank: Bank, topic: Topic, by: User, details: NuggetDetails) -> BankNugget:
    draft = locked_draft(bank)
    last = draft.nuggets.filter(topic=topic).aggregate(last=Max("place"))["last"] or 0
    if last >= MAX_NUGGETS:
        raise BankRefused(f"A topic has at most {MAX_NUGGETS:,} nuggets.")
    nugget = _changed(draft, Nugget("", creators=(Creator(True, by.username),)), details)
    stored = BankNugget.objects.create(
        bank=draft, topic=topic, place=last + 1, author=by, **columns_of(nugget)
    )
    _log(stored, draft, by, "added a nugget")
    return stored


def write_nugget(bank: Bank, topic: Topic, judge: User, details: NuggetDetails, key: str = "") -> BankNugget:
    """Add a nugget of a judge, from a document that this judge has labelled. Raises BankRefused."""
    if why := why_no_labels(topic.campaign.state, "nugget"):
        raise BankRefused(why)
    if details.docno not in labelled_docnos(judge, topic):
        raise BankRefused("You have not labelled this document. The nugget was not stored.")
    return add_nugget(bank, topic, judge, details, key)


@transaction.atomic
def change_nugget(stored: BankNugget, by: User, details: NuggetDetails) -> BankNugget:
    """Change a nugget of a draft; who changes its words becomes one of its authors. Raises BankRefused."""
    draft, now = _locked_nugget(stored)
    old = nugget_of(now)
    nugget, author = _changed(draft, old, details), Creator(True, by.username)
    if nugget == old:
        return now
    if nugget._replace(importance=old.importance) != old and author not in old.creators:
        nugget = nugget._replace(creators=(*old.creators, author))
    BankNugget.objects.filter(pk=now.pk).update(**columns_of(nugget))
    now.text = nugget.text
    _log(now, draft, by, "changed a nugget", before=old.text, importance=nugget.importance)
    return now


@transaction.atomic
def delete_nugget(stored: BankNugget, by: User) -> None:
    """Delete a nugget of a draft. Raises BankRefused."""
    draft, now = _locked_nugget(stored)
    _log(now, draft, by, "deleted a nugget")
    now.delete()


class Joined(NamedTuple):
    """Two nuggets as one. again: people who had voted for both differently, and are asked again."""

    nugget: BankNugget
    again: list[str]


@transaction.atomic
def join_nuggets(kept: BankNugget, other: BankNugget, by: User) -> Joined:
    """Join two nuggets of a topic: the wording of `kept`; the references, authors, votes and marks of both.

    The importance that stands is that of `kept`, or else that of the other one. Of a person who voted for
    both, the vote stays if it is the same. Raises BankRefused.
    """
    if kept.pk == other.pk:
        raise BankRefused("Choose another nugget to join with this one.")
    draft, first = _locked_nugget(kept)
    _, second = _locked_nugget(other)
    if first.topic_id != second.topic_id:
        raise BankRefused("Only nuggets of one topic can be joined.")
    nugget, again = joined(nugget_of(first), nugget_of(second)), list[str]()
    BankNugget.objects.filter(pk=first.pk).update(**columns_of(nugget), is_suggestion=nugget.is_suggestion)
    own = {vote.voter_id: vote for vote in first.votes.all()}
    for vote in second.votes.select_related("voter"):
        known = own.get(vote.voter_id)
        if known is None:
            vote.nugget = first
            vote.save(update_fields=["nugget"])
        elif known.importance != vote.importance:
            again.append(vote.voter.username)
            known.delete()
    _join_parts(first, second)
    join_marks(first, second)
    _log(first, draft, by, "joined nuggets", joined=second.text, again=again)
    second.delete()
    return Joined(first, again)


def _join_parts(first: BankNugget, second: BankNugget) -> None:
    """Give the parts of the second nugget to the first; a nugget of people becomes a part of its own."""
    if NuggetPart.objects.filter(nugget__in=(first, second)).exists():
        for each in (first, second):
            if not each.parts.exists():
                each.parts.create(record=columns_of(nugget_of(each)))
        second.parts.update(nugget=first)


@transaction.atomic
def vote_on_importance(stored: BankNugget, by: User, importance: Importance) -> None:
    """Store the vote of a person on a nugget of a draft; None takes it back. Raises BankRefused."""
    draft, now = _locked_nugget(stored)
    _check_importance(draft, importance)
    if importance is None:
        now.votes.filter(voter=by).delete()
    else:
        ImportanceVote.objects.update_or_create(nugget=now, voter=by, defaults={"importance": importance})
    _log(now, draft, by, "voted on a nugget", vote=importance)


def _locked_nugget(stored: BankNugget) -> tuple[Bank, BankNugget]:
    draft = locked_draft(stored.bank)
    now = draft.nuggets.select_related("topic").filter(pk=stored.pk).first()
    if now is None:
        raise BankRefused("This nugget was deleted or joined with another one meanwhile.")
    return draft, now


def _log(stored: BankNugget, draft: Bank, by: User, verb: str, **details: object) -> None:
    sentence = f"{draft}, topic {stored.topic.number}: {quoted(stored.text)}"
    about = {"number": draft.number, "topic": stored.topic.number, "text": stored.text}
    log_change(draft.campaign, by, verb, sentence, **about, **details)


def _changed(draft: Bank, old: Nugget, details: NuggetDetails) -> Nugget:
    """Return a nugget with what a person says of it. Raises BankRefused."""
    text, words = details.text.strip(), len(details.text.split())
    if not words:
        raise BankRefused("A nugget has 1 to 12 words." if not details.answers else "Enter the question.")
    if not details.answers and words > MAX_WORDS and text != old.text:
        raise BankRefused(f"A nugget has 1 to {MAX_WORDS} words; this one has {words}.")
    _check_importance(draft, details.importance)
    known = {answer.text: answer for answer in old.answers}
    answers = tuple(known.get(each, NuggetAnswer(each)) for each in dict.fromkeys(details.answers))
    reference = _reference(draft.campaign, details.docno, details.quotation)
    references = old.references
    if reference and reference not in references:
        references = (*references, reference)
    return old._replace(
        text=text,
        importance=details.importance,
        answers=answers,
        aggregator=(details.aggregator or OR) if answers else "",
        references=references,
    )


def _check_importance(draft: Bank, importance: Importance) -> None:
    if importance is not None and grading_of(importance) != draft.grading:
        raise BankRefused(f"The importance is {draft.grading} in this bank, and not {importance}.")


def _reference(campaign: Campaign, docno: str, quotation: str) -> Reference | None:
    """Return where a document holds a nugget; None without a document. Raises BankRefused."""
    if not docno:
        if quotation.strip():
            raise BankRefused("Enter the document that has these words.")
        return None
    document = campaign.documents.filter(docno=docno).first()
    if document is None:
        raise BankRefused(f"This campaign has no document {quoted(docno)}.")
    if not quotation.strip():
        return Reference(docno)
    text = plain_text(document.text)
    evidence = locate_evidence(text, {"": Quote(quotation, 0, 0)})
    if not evidence:
        raise BankRefused(f"Document {docno} does not have these words: {quoted(quotation)}")
    start, end, _ = evidence[0]
    if text != document.text:  # a web page: a passage has no place in its mark-up
        return Reference(docno, text=text[start:end])
    return Reference(docno, start, end, text[start:end])
