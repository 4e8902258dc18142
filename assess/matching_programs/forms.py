"""The form that makes a program for a matching."""

from __future__ import annotations

from typing import Any

from django import forms

from assess.machines.prompt import BadPrompt
from assess.matching_programs.prompt import DEFAULT, PLACEHOLDERS, check_prompt
from assess.matching_programs.services import PlannedProgram
from assess.models import Matching
from pooling.models import Campaign


class MatchingProgramForm(forms.Form):
    """A program that matches the nuggets and answers of a matching."""

    matching = forms.ModelChoiceField(Matching.objects.none(), to_field_name="number", empty_label=None)
    name = forms.CharField(max_length=60)
    model = forms.CharField(max_length=120, help_text="As requests send it, with its version.")
    prompt = forms.CharField(
        max_length=20_000,
        initial=DEFAULT,
        widget=forms.Textarea(attrs={"rows": 14}),
        help_text="; ".join(f"{{{name}}}: {meaning}" for name, meaning in PLACEHOLDERS.items()),
    )

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["matching"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = campaign.matchings.all()

    def clean_prompt(self) -> str:
        prompt: str = self.cleaned_data["prompt"].replace("\r\n", "\n")
        try:
            check_prompt(prompt)
        except BadPrompt as error:
            raise forms.ValidationError(str(error)) from error
        return prompt

    def asked(self) -> PlannedProgram:
        data = self.cleaned_data
        return PlannedProgram(data["matching"], data["name"], data["model"], data["prompt"])
