"""The label that the judging screen submits."""

from __future__ import annotations

import json
from typing import Any

from django import forms

from assess.models import JudgmentEvent
from assess.services.presses import Press
from pooling.models import Campaign


class Decoder(json.JSONDecoder):
    """Raises JSONDecodeError also for JSON that is nested too deeply or has numbers that are too long."""

    def decode(self, s: str, *args: Any) -> Any:
        try:
            return super().decode(s, *args)
        except (ValueError, RecursionError) as error:
            raise json.JSONDecodeError(str(error), "", 0) from None


class JudgmentForm(forms.Form):
    """One action on the judging screen: a grade, the reason why there is no grade, or *later*."""

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
        relevance: str = self.cleaned_data["relevance"]
        if relevance and relevance not in self.grades:
            raise forms.ValidationError(f"{relevance} is not a grade of the scale of this campaign.")
        return self.grades.get(relevance)

    def clean_evidence(self) -> dict[str, Any] | None:
        evidence = self.cleaned_data["evidence"]
        if evidence is None:
            return None
        kinds = {"quote": str, "paragraph": int, "start": int}
        if not isinstance(evidence, dict) or {name: type(value) for name, value in evidence.items()} != kinds:
            raise forms.ValidationError(
                "Evidence must have a quote, the number of its paragraph and its start in that paragraph."
            )
        return evidence | {"quote": evidence["quote"][:5000]}

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        answers = [data.get("relevance") is not None, bool(data.get("reason")), bool(data.get("later"))]
        if not self.errors and sum(answers) != 1:
            raise forms.ValidationError(
                "Send exactly one of these: a grade, a reason why you cannot judge, or “later”."
            )
        return data

    def press(self) -> Press:
        return Press(**{field: self.cleaned_data[field] for field in Press._fields})
