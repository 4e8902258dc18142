"""The draft of a pool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from pooling.forms.topic_field import TopicsField, offer_topics
from pooling.manifest import PoolPlan
from pooling.models import Run
from pooling.queries.reads import PoolingReads
from pooling.refusals import Refused
from pooling.strategies.registry import STRATEGIES
from pooling.strategies.strategy import Parameter


def parameter_field(parameter: Parameter) -> forms.CharField:
    """Return the form field of a strategy's parameter; an empty answer means its default."""
    default = "" if parameter.default is None else f"{parameter.default}"
    widget: forms.Widget = forms.TextInput(attrs={"placeholder": default, "inputmode": "decimal"})
    if parameter.choices:
        widget = forms.Select(choices=[(choice, choice) for choice in parameter.choices])
    return forms.CharField(required=False, label=parameter.title, help_text=parameter.meaning, widget=widget)


class PoolForm(forms.Form):
    """A plan for a pool: topics, runs, the strategy and a field for each of its parameters.

    An empty parameter means its default; no topics and no runs left out mean all of them.
    """

    strategy = forms.ChoiceField(
        choices=[
            (
                "Known before judging",
                [(n, strategy.title) for n, strategy in STRATEGIES.items() if not strategy.live],
            ),
            (
                "Live: labels choose what is next",
                [(n, strategy.title) for n, strategy in STRATEGIES.items() if strategy.live],
            ),
        ]
    )
    seconds = forms.IntegerField(min_value=1, max_value=3600, label="Seconds per judgment")
    topics = TopicsField(required=False)
    without = forms.MultipleChoiceField(
        required=False,
        label="Runs that are left out",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"invalid_choice": "There is no run %(value)s in this campaign."},
    )

    def __init__(self, data: Mapping[str, Any], reads: PoolingReads) -> None:
        super().__init__(data)
        self.reads, self.runs = reads, list(reads.campaign.runs.active())
        self.chosen = STRATEGIES.get(data.get("strategy", ""), STRATEGIES["depth"])
        offer_topics(self, reads.topics)
        without = self.fields["without"]
        assert isinstance(without, forms.MultipleChoiceField)
        without.choices = [(run.tag, run.tag) for run in self.runs]
        for parameter in self.chosen.parameters:
            self.fields[parameter.name] = parameter_field(parameter)
        self.fields["seed"] = forms.IntegerField(
            required=False, min_value=0, help_text="Random seed; the same seed gives the same pool."
        )
        names = (parameter.name for parameter in self.chosen.parameters)
        self.order_fields(["strategy", *names, "seed", "seconds", "topics", "without"])

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        for parameter in self.chosen.parameters:
            text = data.get(parameter.name, "").strip()
            try:
                data[parameter.name] = parameter.parse(text) if text else parameter.default
            except Refused as error:
                self.add_error(parameter.name, str(error))
        if self.runs and "without" in data and not self.included():
            self.add_error("without", "Every run is left out. A pool needs at least one run.")
        return data

    def included(self) -> list[Run]:
        """Return the runs of the pool."""
        return [run for run in self.runs if run.tag not in self.cleaned_data["without"]]

    def plan(self) -> PoolPlan:
        values = {parameter.name: self.cleaned_data[parameter.name] for parameter in self.chosen.parameters}
        topics = tuple(topic.number for topic in self.cleaned_data["topics"])
        is_choice = topics and len(topics) < len(self.reads.topics)
        return PoolPlan(
            self.chosen.name, values, self.cleaned_data["seed"] or 0, topics=topics if is_choice else None
        )
