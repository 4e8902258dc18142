"""The fields of forms that say what the fields and the words of a table mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from django import forms

from pooling.intake.fields import InputKind, parse_choices
from pooling.intake.options import parse_words, split_choices
from pooling.intake.tables import OF_FORMS, Reading, UnclearFields
from pooling.refusals import Refused

MAX_MAP_LENGTH = 2000
MOST_OFFERED = 12  # fields that a report offers for a meaning


class FieldChoice(NamedTuple):
    """A field that may hold what is looked for. map: all choices, as the form takes them."""

    field: str
    meaning: str
    map: str


def field_choices(refused: UnclearFields, chosen: Mapping[str, str]) -> list[FieldChoice]:
    """Return what a person may answer to an unclear field. chosen: field -> meaning, as said before."""
    return [
        FieldChoice(field, refused.meaning, map_text({**chosen, field: refused.meaning}))
        for field in refused.candidates[:MOST_OFFERED]
        if field == " ".join(re.split(r"[\s,;=]+", field))
    ]


def map_text(chosen: Mapping[str, str]) -> str:
    """Return choices as the form takes them.

    >>> map_text({"stars": "grade", "note": "unused"})
    'stars=grade, note=unused'
    """
    return ", ".join(f"{field}={meaning}" for field, meaning in chosen.items())


class MapMixin(forms.Form):
    """map: what fields of a table hold, as a person says it."""

    table: ClassVar[InputKind]

    map = forms.CharField(
        required=False,
        max_length=MAX_MAP_LENGTH,
        label="Fields of a table",
        help_text="For CSV, TSV and JSON with field names that say too little: field=meaning, such as"
        ' "x1={meaning}, note=unused". The report names the fields that were not understood.',
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["map"]
        field.help_text = field.help_text.format(meaning=self.table.required[-1])

    def clean_map(self) -> dict[str, str]:
        try:
            return parse_choices(split_choices(str(self.cleaned_data["map"])), self.table)
        except Refused as error:
            raise forms.ValidationError(str(error)) from error

    def reading(self) -> Reading:
        """Return what the person said about the file."""
        data: dict[str, Any] = self.cleaned_data
        return Reading(data["map"], data.get("words") or {}, OF_FORMS)


class WordsMixin(forms.Form):
    """words: which grade a label in words means."""

    words = forms.CharField(
        required=False,
        max_length=MAX_MAP_LENGTH,
        label="Labels in words",
        help_text='For labels that are words: word=grade, such as "not relevant=0, relevant=1".',
    )

    def clean_words(self) -> dict[str, int]:
        try:
            return parse_words(split_choices(str(self.cleaned_data["words"])))
        except Refused as error:
            raise forms.ValidationError(str(error)) from error
