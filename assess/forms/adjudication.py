from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any
from urllib.parse import urlencode

from django import forms

from assess.adjudication import CHANGED, DISPUTE_KINDS, DISPUTE_ORDERS, DisputeFilter
from assess.forms.assignments import explained_radio
from assess.models import LabelSummary, Progress
from assess.queries.queues import judging_plan_of
from assess.services.adjudications import Settlement
from assess.settling_rules import MAJORITY, SETTLING_RULES
from pooling.models import Campaign, Topic


class DisputesForm(forms.Form):
    """Filters and order of the adjudication queue. An unknown value counts as not given."""

    show = forms.ChoiceField(
        choices=[*DISPUTE_KINDS.items(), (CHANGED, "settled, label changed since")], required=False
    )
    order = forms.ChoiceField(choices=DISPUTE_ORDERS.items(), required=False)
    topic = forms.ModelChoiceField(
        Topic.objects.none(), to_field_name="number", required=False, empty_label="all"
    )
    grades = forms.ChoiceField(required=False)

    def __init__(self, data: Mapping[str, Any], *, campaign: Campaign) -> None:
        super().__init__(data)
        self.campaign = campaign
        judged = Progress.objects.filter(topic__campaign=campaign, labels__gt=0).exclude(
            judge__in=campaign.sources.programs().values("user")
        )
        topic = self.fields["topic"]
        assert isinstance(topic, forms.ModelChoiceField)
        topic.queryset = campaign.topics.filter(pk__in=judged.values("topic"))
        values = [grade.value for grade in campaign.grades]
        pairs = [(f"{low} {high}", f"{low} and {high}") for low, high in combinations(values, 2)]
        grades = self.fields["grades"]
        assert isinstance(grades, forms.ChoiceField)
        grades.choices = [("", "any"), *((str(value), str(value)) for value in values), *pairs]
        self.is_valid()

    @property
    def chosen_topic(self) -> Topic | None:
        return self.cleaned_data.get("topic")

    def wanted(self) -> DisputeFilter:
        data = self.cleaned_data
        return DisputeFilter(
            data.get("show") or "differ",
            data.get("order") or "distance",
            frozenset(int(grade) for grade in data.get("grades", "").split()),
        )

    def query(self) -> str:
        """Return the filters that are set as a URL query string."""
        return urlencode({name: self.data[name] for name in self.cleaned_data if self.data.get(name)})


class SettlingForm(forms.Form):
    """A rule that settles many documents, of one topic or all. checked: the checksum of the preview."""

    rule = explained_radio(
        ((rule, about.title, about.meaning) for rule, about in SETTLING_RULES.items()), initial=MAJORITY
    )
    topic = forms.ModelChoiceField(
        Topic.objects.none(), to_field_name="number", required=False, empty_label="all topics"
    )
    checked = forms.CharField(max_length=64, required=False, widget=forms.HiddenInput)

    def __init__(self, data: Mapping[str, Any] | None, *, campaign: Campaign) -> None:
        super().__init__(data)
        topic = self.fields["topic"]
        assert isinstance(topic, forms.ModelChoiceField)
        disputed = LabelSummary.objects.filter(campaign=campaign, distance__gt=0)
        topic.queryset = campaign.topics.filter(pk__in=disputed.values("pooled__topic"))


class SettleForm(forms.Form):
    """The grade that an adjudicator decides on, with the document, text and labels that were on screen."""

    uuid = forms.UUIDField()
    docno = forms.CharField(max_length=200)
    text_hash = forms.CharField(max_length=64)
    last_label = forms.IntegerField()
    relevance = forms.TypedChoiceField(
        coerce=int,
        error_messages={"invalid_choice": "%(value)s is not a grade of the scale of this campaign."},
    )
    why = forms.CharField(
        max_length=2000,
        required=False,
        error_messages={"required": "This campaign requires a reason. Give one and settle the grade again."},
    )

    def __init__(self, data: Any, *, campaign: Campaign) -> None:
        super().__init__(data)
        grades = self.fields["relevance"]
        assert isinstance(grades, forms.ChoiceField)
        grades.choices = [(grade.value, grade.label) for grade in campaign.grades]
        self.fields["why"].required = judging_plan_of(campaign).reasons_required

    @property
    def complaints(self) -> list[str]:
        return [str(message) for errors in self.errors.values() for message in errors]

    def settlement(self) -> Settlement:
        return Settlement(
            **{field: self.cleaned_data[field] for field in Settlement._fields if field != "rule"}
        )


class AskAgainForm(forms.Form):
    """A label to send back to its judge, by the key of its event, with what the judge is told."""

    event = forms.IntegerField(min_value=1, max_value=2**63 - 1)
    remark = forms.CharField(
        max_length=2000, error_messages={"required": "Say what the judge should read again."}
    )


class ReopenForm(forms.Form):
    """The settled grade to revoke, with an optional reason."""

    adjudication = forms.IntegerField()
    why = forms.CharField(max_length=2000, required=False)


class RevokeForm(forms.Form):
    """The UUID of a decision to revoke, and a new one for the reopening."""

    uuid = forms.UUIDField()
    revokes = forms.UUIDField()
