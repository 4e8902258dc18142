from __future__ import annotations

from django import forms


class WebhookForm(forms.Form):
    """The address of a tool that is told what happens."""

    url = forms.URLField(
        max_length=500,
        label="Address",
        assume_scheme="https",
        help_text="It gets a POST with JSON for each event, signed with a secret of its own.",
    )

    def clean_url(self) -> str:
        url = str(self.cleaned_data["url"])
        if not url.startswith(("https://", "http://")):
            raise forms.ValidationError("Give an address with https:// or http://.")
        return url
