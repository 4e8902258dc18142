"""Forms for a comparison by interleaving, and for clicks on its lists."""

from __future__ import annotations

import secrets
from typing import Any

from django import forms

from metrics.interleaving.services import InterleavingPlan
from metrics.models import Interleaving
from pooling.forms.files import FileForm
from pooling.forms.topic_field import TopicsField, offer_topics
from pooling.models import Campaign, Run

MOST_LISTS = 20_000  # of one comparison by interleaving


class InterleavingForm(forms.Form):
    """Two runs whose results are merged into lists for users."""

    run_a = forms.ModelChoiceField(Run.objects.none(), to_field_name="tag", label="Run A")
    run_b = forms.ModelChoiceField(Run.objects.none(), to_field_name="tag", label="Run B")
    method = forms.ChoiceField(
        choices=Interleaving.Method.choices,
        help_text="Team draft if there is no reason for another: its clicks are easy to explain.",
    )
    length = forms.IntegerField(min_value=1, max_value=50, initial=10, label="Documents per list")
    lists = forms.IntegerField(
        min_value=1,
        max_value=1000,
        initial=20,
        label="Lists per topic",
        help_text="The search engine shows a random one of them in each session.",
    )
    topics = TopicsField()
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        required=False,
        label="Random seed",
        help_text="The same seed gives the same lists. Empty: a seed is generated.",
    )

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        self.enough = campaign.runs.active().count() > 1
        offer_topics(self, campaign.topics.all())
        for name in ("run_a", "run_b"):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = campaign.runs.active()

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        count = len(data.get("topics") or []) * (data.get("lists") or 0)
        if count > MOST_LISTS:
            raise forms.ValidationError(f"Expected at most {MOST_LISTS:,} lists in all, found {count:,}.")
        return data

    def asked(self) -> InterleavingPlan:
        """Return the argument of `create_interleaving`."""
        seed = self.cleaned_data["seed"]
        seed = secrets.randbelow(2**31) if seed is None else seed
        return InterleavingPlan(**{**self.cleaned_data, "seed": seed})


class ClicksForm(FileForm):
    """A file of clicks on interleaved lists."""
