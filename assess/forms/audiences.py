from __future__ import annotations

from typing import Any

from django import forms

from pooling.forms.edits import EditMixin
from pooling.models import Campaign

REASON_LENGTH = 1000


class PublicDetailsForm(EditMixin):
    """What the public page says beside the qrels."""

    licence = forms.CharField(
        required=False,
        max_length=200,
        help_text="The licence of topics and qrels, such as CC BY 4.0. Without one, nobody may reuse them.",
    )
    contact = forms.CharField(
        required=False, max_length=200, help_text="A mail address or a name for questions and corrections."
    )
    home_page = forms.URLField(
        required=False, label="Home page", assume_scheme="https", help_text="A page about the campaign."
    )

    def __init__(self, data: Any, campaign: Campaign) -> None:
        super().__init__(
            data,
            initial={name: getattr(campaign, name) for name in ("licence", "contact", "home_page")},
        )


class ReasonForm(forms.Form):
    reason = forms.CharField(
        max_length=REASON_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="The audit log keeps it.",
    )


class ReleaseWithdrawalForm(ReasonForm):
    """The reason of a withdrawal, which everybody who sees the release reads."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields[
            "reason"
        ].help_text = "Every page of the release, its entry in the API and the audit log show it."
