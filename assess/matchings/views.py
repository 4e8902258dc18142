"""Nuggets of answers. Organisers make matchings; judges label without seeing names of systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from accounts.requests import UserRequest, get_or_post, post_from
from assess.matchings.forms import DecisionsForm, MatchingForm, NuggetLabelForm
from assess.matchings.queries.cards import MatchingCard, matching_cards
from assess.matchings.queries.differences import nugget_cases
from assess.matchings.queries.plan import preview_of
from assess.matchings.queries.tasks import (
    MATCHINGS,
    last_labelled,
    matching_progress,
    matchings_of,
    tasks_for_judge,
)
from assess.matchings.services import (
    create_matching,
    discard_matching,
    record_label,
    settle_cases,
    take_back_label,
)
from assess.matchings.words import words_of
from assess.models import Matching, MatchingTask
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
from assess.views.payloads import entry_of
from pooling.models import Campaign, Role, Topic
from pooling.queries.campaigns import campaign_or_404
from pooling.refusals import Refused
from pooling.words import counted

CASES = 50  # on a page, open ones first


class MatchingPages(SetPages):
    """The pages of matchings. A judge labels every nugget of an answer."""

    kind, form, folder = MATCHINGS, MatchingForm, "assess/matchings"
    lead = "Read an answer, and say which nuggets of its topic it holds."
    column, noun = "Labels", "label"
    note = "Systems are hidden, and answers to a topic stand in a random order."
    related = ("made_by", "bank")

    listed = staticmethod(matchings_of)
    preview = staticmethod(preview_of)
    create = staticmethod(create_matching)
    discard = staticmethod(discard_matching)
    progress = staticmethod(matching_progress)
    record = staticmethod(record_label)
    take_back = staticmethod(take_back_label)

    def items(self, judge: User, campaign: Campaign) -> QuerySet[MatchingTask]:
        return tasks_for_judge(judge, campaign).select_related("matching", "answer__run", "answer__topic")

    def about(self, item: MatchingTask) -> Matching:
        return item.matching

    def topic(self, item: MatchingTask) -> Topic:
        return item.answer.topic

    def cards(
        self, campaign: Campaign, items: Sequence[MatchingTask], request: UserRequest | None
    ) -> list[MatchingCard]:
        opened = (request.POST.get("nugget") or request.GET.get("nugget", "")) if request else ""
        return matching_cards(campaign, items, int(opened) if opened.isdecimal() and len(opened) < 18 else 0)

    def label_form(self, item: MatchingTask, fields: Mapping[str, Any] | None) -> NuggetLabelForm:
        return NuggetLabelForm(fields, task=item)

    def previous(self, judge: User, about: Matching, item: MatchingTask) -> int | None:
        return last_labelled(judge, about, but=item)

    def counts(self, mine: MySet) -> str:
        return "labels"

    def entry(self, fields: Mapping[str, Any]) -> int:
        """Return the key of the answer: `task`, unless no nugget of it is left on the page."""
        return entry_of(fields) or entry_of({"entry": fields.get("task")})

    def context(self, request: UserRequest, item: MatchingTask, card: MatchingCard) -> dict[str, Any]:
        return {"choices": words_of(item.matching.contradicts)}


PAGES = MatchingPages()

# --- pages of organisers


@get_or_post
def matching_setup(request: UserRequest, slug: str) -> HttpResponse:
    return setup_page(request, slug, PAGES)


@require_GET
def matching_set(request: UserRequest, slug: str, number: int) -> HttpResponse:
    return set_page(request, slug, number, PAGES)


@post_from("assess:matching_set", "number")
def matching_discard(request: UserRequest, slug: str, number: int) -> HttpResponse:
    return discard_page(request, slug, number, PAGES)


@get_or_post
def matching_handover(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponse:
    return handover_page(request, slug, number, pk, PAGES)


@get_or_post
def matching_differences(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show nuggets on which judges differ, to adjudicators too. A POST stores decisions."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    matching = get_object_or_404(campaign.matchings.select_related("bank"), number=number)
    matching.campaign = campaign
    cases = nugget_cases(matching)
    form = DecisionsForm(request.POST or None, cases=cases[:CASES], contradicts=matching.contradicts)
    if request.method == "POST" and form.is_valid():
        try:
            stored = settle_cases(matching, form.changes(), request.user)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"{counted(stored, 'decision')} stored. Both labels stay.")
            return redirect("assess:matching_differences", slug, number)
    context = {
        "campaign": campaign,
        "matching": matching,
        "form": form,
        "cases": len(cases),
        "settled": sum(case.decision is not None for case in cases),
    }
    return render(request, "assess/matchings/matching_differences.html", context)


# --- pages of judges


@require_GET
def matching_list(request: UserRequest, slug: str) -> HttpResponse:
    return list_page(request, slug, PAGES)


@never_cache
@get_or_post
def matching(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    return item_page(request, slug, pk, PAGES)


@require_POST
def matching_outbox(request: UserRequest, slug: str) -> HttpResponse:
    return outbox_page(request, slug, PAGES)
