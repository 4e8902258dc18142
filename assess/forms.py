from __future__ import annotations

import re
from typing import Any

from django import forms
from django.db.models import QuerySet

from accounts.models import User
from assess.models import JudgmentEvent
from assess.queries import judges_of
from assess.services import Press
from pooling.forms import FileForm, ScaleMixin
from pooling.models import Campaign, Role, Topic


class JudgmentForm(forms.Form):
    """One press on the judging screen: a grade of the scale, or the reason why there is none."""

    uuid = forms.UUIDField()
    docno = forms.CharField(max_length=200)
    text_hash = forms.CharField(max_length=64)
    relevance = forms.TypedChoiceField(coerce=int, empty_value=None, required=False)
    reason = forms.ChoiceField(choices=[("", ""), *JudgmentEvent.Reason.choices], required=False)
    comment = forms.CharField(max_length=5000, required=False)
    source = forms.ChoiceField(choices=[("key", "key"), ("click", "click")])

    def __init__(self, data: Any, *, campaign: Campaign) -> None:
        super().__init__(data)
        grades = forms.TypedChoiceField(coerce=int, empty_value=None, required=False)
        grades.choices = [(grade.value, grade.label) for grade in campaign.grades]
        grades.error_messages["invalid_choice"] = "%(value)s is not a grade of this campaign's scale."
        self.fields["relevance"] = grades

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.errors and (data["relevance"] is None) == (not data["reason"]):
            raise forms.ValidationError("Expected a grade, or a reason why there is none.")
        return data

    def press(self) -> Press:
        return Press(**self.cleaned_data)


class SettingsForm(ScaleMixin):
    name = forms.CharField(max_length=120)
    description = forms.CharField(widget=forms.Textarea(attrs={"rows": 2}), required=False)
    guidelines = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 8}),
        required=False,
        help_text="Markdown. Judges can open them any time.",
    )

    run_depth = forms.IntegerField(
        min_value=1, max_value=100_000, label="Documents a topic", help_text="The most that a run may return."
    )
    collection_size = forms.IntegerField(
        min_value=1,
        required=False,
        label="Documents in the collection",
        help_text="If known. Once so many are loaded, a run that names another docno is refused.",
    )

    field_order = ["name", "description", "guidelines", "scale", "threshold", "run_depth", "collection_size"]


class AssignmentForm(forms.Form):
    judges = forms.ModelMultipleChoiceField(User.objects.none(), widget=forms.CheckboxSelectMultiple)
    topics = forms.CharField(
        initial="all", help_text='"all", or the numbers of topics that have a pool: 1 2 73.'
    )

    def __init__(self, *args: Any, campaign: Campaign) -> None:
        super().__init__(*args)
        judges = self.fields["judges"]
        assert isinstance(judges, forms.ModelMultipleChoiceField)
        judges.queryset = judges_of(campaign).filter(
            is_active=True, memberships__campaign=campaign, memberships__role=Role.JUDGE
        )
        self.pooled_topics = campaign.topics.filter(pooled__isnull=False).distinct()

    def clean_topics(self) -> QuerySet[Topic]:
        numbers = re.split(r"[\s,]+", str(self.cleaned_data["topics"]).strip())
        if numbers == ["all"]:
            return self.pooled_topics
        chosen = self.pooled_topics.filter(number__in=numbers)
        if missing := set(numbers) - set(chosen.values_list("number", flat=True)):
            raise forms.ValidationError(f"No pool holds a document for topic {min(missing)}.")
        return chosen


class TopUpForm(forms.Form):
    k = forms.IntegerField(min_value=1, max_value=1000)


class JudgmentsForm(FileForm):
    judge = forms.CharField(
        max_length=60, label="Name of the judge", help_text='As it should appear: "NIST".'
    )
    grades = forms.CharField(
        required=False,
        label="Grades differ?",
        help_text='Their grade = yours, such as "-1=0 5=3". Empty: as they are.',
    )

    def clean_grades(self) -> dict[int, int]:
        try:
            return parse_grades(str(self.cleaned_data["grades"]))
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error


def parse_grades(text: str) -> dict[int, int]:
    """Read "theirs=ours" pairs: "-1=0 5=3". Raises ValueError."""
    words = re.split(r"[\s,]+", text.strip())
    pairs = [(word, re.fullmatch(r"(-?\d+)=(\d+)", word)) for word in words if word]
    if wrong := [word for word, pair in pairs if not pair]:
        raise ValueError(f'expected pairs such as "-1=0 5=3", found {wrong[0]!r}')
    return {int(pair[1]): int(pair[2]) for _, pair in pairs if pair}
