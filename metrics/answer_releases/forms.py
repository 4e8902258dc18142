"""The form that releases labels of answers."""

from __future__ import annotations

from typing import Any

from django import forms

from metrics.answer_releases.queries import KINDS, Labelled
from pooling.models import Campaign


class AnswerReleaseForm(forms.Form):
    """What is released: a grading, a matching or a set of citations of the campaign."""

    what = forms.ChoiceField(label="Labels of")

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        self.offered: dict[str, Labelled] = {
            f"{kind}-{each.number}": each
            for kind, model in KINDS.items()
            for each in model._default_manager.filter(campaign=campaign)
        }
        field = self.fields["what"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(value, str(each)) for value, each in self.offered.items()]

    def chosen(self) -> Labelled:
        return self.offered[self.cleaned_data["what"]]
