"""The page behind the link for the first account of a new installation."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from accounts.requests import get_or_post
from accounts.views import sign_in_user
from pooling.forms.people import JoinForm
from pooling.services.first_organiser import LinkRefused, check_token, create_first_organiser


@login_not_required
@get_or_post
def first_organiser(request: HttpRequest, token: str) -> HttpResponse:
    """Create the first account, sign it in, and go to the list of campaigns."""
    form = JoinForm(request.POST or None)
    try:
        check_token(token)
        if request.method == "POST" and form.is_valid():
            sign_in_user(request, create_first_organiser(token, **form.cleaned_data))
            return redirect("pooling:campaign_list")
    except LinkRefused as error:
        return render(request, "pooling/first_organiser.html", {"refusal": str(error)}, status=410)
    return render(request, "pooling/first_organiser.html", {"form": form})
