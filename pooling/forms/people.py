"""The forms of people: members, roles and accounts."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.forms import UsernameField
from django.contrib.auth.password_validation import validate_password

from accounts.models import User
from pooling.forms.edits import EditMixin
from pooling.models import WORD, Role
from pooling.services.people import GROUP_NEEDED_MESSAGE


def address_field() -> forms.EmailField:
    """Return the field of an invitation that is mailed; a site without a mail server does not show it."""
    return forms.EmailField(
        required=False,
        label="E-mail address",
        help_text="Jurypool mails the link to this address. If it is empty, the page shows the link to you.",
    )


class MemberForm(forms.Form):
    username = forms.CharField(
        label="Sign-in name or e-mail address of an account",
        required=False,
        help_text="Leave it empty to create an invitation link for a new person.",
    )
    role = forms.ChoiceField(choices=Role.choices, initial=Role.JUDGE)
    group = forms.CharField(
        max_length=60,
        required=False,
        help_text="For participants: the team whose runs they submit and see.",
    )
    recipient = forms.CharField(
        max_length=120,
        required=False,
        label="Recipient",
        help_text="A note for organisers with a link: a name or an address.",
    )
    email = address_field()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if not settings.SENDS_MAIL:
            del self.fields["email"]

    def clean_username(self) -> str:
        """Return the sign-in name of the account that has exactly this name or this address."""
        written = str(self.cleaned_data["username"])
        if not written:
            return ""
        people = User.objects.filter(is_active=True)
        matches = people.filter(username=written)[:1] or people.filter(email__iexact=written)[:2]
        if len(matches) > 1:
            raise forms.ValidationError(f"Several users have the address {written}. Enter a sign-in name.")
        if not matches:
            raise forms.ValidationError(
                f"There is no active user {written}. Leave the field empty to create an invitation link."
            )
        return matches[0].username

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("role") == Role.PARTICIPANT and "group" in data and not data["group"]:
            self.add_error("group", GROUP_NEEDED_MESSAGE)
        return data


class RolesForm(EditMixin):
    """All roles of one member, and the group of a participant. What the roles need, the service says."""

    conflict_message = "Another person changed the group meanwhile to {}. Enter yours again to replace it."

    roles = forms.MultipleChoiceField(
        choices=Role.choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Roles",
        error_messages={"invalid_choice": "Choose roles from the list."},
    )
    group = forms.CharField(
        max_length=60,
        required=False,
        label="Group of a participant",
        error_messages={"max_length": "Enter a group of at most 60 characters."},
    )


class JoinForm(forms.Form):
    """A new account for the holder of an invitation. Whether the name is free, the service says."""

    username = UsernameField(max_length=150, label="Sign-in name", validators=[WORD])
    name = forms.CharField(max_length=150, label="Your name")
    email = forms.EmailField(
        required=False,
        label="E-mail address",
        help_text="Optional. A link for a new password is sent to it; no other member sees it.",
    )
    password = forms.CharField(widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}))

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        about = {name: data.get(name, "") for name in ("username", "name", "email")}
        try:
            validate_password(data.get("password", ""), User(**about))
        except forms.ValidationError as error:
            if "password" in data:
                self.add_error("password", error)
        return data
