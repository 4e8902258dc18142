"""Forms that all kinds of sets of work for judges have."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet

from accounts.models import User


class HandoverForm(forms.Form):
    """Who gets what a judge has not finished."""

    others = forms.ModelMultipleChoiceField(
        User.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        label="Judges",
        help_text="Each gets what they have not had, and who has least to do gets most.",
    )

    def __init__(self, *args: Any, judges: QuerySet[User], **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["others"]
        assert isinstance(field, forms.ModelMultipleChoiceField)
        field.queryset = judges
        self.has_judges = judges.exists()


class TakeBackForm(forms.Form):
    """The UUID of an answer that is taken back, and a new one for that."""

    uuid = forms.UUIDField()
    revokes = forms.UUIDField()
    seconds_ago = forms.FloatField(required=False)
