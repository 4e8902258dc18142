from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth import views as auth_views
from django.contrib.auth.decorators import login_not_required
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.urls import reverse_lazy
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
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
    SignInForm,
    TokenForm,
)
from accounts.lockout import may_request_link
from accounts.mail import read_switch_off_token
from accounts.models import User
from accounts.provider import ProviderIdentity, ProviderRefusal, finish_sign_in, start_sign_in
from accounts.requests import UserRequest, get_or_post, post_from, request_key, site_of
from accounts.tasks import mail_reset_link

NEWCOMER = "newcomer"  # in the session: a person at the provider who has no account here yet
NEWCOMER_SECONDS = 900
LINKED_MESSAGE = (
    "You are linked to the account {user}, which has your address. If you did not make this account, tell an"
    " administrator. From now on you sign in through {provider}: the password, the other sessions and the API"
    " tokens of the account have ended."
)


def sign_in_user(request: HttpRequest, user: User) -> None:
    """Sign this person in, here; remember in what browser, for the list of their sessions."""
    services.delete_expired_sessions()
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    request.session["device"] = device_name(request.headers.get("User-Agent", ""))
    request.session.pop(NEWCOMER, None)


class SignIn(auth_views.LoginView):
    template_name = "accounts/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        about = {
            "provider": provider_name(),
            "newcomer": newcomer_of(self.request),
            "is_new": not User.objects.exists(),
        }
        return super().get_context_data(**kwargs, **about)

    def form_valid(self, form: Any) -> HttpResponseRedirect:
        sign_in_user(self.request, form.get_user())
        return HttpResponseRedirect(self.get_success_url())


def provider_name() -> str:
    """Return the name of the provider on buttons; empty without one."""
    return str(settings.OIDC_NAME) if settings.OIDC_ISSUER else ""


def wanted_page(request: HttpRequest) -> str:
    """Return the page of this site that a person wanted to open before the sign-in."""
    page, host = request.GET.get("next", ""), {request.get_host()}
    if url_has_allowed_host_and_scheme(page, allowed_hosts=host, require_https=request.is_secure()):
        return page
    return resolve_url(settings.LOGIN_REDIRECT_URL)


def sign_in_page(page: str) -> HttpResponseRedirect:
    return HttpResponseRedirect(f"{resolve_url('accounts:sign_in')}?{urlencode({'next': page})}")


@login_not_required
@require_GET
def provider_start(request: HttpRequest) -> HttpResponse:
    """Send the browser to the provider.

    A link and no form: the policy form-action would also apply to further addresses to which the provider
    redirects. It changes nothing but the visitor's own session, and not at the request of another site.
    """
    if not settings.OIDC_ISSUER:
        raise Http404("no provider")
    page = wanted_page(request)
    if request.user.is_authenticated:
        return HttpResponseRedirect(page)
    if request.headers.get("Sec-Fetch-Site") == "cross-site":
        return sign_in_page(page)
    try:
        return HttpResponseRedirect(start_sign_in(request, next=page))
    except ProviderRefusal as error:
        messages.warning(request, str(error))
        return sign_in_page(page)


@login_not_required
@require_GET
def provider_callback(request: HttpRequest) -> HttpResponse:
    """Sign in, or link an account with, the person whom the provider sends back."""
    if not settings.OIDC_ISSUER:
        raise Http404("no provider")
    try:
        purpose, identity = finish_sign_in(request)
        if "link" in purpose:
            return link_to_account(request, purpose["link"], identity)
        user = services.user_of_identity(identity)
        if user is None and (user := services.link_by_address(identity)):
            messages.warning(request, LINKED_MESSAGE.format(user=user, provider=provider_name()))
        if user is None and settings.OIDC_CREATES_ACCOUNTS:
            user = services.create_account_of_identity(identity)
    except ProviderRefusal as error:
        messages.warning(request, str(error))
        return redirect("accounts:account" if request.user.is_authenticated else "accounts:sign_in")
    if user:
        sign_in_user(request, user)
    else:
        request.session[NEWCOMER] = signing.dumps(identity, salt=NEWCOMER)
    return HttpResponseRedirect(purpose["next"])


def link_to_account(request: HttpRequest, user: int, identity: ProviderIdentity) -> HttpResponse:
    """Link the account of the person who asked for it, if that person is still signed in."""
    if not isinstance(request.user, User) or request.user.pk != user:
        raise ProviderRefusal("You are signed out. Sign in, and link your account again.")
    services.link_identity(request.user, identity)
    messages.success(request, f"Your account is linked with {provider_name()}.")
    return redirect("accounts:account")


def newcomer_of(request: HttpRequest) -> ProviderIdentity | None:
    """Return the person whom the provider sent back a short while ago and who has no account here."""
    try:
        fields = signing.loads(request.session.get(NEWCOMER, ""), salt=NEWCOMER, max_age=NEWCOMER_SECONDS)
    except signing.BadSignature:
        return None
    return ProviderIdentity(*fields)


@post_from("accounts:account")
def provider_link(request: UserRequest) -> HttpResponse:
    """Show the link to the provider that ends with the account linked. A POST, so that no other site asks."""
    if not settings.OIDC_ISSUER:
        raise Http404("no provider")
    try:
        url = start_sign_in(request, link=request.user.pk)
    except ProviderRefusal as error:
        messages.warning(request, str(error))
        return redirect("accounts:account")
    return render(request, "accounts/provider_link.html", {"url": url, "provider": provider_name()})


@require_POST
def provider_unlink(request: UserRequest) -> HttpResponse:
    if not settings.OIDC_ISSUER:
        raise Http404("no provider")
    try:
        services.unlink_identity(request.user)
        messages.success(request, "Your account is no longer linked. Sign in with your password.")
    except ProviderRefusal as error:
        messages.warning(request, str(error))
    return redirect("accounts:account")


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
    context = {
        "form": form,
        "mail_form": MailForm(instance=request.user),
        "sends_mail": settings.SENDS_MAIL,
        "provider": provider_name(),
        "identity": request.user.identities.filter(issuer=settings.OIDC_ISSUER).first(),
    }
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
    user_and_kind = read_switch_off_token(token)
    if user_and_kind is None:
        raise Http404("no such link")
    user, kind = user_and_kind
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
    sessions = [session for session in request.user.sessions.open() if session.name == name]
    if not sessions:
        raise Http404("no session of that name is yours")
    services.end_session(sessions[0])
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
        token = services.create_token(request.user, **form.cleaned_data, key=request_key(request))
    context = {"form": form, "token": token, "tokens": request.user.api_tokens.all()}
    return render(request, "accounts/token_list.html", context)


@require_POST
def token_revoke(request: UserRequest, pk: int) -> HttpResponse:
    services.revoke_token(get_object_or_404(request.user.api_tokens, pk=pk))
    return redirect("accounts:token_list")
