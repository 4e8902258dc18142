"""Ask before an action that cannot be undone: a page of its own, which posts the same form again.

Each action has a template `confirm/<view>.html`, which fills the blocks of confirmation.html.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from pooling.models import Campaign

CONFIRMED, TYPED, ACCEPTED = "confirmed", "typed", "accept_verdict"


def is_confirmed(request: HttpRequest, typed: str = "", accept: bool = False) -> bool:
    """Whether the form comes from the confirmation page, with what had to be typed and ticked."""
    if accept and ACCEPTED not in request.POST:
        return False
    return CONFIRMED in request.POST and request.POST.get(TYPED, "").strip() == typed


def confirmation_page(
    request: HttpRequest, campaign: Campaign, template: str, **context: Any
) -> HttpResponse:
    """Return the page that asks. Its form has all values of this request, so no file may be among them.

    context: what the template of the action says. The form posts to the URL of this request. The template
    gets `query` for a link back to a page that fills its form from the query.
    """
    own = (CONFIRMED, TYPED, ACCEPTED, "csrfmiddlewaretoken")
    values = [(name, value) for name, many in request.POST.lists() for value in many if name not in own]
    context |= {
        "campaign": campaign,
        "values": values,
        "query": urlencode([(name, value) for name, value in values if name != "request_key"]),
        "mistyped": CONFIRMED in request.POST,
    }
    return render(request, template, context)
