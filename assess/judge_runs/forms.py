"""The form that submits a run of a machine judge."""

from __future__ import annotations

from typing import Any

from django import forms

from assess.judge_runs.services import JudgeRunDetails
from pooling.models import Run


class JudgeRunForm(forms.Form):
    """A file of labels, and what its group says about the program that gave them."""

    file = forms.FileField(label="File", allow_empty_file=True)  # the report names an empty file
    group = forms.CharField(
        max_length=60, required=False, help_text="The team that submits, under the name that its runs have."
    )
    model = forms.CharField(
        required=False,
        max_length=120,
        label="Language model",
        help_text="Its official name with the version. If empty: the program uses none.",
    )
    kind = forms.ChoiceField(
        choices=Run.Kind.choices, help_text="Manual: a person changed labels, or decided some of them."
    )
    description = forms.CharField(
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="How the program judges: its prompt, its input, and what the confidence means.",
    )

    def __init__(self, *args: Any, group: str = "", **options: Any) -> None:
        """group: that of a participant, who submits for no other; an organiser names one in a field."""
        super().__init__(*args, **options)
        self.own_group = group
        if group:
            del self.fields["group"]

    def details(self) -> JudgeRunDetails:
        data = self.cleaned_data
        group = self.own_group or data["group"]
        return JudgeRunDetails(group, data["kind"], data["model"], data["description"])
