"""Preferences. Organisers make sets of them; judges vote on two documents at a time."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from accounts.requests import UserRequest, get_or_post, post_from, request_key
from assess.forms.judging import OutboxPayload
from assess.models import Preference, PreferencePair, PreferenceSet
from assess.preferences.forms import PreferenceForm, PreferenceSetForm, PreferenceTakeBackForm
from assess.preferences.queries.cards import pair_cards
from assess.preferences.queries.plan import preview_of
from assess.preferences.queries.sets import set_progress, sets_of
from assess.preferences.queries.votes import MyPreferences, last_voted, my_preferences, pairs_for_judge
from assess.preferences.services import (
    PreferencesRefused,
    VoteRefused,
    create_preferences,
    discard_preferences,
    record_preference,
    take_back_preference,
)
from assess.views.payloads import entry_of, error_text, next_cards, problems_of, read_payload, set_of
from assess.views.side_by_side import SideBySide, VoteButton, judges_campaign
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.refusals import Refused
from pooling.views.confirmation import confirmation_page, is_confirmed

CARDS_AHEAD = 3  # pairs on the page, with the one on screen
CHOICES = [
    VoteButton(Preference.Choice.LEFT, "A is better", "a", "←"),
    VoteButton(Preference.Choice.TIE, "Tie", "t", "↓"),
    VoteButton(Preference.Choice.RIGHT, "B is better", "b", "→"),
]


# --- pages of organisers


@get_or_post
def preference_setup(request: UserRequest, slug: str) -> HttpResponse:
    """List the sets of preferences. A POST shows the numbers of a new one, and once confirmed stores it."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = PreferenceSetForm(request.POST or None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        try:
            asked = form.asked()
            if not is_confirmed(request):
                return confirmation_page(
                    request,
                    campaign,
                    "assess/preferences/confirm/preference_setup.html",
                    asked=asked,
                    preview=preview_of(asked),
                )
            stored = create_preferences(campaign, request.user, asked, request_key(request))
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"{stored} are ready: judges see their first pairs.")
            return redirect("assess:preference_set", slug, stored.number)
    context = {"campaign": campaign, "form": form, "sets": sets_of(campaign)}
    return render(request, "assess/preferences/preference_setup.html", context)


def set_or_404(request: UserRequest, slug: str, number: int) -> PreferenceSet:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    found = get_object_or_404(campaign.preference_sets.select_related("made_by", "release"), number=number)
    found.campaign = campaign
    return found


@require_GET
def preference_set(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show a set of preferences, and how far its topics are."""
    found = set_or_404(request, slug, number)
    context = {"campaign": found.campaign, "progress": set_progress(found)}
    return render(request, "assess/preferences/preference_set.html", context)


@post_from("assess:preference_set", "number")
def preference_set_discard(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Ask, then delete a set without votes."""
    found = set_or_404(request, slug, number)
    if not is_confirmed(request):
        page = "assess/preferences/confirm/preference_set_discard.html"
        return confirmation_page(request, found.campaign, page, progress=set_progress(found))
    try:
        discard_preferences(found, request.user)
    except PreferencesRefused as error:
        messages.warning(request, str(error))
        return redirect("assess:preference_set", slug, number)
    messages.success(request, f"{found} are discarded.")
    return redirect("assess:preference_setup", slug)


# --- pages of judges


@require_GET
def preference_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the sets of a judge. An organiser who is no judge is redirected to the organiser's list."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    if Role.JUDGE not in campaign.my_roles:
        return redirect("assess:preference_setup", slug)
    context = {"campaign": campaign, "sets": my_preferences(request.user, campaign)}
    return render(request, "assess/preferences/preference_list.html", context)


def pairs_in(campaign: Campaign, judge: User, keys: list[int]) -> list[PreferencePair]:
    """Return these pairs of the judge, in this order."""
    own = pairs_for_judge(judge, campaign).filter(pk__in=keys)
    by_key = {
        pair.pk: pair for pair in own.select_related("task__preference_set", "task__topic", "left", "right")
    }
    for pair in by_key.values():
        pair.task.preference_set.campaign = campaign
    return [by_key[key] for key in keys if key in by_key]


def mine_of(campaign: Campaign, judge: User, preference_set: PreferenceSet) -> MyPreferences:
    return next(each for each in my_preferences(judge, campaign) if each.preference_set == preference_set)


@never_cache
@get_or_post
def preference(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Show two documents of a topic. A POST stores a vote and redirects to the next pair."""
    campaign = judges_campaign(request, slug)
    found = pairs_in(campaign, request.user, [pk])
    if not found:
        raise Http404
    (pair,) = found
    about = pair.task.preference_set
    form = PreferenceForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            record_preference(pair, request.user, form.vote())
        except VoteRefused as error:
            form.add_error(None, str(error))
        else:
            return redirect_to_next(request, campaign, about)
    (card,) = pair_cards(campaign, found)
    previous = last_voted(request.user, about)
    context = {
        "campaign": campaign,
        "mine": mine_of(campaign, request.user, about),
        "card": card,
        "screen": SideBySide(
            title=str(about),
            place="Preferences",
            noun="pair",
            key=about.pk,
            page=reverse("assess:preference_list", args=[slug]),
            outbox=reverse("assess:preference_votes", args=[slug]),
            previous=reverse("assess:preference", args=[slug, previous]) if previous else "",
            note="Both documents are relevant to some degree. Sides are drawn for each pair.",
        ),
        "choices": CHOICES,
        "reason": request.POST.get("reason", card.vote.reason if card.vote else ""),
        "form": form,
        "uuid": uuid.uuid4(),
    }
    return render(request, "assess/preferences/preference.html", context)


def redirect_to_next(request: UserRequest, campaign: Campaign, about: PreferenceSet) -> HttpResponse:
    mine = mine_of(campaign, request.user, about)
    if mine.waiting:
        return redirect("assess:preference", campaign.slug, mine.waiting[0])
    messages.success(request, finished(mine))
    return redirect("assess:preference_list", campaign.slug)


def finished(mine: MyPreferences) -> str:
    return f"You have voted on all pairs of {mine.preference_set} ({mine.total})."


@require_POST
def preference_votes(request: UserRequest, slug: str) -> HttpResponse:
    """Store the votes that a page sends. Return the next pairs of its set."""
    campaign = judges_campaign(request, slug)
    payload = read_payload(request)
    if isinstance(payload, HttpResponse):
        return payload
    problems = problems_of(payload, lambda fields: submit_vote(campaign, request.user, fields))
    context = {"campaign": campaign, "problems": problems}
    if payload.want:
        context |= next_pairs(request, campaign, payload)
    return render(request, "assess/preferences/parts/_preferences.html", context)


def submit_vote(campaign: Campaign, judge: User, fields: Mapping[str, Any]) -> str:
    """Store one vote, or take one back. Return a problem, which names the topic, or ""."""
    found = pairs_in(campaign, judge, [entry_of(fields)])
    if not found:
        return "You cannot vote on this pair any more. The vote was not stored."
    topic = f"Topic {found[0].task.topic.number}"
    form = PreferenceTakeBackForm(fields) if "revokes" in fields else PreferenceForm(fields)
    if not form.is_valid():
        return f"{topic}: {error_text(form)}"
    try:
        if isinstance(form, PreferenceTakeBackForm):
            data = form.cleaned_data
            take_back_preference(found[0], judge, data["uuid"], data["revokes"], data["seconds_ago"])
        else:
            record_preference(found[0], judge, form.vote())
    except VoteRefused as error:
        return f"{topic}: {error}"
    return ""


def next_pairs(request: UserRequest, campaign: Campaign, payload: OutboxPayload) -> dict[str, Any]:
    """Return the next pairs of the set of a page. payload.topic: the key of the set."""
    key = set_of(payload)
    sets = my_preferences(request.user, campaign)
    mine = next((each for each in sets if each.preference_set.pk == key), None)
    if mine is None:
        return {}
    if not mine.waiting and payload.labels:  # the page opens the list next
        messages.success(request, finished(mine))
    keys, closed = next_cards(payload, mine.waiting, pairs_for_judge(request.user, campaign), CARDS_AHEAD)
    cards = pair_cards(campaign, pairs_in(campaign, request.user, keys))
    return {"mine": mine, "cards": cards, "closed": closed}
