"""The state and the dates of a campaign."""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from accounts.requests import UserRequest, get_or_post, post_from
from assess.forms.schedule import ScheduleForm, local_values
from assess.models import QueueEntry
from pooling.campaign_states import CLOSED, MEANINGS, OPEN, STEPS, StateRefused, step_to
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.schedule import time_zones
from pooling.services.campaign_states import change_schedule, change_state
from pooling.views.confirmation import Confirmation, confirmation_page, is_confirmed
from pooling.views.edits import one_at_a_time


@get_or_post
@one_at_a_time
def schedule(request: UserRequest, slug: str) -> HttpResponse:
    """Show the state with its next steps, and the dates. A POST changes the dates."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = ScheduleForm(request.POST or None, initial=local_values(campaign))
    if request.method == "POST" and form.is_valid():
        change_schedule(campaign, request.user, **form.cleaned_data)
        messages.success(request, "Dates saved.")
        return redirect("assess:schedule", slug)
    context = {
        "campaign": campaign,
        "form": form,
        "meaning": MEANINGS[campaign.state],
        "steps": STEPS[campaign.state],
        "time_zones": time_zones(),
    }
    return render(request, "assess/schedule.html", context)


@post_from("assess:schedule")
def campaign_state(request: UserRequest, slug: str) -> HttpResponse:
    """Ask, then take the campaign to another state."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    state = request.POST.get("state", "")
    try:
        if not is_confirmed(request):
            return confirmation_page(request, campaign, _question(campaign, state), "Overview")
        change_state(campaign, state, request.user)
    except StateRefused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"The campaign is {campaign.get_state_display().lower()} now.")
    return redirect("assess:schedule", slug)


def _question(campaign: Campaign, state: str) -> Confirmation:
    """Return what the confirmation page says. Raises StateRefused if the state cannot follow."""
    step = step_to(campaign.state, state)
    back, warnings = reverse("assess:schedule", args=[campaign.slug]), list(_warnings(campaign, state))
    return Confirmation(f"{step.button}?", step.sentence, step.button, back, step.meaning, warnings)


def _warnings(campaign: Campaign, state: str) -> Iterator[str]:
    if state == CLOSED and campaign.is_open:
        waiting = QueueEntry.objects.filter(topic__campaign=campaign, state=QueueEntry.State.OPEN)
        if count := waiting.filter(kind=QueueEntry.Kind.JUDGING).count():
            yield f"Documents without a label in the queues of judges: {count:,}."
    if state != OPEN:
        return
    if not campaign.topics.exists():
        yield "The campaign has no topics yet: every run would be refused."
    closes = campaign.submission_closes_at
    if closes and closes < timezone.now():
        yield "The date at which submission closes has passed: change it to get runs of participants."
