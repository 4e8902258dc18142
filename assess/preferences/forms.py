"""The forms of preferences: a set of them, and a vote."""

from __future__ import annotations

import secrets
from typing import Any

from django import forms

from accounts.models import User
from assess.models import Preference, QrelsRelease
from assess.preferences.queries.plan import PlannedPreferences
from assess.preferences.services import SubmittedPreference
from assess.queries.people import judges_to_choose
from pooling.forms.topic_field import TopicsField, offer_topics
from pooling.models import Campaign

BETTER = "Better for the person who asked: it answers more of the topic, more clearly."


class PreferenceSetForm(forms.Form):
    """Preferences over the relevant documents of a release, and the judges who give them."""

    release = forms.ModelChoiceField(
        QrelsRelease.objects.none(),
        to_field_name="number",
        help_text="Its grades choose the documents: those above 0, the best grades first.",
    )
    judges = forms.ModelMultipleChoiceField(User.objects.none(), widget=forms.CheckboxSelectMultiple)
    topics = TopicsField()
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
    double = forms.IntegerField(
        min_value=0,
        max_value=100,
        initial=10,
        label="Topics with two judges, %",
        help_text="The second judge sees the sides swapped. Shows how well judges agree.",
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        initial=lambda: secrets.randbelow(2**31),
        label="Random seed",
        help_text="Decides pairs, sides and order: the same seed gives the same pairs.",
    )

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        self.campaign = campaign
        offer_topics(self, campaign.topics.all())
        releases, people = campaign.releases.standing(), judges_to_choose(campaign).distinct()
        for name, offered in (("release", releases), ("judges", people)):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = offered
        self.fields["release"].initial = releases.order_by("-number").first()
        self.has_release, self.has_judges = releases.exists(), people.exists()

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if "judges" in data and len(data["judges"]) < 2 and data.get("double"):
            self.add_error("double", "Choose two judges or more, or 0 % here.")
        return data

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
