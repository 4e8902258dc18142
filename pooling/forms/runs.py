"""The forms of submitted runs."""

from __future__ import annotations

from typing import Any

from django import forms

from pooling.formats.run_checks import tag_from_name
from pooling.forms.files import FilesField
from pooling.forms.tables import MapMixin
from pooling.intake.fields import RUN
from pooling.models import Run


def order_field() -> forms.ChoiceField:
    """Return the field of the order of a run; left out, it is that of trec_eval."""
    return forms.ChoiceField(choices=Run.Order.choices, required=False, label="Order of the documents")


class SubmissionForm(MapMixin):
    table = RUN
    run_files = FilesField(label="Run files", allow_empty_file=True)  # the report names an empty file
    group = forms.CharField(
        max_length=60,
        required=False,
        help_text="The team that submits, under one name for all its runs. If empty: the team that an"
        " ir_metadata header of the file names.",
    )
    kind = forms.ChoiceField(
        choices=[("", "From the file, otherwise automatic"), *Run.Kind.choices],
        required=False,
        help_text="Manual: a person took part in the search.",
    )
    priority = forms.IntegerField(
        min_value=1, max_value=99, initial=1, help_text="1 is pooled first of your group's runs."
    )
    tag_from = forms.ChoiceField(
        choices=[("column", "column 6 of the file"), ("name", "the file name")], label="Take the tag from"
    )
    order = order_field()
    description = forms.CharField(required=False, max_length=2000)
    match_topics = forms.BooleanField(required=False, widget=forms.HiddenInput)
    field_order = ["run_files", "group", "kind", "priority", "tag_from", "order", "description", "map"]

    def __init__(self, *args: Any, group: str = "", **options: Any) -> None:
        """group: that of a participant, who submits for no other; an organiser names one in a field."""
        super().__init__(*args, **options)
        self.own_group = group
        if group:
            del self.fields["group"]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        data["order"] = data.get("order") or Run.Order.SCORE
        return data | {"group": self.own_group} if self.own_group else data

    def tag_of(self, name: str) -> str:
        """Return the tag that a file's name gives, or nothing when the last column decides."""
        if self.cleaned_data["tag_from"] == "column":
            return ""
        return tag_from_name(name)


class OrderForm(forms.Form):
    order = order_field()
