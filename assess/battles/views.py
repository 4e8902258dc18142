"""Battles. Organisers make sets of them; judges vote without seeing names of systems."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from accounts.requests import UserRequest, get_or_post, post_from, request_key
from assess.battles.forms import BattleSetForm, BattleVoteForm, HandoverForm, TakeBackForm
from assess.battles.queries.cards import LEFT, RIGHT, OpenSource, battle_cards, source_of
from assess.battles.queries.plan import preview_of
from assess.battles.queries.sets import handover, open_battles, set_progress, sets_of
from assess.battles.queries.votes import MyBattles, battles_for_judge, last_voted, my_battles
from assess.battles.services import (
    BattlesRefused,
    VoteRefused,
    create_battles,
    discard_battles,
    give_open_battles,
    record_vote,
    take_back_vote,
)
from assess.forms.judging import OutboxPayload
from assess.kappa.bootstrap import MIN_TOPICS
from assess.models import Battle, BattleSet, BattleVote
from assess.views.payloads import entry_of, error_text, next_cards, problems_of, read_payload, set_of
from assess.views.side_by_side import SideBySide, VoteButton, judges_campaign
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.refusals import Refused
from pooling.views.confirmation import confirmation_page, is_confirmed

CARDS_AHEAD = 3  # battles on the page, with the one on screen
Vote = BattleVote.Choice


CHOICES = [
    VoteButton(Vote.LEFT, "A is better", "a", "←"),
    VoteButton(Vote.TIE, "Tie", "t", "↓"),
    VoteButton(Vote.BOTH_BAD, "Both bad", "x"),
    VoteButton(Vote.RIGHT, "B is better", "b", "→"),
]


# --- pages of organisers


@get_or_post
def battle_setup(request: UserRequest, slug: str) -> HttpResponse:
    """List the sets of battles. A POST shows the numbers of a new one, and once confirmed stores it."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = BattleSetForm(request.POST or None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        try:
            if not is_confirmed(request):
                asked = form.asked()
                return confirmation_page(
                    request,
                    campaign,
                    "assess/battles/confirm/battle_setup.html",
                    asked=asked,
                    preview=preview_of(asked),
                    least_topics=MIN_TOPICS,
                )
            stored = create_battles(campaign, request.user, form.asked(), request_key(request))
        except Refused as error:
            form.add_error(None, str(error))
        else:
            count = stored.battles.count()
            messages.success(request, f"{stored} are ready: judges see {count:,} battle{pluralize(count)}.")
            return redirect("assess:battle_set", slug, stored.number)
    context = {"campaign": campaign, "form": form, "sets": sets_of(campaign)}
    return render(request, "assess/battles/battle_setup.html", context)


def set_or_404(request: UserRequest, slug: str, number: int) -> BattleSet:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    found = get_object_or_404(campaign.battle_sets.select_related("made_by"), number=number)
    found.campaign = campaign
    return found


@require_GET
def battle_set(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show a set of battles, and how far its judges are."""
    found = set_or_404(request, slug, number)
    context = {"campaign": found.campaign, "progress": set_progress(found), "runs": found.runs.all()}
    return render(request, "assess/battles/battle_set.html", context)


@post_from("assess:battle_set", "number")
def battle_set_discard(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Ask, then delete a set without votes."""
    found = set_or_404(request, slug, number)
    if not is_confirmed(request):
        page = "assess/battles/confirm/battle_set_discard.html"
        return confirmation_page(request, found.campaign, page, progress=set_progress(found))
    try:
        discard_battles(found, request.user)
    except BattlesRefused as error:
        messages.warning(request, str(error))
        return redirect("assess:battle_set", slug, number)
    messages.success(request, f"{found} are discarded.")
    return redirect("assess:battle_setup", slug)


@get_or_post
def battle_handover(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponse:
    """Show the open battles of a judge. A POST shows who would get them, and once confirmed gives them."""
    found = set_or_404(request, slug, number)
    judge = get_object_or_404(User.objects.filter(battles__battle_set=found).distinct(), pk=pk)
    form = HandoverForm(request.POST or None, battle_set=found, judge=judge)
    if request.method == "POST" and form.is_valid():
        others = list(form.cleaned_data["others"])
        if not is_confirmed(request):
            page = "assess/battles/confirm/battle_handover.html"
            planned = handover(found, judge, others)
            return confirmation_page(
                request, found.campaign, page, battle_set=found, judge=judge, planned=planned
            )
        try:
            planned = give_open_battles(found, judge, others, request.user)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            count = len(planned.given)
            messages.success(request, f"{count:,} open battle{pluralize(count)} of {judge} went to others.")
            return redirect("assess:battle_set", slug, number)
    context = {
        "campaign": found.campaign,
        "battle_set": found,
        "judge": judge,
        "open_count": open_battles(found, judge).count(),
        "form": form,
    }
    return render(request, "assess/battles/battle_handover.html", context)


# --- pages of judges


@require_GET
def battle_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the sets of a judge. An organiser who is no judge is redirected to the organiser's list."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    if Role.JUDGE not in campaign.my_roles:
        return redirect("assess:battle_setup", slug)
    context = {"campaign": campaign, "sets": my_battles(request.user, campaign)}
    return render(request, "assess/battles/battle_list.html", context)


def battle_in(campaign: Campaign, judge: User, pk: int) -> Battle | None:
    """Return a battle on which the judge may vote."""
    return next(iter(battles_in(campaign, judge, [pk])), None)


def battles_in(campaign: Campaign, judge: User, keys: list[int]) -> list[Battle]:
    """Return these battles of the judge, in their order."""
    own = battles_for_judge(judge, campaign).filter(pk__in=keys).order_by("place")
    found = list(own.select_related("battle_set", "topic", "left__run", "right__run"))
    for battle in found:
        battle.battle_set.campaign = campaign
    return found


def mine_of(campaign: Campaign, judge: User, battle_set: BattleSet) -> MyBattles:
    return next(each for each in my_battles(judge, campaign) if each.battle_set == battle_set)


@never_cache
@get_or_post
def battle(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Show two answers to a topic. A POST stores a vote and redirects to the next battle."""
    campaign = judges_campaign(request, slug)
    found = battle_in(campaign, request.user, pk)
    if found is None:
        raise Http404
    form = BattleVoteForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            record_vote(found, request.user, form.vote())
        except VoteRefused as error:
            form.add_error(None, str(error))
        else:
            return redirect_to_next(request, campaign, found.battle_set)
    (card,) = battle_cards(campaign, [found], open_source(request))
    previous = last_voted(request.user, found.battle_set)
    context = {
        "campaign": campaign,
        "mine": mine_of(campaign, request.user, found.battle_set),
        "card": card,
        "choices": CHOICES,
        "reason": request.POST.get("reason", card.vote.reason if card.vote else ""),
        "screen": SideBySide(
            title=str(found.battle_set),
            place="Battles",
            noun="battle",
            key=found.battle_set.pk,
            page=reverse("assess:battle_list", args=[slug]),
            outbox=reverse("assess:battle_votes", args=[slug]),
            previous=reverse("assess:battle", args=[slug, previous]) if previous else "",
            note="Names of systems are hidden. Sides are drawn for each battle.",
        ),
        "form": form,
        "uuid": uuid.uuid4(),
    }
    return render(request, "assess/battles/battle.html", context)


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
    found = battle_in(campaign, request.user, pk)
    shown = source_of(campaign, found, side, place, citation) if found else None
    if found is None or shown is None:
        raise Http404
    (card,) = battle_cards(campaign, [found], (side, place, citation))
    context = {"campaign": campaign, "each": next(each for each in card.sides if each.side == side)}
    return render(request, "assess/battles/_battle_source.html", context)


def redirect_to_next(request: UserRequest, campaign: Campaign, battle_set: BattleSet) -> HttpResponse:
    mine = mine_of(campaign, request.user, battle_set)
    if mine.waiting:
        return redirect("assess:battle", campaign.slug, mine.waiting[0])
    messages.success(request, finished(mine))
    return redirect("assess:battle_list", campaign.slug)


def finished(mine: MyBattles) -> str:
    return f"You have voted on all battles of {mine.battle_set} ({mine.total})."


@require_POST
def battle_votes(request: UserRequest, slug: str) -> HttpResponse:
    """Store the votes that a page sends. Return the next battles of its set."""
    campaign = judges_campaign(request, slug)
    payload = read_payload(request)
    if isinstance(payload, HttpResponse):
        return payload
    problems = problems_of(payload, lambda fields: submit_vote(campaign, request.user, fields))
    context = {"campaign": campaign, "problems": problems}
    if payload.want:
        context |= next_battles(request, campaign, payload)
    return render(request, "assess/battles/parts/_votes.html", context)


def submit_vote(campaign: Campaign, judge: User, fields: Mapping[str, Any]) -> str:
    """Store one vote, or take one back. Return a problem, which names the topic, or ""."""
    found = battle_in(campaign, judge, entry_of(fields))
    if not found:
        return "You cannot vote on this battle any more. The vote was not stored."
    topic = f"Topic {found.topic.number}"
    form = TakeBackForm(fields) if "revokes" in fields else BattleVoteForm(fields)
    if not form.is_valid():
        return f"{topic}: {error_text(form)}"
    try:
        if isinstance(form, TakeBackForm):
            data = form.cleaned_data
            take_back_vote(found, judge, data["uuid"], data["revokes"], data["seconds_ago"])
        else:
            record_vote(found, judge, form.vote())
    except VoteRefused as error:
        return f"{topic}: {error}"
    return ""


def next_battles(request: UserRequest, campaign: Campaign, payload: OutboxPayload) -> dict[str, Any]:
    """Return the next battles of the set of a page. payload.topic: the key of the set."""
    key = set_of(payload)
    mine = next((each for each in my_battles(request.user, campaign) if each.battle_set.pk == key), None)
    if mine is None:
        return {}
    if not mine.waiting and payload.labels:  # the page opens the list of battles next
        messages.success(request, finished(mine))
    keys, closed = next_cards(payload, mine.waiting, battles_for_judge(request.user, campaign), CARDS_AHEAD)
    cards = battle_cards(campaign, battles_in(campaign, request.user, keys))
    return {"mine": mine, "cards": cards, "closed": closed}
