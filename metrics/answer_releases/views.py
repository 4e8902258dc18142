"""Releases of labels of answers, for organisers."""

from __future__ import annotations

from django.contrib import messages
from django.http import FileResponse, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post, request_key
from metrics.answer_releases.forms import AnswerReleaseForm
from metrics.answer_releases.queries import answer_releases_of, content_of, folder_of
from metrics.answer_releases.services import release_answers
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404
from pooling.refusals import Refused
from pooling.views.confirmation import confirmation_page, is_confirmed


@get_or_post
def answer_release_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the releases. A POST asks, then releases a set of labels as it is now."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = AnswerReleaseForm(request.POST or None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        what = form.chosen()
        what.campaign = campaign
        try:
            if not is_confirmed(request):
                page = "metrics/answer_releases/confirm/answer_release_list.html"
                return confirmation_page(request, campaign, page, what=what, content=content_of(what))
            stored = release_answers(what, request.user, request_key(request))
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"{stored} is stored. It never changes.")
            return redirect("metrics:answer_release_list", slug)
    context = {"campaign": campaign, "form": form, "releases": answer_releases_of(campaign)}
    return render(request, "metrics/answer_releases/answer_release_list.html", context)


@require_GET
def answer_release_file(request: UserRequest, slug: str, pk: int) -> HttpResponseBase:
    """Send the archive of a release."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    stored = get_object_or_404(answer_releases_of(campaign), pk=pk)
    what = stored.what
    what.campaign = campaign
    return FileResponse(
        stored.file.open("rb"),
        as_attachment=True,
        filename=f"{folder_of(what, stored.number)}.zip",
        content_type="application/zip",
    )
