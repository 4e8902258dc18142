"""The forms of gradings: a grading, and the grades of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from assess.forms.judged_sets import AnswerSetForm
from assess.gradings.criteria import PlannedCriterion, criteria_in
from assess.gradings.queries.plan import PlannedGrading
from assess.gradings.services import SubmittedGrades
from assess.models import Criterion
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


class GradingForm(AnswerSetForm):
    """A grading of the answers of runs, and the judges who get them."""

    criteria = CriteriaField(
        initial=CRITERIA,
        help_text="One a line: its name, a colon, its grades from the lowest to the highest.",
    )
    field_order = ("runs", "judges", "topics", "criteria")

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
