"""Ask before an action that cannot be undone: one page for all of them, which posts the same form again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from pooling.models import Campaign

CONFIRMED, TYPED, ACCEPTED = "confirmed", "typed", "accept_verdict"


class Confirmation(NamedTuple):
    """What the page says. button: a verb with its object and its number.

    facts: (name, value) of what the action concerns: its size, hours, who will see it. warnings: what is odd,
    a sentence each. back: the URL of *Cancel*. typed: a text that the person must type, or "". accept: a
    sentence that the person must tick, or "".
    """

    title: str
    sentence: str
    button: str
    back: str
    facts: Sequence[tuple[str, str]] = ()
    warnings: Sequence[str] = ()
    typed: str = ""
    accept: str = ""


def is_confirmed(request: HttpRequest, typed: str = "", accept: str = "") -> bool:
    """Whether the form comes from the confirmation page, with what had to be typed and ticked."""
    if accept and ACCEPTED not in request.POST:
        return False
    return CONFIRMED in request.POST and request.POST.get(TYPED, "").strip() == typed


def confirmation_page(
    request: HttpRequest, campaign: Campaign, asked: Confirmation, here: str
) -> HttpResponse:
    """Return the page that asks. Its form has all values of this request, so no file may be among them.

    here: the step of the navigation. The form posts to the URL of this request.
    """
    own = (CONFIRMED, TYPED, ACCEPTED, "csrfmiddlewaretoken")
    values = [(name, value) for name, many in request.POST.lists() for value in many if name not in own]
    context = {
        "campaign": campaign,
        "asked": asked,
        "values": values,
        "here": here,
        "mistyped": CONFIRMED in request.POST,
    }
    return render(request, "confirmation.html", context)
