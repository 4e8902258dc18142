"""The form that releases a grading or a matching."""

from __future__ import annotations

from typing import Any

from django import forms

from assess.models import Grading, Matching
from pooling.models import Campaign


class AnswerReleaseForm(forms.Form):
    """What is released: a grading or a matching of the campaign."""

    what = forms.ChoiceField(label="Grading or matching")

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        self.offered: dict[str, Grading | Matching] = {}
        for kind, found in (("grading", campaign.gradings.all()), ("matching", campaign.matchings.all())):
            for each in found:
                self.offered[f"{kind}-{each.number}"] = each
        field = self.fields["what"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(value, str(each)) for value, each in self.offered.items()]

    def chosen(self) -> Grading | Matching:
        return self.offered[self.cleaned_data["what"]]
