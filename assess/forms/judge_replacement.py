"""The form that gives the topics of a judge to others."""

from __future__ import annotations

from typing import Any

from django import forms

from accounts.models import User
from assess.queries.judge_replacement import Colleague

MOST = 1000


class ReplaceJudgeForm(forms.Form):
    """A share of the documents for every judge who can take topics over; 0 takes none."""

    leaves = forms.BooleanField(
        required=False,
        initial=True,
        label="End the role of a judge",
        help_text="The person leaves the campaign, or keeps only other roles. Every label stays.",
    )

    def __init__(self, *args: Any, colleagues: list[Colleague], **options: Any) -> None:
        super().__init__(*args, **options)
        self.colleagues = colleagues
        for judge, _ in colleagues:
            self.fields[f"share_{judge.pk}"] = forms.FloatField(
                min_value=0, max_value=MOST, initial=1, label=f"Share of {judge}"
            )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.errors and not any(self.shares().values()):
            raise forms.ValidationError("Give at least one judge a share above 0.")
        return data

    def shares(self) -> dict[User, float]:
        """Return judge -> share, of the form as it was sent or as it is offered first."""
        given = self.cleaned_data if self.is_bound else self.get_initial()
        return {judge: given[f"share_{judge.pk}"] for judge, _ in self.colleagues}

    def get_initial(self) -> dict[str, Any]:
        return {name: self.get_initial_for_field(field, name) for name, field in self.fields.items()}

    @property
    def rows(self) -> list[tuple[Colleague, forms.BoundField]]:
        return [(colleague, self[f"share_{colleague.judge.pk}"]) for colleague in self.colleagues]
