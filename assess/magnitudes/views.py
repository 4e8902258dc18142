"""Magnitudes. Organisers make sets; judges give documents numbers in proportion to their relevance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from accounts.requests import UserRequest, get_or_post, post_from
from assess.magnitudes.forms import MagnitudeForm, MagnitudeSetForm
from assess.magnitudes.numbers import LONGEST, PATTERN
from assess.magnitudes.queries.cards import MagnitudeCard, magnitude_cards
from assess.magnitudes.queries.plan import preview_of
from assess.magnitudes.queries.tasks import (
    MAGNITUDES,
    last_labelled,
    magnitude_progress,
    sets_of,
    tasks_for_judge,
)
from assess.magnitudes.services import (
    create_magnitudes,
    discard_magnitudes,
    record_magnitude,
    take_back_magnitude,
)
from assess.models import MagnitudeSet, MagnitudeTask
from assess.queries.judged_sets import MySet
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


class MagnitudePages(SetPages):
    """The pages of magnitudes."""

    kind, form, folder = MAGNITUDES, MagnitudeSetForm, "assess/magnitudes"
    lead = "Give each document a number that says how relevant it is, compared with the ones before it."
    column, noun = "With a number", "document"
    note = "Twice as relevant means twice the number. There is no highest one."

    listed = staticmethod(sets_of)
    preview = staticmethod(preview_of)
    create = staticmethod(create_magnitudes)
    discard = staticmethod(discard_magnitudes)
    progress = staticmethod(magnitude_progress)
    record = staticmethod(record_magnitude)
    take_back = staticmethod(take_back_magnitude)

    def items(self, judge: User, campaign: Campaign) -> QuerySet[MagnitudeTask]:
        return tasks_for_judge(judge, campaign).select_related("magnitude_set", "pooled__topic")

    def about(self, item: MagnitudeTask) -> MagnitudeSet:
        return item.magnitude_set

    def topic(self, item: MagnitudeTask) -> Topic:
        return item.pooled.topic

    def cards(
        self, campaign: Campaign, items: Sequence[MagnitudeTask], request: UserRequest | None
    ) -> list[MagnitudeCard]:
        return magnitude_cards(campaign, items)

    def label_form(self, item: MagnitudeTask, fields: Mapping[str, Any] | None) -> MagnitudeForm:
        return MagnitudeForm(fields)

    def previous(self, judge: User, about: MagnitudeSet, item: MagnitudeTask) -> int | None:
        return last_labelled(judge, about)

    def counts(self, mine: MySet) -> str:
        return "documents with a number"

    def context(self, request: UserRequest, item: MagnitudeTask, card: MagnitudeCard) -> dict[str, Any]:
        standing = card.given.reason if card.given else ""
        return {
            "pattern": PATTERN,
            "longest": LONGEST,
            "typed": request.POST.get("number", ""),
            "reason": request.POST.get("reason", standing),
        }


PAGES = MagnitudePages()

# --- pages of organisers


@get_or_post
def magnitude_setup(request: UserRequest, slug: str) -> HttpResponse:
    return setup_page(request, slug, PAGES)


@require_GET
def magnitude_set(request: UserRequest, slug: str, number: int) -> HttpResponse:
    return set_page(request, slug, number, PAGES)


@post_from("assess:magnitude_set", "number")
def magnitude_discard(request: UserRequest, slug: str, number: int) -> HttpResponse:
    return discard_page(request, slug, number, PAGES)


@get_or_post
def magnitude_handover(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponse:
    return handover_page(request, slug, number, pk, PAGES)


# --- pages of judges


@require_GET
def magnitude_list(request: UserRequest, slug: str) -> HttpResponse:
    return list_page(request, slug, PAGES)


@never_cache
@get_or_post
def magnitude(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    return item_page(request, slug, pk, PAGES)


@require_POST
def magnitude_outbox(request: UserRequest, slug: str) -> HttpResponse:
    return outbox_page(request, slug, PAGES)
