"""Who judges what."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.db.models import QuerySet

from accounts.models import User
from assess.forms.choices import radio
from assess.models import Assignment
from assess.queries.labels import to_judge_in
from pooling.models import Campaign, Role, Topic

DEAL = "deal"


PARTS = {
    Assignment.Part.PRIMARY: "Every chosen judge judges every document of the topic.",
    Assignment.Part.SHARED: "The chosen judges divide the documents: each goes to whoever is free first.",
    Assignment.Part.SECOND: "To check the first labels: the documents that the plan's overlap rule picks.",
}


DEALING = "Topics go round the table: each to one primary judge, and to as many second judges as you say."


def part_field() -> forms.ChoiceField:
    return radio(
        ((part, part.label, PARTS[part]) for part in Assignment.Part), initial=Assignment.Part.PRIMARY
    )


def judges_to_choose(campaign: Campaign) -> QuerySet[User]:
    """Return who can be given topics: the judges who can sign in."""
    people = User.objects.filter(machine=None, is_active=True).order_by("username")
    return people.filter(memberships__campaign=campaign, memberships__role=Role.JUDGE)


class TopicsForm(forms.Form):
    """Topics by their numbers, of those that have a pool."""

    topics = forms.CharField(
        initial="all", help_text='"all", or the numbers of topics that have a pool: 1 2 73.'
    )

    def __init__(self, *args: Any, campaign: Campaign) -> None:
        super().__init__(*args)
        pooled = to_judge_in(campaign).values("topic")
        self.pooled_topics = campaign.topics.filter(pk__in=pooled)

    def clean_topics(self) -> QuerySet[Topic]:
        numbers = re.split(r"[\s,]+", str(self.cleaned_data["topics"]).strip())
        if numbers == ["all"]:
            return self.pooled_topics
        chosen = self.pooled_topics.filter(number__in=numbers)
        if missing := set(numbers) - set(chosen.values_list("number", flat=True)):
            raise forms.ValidationError(f"No pool holds a document for topic {min(missing)}.")
        return chosen


class AssignmentForm(TopicsForm):
    """Topics to judges: every one to each of them in one part, or dealt out."""

    judges = forms.ModelMultipleChoiceField(User.objects.none(), widget=forms.CheckboxSelectMultiple)
    part = radio(
        [
            *((part.value, part.label, PARTS[part]) for part in Assignment.Part),
            (DEAL, "Share out", DEALING),
        ],
        initial=Assignment.Part.PRIMARY,
        label="As",
    )
    seconds = forms.IntegerField(
        min_value=0,
        required=False,
        label="Second judges a topic",
        help_text="When topics are shared out; 0 if empty.",
    )

    field_order = ["judges", "topics", "part", "seconds"]

    def __init__(self, *args: Any, campaign: Campaign) -> None:
        super().__init__(*args, campaign=campaign)
        judges = self.fields["judges"]
        assert isinstance(judges, forms.ModelMultipleChoiceField)
        judges.queryset = judges_to_choose(campaign)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        seconds, judges = data.get("seconds") or 0, data.get("judges")
        if data.get("part") == DEAL and judges is not None and seconds >= len(judges):
            self.add_error("seconds", f"Expected fewer second judges than the {len(judges)} who were chosen.")
        return data


class InvitationForm(TopicsForm):
    """A link that makes somebody a judge of these topics."""

    part = part_field()
    recipient = forms.CharField(
        max_length=120, required=False, label="Link is for", help_text="A note: a name or an address."
    )
    field_order = ["topics", "part", "recipient"]


class TopicJudgeForm(forms.Form):
    """One judge of a topic, or one who could be."""

    judge = forms.ModelChoiceField(User.objects.none())
    taker = forms.ModelChoiceField(User.objects.none(), required=False, label="Move to")

    def __init__(self, *args: Any, campaign: Campaign, topic: Topic) -> None:
        super().__init__(*args)
        holders = User.objects.filter(assignments__topic=topic).distinct()
        for name, people in (("judge", holders), ("taker", judges_to_choose(campaign))):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = people


class BudgetForm(forms.Form):
    hours_a_day = forms.FloatField(min_value=0.25, max_value=24, initial=4, label="Hours a day, each judge")
    budget = forms.FloatField(
        min_value=0, max_value=1_000_000, required=False, label="Hours that can still be paid"
    )


class TopUpForm(forms.Form):
    k = forms.IntegerField(min_value=1, max_value=1000)
