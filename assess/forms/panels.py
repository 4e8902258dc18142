from __future__ import annotations

import re
import secrets
from typing import Any

from django import forms
from django.db.models import QuerySet

from assess.services.panels import Vote
from assess.side_by_side import EQUAL, LEFT, RIGHT
from pooling.models import Campaign, Run, Topic


class PanelForm(forms.Form):
    """Two runs to be put side by side."""

    first = forms.ModelChoiceField(Run.objects.none(), to_field_name="tag", label="One run")
    second = forms.ModelChoiceField(Run.objects.none(), to_field_name="tag", label="Another")
    depth = forms.IntegerField(
        min_value=1, max_value=50, initial=10, help_text="So many documents of each are shown."
    )
    topics = forms.CharField(initial="all", help_text='"all", or numbers: 1 2 73.')
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        required=False,
        help_text="Decides which run stands left. Empty: drawn now, and kept.",
    )

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        self.campaign = campaign
        self.enough = campaign.runs.count() > 1
        for name in ("first", "second"):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = campaign.runs.all()

    def clean_topics(self) -> QuerySet[Topic]:
        numbers = re.split(r"[\s,]+", str(self.cleaned_data["topics"]).strip())
        if numbers == ["all"]:
            return self.campaign.topics.all()
        chosen = self.campaign.topics.filter(number__in=numbers)
        if missing := set(numbers) - set(chosen.values_list("number", flat=True)):
            raise forms.ValidationError(f"There is no topic {min(missing)}.")
        return chosen

    def asked(self) -> tuple[tuple[Run, Run], int, QuerySet[Topic], int]:
        """Return what `make_panel` takes: runs, depth, topics, seed."""
        data, seed = self.cleaned_data, self.cleaned_data["seed"]
        drawn = secrets.randbelow(2**31) if seed is None else seed
        return (data["first"], data["second"]), data["depth"], data["topics"], drawn


class VoteForm(forms.Form):
    """One vote on two lists."""

    uuid = forms.UUIDField()
    choice = forms.ChoiceField(choices=[(side, side) for side in (LEFT, RIGHT, EQUAL)])
    reason = forms.CharField(max_length=5000, required=False)
    source = forms.ChoiceField(choices=[("key", "key"), ("click", "click")])

    def vote(self) -> Vote:
        return Vote(**{field: self.cleaned_data[field] for field in Vote._fields})
