"""The forms of matchings: a matching, and the label of a nugget."""

from __future__ import annotations

import secrets
from typing import Any

from django import forms

from accounts.models import User
from assess.matchings.queries.plan import PlannedMatching
from assess.matchings.queries.tasks import nuggets_of
from assess.matchings.services import SubmittedLabel
from assess.matchings.words import words_of
from assess.models import AnswerRun, Bank, BankNugget, MatchingTask
from assess.nuggets.assignments import Assignment
from assess.queries.answers import who_know
from assess.queries.people import judges_to_choose
from pooling.forms.topic_field import TopicsField, offer_topics
from pooling.models import Campaign


class MatchingForm(forms.Form):
    """A frozen bank, the answers of runs, and the judges who get them."""

    bank = forms.ModelChoiceField(
        Bank.objects.none(), to_field_name="number", empty_label=None, label="Nugget bank"
    )
    runs = forms.ModelMultipleChoiceField(
        AnswerRun.objects.none(),
        to_field_name="tag",
        widget=forms.CheckboxSelectMultiple,
        label="Answer runs",
    )
    judges = forms.ModelMultipleChoiceField(User.objects.none(), widget=forms.CheckboxSelectMultiple)
    topics = TopicsField()
    contradicts = forms.BooleanField(
        required=False,
        label="Judges can say that an answer contradicts a nugget",
        help_text="Otherwise: support, partial, none.",
    )
    instructions = forms.CharField(
        max_length=1000,
        required=False,
        help_text="Judges read them under every question.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    double = forms.IntegerField(
        min_value=0,
        max_value=100,
        initial=10,
        label="Topics with two judges, %",
        help_text="Shows how well judges agree.",
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        initial=lambda: secrets.randbelow(2**31),
        label="Random seed",
        help_text="Decides judges and order: the same seed gives the same ones.",
    )

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        offer_topics(self, campaign.topics.all())
        banks = campaign.nugget_banks.exclude(frozen_at=None)
        runs, knowing = campaign.answer_runs.active(), who_know(campaign, [])
        people = judges_to_choose(campaign).exclude(pk__in=knowing.values("pk")).distinct()
        for name, offered in (("bank", banks), ("runs", runs), ("judges", people)):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = offered
        self.has_banks, self.has_runs, self.has_judges = banks.exists(), runs.exists(), people.exists()

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if "judges" in data and len(data["judges"]) < 2 and data.get("double"):
            self.add_error("double", "Choose two judges or more, or 0 % here.")
        return data

    def asked(self) -> PlannedMatching:
        data = self.cleaned_data
        return PlannedMatching(
            data["bank"],
            list(data["runs"]),
            list(data["judges"]),
            data["topics"],
            data["contradicts"],
            data["double"],
            data["seed"],
            data["instructions"],
        )


class NuggetLabelForm(forms.Form):
    """The label of a nugget, and the sentence of the answer that decided."""

    uuid = forms.UUIDField()
    nugget = forms.ModelChoiceField(BankNugget.objects.none())
    assignment = forms.ChoiceField()
    sentence = forms.IntegerField(min_value=1, required=False)
    source = forms.ChoiceField(choices=[("key", "key"), ("click", "click")])
    seconds_ago = forms.FloatField(required=False)

    def __init__(self, *args: Any, task: MatchingTask, **options: Any) -> None:
        super().__init__(*args, **options)
        nugget, assignment = self.fields["nugget"], self.fields["assignment"]
        assert isinstance(nugget, forms.ModelChoiceField) and isinstance(assignment, forms.ChoiceField)
        nugget.queryset = nuggets_of(task)
        assignment.choices = [(word.value, word.label) for word in words_of(task.matching.contradicts)]
        self.sentences = len(task.answer.sentences)

    def clean_sentence(self) -> int | None:
        place: int | None = self.cleaned_data["sentence"]
        if place is not None and place > self.sentences:
            raise forms.ValidationError(f"The answer has {self.sentences} sentences.")
        return place

    def submitted(self) -> SubmittedLabel:
        """Return the label. One that the nugget is not there has no sentence."""
        data = self.cleaned_data
        sentence = None if data["assignment"] == Assignment.NONE else data["sentence"]
        return SubmittedLabel(
            data["uuid"], data["nugget"], data["assignment"], sentence, data["source"], data["seconds_ago"]
        )
