"""Preferences. Organisers make sets of them; judges vote on two documents at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from accounts.requests import UserRequest, get_or_post, post_from
from assess.models import Preference, PreferencePair, PreferenceSet
from assess.preferences.forms import PreferenceForm, PreferenceSetForm
from assess.preferences.queries.cards import PairCard, pair_cards
from assess.preferences.queries.plan import preview_of
from assess.preferences.queries.sets import PREFERENCES, set_progress, sets_of, topic_progress
from assess.preferences.queries.votes import MyPreferences, last_voted, pairs_for_judge
from assess.preferences.services import (
    create_preferences,
    discard_preferences,
    record_preference,
    take_back_preference,
)
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
from assess.views.side_by_side import VoteButton
from pooling.models import Campaign, Topic

CHOICES = [
    VoteButton(Preference.Choice.LEFT, "A is better", "a", "←"),
    VoteButton(Preference.Choice.TIE, "Tie", "t", "↓"),
    VoteButton(Preference.Choice.RIGHT, "B is better", "b", "→"),
]


class PreferencePages(SetPages):
    """The pages of preferences. A judge votes on the pairs of a topic in stages."""

    kind, form, folder = PREFERENCES, PreferenceSetForm, "assess/preferences"
    lead = "A pair shows two relevant documents of a topic. Choose the better one."
    column, noun = "Voted", "pair"
    note = "Both documents are relevant to some degree. Sides are drawn for each pair."
    related = ("made_by", "release")

    listed = staticmethod(sets_of)
    preview = staticmethod(preview_of)
    create = staticmethod(create_preferences)
    discard = staticmethod(discard_preferences)
    progress = staticmethod(set_progress)
    record = staticmethod(record_preference)
    take_back = staticmethod(take_back_preference)

    def set_context(self, about: PreferenceSet) -> dict[str, Any]:
        return {"topics": topic_progress(about)}

    def items(self, judge: User, campaign: Campaign) -> QuerySet[PreferencePair]:
        own = pairs_for_judge(judge, campaign)
        return own.select_related("task__preference_set", "task__topic", "left", "right")

    def about(self, item: PreferencePair) -> PreferenceSet:
        return item.task.preference_set

    def topic(self, item: PreferencePair) -> Topic:
        return item.task.topic

    def cards(
        self, campaign: Campaign, items: Sequence[PreferencePair], request: UserRequest | None
    ) -> list[PairCard]:
        return pair_cards(campaign, items)

    def label_form(self, item: PreferencePair, fields: Mapping[str, Any] | None) -> PreferenceForm:
        return PreferenceForm(fields)

    def previous(self, judge: User, about: PreferenceSet, item: PreferencePair) -> int | None:
        return last_voted(judge, about)

    def counts(self, mine: MyPreferences) -> str:
        return f"pairs voted, {mine.finished} of {mine.topics} topics finished"

    def context(self, request: UserRequest, item: PreferencePair, card: PairCard) -> dict[str, Any]:
        standing = card.vote.reason if card.vote else ""
        return {"choices": CHOICES, "reason": request.POST.get("reason", standing)}


PAGES = PreferencePages()

# --- pages of organisers


@get_or_post
def preference_setup(request: UserRequest, slug: str) -> HttpResponse:
    return setup_page(request, slug, PAGES)


@require_GET
def preference_set(request: UserRequest, slug: str, number: int) -> HttpResponse:
    return set_page(request, slug, number, PAGES)


@post_from("assess:preference_set", "number")
def preference_discard(request: UserRequest, slug: str, number: int) -> HttpResponse:
    return discard_page(request, slug, number, PAGES)


@get_or_post
def preference_handover(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponse:
    return handover_page(request, slug, number, pk, PAGES)


# --- pages of judges


@require_GET
def preference_list(request: UserRequest, slug: str) -> HttpResponse:
    return list_page(request, slug, PAGES)


@never_cache
@get_or_post
def preference(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    return item_page(request, slug, pk, PAGES)


@require_POST
def preference_outbox(request: UserRequest, slug: str) -> HttpResponse:
    return outbox_page(request, slug, PAGES)
