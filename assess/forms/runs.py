"""Forms that change a submitted run."""

from __future__ import annotations

from typing import Any

from django import forms

from pooling.forms.edits import EditMixin
from pooling.forms.runs import order_field
from pooling.forms.tables import MapMixin
from pooling.intake.fields import RUN
from pooling.models import Run
from pooling.models.campaigns import WORD


class RunForm(EditMixin):
    """What a group says about its run. Without fixed reasons, its tag can change, too."""

    tag = forms.CharField(
        max_length=120,
        validators=[WORD],
        help_text="The name of the run on every page. The submitted file keeps its last column.",
    )
    description = forms.CharField(required=False, max_length=2000, widget=forms.Textarea(attrs={"rows": 3}))
    kind = forms.ChoiceField(choices=Run.Kind.choices, help_text="Manual: a person took part in the search.")
    priority = forms.IntegerField(
        min_value=1, max_value=99, help_text="1 is pooled first of the group's runs."
    )

    def __init__(self, *args: Any, why_fixed: str = "", **options: Any) -> None:
        """why_fixed: why the tag cannot change; it is shown and not read."""
        super().__init__(*args, **options)
        if why_fixed:
            self.fields["tag"].disabled = True
            self.fields["tag"].help_text = why_fixed


class ReplacementForm(MapMixin):
    table = RUN
    file = forms.FileField(label="Newer run file", allow_empty_file=True)
    order = order_field()
    field_order = ["file", "order", "map"]


class WithdrawalForm(forms.Form):
    """The reason of a withdrawal, which organisers must give."""

    reason = forms.CharField(
        max_length=1000, help_text="The group of the run reads it, and the audit log has it."
    )

    def __init__(self, *args: Any, is_organiser: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["reason"].required = is_organiser
