from __future__ import annotations

from typing import Any

from django import forms

from assess.forms.choices import radio
from assess.models import JudgingPlan, Probe
from assess.overlap import OVERLAPS
from assess.queue import POLICIES
from assess.services.plans import FIXED


class PlanForm(forms.Form):
    """How a campaign is judged. What is fixed after the first label may be left out, and stays."""

    order = radio(
        ((each.name, each.title, each.meaning) for each in POLICIES.values() if each.order), required=False
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        required=False,
        help_text="Of every draw: another seed, another order.",
    )
    burn_in = forms.IntegerField(
        min_value=0,
        max_value=500,
        required=False,
        label="Burn-in",
        help_text="So many documents from all parts of the pool come first: several grades early.",
    )
    overlap = radio((each.name, each.title, each.meaning) for each in OVERLAPS.values())
    overlap_share = forms.IntegerField(
        min_value=1, max_value=100, label="Per cent of a topic", help_text="For “a share”."
    )
    overlap_count = forms.IntegerField(
        min_value=1, max_value=5000, label="Documents of each kind", help_text="For “by the primary's label”."
    )
    repeat_share = forms.IntegerField(
        min_value=0,
        max_value=20,
        label="Hidden repeats, per cent",
        help_text="So many of a judge's documents come once more, unannounced, for self-agreement: 3, say.",
    )
    highlighting = forms.BooleanField(
        required=False,
        label="Mark the topic's words in documents",
        help_text="Judges find the place sooner; it may bias. Every label says whether words were marked.",
    )
    breaks = forms.BooleanField(
        required=False, label="Suggest a break", help_text="After 50 documents or 45 minutes without a pause."
    )

    def __init__(self, data: Any = None, *, plan: JudgingPlan) -> None:
        super().__init__(data, initial={name: getattr(plan, name) for name in self.base_fields})
        self.plan = plan

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        for name in FIXED:
            if data.get(name) in (None, "") and name not in self.errors:
                data[name] = getattr(self.plan, name)
        return data


class ProbesForm(forms.Form):
    kind = radio(
        (
            (
                Probe.Kind.TRAINING,
                "Training",
                "Come first in their topic; the judge reads your grade and why.",
            ),
            (Probe.Kind.GOLD, "Gold", "Come unannounced among the first documents; nobody is told."),
        ),
        initial=Probe.Kind.TRAINING,
    )
    lines = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "class": "code"}),
        help_text="A line each: topic docno grade, and why, if you like.",
    )
    file = forms.FileField(required=False, label="Or a file of such lines")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if bool(data.get("lines", "").strip()) == bool(data.get("file")) and not self.errors:
            raise forms.ValidationError("Expected lines or a file, one of the two.")
        return data
