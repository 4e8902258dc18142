"""Forms that give topics to judges."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.models import User
from assess.models import Assignment
from assess.queries.campaign_reads import CampaignReads
from assess.queries.people import judges_to_choose
from pooling.forms.people import address_field
from pooling.forms.topic_field import HINT, TopicsField, offer_topics
from pooling.models import Campaign, Topic


def explained(title: str, meaning: str) -> SafeString:
    """Return the label of a choice as HTML: the title in bold, then the explanation."""
    return format_html("<span><b>{}</b> <small>{}</small></span>", title, meaning)


def explained_radio(choices: Iterable[tuple[str, str, str]], **options: Any) -> forms.ChoiceField:
    """Return a field of radio buttons, one for each (value, title, explanation)."""
    labelled = [(value, explained(title, meaning)) for value, title, meaning in choices]
    return forms.ChoiceField(choices=labelled, widget=forms.RadioSelect, **options)


DISTRIBUTE = "deal"


ROLES = {
    Assignment.Part.PRIMARY: "Primary judge",
    Assignment.Part.SHARED: "Shared",
    Assignment.Part.SECOND: "Second judge",
    Assignment.Part.AUDIT: "Audit of a machine judge",
}
PARTS = {  # those that an organiser can choose
    Assignment.Part.PRIMARY: "Every chosen judge judges every document of the topic.",
    Assignment.Part.SHARED: "The chosen judges share the documents: each goes to one who is free.",
    Assignment.Part.SECOND: "They also judge what the overlap rule on the page Plan selects: by default all.",
}


DISTRIBUTE_MEANING = "Each topic goes to one primary judge and to the number of second judges given below."


def part_field() -> forms.ChoiceField:
    return explained_radio(
        ((part, ROLES[part], meaning) for part, meaning in PARTS.items()), initial=Assignment.Part.PRIMARY
    )


class TopicsForm(forms.Form):
    """A choice of topics that have pooled documents."""

    topics = TopicsField(help_text=f"{HINT} A range and “all” leave out topics without a pooled document.")

    def __init__(self, *args: Any, reads: CampaignReads, **options: Any) -> None:
        super().__init__(*args, **options)
        offer_topics(self, reads.topics, reads.topics_to_judge)


class AssignmentForm(TopicsForm):
    """Assign topics to judges: every topic to every judge, or distributed evenly."""

    judges = forms.ModelMultipleChoiceField(User.objects.none(), widget=forms.CheckboxSelectMultiple)
    part = explained_radio(
        [
            *((part.value, ROLES[part], meaning) for part, meaning in PARTS.items()),
            (DISTRIBUTE, "Distribute evenly", DISTRIBUTE_MEANING),
        ],
        initial=Assignment.Part.PRIMARY,
        label="Role in the topic",
    )
    seconds = forms.IntegerField(
        min_value=0,
        required=False,
        label="Second judges per topic",
        help_text="Used only when topics are distributed evenly. Empty means 0.",
    )

    field_order = ["judges", "topics", "part", "seconds"]

    def __init__(self, *args: Any, reads: CampaignReads) -> None:
        super().__init__(*args, reads=reads)
        judges = self.fields["judges"]
        assert isinstance(judges, forms.ModelMultipleChoiceField)
        judges.queryset = judges_to_choose(reads.campaign)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        seconds, judges = data.get("seconds") or 0, data.get("judges")
        if data.get("part") == DISTRIBUTE and judges is not None and seconds >= len(judges):
            self.add_error(
                "seconds",
                f"The number of second judges must be below the number of chosen judges, {len(judges)}.",
            )
        return data


class InvitationForm(TopicsForm):
    """An invitation link for one new judge of these topics."""

    part = part_field()
    recipient = forms.CharField(
        max_length=120,
        required=False,
        label="Recipient",
        help_text="A note for organisers: the name or the address of the new judge.",
    )
    email = address_field()
    field_order = ["topics", "part", "recipient", "email"]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if not settings.SENDS_MAIL:
            del self.fields["email"]


class TopicJudgeForm(forms.Form):
    """A judge of a topic, and the judge who takes the topic over."""

    judge = forms.ModelChoiceField(User.objects.none())
    new_judge = forms.ModelChoiceField(User.objects.none(), required=False, label="Move to")

    def __init__(self, *args: Any, campaign: Campaign, topic: Topic) -> None:
        super().__init__(*args)
        holders = User.objects.filter(assignments__topic=topic).distinct()
        for name, people in (("judge", holders), ("new_judge", judges_to_choose(campaign))):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = people


class BudgetForm(forms.Form):
    hours_a_day = forms.FloatField(min_value=0.25, max_value=24, initial=4, label="Hours per judge and day")
    budget = forms.FloatField(
        min_value=0, max_value=1_000_000, required=False, label="Hours available (all judges together)"
    )


class TopUpForm(forms.Form):
    k = forms.IntegerField(min_value=1, max_value=1000)
