from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth import views as auth_views
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse_lazy
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from accounts import services
from accounts.device import device_name
from accounts.forms import (
    AccountForm,
    ChangePasswordForm,
    MailForm,
    NewPasswordForm,
    PasswordForgottenForm,
    TokenForm,
)
from accounts.lockout import may_request_link
from accounts.mail import read_switch_off_token
from accounts.models import User
from accounts.requests import UserRequest, get_or_post, site_of
from accounts.tasks import mail_reset_link


def sign_in_user(request: HttpRequest, user: User) -> None:
    """Sign this person in, here; remember in what browser, for the list of their sessions."""
    services.delete_expired_sessions()
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    request.session["device"] = device_name(request.headers.get("User-Agent", ""))


class SignIn(auth_views.LoginView):
    template_name = "accounts/sign_in.html"
    redirect_authenticated_user = True

    def form_valid(self, form: Any) -> HttpResponseRedirect:
        sign_in_user(self.request, form.get_user())
        return HttpResponseRedirect(self.get_success_url())


class PasswordForgotten(auth_views.PasswordResetView):
    """Ask for a link by mail. A worker looks the address up, so that the answer does not depend on it."""

    form_class = PasswordForgottenForm
    template_name = "accounts/password_forgotten.html"
    success_url = reverse_lazy("accounts:password_mailed")
    extra_context = {"sends_mail": settings.SENDS_MAIL}

    def form_valid(self, form: Any) -> HttpResponse:
        if not may_request_link(self.request):
            form.add_error("email", "Too many links were asked for from your network. Try again in an hour.")
            return self.form_invalid(form)
        mail_reset_link.enqueue(form.cleaned_data["email"], site_of(self.request))
        return HttpResponseRedirect(self.get_success_url())


class PasswordNew(auth_views.PasswordResetConfirmView):
    """Set a new password with a reset link. The link works once."""

    form_class = NewPasswordForm
    template_name = "accounts/password_new.html"

    def form_valid(self, form: Any) -> HttpResponseRedirect:
        services.set_password(form.user, form.cleaned_data["new_password1"], self.request.session.session_key)
        self.request.session.flush()
        messages.success(self.request, "Your new password is set. Sign in with it.")
        return HttpResponseRedirect(reverse_lazy("accounts:sign_in"))


@get_or_post
def account(request: UserRequest) -> HttpResponse:
    form = AccountForm(request.POST or None, user=request.user)
    if request.method == "POST" and form.is_valid():
        services.change_account(request.user, form.cleaned_data["name"], form.cleaned_data["email"])
        messages.success(request, "Saved.")
        return redirect("accounts:account")
    context = {"form": form, "mail_form": MailForm(instance=request.user), "sends_mail": settings.SENDS_MAIL}
    return render(request, "accounts/account.html", context)


@require_POST
def mail_preferences(request: UserRequest) -> HttpResponse:
    """Store which kinds of mail a person wants."""
    form = MailForm(request.POST)
    form.is_valid()  # check boxes alone: nothing can be wrong
    services.change_mail_preferences(request.user, **form.cleaned_data)
    messages.success(request, "Your choice of mails is saved.")
    return redirect("accounts:account")


@csrf_exempt  # a mail program posts to the link of the header, as RFC 8058 says; the signature is the proof
@login_not_required
@get_or_post
def mail_off(request: HttpRequest, token: str) -> HttpResponse:
    """Ask, and on a POST switch off one kind of mail for the person whose mail had this link."""
    found = read_switch_off_token(token)
    if found is None:
        raise Http404("no such link")
    user, kind = found
    if request.method == "POST":
        services.change_mail_preferences(user, **{kind.value: False})
    context = {"kind": kind.label, "is_off": request.method == "POST"}
    return render(request, "accounts/mail_off.html", context)


@get_or_post
def password(request: UserRequest) -> HttpResponse:
    """Change one's password; every other browser is signed out by it."""
    form = ChangePasswordForm(request.user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        new = form.cleaned_data["new_password1"]
        services.set_password(request.user, new, except_session=request.session.session_key)
        update_session_auth_hash(request, request.user)
        messages.success(request, "Your password is changed. You are signed out everywhere else.")
        return redirect("accounts:password")
    return render(request, "accounts/password.html", {"form": form})


@require_GET
def session_list(request: UserRequest) -> HttpResponse:
    """List where a person is signed in."""
    this = request.session.session_key
    sessions = sorted(request.user.sessions.open(), key=lambda session: session.session_key != this)
    context = {"sessions": sessions, "this": this}
    return render(request, "accounts/session_list.html", context)


@require_POST
def session_end(request: UserRequest, name: str) -> HttpResponse:
    found = [session for session in request.user.sessions.open() if session.name == name]
    if not found:
        raise Http404("no session of that name is yours")
    services.end_session(found[0])
    return redirect("accounts:session_list")


@require_POST
def session_end_others(request: UserRequest) -> HttpResponse:
    ended = services.end_other_sessions(request.user, request.session.session_key)
    messages.success(request, f"Signed out in {ended} other place{'' if ended == 1 else 's'}.")
    return redirect("accounts:session_list")


@get_or_post
def token_list(request: UserRequest) -> HttpResponse:
    """List a person's API tokens; a POST makes one and shows it, once."""
    form, token = TokenForm(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        token = services.create_token(request.user, **form.cleaned_data)
    context = {"form": form, "token": token, "tokens": request.user.api_tokens.all()}
    return render(request, "accounts/token_list.html", context)


@require_POST
def token_revoke(request: UserRequest, pk: int) -> HttpResponse:
    services.revoke_token(get_object_or_404(request.user.api_tokens, pk=pk))
    return redirect("accounts:token_list")
