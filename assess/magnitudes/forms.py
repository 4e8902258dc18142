"""The forms of magnitudes: a set, and the number of a document."""

from __future__ import annotations

from typing import Any

from django import forms

from assess.forms.judged_sets import JudgedSetForm
from assess.magnitudes.numbers import LONGEST, parse_magnitude
from assess.magnitudes.queries.plan import PlannedMagnitudes
from assess.magnitudes.services import SubmittedMagnitude
from assess.models import Magnitude, MagnitudeSet
from pooling.refusals import Refused


class MagnitudeSetForm(JudgedSetForm):
    """Documents of topics, and the judges who give them numbers."""

    chosen = forms.ChoiceField(
        choices=MagnitudeSet.Chosen.choices,
        label="Documents",
        help_text="Labels of people count as in a release made now.",
    )
    most = forms.IntegerField(
        min_value=1,
        max_value=1000,
        initial=20,
        label="Most documents of a topic",
        help_text="Or of each grade, if the same number of each grade is chosen. A draw decides which.",
    )
    field_order = ("judges", "topics", "chosen", "most")

    def asked(self) -> PlannedMagnitudes:
        data = self.cleaned_data
        return PlannedMagnitudes(
            self.campaign,
            list(data["judges"]),
            data["topics"],
            data["chosen"],
            data["most"],
            data["double"],
            data["seed"],
            data["instructions"],
        )


class MagnitudeForm(forms.Form):
    """The number of a document, or that it cannot be judged. text_hash: of the document on the page."""

    uuid = forms.UUIDField()
    number = forms.CharField(max_length=LONGEST, required=False, label="Number")
    cannot = forms.BooleanField(required=False)
    text_hash = forms.CharField(max_length=64, required=False)
    reason = forms.CharField(max_length=5000, required=False)
    source = forms.ChoiceField(choices=[("key", "key"), ("click", "click")])
    seconds_ago = forms.FloatField(required=False)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("cannot"):
            data["number"] = Magnitude.CANNOT
        elif "number" in data:
            try:
                parse_magnitude(data["number"])
            except Refused as error:
                self.add_error("number", str(error))
        return data

    def submitted(self) -> SubmittedMagnitude:
        data: dict[str, Any] = self.cleaned_data
        return SubmittedMagnitude(**{field: data[field] for field in SubmittedMagnitude._fields})
