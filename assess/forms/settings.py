from __future__ import annotations

from django import forms

from pooling.forms import ScaleMixin
from pooling.limits import LONGEST_DESCRIPTION, LONGEST_GUIDELINES
from pooling.models import Campaign


class SettingsForm(ScaleMixin):
    name = forms.CharField(max_length=120)
    description = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 2}), required=False, max_length=LONGEST_DESCRIPTION
    )
    guidelines = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 8}),
        required=False,
        max_length=LONGEST_GUIDELINES,
        help_text="Markdown. Judges can open them any time.",
    )

    run_depth = forms.IntegerField(
        min_value=1, max_value=100_000, label="Documents a topic", help_text="The most that a run may return."
    )
    collection_size = forms.IntegerField(
        min_value=1,
        required=False,
        label="Documents in the collection",
        help_text="If known. Once so many are loaded, a run that names another docno is refused.",
    )
    visibility = forms.ChoiceField(
        choices=[
            (Campaign.Visibility.PRIVATE, "private: participants see the scores of their own runs alone"),
            (Campaign.Visibility.PUBLISHED, "published: participants see the scores of every run"),
        ],
        label="Scores are",
    )

    field_order = [
        "name", "description", "guidelines", "scale", "threshold", "run_depth", "collection_size",
        "visibility",
    ]  # fmt: skip
