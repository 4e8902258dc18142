"""The nuggets of a bank in the API, for organisers and adjudicators: write, weigh and join them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

from django.db import transaction
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Query, Router, Schema, Status
from pydantic import Field, StrictFloat, StrictInt

from accounts.requests import UserRequest, request_key
from assess.models import BankNugget
from assess.nuggets.banks import MAX_IMPORTANCE, Importance
from assess.nuggets.forms import MAX_ANSWERS, MAX_TEXT, JoinNuggetsForm, importance_in
from assess.nuggets.queries.banks import nugget_version, nuggets_with_votes, weighed
from assess.nuggets.services.nuggets import (
    NuggetDetails,
    add_nugget,
    change_nugget,
    delete_nugget,
    join_nuggets,
    vote_on_importance,
)
from assess.nuggets.views.banks import bank_or_404, nugget_or_404
from assess.nuggets.weighing import importance_from
from pooling.api.access import (
    PROBLEMS,
    WRITE_PROBLEMS,
    Body,
    LineText,
    PathKey,
    PathName,
    PathNumber,
    Text,
    api_user,
    checked,
)
from pooling.api.pages import Page, PageQuery, page_of
from pooling.limits import MAX_NAME_BYTES, MAX_TOPIC_BYTES
from pooling.models import Campaign
from pooling.refusals import Conflict

router = Router(tags=["nuggets"])

Word = Literal["vital", "okay", "must", "should", "avoid"]
Whole = Annotated[StrictInt, Field(ge=0, le=MAX_IMPORTANCE)]
Fraction = Annotated[StrictFloat, Field(ge=0, le=MAX_IMPORTANCE)]
ANSWERS: list[str] = Field(
    [], max_length=MAX_ANSWERS, description="Of a question; none makes it a statement."
)
WEIGHT = Field(None, description="In the kind that the bank has; null: the votes say it.")
DOCNO = Field("", max_length=MAX_NAME_BYTES, description="A document to add, which holds the nugget.")
QUOTATION = Field("", max_length=2000, description="Its words, as they stand in the document.")


class VoteOut(Schema):
    voter: str
    importance: str | int | float


class PassageOut(Schema):
    docno: str
    start: int | None = Field(description="In characters of the document's text from 0; null: not known.")
    end: int | None = Field(description="The first character after the passage.")
    text: str


class NuggetOut(Schema):
    """A nugget. Programs made suggestions or had a part in them."""

    id: int
    topic: str
    text: str = Field(description="A statement, or a question if there are answers.")
    importance: str | int | float | None = Field(
        description="As a person or a file says; null: the votes say it."
    )
    votes: list[VoteOut]
    voted: str | int | float | None = Field(description="What the votes say together.")
    answers: list[str]
    aggregator: str = Field(description="OR: any of the answers will do; AND: all; empty: not known.")
    documents: list[PassageOut]
    authors: list[str]
    suggestion: bool
    version: str = Field(description="It changes with every change but votes.")


class NuggetIn(Body):
    """A nugget: a statement of 1 to 12 words, or a question with its answers."""

    topic: Text = Field(min_length=1, max_length=MAX_TOPIC_BYTES)
    text: LineText = Field(min_length=1, max_length=MAX_TEXT)
    importance: Word | Whole | Fraction | None = WEIGHT
    answers: list[Annotated[LineText, Field(min_length=1, max_length=MAX_TEXT)]] = ANSWERS
    aggregator: Literal["OR", "AND"] = Field("OR", description="Whether any answer will do, or all count.")
    docno: Text = DOCNO
    quotation: Text = QUOTATION


class NuggetChangeIn(Body):
    """What of a nugget changes; the rest stays. A document is added to those that hold it."""

    version: Text = Field(
        "",
        max_length=64,
        description="The `version` that you have read. If it is sent and another person changed the nugget"
        " since, nothing is stored and the status is 409.",
    )
    text: LineText = Field("", min_length=1, max_length=MAX_TEXT)
    importance: Word | Whole | Fraction | None = WEIGHT
    answers: list[Annotated[LineText, Field(min_length=1, max_length=MAX_TEXT)]] = ANSWERS
    aggregator: Literal["OR", "AND"] = "OR"
    docno: Text = DOCNO
    quotation: Text = QUOTATION


class NuggetVoteIn(Body):
    importance: Word | Whole | None = Field(description="null takes your vote back.")


class NuggetJoinIn(Body):
    other: int = Field(ge=1, le=2**53, description="The id of a nugget of the same topic. It goes.")


class JoinedNuggetOut(Schema):
    nugget: NuggetOut
    again: list[str] = Field(description="Who had voted for both differently, and has no vote now.")


class NuggetQuery(PageQuery):
    topic: Text = Field("", max_length=MAX_TOPIC_BYTES, description="Only nuggets of this topic.")


def plain_nugget(stored: BankNugget) -> dict[str, Any]:
    """Return what `NuggetOut` says of a nugget."""
    each = weighed(stored)
    return {
        "id": stored.pk,
        "topic": stored.topic.number,
        "text": stored.text,
        "importance": stored.importance,
        "votes": [{"voter": vote.voter.username, "importance": vote.importance} for vote in each.votes],
        "voted": importance_from([vote.importance for vote in each.votes]),
        "answers": [answer.text for answer in each.nugget.answers],
        "aggregator": stored.aggregator,
        "documents": [reference._asdict() for reference in each.nugget.references],
        "authors": [creator.name for creator in each.nugget.creators if creator.name],
        "suggestion": stored.is_suggestion,
        "version": nugget_version(stored),
    }


def said(given: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a body as `NuggetDetails` has them."""
    if "importance" in given:
        given["importance"] = chosen(given["importance"])
    if "answers" in given:
        given["answers"] = [each.strip() for each in given["answers"] if each.strip()]
    return given


def chosen(importance: Importance) -> Importance:
    """Return an importance as forms and files have it: 7 for 7.0."""
    return importance_in("" if importance is None else f"{importance}")


def answered(request: HttpRequest, slug: str, number: int, pk: int) -> dict[str, Any]:
    """Return a nugget as it is stored now."""
    bank = bank_or_404(cast(UserRequest, request), slug, number)
    return plain_nugget(nuggets_with_votes(bank).get(pk=pk))


@router.get(
    "{slug}/nugget-banks/{number}/nuggets/",
    response={200: Page[NuggetOut], **PROBLEMS},
    summary="List the nuggets of a bank",
)
def nugget_list(
    request: HttpRequest, slug: PathName, number: PathNumber, cut: Annotated[NuggetQuery, Query()]
) -> dict[str, Any]:
    """The nuggets of a version in the order in which they came, with the votes on their importance."""
    rows = nuggets_with_votes(bank_or_404(cast(UserRequest, request), slug, number))
    page = page_of(request, rows.filter(topic__number=cut.topic) if cut.topic else rows, "id", cut)
    return page | {"items": [plain_nugget(stored) for stored in page["items"]]}


@router.post(
    "{slug}/nugget-banks/{number}/nuggets/",
    response={201: NuggetOut, **WRITE_PROBLEMS},
    summary="Add a nugget to the draft",
)
def nugget_add(
    request: HttpRequest, slug: PathName, number: PathNumber, about: NuggetIn
) -> Status[dict[str, Any]]:
    """Add a nugget, whose author you are.

    A request that is sent again with the same header `Idempotency-Key` adds no second one.
    """
    bank = bank_or_404(cast(UserRequest, request), slug, number)
    topic = get_object_or_404(bank.campaign.topics, number=about.topic)
    details = NuggetDetails(**said(about.dict(exclude={"topic"})))
    stored = add_nugget(bank, topic, api_user(request), details, request_key(request))
    return Status(201, answered(request, slug, number, stored.pk))


@router.patch(
    "{slug}/nugget-banks/{number}/nuggets/{pk}/",
    response={200: NuggetOut, **WRITE_PROBLEMS},
    summary="Change a nugget of the draft",
)
def nugget_change(
    request: HttpRequest, slug: PathName, number: PathNumber, pk: PathKey, about: NuggetChangeIn
) -> dict[str, Any]:
    """Change some of a nugget. Who changes its words becomes one of its authors."""
    with transaction.atomic():
        Campaign.objects.select_for_update().filter(slug=slug).first()
        stored = nugget_or_404(cast(UserRequest, request), slug, number, pk)
        if about.version not in ("", nugget_version(stored)):
            raise Conflict("The nugget was changed since you read it. Read it again.")
        known = NuggetDetails(
            stored.text, stored.importance, [each["text"] for each in stored.answers], stored.aggregator
        )
        given = said(about.dict(exclude_unset=True, exclude={"version"}))
        change_nugget(stored, api_user(request), known._replace(**given))
    return answered(request, slug, number, pk)


@router.delete(
    "{slug}/nugget-banks/{number}/nuggets/{pk}/",
    response={204: None, **WRITE_PROBLEMS},
    summary="Delete a nugget of the draft",
)
def nugget_remove(request: HttpRequest, slug: PathName, number: PathNumber, pk: PathKey) -> Status[None]:
    """Delete a nugget with the votes on it. Frozen versions keep theirs."""
    delete_nugget(nugget_or_404(cast(UserRequest, request), slug, number, pk), api_user(request))
    return Status(204, None)


@router.post(
    "{slug}/nugget-banks/{number}/nuggets/{pk}/vote/",
    response={200: NuggetOut, **WRITE_PROBLEMS},
    summary="Vote on the importance of a nugget",
)
def nugget_weigh(
    request: HttpRequest, slug: PathName, number: PathNumber, pk: PathKey, about: NuggetVoteIn
) -> dict[str, Any]:
    """Store your vote in place of an earlier one. Votes decide where nobody has set the importance."""
    stored = nugget_or_404(cast(UserRequest, request), slug, number, pk)
    vote_on_importance(stored, api_user(request), about.importance)
    return answered(request, slug, number, pk)


@router.post(
    "{slug}/nugget-banks/{number}/nuggets/{pk}/joining/",
    response={200: JoinedNuggetOut, **WRITE_PROBLEMS},
    summary="Join two nuggets of the draft",
)
def nugget_merge(
    request: HttpRequest, slug: PathName, number: PathNumber, pk: PathKey, about: NuggetJoinIn
) -> dict[str, Any]:
    """Join a nugget with another one that says the same: its wording stays, with what both have."""
    stored = nugget_or_404(cast(UserRequest, request), slug, number, pk)
    data = {"kept": pk, "other": about.other}
    form = checked(JoinNuggetsForm(data, bank=stored.bank_id, topic=stored.topic_id))
    joined = join_nuggets(form.cleaned_data["kept"], form.cleaned_data["other"], api_user(request))
    return {"nugget": answered(request, slug, number, pk), "again": joined.again}
