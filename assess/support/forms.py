"""The forms of citation support: a set, and the label of a citation."""

from __future__ import annotations

from typing import Any

from django import forms

from assess.forms.judged_sets import AnswerSetForm
from assess.support.labels import SHOWN
from assess.support.queries.plan import PlannedSupport
from assess.support.services import Mark, SubmittedSupport

MOST_MARKS = 20
MOST_WORDS = 2000  # characters of the words on one side of a mark


class SupportForm(AnswerSetForm):
    """Citations in the answers of runs, and the judges who check them."""

    every = forms.BooleanField(
        required=False,
        label="Every citation of a sentence",
        help_text="Otherwise the first one, as in TREC RAG 2024.",
    )
    field_order = ("runs", "judges", "topics", "every")

    def asked(self) -> PlannedSupport:
        data = self.cleaned_data
        return PlannedSupport(
            list(data["runs"]),
            list(data["judges"]),
            data["topics"],
            data["every"],
            data["double"],
            data["seed"],
            data["instructions"],
        )


class SupportLabelForm(forms.Form):
    """The label of a citation. text_hash: of the document on the page. marks: pairs of words, as JSON."""

    uuid = forms.UUIDField()
    support = forms.ChoiceField(choices=[(each.value, each.label) for each in SHOWN])
    text_hash = forms.CharField(max_length=64, required=False)
    marks = forms.JSONField(required=False)
    reason = forms.CharField(max_length=5000, required=False)
    source = forms.ChoiceField(choices=[("key", "key"), ("click", "click")])
    seconds_ago = forms.FloatField(required=False)

    def clean_marks(self) -> list[Mark]:
        given = self.cleaned_data["marks"] or []
        expected = forms.ValidationError("Expected pairs of marked words.")
        if not isinstance(given, list) or len(given) > MOST_MARKS:
            raise expected
        marks = []
        for each in given:
            if not isinstance(each, dict) or each.keys() != set(Mark._fields):
                raise expected
            if not all(isinstance(words, str) and 0 < len(words) <= MOST_WORDS for words in each.values()):
                raise expected
            marks.append(Mark(**each))
        return marks

    def submitted(self) -> SubmittedSupport:
        data: dict[str, Any] = self.cleaned_data
        return SubmittedSupport(**{field: data[field] for field in SubmittedSupport._fields})
