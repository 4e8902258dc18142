"""The steps of a release: share it, publish it, restrict it again, withdraw it. Each one asks."""

from __future__ import annotations

from collections.abc import Mapping

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from accounts.requests import UserRequest, get_or_post
from assess.forms.audiences import PublicDetailsForm, ReasonForm, ReleaseWithdrawalForm
from assess.models import QrelsRelease
from assess.queries.audiences import WIDER, State, audience_sentence, audience_warnings
from assess.services.audiences import (
    AUDIENCES,
    AudienceRefused,
    change_audience,
    change_public_details,
    withdraw_release,
)
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.views.confirmation import Confirmation, confirmation_page, is_confirmed
from pooling.views.edits import one_at_a_time

COPIES = "Copies that were downloaded stay with the people who have them."
NO_LICENCE = "No licence is given, so nobody may reuse the topics and the qrels."
DETAILS = {"licence": "Licence", "contact": "Contact", "home_page": "Home page"}
VERBS = {State.SHARED: "Share", State.PUBLIC: "Publish"}


@get_or_post
@one_at_a_time
def release_audience(request: UserRequest, slug: str, number: int, state: str) -> HttpResponse:
    """Show a release to more or to fewer people, after a page that says who will see what."""
    campaign, release = _release_or_404(request, slug, number)
    if state not in State.values or state == release.state:
        raise Http404("There is no such step.")
    form = _form_of(request, release, state)
    asked = audience_confirmation(release, state, request.POST)
    if (form.is_valid() and not is_confirmed(request)) or (request.method == "GET" and not form.fields):
        return confirmation_page(request, campaign, asked, "Qrels")
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
    return render(
        request,
        "assess/release_step.html",
        {"campaign": campaign, "release": release, "form": form, "asked": asked},
    )


@get_or_post
def release_withdraw(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Mark a release as withdrawn, with a reason. Its files stay."""
    campaign, release = _release_or_404(request, slug, number)
    form = ReleaseWithdrawalForm(request.POST or None)
    asked = withdrawal_confirmation(release, request.POST.get("reason", ""))
    if form.is_valid() and not is_confirmed(request):
        return confirmation_page(request, campaign, asked, "Qrels")
    if form.is_valid():
        try:
            withdraw_release(release, form.cleaned_data["reason"], request.user)
        except AudienceRefused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"{release} is withdrawn.")
            return redirect("assess:release", slug, number)
    return render(
        request,
        "assess/release_step.html",
        {"campaign": campaign, "release": release, "form": form, "asked": asked},
    )


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


def audience_confirmation(release: QrelsRelease, state: str, values: Mapping[str, str]) -> Confirmation:
    """Return what the page of a step says. values: of the form; empty before it is sent."""
    back = reverse("assess:release", args=[release.campaign.slug, release.number])
    facts = [
        ("Release", f"{release}, frozen {release.released_at.day} {release.released_at:%B %Y}"),
        ("Rule", release.rule),
        (
            "Judgments",
            f"{release.line_count:,}, of which {release.manifest.get('relevant', 0):,} are relevant",
        ),
    ]
    if state not in WIDER[State(release.state)]:
        return Confirmation(
            f"Restrict qrels v{release.number}",
            f"{audience_sentence(release, state)} {COPIES}",
            f"Restrict qrels v{release.number} to {AUDIENCES[State(state)]}",
            back,
            [*facts, ("Reason", values["reason"])] if "reason" in values else facts,
        )
    warnings = list(audience_warnings(release))
    if state == State.PUBLIC and "licence" in values:
        facts += [(title, values.get(name) or "not given") for name, title in DETAILS.items()]
        warnings += [] if values["licence"].strip() else [NO_LICENCE]
    return Confirmation(
        f"{VERBS[State(state)]} qrels v{release.number}",
        audience_sentence(release, state),
        f"{VERBS[State(state)]} qrels v{release.number}",
        back,
        facts,
        warnings,
    )


def withdrawal_confirmation(release: QrelsRelease, reason: str) -> Confirmation:
    return Confirmation(
        f"Withdraw qrels v{release.number}",
        "The files stay, for people who cited them. Every page of the release says that it is withdrawn, and"
        " why. No page shows it by default. A withdrawal cannot be undone.",
        f"Withdraw qrels v{release.number}",
        reverse("assess:release", args=[release.campaign.slug, release.number]),
        [("Reason", reason)] if reason else [],
    )
