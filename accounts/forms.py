from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib.auth.forms import (
    AuthenticationForm,
    PasswordChangeForm,
    PasswordResetForm,
    SetPasswordForm,
)

from accounts.models import ApiToken, User
from accounts.services import claim_reset_mail, sign_in_name


class SignInForm(AuthenticationForm):
    """A sign-in by name or by verified address. The name of the account is what wrong passwords count for."""

    def clean_username(self) -> str:
        return sign_in_name(self.cleaned_data["username"])


class TokenForm(forms.Form):
    name = forms.CharField(max_length=60, label="Purpose")
    scope = forms.ChoiceField(
        choices=ApiToken.Scope.choices,
        initial=ApiToken.Scope.READ,
        label="Permissions",
        help_text="Give only what the program needs: anyone with the token has these permissions.",
    )


class AccountForm(forms.Form):
    """Who a person is. A new address takes the password: links for a new password go there."""

    name = forms.CharField(max_length=150, label="Your name", help_text="The name that other members see.")
    email = forms.EmailField(
        required=False,
        label="E-mail address",
        help_text="For mails, and for a link when you have forgotten your password; no other member sees it.",
    )
    password = forms.CharField(
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        label="Your password",
        help_text="Only to change the e-mail address.",
    )

    def __init__(self, data: Any, *, user: User) -> None:
        super().__init__(data, initial={"name": user.name, "email": user.email})
        self.user = user
        if not user.has_usable_password():
            del self.fields["password"]
            self.fields["email"].disabled = True
            self.fields["email"].help_text = "From your sign-in provider; no other member sees it."

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        changed = data.get("email", self.user.email) != self.user.email
        if changed and not self.user.check_password(data.get("password", "")):
            self.add_error("password", "Enter your password to change the e-mail address.")
        return data


class MailForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """Which mails a person wants."""

    class Meta:
        model = User
        fields = ("wants_reminders", "wants_release_mail", "wants_digest")


PASSWORD_HELP = "At least 8 characters: not a common password, and not like your name."


class NewPasswordForm(SetPasswordForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """A new password, twice."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["new_password1"].help_text = PASSWORD_HELP
        self.fields["new_password2"].label, self.fields["new_password2"].help_text = "Repeat the password", ""


class ChangePasswordForm(NewPasswordForm, PasswordChangeForm):
    """The old password, and a new one twice."""


class PasswordForgottenForm(PasswordResetForm):
    """Mail a link to the users with this address. The answer does not tell whether there are any."""

    email = forms.EmailField(max_length=254, label="E-mail address")

    def get_users(self, email: str) -> Iterable[User]:
        return [
            user for user in super().get_users(email) if isinstance(user, User) and claim_reset_mail(user)
        ]
