"""Grades of whole answers. Organisers make gradings; judges grade without seeing names of systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from accounts.requests import UserRequest, get_or_post, post_from
from assess.gradings.forms import GradesForm, GradingForm
from assess.gradings.queries.cards import GradingCard, OpenSource, grading_cards
from assess.gradings.queries.plan import preview_of
from assess.gradings.queries.tasks import (
    GRADINGS,
    grading_progress,
    gradings_of,
    last_graded,
    tasks_for_judge,
)
from assess.gradings.services import (
    create_grading,
    discard_grading,
    record_grades,
    take_back_grades,
)
from assess.models import Grading, GradingTask
from assess.queries.judged_sets import MySet
from assess.views.judged_sets import (
    SetPages,
    discard_page,
    handover_page,
    item_or_404,
    item_page,
    list_page,
    outbox_page,
    set_page,
    setup_page,
)
from assess.views.side_by_side import judges_campaign
from pooling.models import Campaign, Topic


class GradingPages(SetPages):
    """The pages of gradings."""

    kind, form, folder = GRADINGS, GradingForm, "assess/gradings"
    lead = "Read an answer, and grade it by each criterion."
    column, noun = "Graded", "answer"
    note = "Systems are hidden, and answers to a topic stand in a random order."

    listed = staticmethod(gradings_of)
    preview = staticmethod(preview_of)
    create = staticmethod(create_grading)
    discard = staticmethod(discard_grading)
    progress = staticmethod(grading_progress)
    record = staticmethod(record_grades)
    take_back = staticmethod(take_back_grades)

    def items(self, judge: User, campaign: Campaign) -> QuerySet[GradingTask]:
        return tasks_for_judge(judge, campaign).select_related("grading", "answer__run", "answer__topic")

    def about(self, item: GradingTask) -> Grading:
        return item.grading

    def topic(self, item: GradingTask) -> Topic:
        return item.answer.topic

    def cards(
        self, campaign: Campaign, items: Sequence[GradingTask], request: UserRequest | None
    ) -> list[GradingCard]:
        return grading_cards(campaign, items, shown_source(request) if request else None)

    def label_form(self, item: GradingTask, fields: Mapping[str, Any] | None) -> GradesForm:
        return GradesForm(fields, criteria=list(item.grading.criteria.all()))

    def previous(self, judge: User, about: Grading, item: GradingTask) -> int | None:
        return last_graded(judge, about)

    def counts(self, mine: MySet) -> str:
        return "answers graded"

    def context(self, request: UserRequest, item: GradingTask, card: GradingCard) -> dict[str, Any]:
        return {
            "criteria": [
                (each, chosen_grade(request, card, each.place)) for each in item.grading.criteria.all()
            ],
            "reason": request.POST.get("reason", card.given.reason if card.given else ""),
        }


PAGES = GradingPages()

# --- pages of organisers


@get_or_post
def grading_setup(request: UserRequest, slug: str) -> HttpResponse:
    return setup_page(request, slug, PAGES)


@require_GET
def grading_set(request: UserRequest, slug: str, number: int) -> HttpResponse:
    return set_page(request, slug, number, PAGES)


@post_from("assess:grading_set", "number")
def grading_discard(request: UserRequest, slug: str, number: int) -> HttpResponse:
    return discard_page(request, slug, number, PAGES)


@get_or_post
def grading_handover(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponse:
    return handover_page(request, slug, number, pk, PAGES)


# --- pages of judges


@require_GET
def grading_list(request: UserRequest, slug: str) -> HttpResponse:
    return list_page(request, slug, PAGES)


@never_cache
@get_or_post
def grading(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    return item_page(request, slug, pk, PAGES)


@require_POST
def grading_outbox(request: UserRequest, slug: str) -> HttpResponse:
    return outbox_page(request, slug, PAGES)


def chosen_grade(request: UserRequest, card: GradingCard, place: int) -> str:
    """Return the grade of a criterion that is chosen on the page: as posted, or as it stands, or ""."""
    standing = str(card.given.grades[place - 1]) if card.given else ""
    return request.POST.get(f"criterion_{place}", standing)


def shown_source(request: UserRequest) -> OpenSource | None:
    """Return the cited document that the address names."""
    places = [request.GET.get(name, "") for name in ("sentence", "citation")]
    if not all(place.isdecimal() and len(place) < 6 for place in places):
        return None
    return int(places[0]), int(places[1])


@require_GET
def grading_source(request: UserRequest, slug: str, pk: int, place: int, citation: int) -> HttpResponse:
    """Show a cited document at the foot of the answer, at its densest passage for the sentence."""
    campaign = judges_campaign(request, slug)
    task = item_or_404(campaign, request.user, pk, PAGES)
    (card,) = grading_cards(campaign, [task], (place, citation))
    if card.answer.source is None:
        raise Http404
    context = {"campaign": campaign, "each": card.answer}
    return render(request, "assess/gradings/_grading_source.html", context)
