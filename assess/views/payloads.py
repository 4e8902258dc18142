"""The requests of outboxes in the browser: labels of judges, decisions of adjudicators, votes in panels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from django import forms
from django.db.models import QuerySet
from django.http import HttpResponse

from accounts.requests import UserRequest
from assess.forms.judging import OutboxPayload, parse_payload
from pooling.refusals import Refused

OTHER_USER_MESSAGE = (
    "Another user is signed in in this browser. Unsent labels go out when their judge signs in here again."
)


def read_payload(request: UserRequest) -> OutboxPayload | HttpResponse:
    """Return the payload of a request, or the response that refuses it."""
    if request.content_type != "application/json":  # the body of a form was already read for its CSRF token
        return HttpResponse("expected application/json", status=400, content_type="text/plain")
    try:
        payload = parse_payload(request.body)
    except Refused as error:
        return HttpResponse(f"{error}", status=400, content_type="text/plain")
    if payload.judge != request.user.pk:
        return HttpResponse(OTHER_USER_MESSAGE, status=409, content_type="text/plain")
    return payload


def problems_of(payload: OutboxPayload, submit: Callable[[Mapping[str, Any]], str]) -> list[tuple[str, str]]:
    """Submit every answer of a payload, and return (uuid, problem) of those that were not stored.

    submit: stores the answer that these fields are, and returns a problem or "".
    """
    results = [(fields.get("uuid", ""), submit(fields)) for fields in payload.labels]
    return [(uuid, problem) for uuid, problem in results if problem]


def entry_of(fields: Mapping[str, Any]) -> int:
    """Return the key of what an answer is about; 0 if it is none."""
    key = fields.get("entry")
    return key if isinstance(key, int) and 0 < key < 2**63 else 0


def set_of(payload: OutboxPayload) -> int:
    """Return the key of the set whose next cards are requested; 0 if it is none."""
    return int(payload.topic) if payload.topic.isdecimal() and len(payload.topic) < 18 else 0


class NextCards(NamedTuple):
    """keys: of the cards that a page gets. closed: keys of its cards that cannot be answered any more."""

    keys: list[int]
    closed: list[int]


def next_cards(payload: OutboxPayload, waiting: Sequence[int], own: QuerySet[Any], most: int) -> NextCards:
    """Return what a page gets. waiting: keys without an answer. own: what this person may answer.

    most: cards on the page, with the one on screen.
    """
    standing = set(own.filter(pk__in=payload.have).values_list("pk", flat=True))
    room = max(0, min(payload.want, most) - len(standing))
    keys = [key for key in waiting if key not in standing][:room]
    return NextCards(keys, [key for key in payload.have if key not in standing])


def error_text(form: forms.BaseForm) -> str:
    """Return all errors of a form in one line."""
    return " ".join(str(message) for errors in form.errors.values() for message in errors)
