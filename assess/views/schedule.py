"""The state and the dates of a campaign."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from accounts.requests import UserRequest, get_or_post, post_from
from assess.forms.settings import ScheduleForm, local_values
from assess.models import QueueEntry
from pooling.campaign_states import CLOSED, MEANINGS, STEPS, StateRefused, StateTransition, step_to
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.schedule import time_zone_labels
from pooling.services.campaign_states import change_schedule, change_state
from pooling.views.confirmation import confirmation_page, is_confirmed
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
        "time_zones": time_zone_labels(),
    }
    return render(request, "assess/schedule.html", context)


@post_from("assess:schedule")
def campaign_state(request: UserRequest, slug: str) -> HttpResponse:
    """Ask, then take the campaign to another state."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    state = request.POST.get("state", "")
    try:
        if not is_confirmed(request):
            return state_confirmation(request, campaign, step_to(campaign.state, state))
        change_state(campaign, state, request.user)
    except StateRefused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"The campaign is {campaign.get_state_display().lower()} now.")
    return redirect("assess:overview", slug)


def state_confirmation(request: UserRequest, campaign: Campaign, step: StateTransition) -> HttpResponse:
    """Ask before the campaign goes to another state."""
    waiting = QueueEntry.objects.filter(
        topic__campaign=campaign, state=QueueEntry.State.OPEN, kind=QueueEntry.Kind.JUDGING
    )
    closes = campaign.submission_closes_at
    return confirmation_page(
        request,
        campaign,
        "assess/confirm/campaign_state.html",
        step=step,
        waiting=waiting.count() if step.state == CLOSED and campaign.is_open else 0,
        is_late=closes and closes < timezone.now(),
    )
