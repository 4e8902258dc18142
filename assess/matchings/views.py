"""Nuggets of answers. Organisers make matchings; judges label without seeing names of systems."""

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
from assess.forms.judging import OutboxPayload
from assess.kappa.bootstrap import MIN_TOPICS
from assess.matchings.forms import LabelTakeBackForm, MatchingForm, NuggetLabelForm
from assess.matchings.queries.cards import matching_cards
from assess.matchings.queries.plan import preview_of
from assess.matchings.queries.tasks import (
    MyMatching,
    last_labelled,
    matching_progress,
    matchings_of,
    my_matchings,
    tasks_for_judge,
)
from assess.matchings.services import (
    LabelRefused,
    MatchingRefused,
    create_matching,
    discard_matching,
    record_label,
    take_back_label,
)
from assess.matchings.words import words_of
from assess.models import Matching, MatchingTask
from assess.views.payloads import entry_of, error_text, next_cards, problems_of, read_payload, set_of
from assess.views.side_by_side import SideBySide, VoteButton, judges_campaign
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.refusals import Refused
from pooling.views.confirmation import confirmation_page, is_confirmed

CARDS_AHEAD = 3  # answers on the page, with the one on screen
RELATED = ("matching", "answer__run", "answer__topic")

# --- pages of organisers


@get_or_post
def matching_setup(request: UserRequest, slug: str) -> HttpResponse:
    """List the matchings. A POST shows the numbers of a new one, and once confirmed stores it."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = MatchingForm(request.POST or None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        try:
            asked = form.asked()
            if not is_confirmed(request):
                page = "assess/matchings/confirm/matching_setup.html"
                return confirmation_page(
                    request,
                    campaign,
                    page,
                    asked=asked,
                    preview=preview_of(asked),
                    least_topics=MIN_TOPICS,
                )
            stored = create_matching(campaign, request.user, asked, request_key(request))
        except Refused as error:
            form.add_error(None, str(error))
        else:
            count = stored.tasks.count()
            messages.success(request, f"{stored} is ready: judges see {count:,} answer{pluralize(count)}.")
            return redirect("assess:matching_set", slug, stored.number)
    context = {"campaign": campaign, "form": form, "matchings": matchings_of(campaign)}
    return render(request, "assess/matchings/matching_setup.html", context)


def matching_or_404(request: UserRequest, slug: str, number: int) -> Matching:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    found = get_object_or_404(campaign.matchings.select_related("made_by", "bank"), number=number)
    found.campaign = campaign
    return found


@require_GET
def matching_set(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show a matching, and how far its judges are."""
    found = matching_or_404(request, slug, number)
    context = {"campaign": found.campaign, "progress": matching_progress(found), "runs": found.runs.all()}
    return render(request, "assess/matchings/matching_set.html", context)


@post_from("assess:matching_set", "number")
def matching_discard(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Ask, then delete a matching without labels."""
    found = matching_or_404(request, slug, number)
    if not is_confirmed(request):
        page = "assess/matchings/confirm/matching_discard.html"
        return confirmation_page(request, found.campaign, page, progress=matching_progress(found))
    try:
        discard_matching(found, request.user)
    except MatchingRefused as error:
        messages.warning(request, str(error))
        return redirect("assess:matching_set", slug, number)
    messages.success(request, f"{found} is discarded.")
    return redirect("assess:matching_setup", slug)


# --- pages of judges


@require_GET
def matching_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the matchings of a judge. An organiser who is no judge is redirected to the organiser's list."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    if Role.JUDGE not in campaign.my_roles:
        return redirect("assess:matching_setup", slug)
    context = {"campaign": campaign, "matchings": my_matchings(request.user, campaign)}
    return render(request, "assess/matchings/matching_list.html", context)


def tasks_in(campaign: Campaign, judge: User, keys: list[int]) -> list[MatchingTask]:
    """Return these answers of the judge, in this order."""
    own = tasks_for_judge(judge, campaign).filter(pk__in=keys).select_related(*RELATED)
    by_key = {task.pk: task for task in own}
    for task in by_key.values():
        task.matching.campaign = campaign
    return [by_key[key] for key in keys if key in by_key]


def mine_of(campaign: Campaign, judge: User, about: Matching) -> MyMatching:
    return next(each for each in my_matchings(judge, campaign) if each.matching == about)


@never_cache
@get_or_post
def matching(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Show an answer and the nuggets of its topic. A POST stores a label and opens the next nugget."""
    campaign = judges_campaign(request, slug)
    tasks = tasks_in(campaign, request.user, [pk])
    if not tasks:
        raise Http404
    (task,) = tasks
    about, form = task.matching, NuggetLabelForm(request.POST or None, task=task)
    if request.method == "POST" and form.is_valid():
        try:
            record_label(task, request.user, form.submitted())
        except LabelRefused as error:
            form.add_error(None, str(error))
        else:
            return redirect_to_next(request, campaign, task)
    opened = request.POST.get("nugget") or request.GET.get("nugget", "")
    (card,) = matching_cards(campaign, tasks, int(opened) if opened.isdecimal() and len(opened) < 18 else 0)
    previous = last_labelled(request.user, about, but=task)
    context = {
        "campaign": campaign,
        "mine": mine_of(campaign, request.user, about),
        "card": card,
        "screen": SideBySide(
            title=str(about),
            place="Matchings",
            noun="label",
            key=about.pk,
            page=reverse("assess:matching_list", args=[slug]),
            outbox=reverse("assess:matching_outbox", args=[slug]),
            previous=reverse("assess:matching", args=[slug, previous]) if previous else "",
            note="Systems are hidden, and answers to a topic stand in a random order.",
        ),
        "choices": [VoteButton(word.value, word.label, word.key) for word in words_of(about.contradicts)],
        "form": form,
        "uuid": uuid.uuid4(),
    }
    return render(request, "assess/matchings/matching.html", context)


def redirect_to_next(request: UserRequest, campaign: Campaign, task: MatchingTask) -> HttpResponse:
    """Open the next nugget of the answer, or else the next answer, or else the list."""
    mine = mine_of(campaign, request.user, task.matching)
    if mine.waiting:
        key = task.pk if task.pk in mine.waiting else mine.waiting[0]
        return redirect("assess:matching", campaign.slug, key)
    messages.success(request, finished(mine))
    return redirect("assess:matching_list", campaign.slug)


def finished(mine: MyMatching) -> str:
    return f"You have labelled the nuggets of all answers of {mine.matching} ({mine.answers})."


@require_POST
def matching_outbox(request: UserRequest, slug: str) -> HttpResponse:
    """Store the labels that a page sends. Return the next answers of its matching."""
    campaign = judges_campaign(request, slug)
    payload = read_payload(request)
    if isinstance(payload, HttpResponse):
        return payload
    problems = problems_of(payload, lambda fields: submit_label(campaign, request.user, fields))
    context = {"campaign": campaign, "problems": problems}
    if payload.want:
        context |= next_answers(request, campaign, payload)
    return render(request, "assess/matchings/parts/_labels.html", context)


def submit_label(campaign: Campaign, judge: User, fields: Mapping[str, Any]) -> str:
    """Store the label of a nugget, or take it back. Return a problem, which names the topic, or "".

    The answer is `task`, unless it is the entry: then no nugget of it is left on the page.
    """
    found = tasks_in(campaign, judge, [entry_of(fields) or entry_of({"entry": fields.get("task")})])
    if not found:
        return "You cannot label this answer any more. The label was not stored."
    task, topic = found[0], f"Topic {found[0].answer.topic.number}"
    form: NuggetLabelForm | LabelTakeBackForm
    form = LabelTakeBackForm(fields) if "revokes" in fields else NuggetLabelForm(fields, task=task)
    if not form.is_valid():
        return f"{topic}: {error_text(form)}"
    try:
        if isinstance(form, LabelTakeBackForm):
            data = form.cleaned_data
            take_back_label(task, judge, data["uuid"], data["revokes"], data["seconds_ago"])
        else:
            record_label(task, judge, form.submitted())
    except LabelRefused as error:
        return f"{topic}: {error}"
    return ""


def next_answers(request: UserRequest, campaign: Campaign, payload: OutboxPayload) -> dict[str, Any]:
    """Return the next answers of the matching of a page. payload.topic: the key of the matching."""
    key = set_of(payload)
    mine = next((each for each in my_matchings(request.user, campaign) if each.matching.pk == key), None)
    if mine is None:
        return {}
    if not mine.waiting and payload.labels:  # the page opens the list next
        messages.success(request, finished(mine))
    keys, closed = next_cards(payload, mine.waiting, tasks_for_judge(request.user, campaign), CARDS_AHEAD)
    cards = matching_cards(campaign, tasks_in(campaign, request.user, keys))
    return {"mine": mine, "cards": cards, "closed": closed}
