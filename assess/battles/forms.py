"""The forms of battles: a set of them, and a vote."""

from __future__ import annotations

from typing import Any

from django import forms

from assess.battles.queries.plan import PlannedBattles
from assess.battles.services import SubmittedVote
from assess.forms.judged_sets import AnswerSetForm
from assess.models import BattleVote
from pooling.models import Campaign

MOST_BATTLES = 20_000
BETTER = (
    "Better for the person who asked: correct, complete, supported by its sources."
    " Length and style count only if all else is equal."
)


class BattleSetForm(AnswerSetForm):
    """Battles between the answers of runs, and the judges who get them."""

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
    repeated = forms.IntegerField(
        min_value=0,
        max_value=100,
        initial=10,
        label="Repeated with sides swapped, %",
        help_text="Of the battles of each judge. Shows whether the side decides.",
    )
    field_order = ("runs", "judges", "topics", "better", "per_topic", "double", "repeated", "seed")

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, campaign=campaign, **options)
        del self.fields["instructions"]  # what “better” means says it
        self.fields["double"].label = "Judged by two judges, %"
        self.enough = len(campaign.answer_runs.active()[:2]) > 1

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if "runs" in data and len(data["runs"]) < 2:
            self.add_error("runs", "Choose two runs or more.")
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
