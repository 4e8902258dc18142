"""Support of citations. Organisers make sets; judges check citations without seeing names of systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from accounts.requests import UserRequest, get_or_post, post_from
from assess.models import SupportSet, SupportTask
from assess.queries.judged_sets import MySet
from assess.support.forms import SupportForm, SupportLabelForm
from assess.support.labels import SHOWN
from assess.support.queries.cards import SupportCard, support_cards
from assess.support.queries.plan import preview_of
from assess.support.queries.tasks import SUPPORT, last_labelled, sets_of, support_progress, tasks_for_judge
from assess.support.services import create_support, discard_support, record_support, take_back_support
from assess.views.judged_sets import (
    SetPages,
    discard_page,
    handover_page,
    item_page,
    list_page,
    outbox_page,
    set_page,
    setup_page,
)
from pooling.models import Campaign, Topic


class SupportPages(SetPages):
    """The pages of citation support."""

    kind, form, folder = SUPPORT, SupportForm, "assess/support"
    lead = "Read a sentence and the document that it cites. Say how far the document bears it out."
    column, noun = "Checked", "citation"
    note = "Judge only what the document says, not what you know. Systems are hidden."

    listed = staticmethod(sets_of)
    preview = staticmethod(preview_of)
    create = staticmethod(create_support)
    discard = staticmethod(discard_support)
    progress = staticmethod(support_progress)
    record = staticmethod(record_support)
    take_back = staticmethod(take_back_support)

    def items(self, judge: User, campaign: Campaign) -> QuerySet[SupportTask]:
        return tasks_for_judge(judge, campaign).select_related("support_set", "answer__run", "answer__topic")

    def about(self, item: SupportTask) -> SupportSet:
        return item.support_set

    def topic(self, item: SupportTask) -> Topic:
        return item.answer.topic

    def cards(
        self, campaign: Campaign, items: Sequence[SupportTask], request: UserRequest | None
    ) -> list[SupportCard]:
        return support_cards(campaign, items)

    def label_form(self, item: SupportTask, fields: Mapping[str, Any] | None) -> SupportLabelForm:
        return SupportLabelForm(fields)

    def previous(self, judge: User, about: SupportSet, item: SupportTask) -> int | None:
        return last_labelled(judge, about)

    def counts(self, mine: MySet) -> str:
        return "citations checked"

    def context(self, request: UserRequest, item: SupportTask, card: SupportCard) -> dict[str, Any]:
        standing = card.label.reason if card.label else ""
        return {"choices": SHOWN, "reason": request.POST.get("reason", standing)}


PAGES = SupportPages()

# --- pages of organisers


@get_or_post
def support_setup(request: UserRequest, slug: str) -> HttpResponse:
    return setup_page(request, slug, PAGES)


@require_GET
def support_set(request: UserRequest, slug: str, number: int) -> HttpResponse:
    return set_page(request, slug, number, PAGES)


@post_from("assess:support_set", "number")
def support_discard(request: UserRequest, slug: str, number: int) -> HttpResponse:
    return discard_page(request, slug, number, PAGES)


@get_or_post
def support_handover(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponse:
    return handover_page(request, slug, number, pk, PAGES)


# --- pages of judges


@require_GET
def support_list(request: UserRequest, slug: str) -> HttpResponse:
    return list_page(request, slug, PAGES)


@never_cache
@get_or_post
def support(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    return item_page(request, slug, pk, PAGES)


@require_POST
def support_outbox(request: UserRequest, slug: str) -> HttpResponse:
    return outbox_page(request, slug, PAGES)
