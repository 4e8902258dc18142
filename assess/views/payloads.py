"""The requests of outboxes in the browser: labels of judges, decisions of adjudicators, votes in panels."""

from __future__ import annotations

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
