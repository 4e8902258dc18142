"""Battles. Organisers make sets of them; judges vote without seeing names of systems."""

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
from assess.battles.forms import BattleSetForm, BattleVoteForm
from assess.battles.queries.cards import LEFT, RIGHT, BattleCard, OpenSource, battle_cards, source_of
from assess.battles.queries.plan import preview_of
from assess.battles.queries.sets import BATTLES, set_progress, sets_of
from assess.battles.queries.votes import battles_for_judge, last_voted
from assess.battles.services import (
    create_battles,
    discard_battles,
    record_vote,
    take_back_vote,
)
from assess.models import Battle, BattleSet, BattleVote
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
from assess.views.side_by_side import VoteButton, judges_campaign
from pooling.models import Campaign, Topic

Vote = BattleVote.Choice


CHOICES = [
    VoteButton(Vote.LEFT, "A is better", "a", "←"),
    VoteButton(Vote.TIE, "Tie", "t", "↓"),
    VoteButton(Vote.BOTH_BAD, "Both bad", "x"),
    VoteButton(Vote.RIGHT, "B is better", "b", "→"),
]


class BattlePages(SetPages):
    """The pages of battles."""

    kind, form, folder = BATTLES, BattleSetForm, "assess/battles"
    lead = "A battle shows two answers to the same topic. Choose the better answer."
    column, noun = "Voted", "battle"
    note = "Names of systems are hidden. Sides are drawn for each battle."

    listed = staticmethod(sets_of)
    preview = staticmethod(preview_of)
    create = staticmethod(create_battles)
    discard = staticmethod(discard_battles)
    progress = staticmethod(set_progress)
    record = staticmethod(record_vote)
    take_back = staticmethod(take_back_vote)

    def items(self, judge: User, campaign: Campaign) -> QuerySet[Battle]:
        own = battles_for_judge(judge, campaign)
        return own.select_related("battle_set", "topic", "left__run", "right__run")

    def about(self, item: Battle) -> BattleSet:
        return item.battle_set

    def topic(self, item: Battle) -> Topic:
        return item.topic

    def cards(
        self, campaign: Campaign, items: Sequence[Battle], request: UserRequest | None
    ) -> list[BattleCard]:
        return battle_cards(campaign, items, open_source(request) if request else None)

    def label_form(self, item: Battle, fields: Mapping[str, Any] | None) -> BattleVoteForm:
        return BattleVoteForm(fields)

    def previous(self, judge: User, about: BattleSet, item: Battle) -> int | None:
        return last_voted(judge, about)

    def counts(self, mine: MySet) -> str:
        return "battles voted"

    def context(self, request: UserRequest, item: Battle, card: BattleCard) -> dict[str, Any]:
        standing = card.vote.reason if card.vote else ""
        return {"choices": CHOICES, "reason": request.POST.get("reason", standing)}


PAGES = BattlePages()

# --- pages of organisers


@get_or_post
def battle_setup(request: UserRequest, slug: str) -> HttpResponse:
    return setup_page(request, slug, PAGES)


@require_GET
def battle_set(request: UserRequest, slug: str, number: int) -> HttpResponse:
    return set_page(request, slug, number, PAGES)


@post_from("assess:battle_set", "number")
def battle_discard(request: UserRequest, slug: str, number: int) -> HttpResponse:
    return discard_page(request, slug, number, PAGES)


@get_or_post
def battle_handover(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponse:
    return handover_page(request, slug, number, pk, PAGES)


# --- pages of judges


@require_GET
def battle_list(request: UserRequest, slug: str) -> HttpResponse:
    return list_page(request, slug, PAGES)


@never_cache
@get_or_post
def battle(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    return item_page(request, slug, pk, PAGES)


@require_POST
def battle_outbox(request: UserRequest, slug: str) -> HttpResponse:
    return outbox_page(request, slug, PAGES)


def open_source(request: UserRequest) -> OpenSource | None:
    """Return the cited document that the address names."""
    side, *places = (request.GET.get(name, "") for name in ("side", "sentence", "citation"))
    if side not in (LEFT, RIGHT) or not all(place.isdecimal() and len(place) < 6 for place in places):
        return None
    return side, int(places[0]), int(places[1])


@require_GET
def battle_source(
    request: UserRequest, slug: str, pk: int, side: str, place: int, citation: int
) -> HttpResponse:
    """Show a cited document at the foot of its answer, at its densest passage for the sentence."""
    campaign = judges_campaign(request, slug)
    battle = item_or_404(campaign, request.user, pk, PAGES)
    if source_of(campaign, battle, side, place, citation) is None:
        raise Http404
    (card,) = battle_cards(campaign, [battle], (side, place, citation))
    context = {"campaign": campaign, "each": next(each for each in card.sides if each.side == side)}
    return render(request, "assess/battles/_battle_source.html", context)
