"""The forms of answer runs: a submission, and the rules of a campaign."""

from __future__ import annotations

from typing import Any

from django import forms

from assess.answers.answer_files import FORMS
from assess.answers.services import AnswerRunDetails
from assess.models import AnswerRules
from pooling.forms.files import FilesField
from pooling.models import Run


class AnswerRunForm(forms.Form):
    """Files of answers, a run each, and what their group says about them."""

    file = FilesField(label="Files", allow_empty_file=True)  # the report names an empty file
    group = forms.CharField(
        max_length=60,
        required=False,
        help_text="The team that submits, under the name that its runs have. If empty: from the file.",
    )
    kind = forms.ChoiceField(
        choices=[("", "From the file, otherwise automatic"), *Run.Kind.choices],
        required=False,
        help_text="Manual: a person took part in the search or in the writing.",
    )
    description = forms.CharField(
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="How the answers were generated: retrieval, language model, prompt.",
    )
    match_topics = forms.BooleanField(
        required=False,
        label="Match topic numbers that are written otherwise",
        help_text="With leading zeros or a prefix, such as 051 or MB51 for 51. The report names them.",
    )

    def __init__(self, *args: Any, group: str = "", **options: Any) -> None:
        """group: that of a participant, who submits for no other; an organiser names one in a field."""
        super().__init__(*args, **options)
        self.own_group = group
        if group:
            del self.fields["group"]

    def details(self) -> AnswerRunDetails:
        data = self.cleaned_data
        group = self.own_group or data["group"]
        return AnswerRunDetails(group, data["kind"], data["description"], data["match_topics"])


class AnswerRulesForm(forms.ModelForm[AnswerRules]):
    """Whether participants submit answers, and the limits of this campaign."""

    form = forms.ChoiceField(
        choices=[("", "any, recognised from the file"), *((key, form.title) for key, form in FORMS.items())],
        required=False,
        label="Form of the files",
        help_text="Its limits hold where a field below is empty.",
    )

    class Meta:
        model = AnswerRules
        fields = ["accepts", "form", "words", "characters", "citations", "references"]  # noqa: RUF012
        labels = {  # noqa: RUF012
            "accepts": "Participants may submit answer runs",
            "words": "Most words of an answer",
            "characters": "Most characters of an answer",
            "citations": "Most citations of a sentence",
            "references": "Most references of an answer",
        }
        help_texts = {  # noqa: RUF012
            "accepts": "The dates are those of runs.",
            "characters": "In Unicode form NFKC, sentences joined by one space.",
            "references": "More of them are a warning, not an error.",
        }
