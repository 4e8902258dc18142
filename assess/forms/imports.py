"""Labels made elsewhere, by people and machines."""

from __future__ import annotations

import re

from django import forms

from assess.services.machines import Machine
from pooling.forms import FileForm
from pooling.refusals import Refused


class GradesMixin(forms.Form):
    grades = forms.CharField(
        required=False,
        label="Grades differ?",
        help_text='Their grade = yours, such as "5=3 -1=0"; =-1 is "cannot judge". Empty: as they are; '
        'negative grades are "cannot judge".',
    )

    def clean_grades(self) -> dict[int, int]:
        try:
            return parse_grades(str(self.cleaned_data["grades"]))
        except Refused as error:
            raise forms.ValidationError(str(error)) from error


class JudgmentsForm(GradesMixin, FileForm):
    judge = forms.CharField(
        max_length=60, label="Name of the judge", help_text='As it should appear: "NIST".'
    )

    field_order = ["file", "judge", "grades"]


class MachineForm(GradesMixin, FileForm):
    """Labels that a program gave, and which program."""

    name = forms.CharField(max_length=60, help_text='As it should appear: "LLM, short prompt".')
    model = forms.CharField(max_length=120, help_text="With its version, as its maker writes it.")
    prompt_sha256 = forms.RegexField(
        r"^[0-9a-fA-F]{64}\Z",
        label="SHA-256 of the prompt",
        error_messages={"invalid": "Expected 64 hexadecimal digits."},
        help_text="64 digits; sha256sum prompt.txt writes them.",
    )
    made_on = forms.DateField(label="Made on", widget=forms.DateInput(attrs={"type": "date"}))
    note = forms.CharField(required=False, max_length=2000)

    field_order = ["file", "name", "model", "prompt_sha256", "made_on", "note", "grades"]

    def machine(self) -> Machine:
        data = self.cleaned_data
        return Machine(
            data["name"], data["model"], data["prompt_sha256"].lower(), data["made_on"], data["note"]
        )


def parse_grades(text: str) -> dict[int, int]:
    """Read "theirs=ours" pairs: "5=3 -1=0". Raises Refused."""
    words = re.split(r"[\s,]+", text.strip())
    pairs = [(word, re.fullmatch(r"(-?\d+)=(-1|\d+)", word)) for word in words if word]
    if wrong := [word for word, pair in pairs if not pair]:
        raise Refused(f'expected pairs such as "-1=0 5=3", found {wrong[0]!r}')
    return {int(pair[1]): int(pair[2]) for _, pair in pairs if pair}
