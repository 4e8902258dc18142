"""A press on the judging screen."""

from __future__ import annotations

import json
from typing import Any

from django import forms

from assess.models import JudgmentEvent
from assess.services.presses import Press
from pooling.models import Campaign


class Decoder(json.JSONDecoder):
    """Says of whatever Python cannot read that it is no JSON: also of what is too deep or too long."""

    def decode(self, s: str, *args: Any) -> Any:
        try:
            return super().decode(s, *args)
        except (ValueError, RecursionError) as error:
            raise json.JSONDecodeError(str(error), "", 0) from None


class JudgmentForm(forms.Form):
    """One press on the judging screen: a grade of the scale, the reason why there is none, or *later*."""

    uuid = forms.UUIDField()
    docno = forms.CharField(max_length=200)
    text_hash = forms.CharField(max_length=64)
    relevance = forms.CharField(required=False)
    reason = forms.ChoiceField(choices=[("", ""), *JudgmentEvent.Reason.choices], required=False)
    later = forms.BooleanField(required=False)
    postponed = forms.IntegerField(min_value=0, required=False)
    comment = forms.CharField(max_length=5000, required=False)
    source = forms.ChoiceField(choices=[("key", "key"), ("click", "click")])
    active_seconds = forms.FloatField(min_value=0, max_value=86_400, required=False)
    seconds_ago = forms.FloatField(required=False)
    highlighted = forms.NullBooleanField(required=False)
    evidence = forms.JSONField(required=False, decoder=Decoder)

    def __init__(self, data: Any, *, campaign: Campaign) -> None:
        super().__init__(data)
        self.grades = {str(grade.value): grade.value for grade in campaign.grades}

    def clean_relevance(self) -> int | None:
        found: str = self.cleaned_data["relevance"]
        if found and found not in self.grades:
            raise forms.ValidationError(f"{found} is not a grade of this campaign's scale.")
        return self.grades.get(found)

    def clean_evidence(self) -> dict[str, Any] | None:
        found = self.cleaned_data["evidence"]
        if found is None:
            return None
        kinds = {"quote": str, "paragraph": int, "start": int}
        if not isinstance(found, dict) or {name: type(value) for name, value in found.items()} != kinds:
            raise forms.ValidationError(
                "Expected evidence as a quote, the number of its paragraph and its start."
            )
        return found | {"quote": found["quote"][:5000]}

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        said = [data.get("relevance") is not None, bool(data.get("reason")), bool(data.get("later"))]
        if not self.errors and sum(said) != 1:
            raise forms.ValidationError("Expected a grade, or a reason why there is none, or later.")
        return data

    def press(self) -> Press:
        return Press(**{field: self.cleaned_data[field] for field in Press._fields})
