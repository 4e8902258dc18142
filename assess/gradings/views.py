"""Grades of whole answers. Organisers make gradings; judges grade without seeing names of systems."""

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
from assess.gradings.forms import GradesForm, GradesTakeBackForm, GradingForm
from assess.gradings.queries.cards import GradingCard, OpenSource, grading_cards
from assess.gradings.queries.plan import preview_of
from assess.gradings.queries.tasks import (
    MyGrading,
    grading_progress,
    gradings_of,
    last_graded,
    my_gradings,
    tasks_for_judge,
)
from assess.gradings.services import (
    GradesRefused,
    GradingRefused,
    create_grading,
    discard_grading,
    record_grades,
    take_back_grades,
)
from assess.kappa.bootstrap import MIN_TOPICS
from assess.models import Grading, GradingTask
from assess.views.payloads import entry_of, error_text, next_cards, problems_of, read_payload, set_of
from assess.views.side_by_side import SideBySide, judges_campaign
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.refusals import Refused
from pooling.views.confirmation import confirmation_page, is_confirmed

CARDS_AHEAD = 3  # answers on the page, with the one on screen
RELATED = ("grading", "answer__run", "answer__topic")

# --- pages of organisers


@get_or_post
def grading_setup(request: UserRequest, slug: str) -> HttpResponse:
    """List the gradings. A POST shows the numbers of a new one, and once confirmed stores it."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = GradingForm(request.POST or None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        try:
            asked = form.asked()
            if not is_confirmed(request):
                page = "assess/gradings/confirm/grading_setup.html"
                return confirmation_page(
                    request,
                    campaign,
                    page,
                    asked=asked,
                    preview=preview_of(asked),
                    least_topics=MIN_TOPICS,
                )
            stored = create_grading(campaign, request.user, asked, request_key(request))
        except Refused as error:
            form.add_error(None, str(error))
        else:
            count = stored.tasks.count()
            messages.success(request, f"{stored} is ready: judges see {count:,} answer{pluralize(count)}.")
            return redirect("assess:grading_set", slug, stored.number)
    context = {"campaign": campaign, "form": form, "gradings": gradings_of(campaign)}
    return render(request, "assess/gradings/grading_setup.html", context)


def grading_or_404(request: UserRequest, slug: str, number: int) -> Grading:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    found = get_object_or_404(campaign.gradings.select_related("made_by"), number=number)
    found.campaign = campaign
    return found


@require_GET
def grading_set(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show a grading, and how far its judges are."""
    found = grading_or_404(request, slug, number)
    context = {"campaign": found.campaign, "progress": grading_progress(found), "runs": found.runs.all()}
    return render(request, "assess/gradings/grading_set.html", context)


@post_from("assess:grading_set", "number")
def grading_discard(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Ask, then delete a grading without grades."""
    found = grading_or_404(request, slug, number)
    if not is_confirmed(request):
        page = "assess/gradings/confirm/grading_discard.html"
        return confirmation_page(request, found.campaign, page, progress=grading_progress(found))
    try:
        discard_grading(found, request.user)
    except GradingRefused as error:
        messages.warning(request, str(error))
        return redirect("assess:grading_set", slug, number)
    messages.success(request, f"{found} is discarded.")
    return redirect("assess:grading_setup", slug)


# --- pages of judges


@require_GET
def grading_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the gradings of a judge. An organiser who is no judge is redirected to the organiser's list."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    if Role.JUDGE not in campaign.my_roles:
        return redirect("assess:grading_setup", slug)
    context = {"campaign": campaign, "gradings": my_gradings(request.user, campaign)}
    return render(request, "assess/gradings/grading_list.html", context)


def tasks_in(campaign: Campaign, judge: User, keys: list[int]) -> list[GradingTask]:
    """Return these answers of the judge, in this order."""
    own = tasks_for_judge(judge, campaign).filter(pk__in=keys).select_related(*RELATED)
    by_key = {task.pk: task for task in own}
    for task in by_key.values():
        task.grading.campaign = campaign
    return [by_key[key] for key in keys if key in by_key]


def task_or_404(campaign: Campaign, judge: User, pk: int) -> GradingTask:
    if found := tasks_in(campaign, judge, [pk]):
        return found[0]
    raise Http404


def mine_of(campaign: Campaign, judge: User, about: Grading) -> MyGrading:
    return next(each for each in my_gradings(judge, campaign) if each.grading == about)


@never_cache
@get_or_post
def grading(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Show an answer and the criteria. A POST stores grades and redirects to the next answer."""
    campaign = judges_campaign(request, slug)
    task = task_or_404(campaign, request.user, pk)
    about, criteria = task.grading, list(task.grading.criteria.all())
    form = GradesForm(request.POST or None, criteria=criteria)
    if request.method == "POST" and form.is_valid():
        try:
            record_grades(task, request.user, form.submitted())
        except GradesRefused as error:
            form.add_error(None, str(error))
        else:
            return redirect_to_next(request, campaign, about)
    (card,) = grading_cards(campaign, [task], shown_source(request))
    previous = last_graded(request.user, about)
    context = {
        "campaign": campaign,
        "mine": mine_of(campaign, request.user, about),
        "card": card,
        "screen": SideBySide(
            title=str(about),
            place="Gradings",
            noun="answer",
            key=about.pk,
            page=reverse("assess:grading_list", args=[slug]),
            outbox=reverse("assess:grading_outbox", args=[slug]),
            previous=reverse("assess:grading", args=[slug, previous]) if previous else "",
            note="Systems are hidden, and answers to a topic stand in a random order.",
        ),
        "criteria": [(each, chosen_grade(request, card, each.place)) for each in criteria],
        "reason": request.POST.get("reason", card.given.reason if card.given else ""),
        "form": form,
        "uuid": uuid.uuid4(),
    }
    return render(request, "assess/gradings/grading.html", context)


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
    task = task_or_404(campaign, request.user, pk)
    (card,) = grading_cards(campaign, [task], (place, citation))
    if card.answer.source is None:
        raise Http404
    context = {"campaign": campaign, "each": card.answer}
    return render(request, "assess/gradings/_grading_source.html", context)


def redirect_to_next(request: UserRequest, campaign: Campaign, about: Grading) -> HttpResponse:
    mine = mine_of(campaign, request.user, about)
    if mine.waiting:
        return redirect("assess:grading", campaign.slug, mine.waiting[0])
    messages.success(request, finished(mine))
    return redirect("assess:grading_list", campaign.slug)


def finished(mine: MyGrading) -> str:
    return f"You have graded all answers of {mine.grading} ({mine.total})."


@require_POST
def grading_outbox(request: UserRequest, slug: str) -> HttpResponse:
    """Store the grades that a page sends. Return the next answers of its grading."""
    campaign = judges_campaign(request, slug)
    payload = read_payload(request)
    if isinstance(payload, HttpResponse):
        return payload
    problems = problems_of(payload, lambda fields: submit_grades(campaign, request.user, fields))
    context = {"campaign": campaign, "problems": problems}
    if payload.want:
        context |= next_answers(request, campaign, payload)
    return render(request, "assess/gradings/parts/_grades.html", context)


def submit_grades(campaign: Campaign, judge: User, fields: Mapping[str, Any]) -> str:
    """Store grades of one answer, or take them back. Return a problem, which names the topic, or ""."""
    found = tasks_in(campaign, judge, [entry_of(fields)])
    if not found:
        return "You cannot grade this answer any more. The grades were not stored."
    task, topic = found[0], f"Topic {found[0].answer.topic.number}"
    form: GradesForm | GradesTakeBackForm
    if "revokes" in fields:
        form = GradesTakeBackForm(fields)
    else:
        form = GradesForm(fields, criteria=list(task.grading.criteria.all()))
    if not form.is_valid():
        return f"{topic}: {error_text(form)}"
    try:
        if isinstance(form, GradesTakeBackForm):
            data = form.cleaned_data
            take_back_grades(task, judge, data["uuid"], data["revokes"], data["seconds_ago"])
        else:
            record_grades(task, judge, form.submitted())
    except GradesRefused as error:
        return f"{topic}: {error}"
    return ""


def next_answers(request: UserRequest, campaign: Campaign, payload: OutboxPayload) -> dict[str, Any]:
    """Return the next answers of the grading of a page. payload.topic: the key of the grading."""
    key = set_of(payload)
    mine = next((each for each in my_gradings(request.user, campaign) if each.grading.pk == key), None)
    if mine is None:
        return {}
    if not mine.waiting and payload.labels:  # the page opens the list next
        messages.success(request, finished(mine))
    keys, closed = next_cards(payload, mine.waiting, tasks_for_judge(request.user, campaign), CARDS_AHEAD)
    cards = grading_cards(campaign, tasks_in(campaign, request.user, keys))
    return {"mine": mine, "cards": cards, "closed": closed}
