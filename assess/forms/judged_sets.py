"""Forms that all kinds of sets of work for judges have."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from django import forms
from django.db.models import QuerySet

from accounts.models import User
from assess.models import AnswerRun
from assess.queries.answers import who_know
from assess.queries.people import judges_to_choose
from pooling.forms.topic_field import TopicsField, offer_topics
from pooling.models import Campaign

USUAL_DOUBLE = 10  # per cent of the topics that two judges get, where there are two


class JudgedSetForm(forms.Form):
    """A set of work for judges: judges, topics, and who gets what. For subclasses."""

    judges = forms.ModelMultipleChoiceField(User.objects.none(), widget=forms.CheckboxSelectMultiple)
    topics = TopicsField()
    instructions = forms.CharField(
        max_length=1000,
        required=False,
        help_text="Judges read them under every question.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    double = forms.IntegerField(
        min_value=0,
        max_value=100,
        initial=USUAL_DOUBLE,
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
        people = self.people().distinct()
        offer(self, "judges", people)
        count = people.count()
        self.has_judges = count > 0
        if count < 2:
            self.fields["double"].initial = 0

    def people(self) -> QuerySet[User]:
        """Return who can be chosen."""
        return judges_to_choose(self.campaign)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if "judges" in data and len(data["judges"]) < 2 and data.get("double"):
            self.add_error("double", "Choose two judges or more, or 0 % here.")
        return data


class AnswerSetForm(JudgedSetForm):
    """What judges do with answers of runs, whose names they do not see. For subclasses."""

    runs = forms.ModelMultipleChoiceField(
        AnswerRun.objects.none(),
        to_field_name="tag",
        widget=forms.CheckboxSelectMultiple,
        label="Answer runs",
    )
    field_order: Sequence[str] = ("runs",)

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, campaign=campaign, **options)
        runs = campaign.answer_runs.active()
        offer(self, "runs", runs)
        self.has_runs = runs.exists()
        self.fields["runs"].initial = [run.tag for run in runs]

    def people(self) -> QuerySet[User]:
        return super().people().exclude(pk__in=who_know(self.campaign, []).values("pk"))


def offer(form: forms.Form, name: str, rows: QuerySet[Any]) -> None:
    """Offer these rows in a field of a form."""
    field = form.fields[name]
    assert isinstance(field, forms.ModelChoiceField)
    field.queryset = rows


class HandoverForm(forms.Form):
    """Who gets what a judge has not finished."""

    others = forms.ModelMultipleChoiceField(
        User.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        label="Judges",
        help_text="Each gets what they have not had, and who has least to do gets most.",
    )

    def __init__(self, *args: Any, judges: QuerySet[User], **options: Any) -> None:
        super().__init__(*args, **options)
        offer(self, "others", judges)
        self.has_judges = judges.exists()


class TakeBackForm(forms.Form):
    """The UUID of a label that is taken back, and a new one for that."""

    uuid = forms.UUIDField()
    revokes = forms.UUIDField()
    seconds_ago = forms.FloatField(required=False)
