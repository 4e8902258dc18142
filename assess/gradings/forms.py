"""The forms of gradings: a grading, and the grades of an answer."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from django import forms

from accounts.models import User
from assess.gradings.criteria import PlannedCriterion, criteria_in
from assess.gradings.queries.plan import PlannedGrading
from assess.gradings.services import SubmittedGrades
from assess.models import AnswerRun, Criterion
from assess.queries.answers import who_know
from assess.queries.people import judges_to_choose
from pooling.forms.topic_field import TopicsField, offer_topics
from pooling.models import Campaign
from pooling.refusals import Refused

CRITERIA = """\
Helpful to the person who asked: not at all, a little, mostly, fully
Complete: nothing, a part, most, everything
Correct: wrong, partly wrong, correct
"""


class CriteriaField(forms.CharField):
    """Criteria with their scales, one a line."""

    def __init__(self, **options: Any) -> None:
        widget = forms.Textarea(attrs={"rows": 4})
        super().__init__(max_length=4000, widget=widget, **options)

    def clean(self, value: Any) -> list[PlannedCriterion]:
        try:
            return criteria_in(super().clean(value))
        except Refused as error:
            raise forms.ValidationError(str(error)) from error


class GradingForm(forms.Form):
    """A grading of the answers of runs, and the judges who get them."""

    runs = forms.ModelMultipleChoiceField(
        AnswerRun.objects.none(),
        to_field_name="tag",
        widget=forms.CheckboxSelectMultiple,
        label="Answer runs",
    )
    judges = forms.ModelMultipleChoiceField(User.objects.none(), widget=forms.CheckboxSelectMultiple)
    topics = TopicsField()
    criteria = CriteriaField(
        initial=CRITERIA,
        help_text="One a line: its name, a colon, its grades from the lowest to the highest.",
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
        self.campaign = campaign
        offer_topics(self, campaign.topics.all())
        runs, knowing = campaign.answer_runs.active(), who_know(campaign, [])
        people = judges_to_choose(campaign).exclude(pk__in=knowing.values("pk")).distinct()
        for name, offered in (("runs", runs), ("judges", people)):
            field = self.fields[name]
            assert isinstance(field, forms.ModelMultipleChoiceField)
            field.queryset = offered
        self.has_runs, self.has_judges = runs.exists(), people.exists()

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if "judges" in data and len(data["judges"]) < 2 and data.get("double"):
            self.add_error("double", "Choose two judges or more, or 0 % here.")
        return data

    def asked(self) -> PlannedGrading:
        data = self.cleaned_data
        return PlannedGrading(
            list(data["runs"]),
            list(data["judges"]),
            data["topics"],
            data["criteria"],
            data["double"],
            data["seed"],
            data["instructions"],
        )


class GradesForm(forms.Form):
    """The grades of an answer: a field for each criterion."""

    uuid = forms.UUIDField()
    reason = forms.CharField(max_length=5000, required=False)
    source = forms.ChoiceField(choices=[("key", "key"), ("click", "click")])
    seconds_ago = forms.FloatField(required=False)

    def __init__(self, *args: Any, criteria: Sequence[Criterion], **options: Any) -> None:
        super().__init__(*args, **options)
        self.names = [f"criterion_{criterion.place}" for criterion in criteria]
        for name, criterion in zip(self.names, criteria, strict=True):
            self.fields[name] = forms.IntegerField(
                label=criterion.name, min_value=0, max_value=len(criterion.levels) - 1
            )

    def submitted(self) -> SubmittedGrades:
        data = self.cleaned_data
        grades = [data[name] for name in self.names]
        return SubmittedGrades(data["uuid"], grades, data["reason"], data["source"], data["seconds_ago"])
