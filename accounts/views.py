from __future__ import annotations

from django import forms
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from accounts.requests import UserRequest, get_or_post
from accounts.services import create_token, revoke_token


class TokenForm(forms.Form):
    name = forms.CharField(max_length=60, label="What is it for?")


@get_or_post
def token_list(request: UserRequest) -> HttpResponse:
    """List a person's API tokens; a POST makes one and shows it, once."""
    form, token = TokenForm(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        token = create_token(request.user, form.cleaned_data["name"])
    context = {"form": form, "token": token, "tokens": request.user.api_tokens.all()}
    return render(request, "accounts/token_list.html", context)


@require_POST
def token_revoke(request: UserRequest, pk: int) -> HttpResponse:
    revoke_token(get_object_or_404(request.user.api_tokens, pk=pk))
    return redirect("accounts:token_list")
