"""The forms of preferences: a set of them, and a vote."""

from __future__ import annotations

from typing import Any

from django import forms

from assess.forms.judged_sets import JudgedSetForm, offer
from assess.models import Preference, QrelsRelease
from assess.preferences.queries.plan import PlannedPreferences
from assess.preferences.services import SubmittedPreference
from pooling.models import Campaign

BETTER = "Better for the person who asked: it answers more of the topic, more clearly."


class PreferenceSetForm(JudgedSetForm):
    """Preferences over the relevant documents of a release, and the judges who give them."""

    instructions = None  # type: ignore[assignment]  # what “better” means says it
    release = forms.ModelChoiceField(
        QrelsRelease.objects.none(),
        to_field_name="number",
        help_text="Its grades choose the documents: those above 0, the best grades first.",
    )
    better = forms.CharField(
        max_length=1000,
        initial=BETTER,
        label="What “better” means",
        help_text="Judges read it under every topic.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    k = forms.IntegerField(
        min_value=1,
        max_value=50,
        initial=5,
        label="Best documents wanted",
        help_text="Of each topic. More documents take part if their grade is that of the last one.",
    )
    field_order = ("release", "judges", "topics", "better", "k", "double", "seed")

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, campaign=campaign, **options)
        releases = campaign.releases.standing()
        offer(self, "release", releases)
        self.fields["release"].initial = releases.order_by("-number").first()
        self.has_release = releases.exists()
        double, seed = self.fields["double"], self.fields["seed"]
        double.help_text = "The second judge sees the sides swapped. Shows how well judges agree."
        seed.help_text = "Decides pairs, sides and order: the same seed gives the same pairs."

    def asked(self) -> PlannedPreferences:
        data = self.cleaned_data
        return PlannedPreferences(
            data["release"],
            list(data["judges"]),
            data["topics"],
            data["k"],
            data["double"],
            data["seed"],
            data["better"],
        )


class PreferenceForm(forms.Form):
    """A vote on a pair."""

    uuid = forms.UUIDField()
    choice = forms.ChoiceField(choices=Preference.Choice.choices)
    reason = forms.CharField(max_length=5000, required=False)
    source = forms.ChoiceField(choices=[("key", "key"), ("click", "click")])
    seconds_ago = forms.FloatField(required=False)

    def submitted(self) -> SubmittedPreference:
        return SubmittedPreference(
            **{field: self.cleaned_data[field] for field in SubmittedPreference._fields}
        )
