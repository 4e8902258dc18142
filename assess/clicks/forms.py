"""Forms that load click logs, and that make labels from them."""

from __future__ import annotations

import re
from math import isfinite
from typing import Any

from django import forms

from assess.clicks.queries import LEAST_IMPRESSIONS, MODELS
from pooling.forms.files import FilesField

MAX_FILES = 10
LEAST_PEOPLE = 5
MODEL_NAMES = dict(zip(MODELS, ("COEC", "SDBN", "PBM"), strict=True))
SHARES, THRESHOLDS = "shares", "thresholds"


class ClickLogForm(forms.Form):
    """The files of a click log, and how its queries are read."""

    file = FilesField(
        label="Files",
        help_text="UBI queries and events as JSON lines, in one or two files; or CSV. Also as gz, bz2 or xz.",
    )
    mapping = forms.FileField(
        required=False,
        label="Query mapping",
        help_text="Lines of a query, a TAB and a topic number, for queries that are no title of a topic.",
    )
    least_people = forms.IntegerField(
        min_value=2,
        max_value=1_000_000,
        initial=LEAST_PEOPLE,
        label="Least number of people",
        help_text="A query that fewer different people asked is left out, because it may identify a person.",
    )

    def clean_file(self) -> list[Any]:
        files: list[Any] = self.cleaned_data["file"]
        if len(files) > MAX_FILES:
            raise forms.ValidationError(f"Choose at most {MAX_FILES} files.")
        return files


class ClickJudgeForm(forms.Form):
    """A click model, and how its values become grades."""

    name = forms.CharField(max_length=60, help_text='The name that pages show, such as "Clicks, COEC".')
    model = forms.ChoiceField(choices=[*MODEL_NAMES.items()], label="Click model")
    cut = forms.ChoiceField(
        choices=[
            (SHARES, "Same shares of grades as people gave, on the documents with both"),
            (THRESHOLDS, "Thresholds that you set"),
        ],
        label="Grades",
    )
    thresholds = forms.CharField(
        required=False,
        max_length=200,
        help_text="The lowest value of each grade above the first, ascending, such as 0.8 1.1 1.6.",
    )
    least_impressions = forms.IntegerField(
        min_value=1,
        max_value=1_000_000_000,
        initial=LEAST_IMPRESSIONS,
        label="Least number of impressions",
        help_text="A document that was shown less often for a topic gets no label.",
    )

    def __init__(self, data: Any = None, *, grades: int) -> None:
        super().__init__(data)
        self.grades = grades

    def clean_thresholds(self) -> list[float]:
        words = re.split(r"[\s,;]+", self.cleaned_data["thresholds"].strip())
        try:
            values = [float(word) for word in words if word]
        except ValueError as error:
            raise forms.ValidationError("Enter numbers with blanks between them.") from error
        if values != sorted(values) or not all(map(isfinite, values)):
            raise forms.ValidationError("Enter numbers in ascending order.")
        return values

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        wanted = self.grades - 1
        if data.get("cut") == THRESHOLDS and "thresholds" in data and len(data["thresholds"]) != wanted:
            self.add_error("thresholds", f"Enter {wanted} numbers, one for each grade above the first.")
        return data
