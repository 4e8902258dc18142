from __future__ import annotations

from django import forms

from pooling.forms import ScaleMixin
from pooling.limits import MAX_DESCRIPTION, MAX_GUIDELINES


class SettingsForm(ScaleMixin):
    name = forms.CharField(max_length=120)
    description = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 2}), required=False, max_length=MAX_DESCRIPTION
    )
    guidelines = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 8}),
        required=False,
        max_length=MAX_GUIDELINES,
        help_text="Instructions for judges, in Markdown. Judges can open them at any time.",
    )

    run_depth = forms.IntegerField(
        min_value=1,
        max_value=100_000,
        label="Documents per topic",
        help_text="Maximum number of documents that a run may return for a topic.",
    )
    collection_size = forms.IntegerField(
        min_value=1,
        required=False,
        label="Documents in the collection",
        help_text="Optional. Once this many documents are loaded, a run with an unknown docno is refused.",
    )

    field_order = [
        "name",
        "description",
        "guidelines",
        "scale",
        "threshold",
        "run_depth",
        "collection_size",
    ]
