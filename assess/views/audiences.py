"""The steps of a release: share it, publish it, restrict it again, withdraw it. Each one asks."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from accounts.requests import UserRequest, get_or_post
from assess.forms.releases import PublicDetailsForm, ReasonForm, ReleaseWithdrawalForm
from assess.models import QrelsRelease
from assess.queries.release_states import WIDER, State, audience_sentence, audience_warnings
from assess.services.audiences import (
    AUDIENCES,
    AudienceRefused,
    change_audience,
    change_public_details,
    withdraw_release,
)
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.views.confirmation import confirmation_page, is_confirmed
from pooling.views.edits import one_at_a_time

VERBS = {State.SHARED: "Share", State.PUBLIC: "Publish"}


@get_or_post
@one_at_a_time
def release_audience(request: UserRequest, slug: str, number: int, state: str) -> HttpResponse:
    """Show a release to more or to fewer people, after a page that says who will see what."""
    campaign, release = _release_or_404(request, slug, number)
    if state not in State.values or state == release.state:
        raise Http404("There is no such step.")
    form = _form_of(request, release, state)
    wider, page = state in WIDER[State(release.state)], "assess/confirm/release_audience.html"
    context = {
        "release": release,
        "form": form,
        "wider": wider,
        "verb": VERBS[State(state)] if wider else "Restrict",
        "audience": AUDIENCES[State(state)],
        "sentence": audience_sentence(release, state),
        "warnings": list(audience_warnings(release)) if wider else [],
    }
    if (form.is_valid() and not is_confirmed(request)) or (request.method == "GET" and not form.fields):
        return confirmation_page(request, campaign, page, **context)
    if form.is_valid():
        try:
            if state == State.PUBLIC:
                change_public_details(campaign, by=request.user, **form.cleaned_data)
            change_audience(release, state, request.user, form.cleaned_data.get("reason", ""))
        except AudienceRefused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"{release} is visible to {AUDIENCES[State(state)]} now.")
            return redirect("assess:release", slug, number)
    return render(request, page, context | {"campaign": campaign, "parent": "assess/release_step.html"})


@get_or_post
def release_withdraw(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Mark a release as withdrawn, with a reason. Its files stay."""
    campaign, release = _release_or_404(request, slug, number)
    form = ReleaseWithdrawalForm(request.POST or None)
    page, context = "assess/confirm/release_withdraw.html", {"release": release, "form": form}
    if form.is_valid() and not is_confirmed(request):
        return confirmation_page(request, campaign, page, **context)
    if form.is_valid():
        try:
            withdraw_release(release, form.cleaned_data["reason"], request.user)
        except AudienceRefused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"{release} is withdrawn.")
            return redirect("assess:release", slug, number)
    return render(request, page, context | {"campaign": campaign, "parent": "assess/release_step.html"})


def _release_or_404(request: UserRequest, slug: str, number: int) -> tuple[Campaign, QrelsRelease]:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    release: QrelsRelease = get_object_or_404(campaign.releases, number=number)
    release.campaign = campaign
    return campaign, release


def _form_of(request: UserRequest, release: QrelsRelease, state: str) -> forms.Form:
    """Return the form of a step: public details for the publication, a reason for a step back."""
    data = request.POST if request.method == "POST" else None
    if state not in WIDER[State(release.state)]:
        return ReasonForm(data)
    if state == State.PUBLIC:
        return PublicDetailsForm(data, release.campaign)
    return forms.Form(data)
