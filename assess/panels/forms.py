from __future__ import annotations

import secrets
from typing import Any

from django import forms

from assess.panels.services import Vote
from assess.panels.sides import EQUAL, LEFT, RIGHT
from pooling.forms.topic_field import TopicsField, offer_topics
from pooling.models import Campaign, Run, Topic


class PanelForm(forms.Form):
    """A comparison of two runs side by side."""

    first = forms.ModelChoiceField(Run.objects.none(), to_field_name="tag", label="First run")
    second = forms.ModelChoiceField(Run.objects.none(), to_field_name="tag", label="Second run")
    depth = forms.IntegerField(
        min_value=1, max_value=50, initial=10, help_text="Number of documents that are shown of each run."
    )
    topics = TopicsField()
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        required=False,
        label="Random seed",
        help_text="Seed for the left and right order of the runs. Empty: a seed is generated.",
    )

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        self.campaign = campaign
        self.enough = campaign.runs.active().count() > 1
        offer_topics(self, campaign.topics.all())
        for name in ("first", "second"):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = campaign.runs.active()

    def asked(self) -> tuple[tuple[Run, Run], int, list[Topic], int]:
        """Return the arguments of `make_panel`: runs, depth, topics, seed."""
        data, seed = self.cleaned_data, self.cleaned_data["seed"]
        seed = secrets.randbelow(2**31) if seed is None else seed
        return (data["first"], data["second"]), data["depth"], data["topics"], seed


class VoteForm(forms.Form):
    """A vote for one of two result lists."""

    uuid = forms.UUIDField()
    choice = forms.ChoiceField(choices=[(side, side) for side in (LEFT, RIGHT, EQUAL)])
    reason = forms.CharField(max_length=5000, required=False)
    source = forms.ChoiceField(choices=[("key", "key"), ("click", "click")])

    def vote(self) -> Vote:
        return Vote(**{field: self.cleaned_data[field] for field in Vote._fields})
