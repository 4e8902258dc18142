"""The forms of battles: a set of them, and a vote."""

from __future__ import annotations

import secrets
from typing import Any

from django import forms

from accounts.models import User
from assess.battles.queries.plan import PlannedBattles
from assess.battles.services import SubmittedVote
from assess.models import AnswerRun, BattleVote
from assess.queries.answers import who_know
from assess.queries.people import judges_to_choose
from pooling.forms.topic_field import TopicsField, offer_topics
from pooling.models import Campaign

MOST_BATTLES = 20_000
BETTER = (
    "Better for the person who asked: correct, complete, supported by its sources."
    " Length and style count only if all else is equal."
)


class BattleSetForm(forms.Form):
    """Battles between the answers of runs, and the judges who get them."""

    runs = forms.ModelMultipleChoiceField(
        AnswerRun.objects.none(),
        to_field_name="tag",
        widget=forms.CheckboxSelectMultiple,
        label="Answer runs",
    )
    judges = forms.ModelMultipleChoiceField(User.objects.none(), widget=forms.CheckboxSelectMultiple)
    topics = TopicsField()
    better = forms.CharField(
        max_length=1000,
        initial=BETTER,
        label="What “better” means",
        help_text="Judges read it under every question.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    per_topic = forms.IntegerField(
        min_value=1,
        max_value=5000,
        initial=10,
        label="Battles of a topic",
        help_text="Without second judges and repeats.",
    )
    double = forms.IntegerField(
        min_value=0,
        max_value=100,
        initial=10,
        label="Judged by two judges, %",
        help_text="Shows how well judges agree.",
    )
    repeated = forms.IntegerField(
        min_value=0,
        max_value=100,
        initial=10,
        label="Repeated with sides swapped, %",
        help_text="Of the battles of each judge. Shows whether the side decides.",
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        initial=lambda: secrets.randbelow(2**31),
        label="Random seed",
        help_text="Decides pairs, judges, sides and order: the same seed gives the same battles.",
    )

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        self.campaign = campaign
        runs = campaign.answer_runs.active()
        offer_topics(self, campaign.topics.all())
        knowing = who_know(campaign, [])
        people = judges_to_choose(campaign).exclude(pk__in=knowing.values("pk")).distinct()
        for name, offered in (("runs", runs), ("judges", people)):
            field = self.fields[name]
            assert isinstance(field, forms.ModelMultipleChoiceField)
            field.queryset = offered
        self.enough = len(runs[:2]) > 1
        self.has_judges = people.exists()

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if "runs" in data and len(data["runs"]) < 2:
            self.add_error("runs", "Choose two runs or more.")
        if "judges" in data and len(data["judges"]) < 2 and data.get("double"):
            self.add_error("double", "Choose two judges or more, or 0 % here.")
        if len(data.get("topics", ())) * data.get("per_topic", 0) > MOST_BATTLES:
            self.add_error("per_topic", f"A set has {MOST_BATTLES:,} battles at most. Make several sets.")
        return data

    def asked(self) -> PlannedBattles:
        data = self.cleaned_data
        return PlannedBattles(
            list(data["runs"]),
            list(data["judges"]),
            data["topics"],
            data["per_topic"],
            data["double"],
            data["repeated"],
            data["seed"],
            data["better"],
        )


class BattleVoteForm(forms.Form):
    """A vote on a battle."""

    uuid = forms.UUIDField()
    choice = forms.ChoiceField(choices=BattleVote.Choice.choices)
    reason = forms.CharField(max_length=5000, required=False)
    source = forms.ChoiceField(choices=[("key", "key"), ("click", "click")])
    seconds_ago = forms.FloatField(required=False)

    def submitted(self) -> SubmittedVote:
        return SubmittedVote(**{field: self.cleaned_data[field] for field in SubmittedVote._fields})
