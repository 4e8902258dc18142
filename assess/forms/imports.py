"""Forms that load labels from files: labels of people, and labels of machines."""

from __future__ import annotations

import re
from typing import Any

from django import forms

from assess.services.imports import MachineDetails
from pooling.forms.files import FileForm
from pooling.forms.previews import PreviewMixin
from pooling.forms.tables import MapMixin, WordsMixin
from pooling.intake.fields import QRELS
from pooling.intake.tables import Reading
from pooling.refusals import Refused
from pooling.services.files import read_upload


class GradesMixin(WordsMixin, MapMixin):
    """What the fields, words and grades of a file of judgments mean."""

    table = QRELS
    grades = forms.CharField(
        required=False,
        label="Grade mapping",
        help_text='Grade in the file = grade of this campaign, such as "5=3 -1=0". "=-1" is "cannot judge". '
        'Grades without an entry stay as they are; negative grades mean "cannot judge".',
    )

    match_topics = forms.BooleanField(
        required=False,
        label="Match topic numbers",
        help_text="Take 51 for topic 051, or MB051: numbers that differ only in how they are written.",
    )
    match_docnos = forms.BooleanField(
        required=False,
        label="Match docnos",
        help_text="Take d2.txt for the pooled document D2: names that differ only in how they are written.",
    )

    def reading(self) -> Reading:
        """Return what the person said about the file."""
        data = self.cleaned_data
        return super().reading()._replace(topics=data["match_topics"], docnos=data["match_docnos"])

    def clean_grades(self) -> dict[int, int]:
        try:
            return parse_grades(str(self.cleaned_data["grades"]))
        except Refused as error:
            raise forms.ValidationError(str(error)) from error


class JudgmentsForm(GradesMixin, PreviewMixin):
    """A file of judgments, chosen by a person or sent back by the preview."""

    file = forms.FileField(required=False, label="File")
    judge = forms.CharField(
        max_length=60, label="Name of the judge", help_text='The name that pages show, such as "NIST".'
    )

    in_plan = forms.BooleanField(
        required=False,
        label="This judge is part of the judging plan",
        help_text="The labels count in agreement and releases either way. With it, the judge has the topics"
        " of the file, and can be their primary judge, whom rules such as ties to the primary judge follow.",
    )
    extend_pool = forms.BooleanField(required=False, widget=forms.HiddenInput)

    field_order = ["file", "judge", "grades", "map", "words", "match_topics", "match_docnos", "in_plan"]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not data.get("file") and not data.get("content") and "file" not in self.errors:
            self.add_error("file", self.fields["file"].error_messages["required"])
        return data

    def source(self) -> tuple[bytes, str]:
        """Return the content and the name of the file. Raises BadFile."""
        file = self.cleaned_data["file"]
        if file:
            return read_upload(file), file.name or ""
        return self.cleaned_data["content"], self.cleaned_data["name"]


class MachineForm(GradesMixin, FileForm):
    """A file of machine labels, and the program that gave them."""

    name = forms.CharField(
        max_length=60,
        help_text='A name that no judge of the campaign has yet, such as "LLM, short prompt". Pages show it.',
    )
    model = forms.CharField(max_length=120, help_text="The official name of the model, with its version.")
    prompt_sha256 = forms.RegexField(
        r"^[0-9a-fA-F]{64}\Z",
        label="SHA-256 of the prompt",
        required=False,
        error_messages={"invalid": "Enter the SHA-256 checksum as 64 hexadecimal digits."},
        help_text="Optional, so that readers can check a prompt that you publish: 64 hexadecimal digits, as"
        " sha256sum prompt.txt prints them. The text itself can stand in the note.",
    )
    made_on = forms.DateField(
        label="Date of the labels",
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text="Needed: the day on which the program gave the labels. Releases name it.",
    )
    note = forms.CharField(required=False, max_length=2000, help_text="Optional.")

    field_order = ["file", "name", "model", "prompt_sha256", "made_on", "note", "grades", "map", "words"]

    def machine(self) -> MachineDetails:
        data = self.cleaned_data
        return MachineDetails(
            data["name"], data["model"], data["prompt_sha256"].lower(), data["made_on"], data["note"]
        )


def parse_grades(text: str) -> dict[int, int]:
    """Read a grade mapping such as "5=3 -1=0": grade in the file = grade of the campaign. Raises Refused."""
    words = re.split(r"[\s,]+", text.strip())
    pairs = [(word, re.fullmatch(r"(-?\d+)=(-1|\d+)", word)) for word in words if word]
    if wrong := [word for word, pair in pairs if not pair]:
        raise Refused(f'expected pairs such as "-1=0 5=3", found {wrong[0]!r}')
    return {int(pair[1]): int(pair[2]) for _, pair in pairs if pair}
